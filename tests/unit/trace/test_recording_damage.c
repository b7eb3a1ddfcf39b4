// Damaged and cut-off recordings: each ends in an error that names the file, or in the right
// answer.
#include "trace_samples.h"

#include "trace/section/layout.h"

#include <criterion/criterion.h>
#include <stdlib.h>

struct damaged {
    struct sample_recording sample;
    struct sample_file file;
    uint8_t *whole; // the file's content
    size_t length;
    struct sample_digest digest;
};

static void begin(struct damaged *it, uint32_t items, uint64_t seed)
{
    struct wm_error error;
    sample_recording_make(&it->sample, 32, items, seed);
    sample_file_open(&it->file);
    sample_recording_write(&it->sample, it->file.path, seed);
    it->whole = sample_file_content(&it->file, &it->length);
    cr_assert_eq(sample_digest(it->file.path, &it->digest, &error), WM_OK, "%s", error.message);
    cr_assert(it->digest.complete);
    cr_assert_eq(it->digest.launch_count, SAMPLE_LAUNCHES);
}

static void end(struct damaged *it)
{
    free(it->whole);
    sample_file_close(&it->file);
    sample_recording_release(&it->sample);
}

static void names_the_file(const struct damaged *it, const struct wm_error *error)
{
    cr_assert(strncmp(error->place, it->file.path, strlen(it->file.path)) == 0, "%s: %s",
              error->place, error->message);
    cr_assert(error->message[0] != '\0');
}

// Whether what was read is a beginning of what was written.
static bool is_beginning(const struct damaged *it, const struct sample_digest *got)
{
    for (uint32_t i = 0; i < got->launch_count; i++)
        if (got->launches[i] != it->digest.launches[i] &&
            (got->launches[i] != 0 || i + 1 < got->launch_count))
            return false;
    return got->launch_count <= it->digest.launch_count && !got->complete;
}

static bool is_all(const struct damaged *it, const struct sample_digest *got)
{
    return got->tables == it->digest.tables && got->events == it->digest.events &&
           memcmp(got->launches, it->digest.launches, sizeof got->launches) == 0;
}

// Each byte of the file, changed in one bit, and in as many as chance draws. A change in the file's
// last section or its tail leaves a recording without index: still all of it.
Test(recording_damage, each_byte)
{
    static struct damaged it;
    struct wm_random random;
    wm_random_init(&random, 1, "damage");
    begin(&it, 4, 2);
    uint32_t errors = 0, answers = 0;
    for (size_t at = 0; at < it.length; at++)
        for (int way = 0; way < 2; way++) {
            struct sample_digest got;
            struct wm_error error = {0};
            uint8_t change = (uint8_t)(way == 0 ? UINT64_C(1) << wm_random_below(&random, 8)
                                                : 1 + wm_random_below(&random, 255));
            it.whole[at] ^= change;
            sample_file_set(&it.file, it.whole, it.length);
            it.whole[at] ^= change;
            if (sample_digest(it.file.path, &got, &error) != WM_OK) {
                names_the_file(&it, &error);
                errors++;
                continue;
            }
            answers++;
            cr_assert(is_all(&it, &got), "byte %zu", at);
        }
    cr_assert(errors > answers && answers > 0, "%u errors, %u answers", errors, answers);
    end(&it);
}

// Cut off at each length: what is whole before it is read.
Test(recording_damage, each_length)
{
    static struct damaged it;
    begin(&it, 4, 3);
    uint32_t most = 0;
    for (size_t length = 0; length < it.length; length++) {
        struct sample_digest got;
        struct wm_error error = {0};
        sample_file_set(&it.file, it.whole, length);
        enum wm_status status = sample_digest(it.file.path, &got, &error);
        if (status != WM_OK) {
            names_the_file(&it, &error);
            cr_assert_eq(most, 0, "a shorter one was read: %zu, %s", length, error.message);
            continue;
        }
        cr_assert(is_beginning(&it, &got), "cut at %zu", length);
        uint32_t whole = 0;
        for (uint32_t i = 0; i < got.launch_count; i++)
            whole += got.launches[i] != 0;
        cr_assert_geq(whole, most, "a longer one has no less");
        most = whole;
    }
    cr_assert_eq(most, SAMPLE_LAUNCHES);
    end(&it);
}

// Bytes behind the end, or random ones from some place on.
Test(recording_damage, rubbish)
{
    static struct damaged it;
    struct wm_random random;
    wm_random_init(&random, 2, "damage");
    begin(&it, 4, 4);
    uint8_t *bytes = malloc(2 * it.length);
    for (int round = 0; round < 400; round++) {
        struct sample_digest got;
        struct wm_error error = {0};
        size_t from = wm_random_below(&random, it.length + 1);
        size_t length = from + wm_random_below(&random, it.length);
        memcpy(bytes, it.whole, from);
        for (size_t i = from; i < length; i++)
            bytes[i] = (uint8_t)wm_random_u64(&random);
        sample_file_set(&it.file, bytes, length);
        if (sample_digest(it.file.path, &got, &error) == WM_OK)
            cr_assert(is_beginning(&it, &got) || is_all(&it, &got));
        else
            names_the_file(&it, &error);
    }
    free(bytes);
    end(&it);
}

struct span {
    size_t at, length;
};

static uint32_t find_sections(const struct damaged *it, struct span *spans, uint32_t most)
{
    uint32_t count = 0;
    for (size_t at = WM_SECTION_HEAD_BYTES; at + 64 < it->length && count < most;) {
        spans[count] = (struct span){at, WM_SECTION_HEADER_BYTES + wm_get_u64(it->whole + at + 8)};
        at += spans[count++].length;
    }
    return count;
}

// Two sections exchanged, one left out, one twice: never a wrong answer.
Test(recording_damage, sections_that_moved)
{
    static struct damaged it;
    struct span spans[64];
    begin(&it, 4, 5);
    uint32_t count = find_sections(&it, spans, 64);
    cr_assert_gt(count, 12);
    uint8_t *bytes = malloc(2 * it.length);
    for (uint32_t a = 0; a < count; a++)
        for (uint32_t b = 0; b < count; b++) {
            // a == b: left out; b == a + 1: exchanged with the next; below: written once more.
            size_t length = 0;
            memcpy(bytes, it.whole, spans[0].at);
            length = spans[0].at;
            for (uint32_t i = 0; i < count; i++) {
                uint32_t from = b > a ? (i == a ? b : i == b ? a : i) : i;
                if (a == b && i == a)
                    continue;
                memcpy(bytes + length, it.whole + spans[from].at, spans[from].length);
                length += spans[from].length;
                if (b < a && i == b) {
                    memcpy(bytes + length, it.whole + spans[a].at, spans[a].length);
                    length += spans[a].length;
                }
            }
            size_t tail = spans[count - 1].at + spans[count - 1].length;
            memcpy(bytes + length, it.whole + tail, it.length - tail);
            length += it.length - tail;
            sample_file_set(&it.file, bytes, length);
            struct sample_digest got;
            struct wm_error error = {0};
            if (sample_digest(it.file.path, &got, &error) == WM_OK)
                cr_assert(is_beginning(&it, &got) || is_all(&it, &got), "sections %u and %u", a, b);
            else
                names_the_file(&it, &error);
        }
    free(bytes);
    end(&it);
}

Test(recording_damage, what_is_no_recording)
{
    struct sample_file file;
    struct wm_recording recording;
    struct wm_error error;
    sample_file_open(&file);
    cr_assert_eq(wm_recording_open(&recording, file.path, &error), WM_INVALID);
    cr_assert_str_eq(error.message, "the file is empty");
    sample_file_set(&file, "hello, this is a text", 21);
    cr_assert_eq(wm_recording_open(&recording, file.path, &error), WM_INVALID);
    cr_assert_str_eq(error.message, "this is no recording of warpmem");
    sample_file_set(&file, WM_SECTION_MAGIC "\0\0\0\2\0\0\0\0", 16);
    cr_assert_eq(wm_recording_open(&recording, file.path, &error), WM_UNSUPPORTED);
    sample_file_set(&file, WM_SECTION_MAGIC "\1\0\0\0\0\0\0\0", 16);
    cr_assert_eq(wm_recording_open(&recording, file.path, &error), WM_INVALID);
    cr_assert_str_eq(error.message, "the recording ends before its header is whole");
    cr_assert_str_eq(error.place, file.path);
    cr_assert_eq(wm_recording_open(&recording, "/", &error), WM_INVALID);
    cr_assert_eq(wm_recording_open(&recording, "no/such/file.wmt", &error), WM_NOT_FOUND);
    sample_file_close(&file);
}
