// Traces as streams: plain and compressed alike, in lines and bytes; what is cut short or empty is
// an error that names the place.
#include "base/numbers/random.h"
#include "packed_bytes.h"
#include "source/trace_input.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const int filters[] = {ARCHIVE_FILTER_NONE, ARCHIVE_FILTER_GZIP,  ARCHIVE_FILTER_XZ,
                              ARCHIVE_FILTER_ZSTD, ARCHIVE_FILTER_BZIP2, ARCHIVE_FILTER_LZ4};
enum { FILTERS = sizeof filters / sizeof filters[0] };

static struct wm_trace_input *opened(const void *bytes, size_t size)
{
    struct wm_trace_input *input;
    struct wm_error error;
    wm_error_clear(&error);
    cr_assert_eq(wm_trace_input_open_memory(bytes, size, "trace", &input, &error), WM_OK, "%s",
                 error.message);
    return input;
}

// Lines of all lengths, some longer than a block; the last has no end.
static char *make_text(size_t *size, size_t lines)
{
    struct wm_random random;
    wm_random_init(&random, 5, "trace input");
    char *text = malloc((lines / 100 + 1) * 600000 + lines * 41);
    *size = 0;
    for (size_t i = 0; i < lines; i++) {
        size_t length = i % 100 == 99 ? 600000 : wm_random_below(&random, 40);
        for (size_t c = 0; c < length; c++)
            text[(*size)++] = (char)('a' + (i * 7 + c * c) % 26);
        if (i + 1 < lines)
            text[(*size)++] = '\n';
    }
    return text;
}

Test(trace_input, has_the_same_lines_however_it_is_packed)
{
    size_t size;
    char *text = make_text(&size, 350);
    for (int f = 0; f < FILTERS; f++) {
        struct packed_bytes packed = pack_bytes(text, size, filters[f]);
        struct wm_trace_input *input = opened(packed.data, packed.size);
        size_t at = 0;
        uint64_t number = 0;
        for (;;) {
            const char *line;
            size_t length;
            cr_assert_eq(wm_trace_input_line(input, &line, &length, NULL), WM_OK);
            if (line == NULL)
                break;
            cr_assert_eq(wm_trace_input_line_number(input), ++number);
            cr_assert_eq(memcmp(line, text + at, length), 0, "line %d", (int)number);
            cr_assert_eq(line[length], '\0');
            at += length;
            cr_assert(at == size || text[at] == '\n');
            at++;
        }
        cr_expect_eq(number, 350);
        cr_expect_eq(at, size + 1);
        cr_expect_eq(wm_trace_input_offset(input), size);
        wm_trace_input_close(input);
        free(packed.data);
    }
    free(text);
}

Test(trace_input, has_the_same_bytes_in_pieces_of_any_size)
{
    size_t size;
    char *text = make_text(&size, 120), *copy = malloc(size + 1);
    for (int f = 0; f < FILTERS; f++) {
        struct packed_bytes packed = pack_bytes(text, size, filters[f]);
        struct wm_trace_input *input = opened(packed.data, packed.size);
        size_t at = 0, got = 1;
        for (size_t piece = 1; got > 0; piece = piece * 3 % 100003) {
            size_t wanted = piece < size + 1 - at ? piece : size + 1 - at;
            cr_assert_eq(wm_trace_input_read(input, copy + at, wanted, &got, NULL), WM_OK);
            at += got;
        }
        cr_expect_eq(at, size);
        cr_expect_eq(memcmp(copy, text, size), 0);
        wm_trace_input_close(input);
        free(packed.data);
    }
    free(copy);
    free(text);
}

Test(trace_input, takes_the_return_of_dos_lines_away)
{
    struct wm_trace_input *input = opened("a\r\n\r\nb\rc\r", 9);
    static const char *const lines[] = {"a", "", "b\rc"};
    const char *line;
    size_t length;
    for (int i = 0; i < 3; i++) {
        cr_assert_eq(wm_trace_input_line(input, &line, &length, NULL), WM_OK);
        cr_expect_str_eq(line, lines[i]);
    }
    cr_assert_eq(wm_trace_input_line(input, &line, &length, NULL), WM_OK);
    cr_expect_null(line);
    wm_trace_input_close(input);
}

// Every file cut short anywhere is an error, and says the file; plain text cannot know.
Test(trace_input, tells_a_file_cut_short)
{
    uint8_t bytes[4096];
    struct wm_random random;
    wm_random_init(&random, 9, "trace input");
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (uint8_t)(wm_random_below(&random, 16) * 7);
    for (int f = 1; f < FILTERS; f++) {
        struct packed_bytes packed = pack_bytes(bytes, sizeof bytes, filters[f]);
        // The first bytes alone do not say that the file is compressed at all.
        for (size_t size = 20; size + 9 < packed.size; size += 13) {
            struct wm_trace_input *input;
            struct wm_error error;
            wm_error_clear(&error);
            enum wm_status status =
                wm_trace_input_open_memory(packed.data, size, "cut", &input, &error);
            for (size_t got = 1; status == WM_OK && got > 0;) {
                uint8_t buffer[512];
                status = wm_trace_input_read(input, buffer, sizeof buffer, &got, &error);
            }
            cr_expect_eq(status, WM_INVALID, "filter %d, %zu of %zu bytes", filters[f], size,
                         packed.size);
            cr_expect_str_eq(error.place, "cut");
            wm_trace_input_close(input);
        }
        free(packed.data);
    }
}

static void expect_open_fails(const char *path, enum wm_status status, const char *message)
{
    struct wm_trace_input *input;
    struct wm_error error;
    wm_error_clear(&error);
    cr_expect_eq(wm_trace_input_open(path, &input, &error), status);
    cr_expect(strstr(error.message, message) != NULL, "%s", error.message);
    cr_expect_str_eq(error.place, path);
    cr_expect_null(input);
}

Test(trace_input, says_what_is_wrong_with_a_file)
{
    char path[] = "trace-input-XXXXXX";
    int file = mkstemp(path);
    cr_assert(file >= 0);
    expect_open_fails(path, WM_INVALID, "is empty");
    struct packed_bytes packed = pack_bytes("", 0, ARCHIVE_FILTER_GZIP);
    cr_assert_eq(write(file, packed.data, packed.size), (ssize_t)packed.size);
    expect_open_fails(path, WM_INVALID, "is empty");
    free(packed.data);
    close(file);
    unlink(path);
    expect_open_fails(path, WM_NOT_FOUND, "cannot be opened: No such file");
}

Test(trace_input, refuses_what_is_no_text)
{
    struct wm_error error;
    const char *line;
    size_t length;
    struct wm_trace_input *input = opened("ab\nc\0d\n", 7);
    cr_assert_eq(wm_trace_input_line(input, &line, &length, NULL), WM_OK);
    cr_assert_eq(wm_trace_input_line(input, &line, &length, &error), WM_INVALID);
    cr_expect_str_eq(error.place, "trace:2");
    wm_trace_input_close(input);
    size_t size = WM_TRACE_INPUT_LINE_BYTES + 1;
    char *text = malloc(size + 1);
    memset(text, 'x', size);
    text[size] = '\n';
    input = opened(text, size + 1);
    cr_assert_eq(wm_trace_input_line(input, &line, &length, &error), WM_INVALID);
    cr_expect(strstr(error.message, "mebibyte") != NULL, "%s", error.message);
    wm_trace_input_close(input);
    input = opened(text + 1, size);
    cr_assert_eq(wm_trace_input_line(input, &line, &length, &error), WM_OK);
    cr_expect_eq(length, size - 1);
    wm_trace_input_close(input);
    free(text);
}
