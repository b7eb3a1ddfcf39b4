// What launches wait for: which of it need be said (launch_order.h), and how a recording says it
// and a reader refuses what cannot be.
#include "trace_samples.h"

#include "trace/launch_order.h"
#include "trace/recording_order.h"
#include "trace/recording_reader.h"
#include "trace/recording_writer.h"

#include <criterion/criterion.h>
#include <stdlib.h>

// ---- What need be said -------------------------------------------------------------------------

static void issue(struct wm_launch_order *order, uint64_t id, size_t count, const uint64_t *behind)
{
    cr_assert(wm_launch_order_command(
        order, &(struct wm_order_command){.id = id, .behind = behind, .behind_count = count}));
}

static void launch(struct wm_launch_order *order, uint64_t id, size_t count, const uint64_t *behind)
{
    issue(order, id, count, behind);
    cr_assert(wm_launch_order_launched(order));
}

// "1 4": what it is behind; "all".
static const char *told(struct wm_launch_order *order, char text[static 64])
{
    struct wm_recorded_order it;
    size_t at = 0;
    cr_assert(wm_launch_order_write(order, &it));
    at += (size_t)snprintf(text, 64, "%s", it.concurrent ? "" : "all");
    for (uint32_t i = 0; i < it.behind.count; i++)
        at += (size_t)snprintf(text + at, 64 - at, i == 0 ? "%lu" : " %lu",
                               (unsigned long)it.behind.items[i]);
    if (it.waited)
        at += (size_t)snprintf(text + at, 64 - at, " <%lu", (unsigned long)it.ended_below);
    for (uint32_t i = 0; i < it.ended.count; i++)
        at += (size_t)snprintf(text + at, 64 - at, ",%lu", (unsigned long)it.ended.items[i]);
    return text;
}

#define TOLD(order, wanted) cr_assert_str_eq(told(order, text), wanted)

Test(launch_order, by_way_of_what_is_no_launch)
{
    char text[64];
    struct wm_launch_order *order = wm_launch_order_new(0);
    launch(order, 10, 0, NULL);            // 0
    launch(order, 11, 0, NULL);            // 1
    issue(order, 12, 1, (uint64_t[]){10}); // an event behind 0
    issue(order, 13, 1, (uint64_t[]){12}); // a copy behind the event
    TOLD(order, "0");
    launch(order, 14, 2, (uint64_t[]){13, 0}); // 2
    issue(order, 15, 2, (uint64_t[]){14, 11});
    TOLD(order, "all");
    // 0 goes without saying, for 2 is behind it.
    issue(order, 16, 3, (uint64_t[]){14, 12, 10});
    TOLD(order, "2");
    // A number that was never met is nothing's.
    issue(order, 17, 2, (uint64_t[]){5, 99});
    TOLD(order, "");
    wm_launch_order_free(order);
}

Test(launch_order, what_the_host_has_waited_for)
{
    char text[64];
    struct wm_launch_order *order = wm_launch_order_new(2); // two ended before
    issue(order, 3, 0, NULL);
    TOLD(order, "all");
    cr_assert(wm_launch_order_launched(order)); // 2
    issue(order, 4, 0, NULL);
    TOLD(order, " <2");
    launch(order, 5, 0, NULL);            // 3
    launch(order, 6, 1, (uint64_t[]){5}); // 4
    launch(order, 7, 1, (uint64_t[]){6}); // 5
    cr_assert(wm_launch_order_command(
        order, &(struct wm_order_command){.id = 8, .ended = (uint64_t[]){6}, .ended_count = 1}));
    TOLD(order, " <2,4"); // and so 3; it is written once
    TOLD(order, "");
    issue(order, 9, 1, (uint64_t[]){5}); // which has ended
    TOLD(order, "");
    cr_assert(
        wm_launch_order_command(order, &(struct wm_order_command){.id = 10, .ended_up_to = 6}));
    TOLD(order, " <5");
    cr_assert(
        wm_launch_order_command(order, &(struct wm_order_command){.id = 11, .behind_all = true}));
    TOLD(order, "all");
    cr_assert(wm_launch_order_launched(order)); // 6
    issue(order, 12, 1, (uint64_t[]){7});
    TOLD(order, "5");
    wm_launch_order_free(order);
}

// ---- What a recording has ----------------------------------------------------------------------

static struct wm_recording_writer *begin(const char *path)
{
    struct wm_recorded_instruction instruction = {.text = "exit", .exists = true};
    struct wm_recorded_code code = {
        .name = "f", .module = "m", .instruction_count = 1, .instructions = &instruction};
    struct wm_recording_header header = {
        .writer = "w", .source = "program", .machine = "", .machine_yaml = "", .lanes = 32};
    struct wm_recording_writer *writer;
    sample_file_clear(path);
    cr_assert_eq(wm_recording_writer_new(path, &header, &writer, NULL), WM_OK);
    cr_assert_eq(wm_recording_write_code(writer, &code), 0);
    return writer;
}

static void add_launch(struct wm_recording_writer *writer, const struct wm_recorded_order *order)
{
    struct wm_recorded_launch made = {.grid = {1, 1, 1}, .block = {32, 1, 1}, .order = *order};
    wm_recording_launch_begin(writer, &made, 0);
    wm_recording_launch_end(writer, false);
}

static enum wm_status read_all(const char *path, struct wm_error *error)
{
    struct wm_recording recording;
    struct wm_recorded_event event;
    bool more = true;
    wm_error_clear(error);
    WM_TRY(wm_recording_open(&recording, path, error));
    enum wm_status status = WM_OK;
    while (more && status == WM_OK)
        status = wm_recording_next(&recording, &event, &more, error);
    wm_recording_close(&recording);
    return status;
}

static const struct wm_recorded_order behind_all;

Test(launch_order, as_it_was_written)
{
    struct sample_file file;
    struct wm_recording recording;
    struct wm_recorded_event event;
    bool more;
    sample_file_open(&file);
    struct wm_recording_writer *writer = begin(file.path);
    for (int i = 0; i < 4; i++)
        add_launch(writer, &behind_all);
    const struct wm_recorded_order order = {.concurrent = true,
                                            .behind = {(uint64_t[]){0, 3}, 2},
                                            .waited = true,
                                            .ended_below = 1,
                                            .ended = {(uint64_t[]){2}, 1},
                                            .alone = true,
                                            .priority = -5,
                                            .gpu = 3};
    struct wm_recorded_order of_events = order;
    of_events.alone = false;
    of_events.priority = 0;
    of_events.gpu = 0;
    struct wm_recorded_event copy = {
        .kind = WM_RECORDED_DEVICE_FILL, .bytes = 4, .order = &of_events, .begins = true};
    wm_recording_write_event(writer, &copy);
    copy.begins = false;
    wm_recording_write_event(writer, &copy);
    wm_recording_write_event(
        writer, &(struct wm_recorded_event){.kind = WM_RECORDED_DEVICE_FILL, .begins = true});
    add_launch(writer, &order);
    cr_assert_eq(wm_recording_writer_finish(writer, NULL), WM_OK);
    cr_assert_eq(wm_recording_open(&recording, file.path, NULL), WM_OK);
    for (int i = 0; i < 4; i++)
        cr_assert_eq(wm_recording_next(&recording, &event, &more, NULL), WM_OK);
    cr_assert(wm_recorded_order_is_plain(&recording.launch.order));
    for (int i = 0; i < 2; i++) {
        cr_assert_eq(wm_recording_next(&recording, &event, &more, NULL), WM_OK);
        cr_assert(event.order != NULL && event.begins == (i == 0));
        cr_assert(event.order->behind.count == 2 && event.order->behind.items[1] == 3);
    }
    cr_assert_eq(wm_recording_next(&recording, &event, &more, NULL), WM_OK);
    cr_assert(event.order == NULL && event.begins);
    cr_assert_eq(wm_recording_next(&recording, &event, &more, NULL), WM_OK);
    const struct wm_recorded_order *got = &recording.launch.order;
    cr_assert(event.kind == WM_RECORDED_LAUNCH && got->concurrent && got->waited && got->alone);
    cr_assert(got->behind.count == 2 && got->behind.items[0] == 0 && got->behind.items[1] == 3);
    cr_assert(got->ended_below == 1 && got->ended.count == 1 && got->ended.items[0] == 2);
    cr_assert(got->priority == -5 && got->gpu == 3);
    wm_recording_close(&recording);
    sample_file_close(&file);
}

Test(launch_order, waits_for_what_is_not_before_it)
{
    static const struct {
        uint64_t numbers[2];
        uint32_t count;
        const char *says;
    } cases[] = {{{2}, 1, "it waits for itself, launch 2"},
                 {{7}, 1, "it waits for launch 7, which comes behind it"},
                 {{1, 1}, 2, "it waits for launch 1 twice"},
                 {{2, 1}, 2, "it waits for a launch that is not there"}};
    struct sample_file file;
    struct wm_error error;
    sample_file_open(&file);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        for (int part = 0; part < 3; part++) {
            const struct wm_recorded_numbers wrong = {cases[i].numbers, cases[i].count};
            struct wm_recorded_order order = {.concurrent = part != 1, .waited = part == 1};
            *(part == 1 ? &order.ended : &order.behind) = wrong;
            struct wm_recording_writer *writer = begin(file.path);
            add_launch(writer, &behind_all);
            add_launch(writer, &behind_all);
            if (part == 2)
                wm_recording_write_event(
                    writer, &(struct wm_recorded_event){
                                .kind = WM_RECORDED_HOST_READ, .order = &order, .begins = true});
            else
                add_launch(writer, &order);
            cr_assert_eq(wm_recording_writer_finish(writer, NULL), WM_OK);
            cr_assert_eq(read_all(file.path, &error), WM_INVALID, "case %zu", i);
            cr_assert(strstr(error.message, cases[i].says) != NULL || cases[i].count == 2, "%s",
                      error.message);
            cr_assert(strstr(error.message, " at byte ") != NULL, "%s", error.message);
            cr_assert_str_eq(error.place, file.path);
        }
    sample_file_close(&file);
}

// Sections as they are, sealed.
static enum wm_status read_with(const char *path, const uint8_t *version, size_t length, bool twice,
                                struct wm_error *error)
{
    struct wm_section_file from;
    struct wm_section_writer *writer;
    struct sample_file file;
    sample_file_open(&file);
    cr_assert_eq(wm_section_file_open(&from, path, NULL), WM_OK);
    cr_assert_eq(wm_section_writer_new(file.path, WM_OUTPUT_ATOMIC, 1, &writer, NULL), WM_OK);
    for (uint64_t i = 0; i < from.list.count; i++) {
        struct wm_bytes content = {0};
        bool orders = from.list.sections[i].type == WM_SECTION_ORDER;
        cr_assert_eq(wm_section_read(&from, &from.list.sections[i], &content, NULL), WM_OK);
        if (orders) {
            content.length = 0;
            wm_bytes_put(&content, version, length);
        }
        for (int turn = 0; turn < 1 + (orders && twice); turn++)
            if (!orders || version != NULL)
                wm_section_write(writer, from.list.sections[i].type, &content, NULL);
        wm_bytes_release(&content);
    }
    cr_assert_eq(wm_section_writer_finish(writer, NULL), WM_OK);
    wm_section_file_close(&from);
    enum wm_status status = read_all(file.path, error);
    sample_file_close(&file);
    return status;
}

Test(launch_order, its_section)
{
    struct sample_file file;
    struct wm_error error;
    sample_file_open(&file);
    struct wm_recording_writer *writer = begin(file.path);
    add_launch(writer, &behind_all);
    add_launch(writer, &(struct wm_recorded_order){.concurrent = true});
    cr_assert_eq(wm_recording_writer_finish(writer, NULL), WM_OK);
    cr_assert_eq(read_all(file.path, &error), WM_OK);
    cr_assert_eq(read_with(file.path, (uint8_t[]){1}, 1, false, &error), WM_OK);
    cr_assert_eq(read_with(file.path, (uint8_t[]){2}, 1, false, &error), WM_UNSUPPORTED);
    cr_assert(strstr(error.message, "in version 2 ") != NULL, "%s", error.message);
    cr_assert_eq(read_with(file.path, (uint8_t[]){1, 0}, 2, false, &error), WM_INVALID);
    cr_assert_eq(read_with(file.path, (uint8_t[]){1}, 0, false, &error), WM_INVALID);
    cr_assert_eq(read_with(file.path, (uint8_t[]){1}, 1, true, &error), WM_INVALID);
    cr_assert_eq(read_with(file.path, NULL, 0, false, &error), WM_INVALID); // it is not there
    sample_file_close(&file);
}
