#include "host_trace/trace_file.h"

#include "base/files/output_file.h"
#include "host_trace/access_word.h"

#include <zstd.h>

enum {
    TEXT_BYTES = 1 << 20,
    MOST_LINE_BYTES = 32, // "w ADDRESS SIZE" of 12 and 4 digits
    COMPRESSED_BYTES = 1 << 18,
};

struct wm_host_trace_file {
    struct wm_output_file output;
    ZSTD_CCtx *compression; // NULL: the text as it is
    uint32_t thread, named; // of the accesses that come, and of those in the file
    bool failed;            // the compression; what the output could not write it knows itself
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
    if (ends_in(path, ".zst") && (made->compression = ZSTD_createCCtx()) == NULL) {
        wm_output_close(&made->output, false, NULL);
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

static void write_line(struct wm_host_trace_file *file, uint64_t word)
{
    char *begin = file->text + file->length, *to = begin;
    *to++ = wm_host_word_is_store(word) ? 'w' : 'r';
    *to++ = ' ';
    to = write_hexadecimal(to, wm_host_word_address(word));
    *to++ = ' ';
    to = write_hexadecimal(to, wm_host_word_bytes(word));
    *to++ = '\n';
    file->length += (size_t)(to - begin);
}

void wm_host_trace_thread(struct wm_host_trace_file *file, uint32_t thread)
{
    file->thread = thread;
}

static bool name_thread(struct wm_host_trace_file *file)
{
    if (TEXT_BYTES - file->length < MOST_LINE_BYTES && !write_text(file, ZSTD_e_continue))
        return false;
    char *begin = file->text + file->length, *to = begin;
    *to++ = 't';
    *to++ = ' ';
    to = write_hexadecimal(to, file->thread);
    *to++ = '\n';
    file->length += (size_t)(to - begin);
    file->named = file->thread;
    return true;
}

bool wm_host_trace_add(struct wm_host_trace_file *file, const uint64_t *words, size_t count)
{
    if (count > 0 && file->thread != file->named && !name_thread(file))
        return false;
    for (size_t i = 0; i < count; i++) {
        if (TEXT_BYTES - file->length < MOST_LINE_BYTES && !write_text(file, ZSTD_e_continue))
            return false;
        write_line(file, words[i]);
    }
    return true;
}

enum wm_status wm_host_trace_close(struct wm_host_trace_file *file, bool good,
                                   struct wm_error *error)
{
    if (good && !file->failed)
        write_text(file, ZSTD_e_end); // what cannot be written is said below
    bool failed = file->failed;
    enum wm_status status = wm_output_close(&file->output, good && !failed, error);
    if (status == WM_OK && failed)
        status = wm_fail_no_memory(error, "compressing a trace");
    ZSTD_freeCCtx(file->compression);
    free(file);
    return status;
}
