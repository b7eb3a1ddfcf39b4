#include "cuda/error/log.h"

#include "base/files/output_file.h"
#include "cuda/error/repeated_messages.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct message {
    enum wm_log_level level;
    char text[WM_LOG_MESSAGE_BYTES];
};

struct wm_log_listener {
    struct wm_log_listener *next;
    wm_log_callback *callback;
    void *data;
    unsigned next_message; // number of the next message for it
};

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static struct message messages[WM_LOG_MESSAGES]; // by number, around
static unsigned message_count;                   // ever
static struct wm_log_listener *listeners;
static _Thread_local bool delivering; // in a listener: messages of its own calls come later

static const char missing[] = "[CUDA][W] older messages are missing\n";

// ---- Adding and delivering ---------------------------------------------------------------------

void wm_log_add(enum wm_log_level level, const char *text)
{
    pthread_mutex_lock(&mutex);
    struct message *message = &messages[message_count++ % WM_LOG_MESSAGES];
    message->level = level;
    snprintf(message->text, sizeof message->text, "[CUDA][%c] %s",
             level == WM_LOG_ERROR ? 'E' : 'W', text);
    for (char *at = message->text; *at; at++)
        if (*at == '\n')
            *at = ' ';
    pthread_mutex_unlock(&mutex);
}

static unsigned oldest(void)
{
    return message_count > WM_LOG_MESSAGES ? message_count - WM_LOG_MESSAGES : 0;
}

// Copies the next message before number `end` for any listener; false when all have got those.
static bool take(unsigned end, struct wm_log_listener *listener, struct message *message)
{
    bool found = false;
    pthread_mutex_lock(&mutex);
    for (struct wm_log_listener *one = listeners; one && !found; one = one->next) {
        if (one->next_message < oldest())
            one->next_message = oldest();
        if (one->next_message >= end)
            continue;
        *listener = *one;
        *message = messages[one->next_message++ % WM_LOG_MESSAGES];
        found = true;
    }
    pthread_mutex_unlock(&mutex);
    return found;
}

void wm_log_deliver(void)
{
    struct wm_log_listener listener;
    struct message message;
    if (delivering)
        return;
    delivering = true;
    unsigned end = wm_log_next(); // not what the listeners themselves add
    while (take(end, &listener, &message))
        listener.callback(listener.data, (int)message.level, message.text, strlen(message.text));
    delivering = false;
}

void wm_log_explain(enum wm_log_level level, const char *format, ...)
{
    char text[4096];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    size_t length = strlen(text);
    bool ended = length > 0 && text[length - 1] == '\n';
    // One write, so that lines of several threads do not mix.
    if (wm_message_is_new(text))
        fprintf(stderr, "warpmem: %s%s", text, ended ? "" : "\n");
    if (ended)
        text[length - 1] = 0;
    wm_log_add(level, text);
}

void wm_log_result(int status)
{
    switch (status) {
#define X(name, number, sentence)                      \
    case number:                                       \
        wm_log_add(WM_LOG_ERROR, #name ": " sentence); \
        break;
#include "cuda/error/error_codes.def"
#undef X
    default: wm_log_add(WM_LOG_ERROR, "unrecognized error code"); break;
    }
    wm_log_deliver();
}

// ---- Listeners ---------------------------------------------------------------------------------

struct wm_log_listener *wm_log_listen(wm_log_callback *callback, void *data)
{
    struct wm_log_listener *listener = malloc(sizeof *listener);
    if (!listener)
        return NULL;
    pthread_mutex_lock(&mutex);
    *listener = (struct wm_log_listener){
        .next = listeners, .callback = callback, .data = data, .next_message = message_count};
    listeners = listener;
    pthread_mutex_unlock(&mutex);
    return listener;
}

bool wm_log_forget(struct wm_log_listener *listener)
{
    pthread_mutex_lock(&mutex);
    struct wm_log_listener **at = &listeners;
    while (*at && *at != listener)
        at = &(*at)->next;
    bool found = *at != NULL;
    if (found)
        *at = listener->next;
    pthread_mutex_unlock(&mutex);
    if (found)
        free(listener);
    return found;
}

// ---- Dumping -----------------------------------------------------------------------------------

unsigned wm_log_next(void)
{
    pthread_mutex_lock(&mutex);
    unsigned next = message_count;
    pthread_mutex_unlock(&mutex);
    return next;
}

// Bytes of a message's line.
static size_t line_bytes(unsigned number)
{
    return strlen(messages[number % WM_LOG_MESSAGES].text) + 1;
}

// The first message of the last ones that fit into `room` bytes.
static unsigned first_that_fits(unsigned begin, size_t room)
{
    unsigned first = message_count;
    while (first > begin && line_bytes(first - 1) <= room)
        room -= line_bytes(--first);
    return first;
}

static size_t append(char *to, size_t at, const char *text)
{
    size_t length = strlen(text);
    memcpy(to + at, text, length);
    return at + length;
}

static bool dump(unsigned from, char *to, size_t size, size_t *written)
{
    unsigned begin = from < oldest() ? oldest() : from;
    unsigned first = first_that_fits(begin, size - 1);
    bool cut = first > from;
    if (cut) // for the line that says so
        first =
            size > sizeof missing ? first_that_fits(begin, size - sizeof missing) : message_count;
    *written = 0;
    to[0] = 0;
    if (from >= message_count)
        return true;
    if (first == message_count)
        return false;
    if (cut)
        *written = append(to, *written, missing);
    for (; first < message_count; first++) {
        *written = append(to, *written, messages[first % WM_LOG_MESSAGES].text);
        *written = append(to, *written, "\n");
    }
    to[*written] = 0;
    return true;
}

bool wm_log_dump(unsigned *from, char *to, size_t size, size_t *written)
{
    pthread_mutex_lock(&mutex);
    bool fits = dump(from ? *from : 0, to, size, written);
    if (fits && from)
        *from = message_count;
    pthread_mutex_unlock(&mutex);
    return fits;
}

bool wm_log_save(const char *path, const char *text, size_t bytes)
{
    struct wm_output_file file;
    if (wm_output_open(&file, path, WM_OUTPUT_ATOMIC, NULL) != WM_OK)
        return false;
    wm_output_write(&file, text, bytes);
    return wm_output_close(&file, true, NULL) == WM_OK;
}
