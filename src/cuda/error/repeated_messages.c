#include "cuda/error/repeated_messages.h"

#include <ctype.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { MOST_KINDS = 256, KIND_BYTES = 512, SAID_BYTES = 160 };

struct kind {
    char text[KIND_BYTES]; // numbers left out
    char said[SAID_BYTES]; // the first line of the first one, cut
    unsigned more;
};

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static struct kind kinds[MOST_KINDS];
static unsigned kind_count;
static pid_t owner; // the process that counts them: a child has a copy of its parent's

// Copies what makes the kind: numbers become '#', hexadecimal ones whole, but not those behind a
// colon, nor those within a name.
static void leave_out_numbers(const char *text, char kind[KIND_BYTES])
{
    size_t length = 0;
    char before = ' ';
    while (*text != '\0' && length + 1 < KIND_BYTES) {
        bool within = isalnum((unsigned char)before) || before == '_' || before == ':';
        if (!isdigit((unsigned char)*text) || within) {
            before = *text;
            kind[length++] = *text++;
            continue;
        }
        kind[length++] = '#';
        while (isxdigit((unsigned char)*text) || *text == 'x')
            text++;
        before = '#';
    }
    kind[length] = '\0';
}

// What a parent has printed is known to its child, but what it has counted is its own.
static void begin_in_child(void)
{
    if (owner == getpid())
        return;
    owner = getpid();
    for (unsigned i = 0; i < kind_count; i++)
        kinds[i].more = 0;
}

bool wm_message_is_new(const char *text)
{
    char kind[KIND_BYTES];
    leave_out_numbers(text, kind);
    pthread_mutex_lock(&mutex);
    begin_in_child();
    unsigned at = 0;
    while (at < kind_count && strcmp(kinds[at].text, kind) != 0)
        at++;
    bool is_new = at == kind_count;
    if (!is_new) {
        kinds[at].more++;
    } else if (kind_count < MOST_KINDS) {
        memcpy(kinds[at].text, kind, sizeof kind);
        snprintf(kinds[at].said, sizeof kinds[at].said, "%.*s", (int)strcspn(text, "\n"), text);
        kinds[at].more = 0;
        kind_count++;
    }
    pthread_mutex_unlock(&mutex);
    return is_new;
}

void wm_messages_print_repeated(void)
{
    pthread_mutex_lock(&mutex);
    for (unsigned i = 0; i < kind_count && owner == getpid(); i++)
        if (kinds[i].more != 0)
            fprintf(stderr, "warpmem: %u more like it: %s\n", kinds[i].more, kinds[i].said);
    kind_count = 0;
    pthread_mutex_unlock(&mutex);
}
