#include "host_trace/trace_file.h"

#include "base/files/output_file.h"
#include "host_trace/access_word.h"
#include "host_trace/code_places.h"
#include "host_trace/order.h"
#include "host_trace/variables.h"

#include <inttypes.h>
#include <limits.h>
#include <zstd.h>

enum {
    TEXT_BYTES = 1 << 20,
    MOST_LINE_BYTES = 48, // "w ADDRESS SIZE @PLACE" of 12, 4 and 8 digits
    COMPRESSED_BYTES = 1 << 18,
    MOST_NAME_BYTES = 1000, // of a variable's that are written
};

struct wm_host_trace_file {
    struct wm_output_file output;
    ZSTD_CCtx *compression;      // NULL: the text as it is
    uint32_t thread, named;      // of the accesses that come, and of those in the file
    bool failed;                 // no memory; what the output could not write it knows itself
    bool too_many;               // accesses of a thread that another waits for
    struct wm_host_order *order; // owned
    struct wm_host_code_places *places;  // owned
    struct wm_host_variables *variables; // owned
    size_t length;
    char text[TEXT_BYTES];
    char compressed[COMPRESSED_BYTES];
};

static bool ends_in(const char *path, const char *ending)
{
    size_t length = strlen(path), end = strlen(ending);
    return length > end && strcmp(path + length - end, ending) == 0;
}

enum wm_status wm_host_trace_open(const char *path, struct wm_host_trace_file **file,
                                  struct wm_error *error)
{
    struct wm_host_trace_file *made = calloc(1, sizeof *made);
    if (made == NULL)
        return wm_fail_no_memory(error, "a trace");
    enum wm_status status = wm_output_open(&made->output, path, WM_OUTPUT_ATOMIC, error);
    if (status != WM_OK) {
        free(made);
        return status;
    }
    made->order = wm_host_order_new();
    made->places = wm_host_code_places_new();
    made->variables = wm_host_variables_new();
    if (made->order == NULL || made->places == NULL || made->variables == NULL ||
        (ends_in(path, ".zst") && (made->compression = ZSTD_createCCtx()) == NULL)) {
        wm_output_close(&made->output, false, NULL);
        wm_host_order_free(made->order);
        wm_host_code_places_free(made->places);
        wm_host_variables_free(made->variables);
        free(made);
        return wm_fail_no_memory(error, "a trace");
    }
    *file = made;
    return WM_OK;
}

// Always whole buffers but for the last: how the text is cut shows in what zstd makes of it.
static bool compress(struct wm_host_trace_file *file, ZSTD_EndDirective step)
{
    ZSTD_inBuffer input = {file->text, file->length, 0};
    for (size_t left = 1; left != 0;) {
        ZSTD_outBuffer output = {file->compressed, sizeof file->compressed, 0};
        size_t more = ZSTD_compressStream2(file->compression, &output, &input, step);
        if (ZSTD_isError(more)) {
            file->failed = true;
            return false;
        }
        if (!wm_output_write(&file->output, file->compressed, output.pos))
            return false;
        left = step == ZSTD_e_end ? more : input.size - input.pos;
    }
    return true;
}

static bool write_text(struct wm_host_trace_file *file, ZSTD_EndDirective step)
{
    bool written = file->compression != NULL
                       ? compress(file, step)
                       : wm_output_write(&file->output, file->text, file->length);
    file->length = 0;
    return written;
}

// Without zeros in front.
static char *write_hexadecimal(char *to, uint64_t number)
{
    int digits = number == 0 ? 1 : (67 - __builtin_clzll(number)) / 4;
    for (int digit = digits - 1; digit >= 0; digit--)
        *to++ = "0123456789abcdef"[number >> 4 * digit & 15];
    return to;
}

// Room for a line; false when what is there could not be written.
static bool make_room(struct wm_host_trace_file *file)
{
    return TEXT_BYTES - file->length >= MOST_LINE_BYTES || write_text(file, ZSTD_e_continue);
}

// ---- Places of code ----------------------------------------------------------------------------

static bool put_text(struct wm_host_trace_file *file, const char *text, size_t length)
{
    if (TEXT_BYTES - file->length < length && !write_text(file, ZSTD_e_continue))
        return false;
    memcpy(file->text + file->length, text, length);
    file->length += length;
    return true;
}

// What would end a line, or an object's name in it, is replaced.
static void replace_blanks(char *text, bool spaces)
{
    for (; *text != '\0'; text++)
        if ((unsigned char)*text < ' ' || (spaces && *text == ' '))
            *text = '_';
}

// "l NUMBER OFFSET OBJECT LINE FILE", without the last two where the source is not known.
static bool describe_place(struct wm_host_trace_file *file, uint32_t number)
{
    char line[2 * PATH_MAX], object[NAME_MAX + 1], source[PATH_MAX] = "";
    struct wm_host_code place = wm_host_code_place(file->places, number);
    snprintf(object, sizeof object, "%s", place.object[0] != '\0' ? place.object : "?");
    replace_blanks(object, true);
    if (place.file != NULL)
        snprintf(source, sizeof source, " %" PRIx32 " %s", place.line, place.file);
    replace_blanks(source, false);
    int length = snprintf(line, sizeof line, "l %" PRIx32 " %" PRIx64 " %s%s\n", number,
                          place.offset, object, source);
    return put_text(file, line, (size_t)length);
}

// The number of the place that an access has, which the file has by then; 0: none.
static bool number_place(struct wm_host_trace_file *file, uint64_t code, uint32_t *number)
{
    bool fresh;
    *number = wm_host_code_places_number(file->places, code, &fresh);
    file->failed |= *number == 0 && code != 0;
    return !file->failed && (!fresh || describe_place(file, *number));
}

// ---- Variables ---------------------------------------------------------------------------------

// "s ADDRESS SIZE NAME" of those that an access is the first to come to.
static bool name_variables(struct wm_host_trace_file *file, uint64_t word)
{
    const struct wm_host_variable *it;
    uint64_t address = wm_host_word_address(word), bytes = wm_host_word_bytes(word);
    while ((it = wm_host_variables_meet(file->variables, address, bytes)) != NULL) {
        char line[MOST_NAME_BYTES + 64];
        int length = snprintf(line, sizeof line, "s %" PRIx64 " %" PRIx64 " %.*s\n", it->address,
                              it->bytes, (int)MOST_NAME_BYTES, it->name);
        if (!put_text(file, line, (size_t)length))
            return false;
    }
    return true;
}

bool wm_host_trace_object(struct wm_host_trace_file *file, uint64_t moved, const char *path)
{
    file->failed |= !wm_host_code_places_add_object(file->places, moved, path) ||
                    !wm_host_variables_add_object(file->variables, moved, path);
    return !file->failed;
}

// ---- Lines -------------------------------------------------------------------------------------

// A line of one or two numbers.
static bool put_line(struct wm_host_trace_file *file, char letter, uint64_t first,
                     const uint64_t *second)
{
    if (!make_room(file))
        return false;
    char *begin = file->text + file->length, *to = begin;
    *to++ = letter;
    *to++ = ' ';
    to = write_hexadecimal(to, first);
    if (second != NULL) {
        *to++ = ' ';
        to = write_hexadecimal(to, *second);
    }
    *to++ = '\n';
    file->length += (size_t)(to - begin);
    return true;
}

static bool name_thread(struct wm_host_trace_file *file)
{
    if (file->thread == file->named)
        return true;
    file->named = file->thread;
    return put_line(file, 't', file->thread, NULL);
}

// What the thread waits for before its next access.
static bool put_waits(struct wm_host_trace_file *file)
{
    uint32_t awaited;
    uint64_t accesses;
    while (wm_host_order_next_wait(file->order, file->thread, &awaited, &accesses)) {
        file->too_many |= accesses > UINT32_MAX;
        if (file->too_many || !put_line(file, 'a', awaited, &accesses))
            return false;
    }
    return true;
}

// "r ADDRESS SIZE @PLACE".
static bool put_access_line(struct wm_host_trace_file *file, char letter, uint64_t word,
                            uint32_t place)
{
    if (!make_room(file))
        return false;
    char *begin = file->text + file->length, *to = begin;
    *to++ = letter;
    *to++ = ' ';
    to = write_hexadecimal(to, wm_host_word_address(word));
    *to++ = ' ';
    to = write_hexadecimal(to, wm_host_word_bytes(word));
    if (place != 0) {
        *to++ = ' ';
        *to++ = '@';
        to = write_hexadecimal(to, place);
    }
    *to++ = '\n';
    file->length += (size_t)(to - begin);
    return true;
}

static bool put_access(struct wm_host_trace_file *file, uint64_t word, uint64_t code)
{
    uint32_t place;
    char letter = wm_host_word_is_locked(word) ? 'u' : wm_host_word_is_store(word) ? 'w' : 'r';
    if (!number_place(file, code, &place) || !name_variables(file, word))
        return false;
    if (wm_host_order_before(file->order, file->thread, word) && !put_waits(file))
        return false;
    if (!put_access_line(file, letter, word, place))
        return false;
    file->failed |= !wm_host_order_after(file->order, file->thread, word);
    return !file->failed;
}

bool wm_host_trace_add(struct wm_host_trace_file *file, const uint64_t *words,
                       const uint64_t *codes, size_t count)
{
    if (count > 0 && !name_thread(file))
        return false;
    for (size_t i = 0; i < count; i++)
        if (!put_access(file, words[i], codes[i]))
            return false;
    return true;
}

bool wm_host_trace_mark(struct wm_host_trace_file *file, uint64_t word)
{
    switch (wm_host_word_mark(word)) {
    case WM_HOST_MARK_FENCE: return name_thread(file) && put_text(file, "f\n", 2);
    case WM_HOST_MARK_COUNTED:
        return name_thread(file) && put_line(file, 'n', wm_host_word_counted(word), NULL);
    case WM_HOST_MARK_ACQUIRE:
        wm_host_order_acquire(file->order, file->thread, wm_host_word_address(word));
        return true;
    case WM_HOST_MARK_RELEASE:
        file->failed |=
            !wm_host_order_release(file->order, file->thread, wm_host_word_address(word));
        return !file->failed;
    case WM_HOST_MARK_THREAD: file->thread = wm_host_word_thread(word); return true;
    case WM_HOST_MARK_ISSUES:
        return name_thread(file) && put_line(file, 'k', wm_host_word_command(word), NULL);
    case WM_HOST_MARK_AWAITS:
        return name_thread(file) && put_line(file, 'e', wm_host_word_command(word), NULL);
    case WM_HOST_MARK_TURN_END: return name_thread(file) && put_text(file, "d\n", 2);
    case WM_HOST_MARK_END:
    case WM_HOST_MARK_REFUSED: break;
    }
    return true;
}

enum wm_status wm_host_trace_close(struct wm_host_trace_file *file, bool good,
                                   struct wm_error *error)
{
    if (good && !file->failed && !file->too_many)
        write_text(file, ZSTD_e_end); // what cannot be written is said below
    bool failed = file->failed || file->too_many;
    enum wm_status status = wm_output_close(&file->output, good && !failed, error);
    if (status == WM_OK && file->too_many) {
        wm_fail(error, WM_LIMIT, "no trace: a thread waits for more accesses of another than 2^32");
        status =
            wm_error_hint(error, "trace a part: warpmem_trace_begin() and warpmem_trace_end()");
    } else if (status == WM_OK && failed) {
        status = wm_fail_no_memory(error, "writing a trace");
    }
    wm_host_order_free(file->order);
    wm_host_code_places_free(file->places);
    wm_host_variables_free(file->variables);
    ZSTD_freeCCtx(file->compression);
    free(file);
    return status;
}
