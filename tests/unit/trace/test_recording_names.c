// Names of memory in a recording: they come back, from all sections, a cut has them, and what is
// damaged is refused.
#include "trace_samples.h"

#include "trace/recording_cut.h"
#include "trace/recording_names.h"
#include "trace/section/section_file.h"

#include <criterion/criterion.h>

static const struct {
    uint64_t address, bytes;
    const char *name;
} parts[] = {
    {0x404080, 8, "_ZL4near"}, {0x200000000000, 4096, "cudaMallocManaged #1 (app.cu:12)"},
    {0x404084, 4, "count"},    {0x404080, 8, "_ZL4near"},
    {UINT64_MAX, 1, "last"},
};
enum { PARTS = sizeof parts / sizeof parts[0] };

static void write_some(struct wm_recording_writer *writer, size_t from, size_t to)
{
    struct wm_memory_names names;
    wm_memory_names_init(&names);
    for (size_t i = from; i < to; i++)
        cr_assert(wm_memory_names_add(&names, parts[i].address, parts[i].bytes, parts[i].name,
                                      strlen(parts[i].name)));
    wm_recording_write_names(writer, &names);
    wm_memory_names_release(&names);
}

// With names before and behind its launch, in two sections; none in a third that is not there.
static void write_recording(const char *path)
{
    const struct wm_recording_header header = {.writer = "w", .source = "s", .lanes = 32};
    struct wm_recorded_instruction add = {.text = "add", .exists = true};
    const struct wm_recorded_code code = {
        .name = "f", .module = "m", .instruction_count = 1, .instructions = &add};
    const struct wm_recorded_event fill = {.kind = WM_RECORDED_DEVICE_FILL, .bytes = 1};
    struct wm_recorded_launch launch = {.grid = {1, 1, 1}, .block = {32, 1, 1}};
    struct wm_recording_writer *writer;
    struct wm_error error;
    sample_file_clear(path);
    cr_assert_eq(wm_recording_writer_new(path, &header, &writer, &error), WM_OK);
    wm_recording_write_code(writer, &code);
    wm_recording_write_event(writer, &fill);
    write_some(writer, 0, 2);
    wm_recording_launch_begin(writer, &launch, 0);
    wm_recording_block_end(writer, wm_recording_block_begin(writer, 0));
    wm_recording_launch_end(writer, true);
    write_some(writer, 2, PARTS);
    write_some(writer, 0, 0);
    cr_assert_eq(wm_recording_writer_finish(writer, &error), WM_OK, "%s", error.message);
}

static void expect_names(const char *path)
{
    struct wm_recording recording;
    struct wm_recorded_event event;
    struct wm_memory_names names;
    struct wm_error error;
    uint32_t events = 0;
    wm_memory_names_init(&names);
    cr_assert_eq(wm_recording_open(&recording, path, &error), WM_OK, "%s", error.message);
    cr_assert_eq(wm_recording_names(&recording, &names, &error), WM_OK, "%s", error.message);
    cr_assert_eq(names.count, PARTS);
    for (size_t i = 0; i < PARTS; i++) {
        cr_expect_eq(names.items[i].address, parts[i].address);
        cr_expect_eq(names.items[i].bytes, parts[i].bytes);
        cr_expect_str_eq(names.items[i].name, parts[i].name);
    }
    for (bool more = true; more; events += more)
        cr_assert_eq(wm_recording_next(&recording, &event, &more, &error), WM_OK);
    cr_expect_eq(events, 2, "a fill and a launch");
    wm_recording_close(&recording);
    wm_memory_names_release(&names);
}

Test(recording_names, come_back_and_are_in_a_cut)
{
    const struct wm_ranges all = {0};
    struct wm_cut_result result;
    struct wm_recording recording;
    struct sample_file file, cut;
    struct wm_error error;
    sample_file_open(&file);
    sample_file_open(&cut);
    write_recording(file.path);
    expect_names(file.path);
    cr_assert_eq(wm_recording_open(&recording, file.path, &error), WM_OK);
    sample_file_clear(cut.path);
    cr_assert_eq(wm_recording_cut(&recording, cut.path, &all, &all, &result, &error), WM_OK, "%s",
                 error.message);
    expect_names(cut.path);
    wm_recording_close(&recording);
    sample_file_close(&file);
    sample_file_close(&cut);
}

// Of a file whose last section of names has another content.
static enum wm_status read_changed(const struct sample_file *from, const void *data, size_t bytes,
                                   struct wm_error *error)
{
    struct wm_section_file sections;
    struct wm_section_writer *writer;
    struct wm_recording recording;
    struct wm_memory_names names;
    struct sample_file file;
    sample_file_open(&file);
    cr_assert_eq(wm_section_file_open(&sections, from->path, error), WM_OK);
    cr_assert_eq(wm_section_writer_new(file.path, WM_OUTPUT_ATOMIC, 1, &writer, error), WM_OK);
    for (uint64_t i = 0; i < sections.list.count; i++) {
        struct wm_bytes content = {0};
        cr_assert_eq(wm_section_read(&sections, &sections.list.sections[i], &content, error),
                     WM_OK);
        if (i + 1 == sections.list.count) {
            content.length = 0;
            wm_bytes_put(&content, data, bytes);
        }
        cr_assert_eq(wm_section_write(writer, sections.list.sections[i].type, &content, error),
                     WM_OK);
        wm_bytes_release(&content);
    }
    cr_assert_eq(wm_section_writer_finish(writer, error), WM_OK);
    wm_section_file_close(&sections);
    wm_memory_names_init(&names);
    cr_assert_eq(wm_recording_open(&recording, file.path, error), WM_OK, "%s", error->message);
    enum wm_status status = wm_recording_names(&recording, &names, error);
    wm_recording_close(&recording);
    wm_memory_names_release(&names);
    sample_file_close(&file);
    return status;
}

Test(recording_names, that_cannot_be_are_refused)
{
#define CHANGE(text)          \
    {                         \
        text, sizeof text - 1 \
    }
    static const struct {
        const char *content;
        size_t bytes;
    } damaged[] = {
        CHANGE("\2\0\1a"),        // no bytes
        CHANGE("\2\1\0"),         // no text
        CHANGE("\1\2\1a"),        // at 2^64 - 1, two bytes
        CHANGE("\2\1\1a\3\3\1a"), // then at 2^64 - 1, three
        CHANGE("\2\1\2a"),        // cut off in its text,
        CHANGE("\2\1"),           // before it,
        CHANGE("\2"),             // and before its size
        CHANGE("\2\1\2a\0"),      // a NUL in the text
        CHANGE("\2\377\377\377"), // a number that does not end
    };
    struct sample_file file;
    struct wm_error error;
    sample_file_open(&file);
    write_recording(file.path);
    cr_assert_eq(read_changed(&file, "\2\1\1a", 4, &error), WM_OK, "%s", error.message);
    cr_assert_eq(read_changed(&file, "", 0, &error), WM_OK, "%s", error.message);
    for (size_t i = 0; i < sizeof damaged / sizeof damaged[0]; i++) {
        wm_error_clear(&error);
        cr_assert_eq(read_changed(&file, damaged[i].content, damaged[i].bytes, &error), WM_INVALID,
                     "change %zu", i);
        cr_assert_not_null(strstr(error.message, "the section of names at byte"));
        cr_assert(error.place[0] != '\0' && error.hint[0] != '\0');
    }
    sample_file_close(&file);
}
