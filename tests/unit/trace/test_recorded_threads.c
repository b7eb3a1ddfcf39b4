// CPU threads in the recording of their program's kernels: what they did comes back as from a
// recording of them alone, the kernels' part is left as it was, and what is damaged is refused.
#include "trace_samples.h"

#include "trace/recording_diff.h"
#include "trace/section/section_file.h"

#include <criterion/criterion.h>
#include <stdlib.h>

enum { MOST_THREADS = 6, MOST_TURNS = 40 };

struct threads {
    struct sample_recording kernels;
    struct sample_kernel code;
    struct sample_warp streams[MOST_THREADS];
    uint32_t count;
    uint8_t turns[MOST_TURNS];
    uint32_t turn_count;
    struct sample_file of_kernels, joined,
        alone; // without threads, with them, and these by themselves
};

static void write_streams(const struct threads *it, struct wm_recording_writer *writer)
{
    for (uint32_t thread = 0; thread < it->count; thread++) {
        const struct sample_warp *stream = &it->streams[thread];
        struct wm_recording_block *block = wm_recording_block_begin(writer, thread);
        uint32_t access = 0;
        for (uint32_t item = 0; item < stream->item_count; item++) {
            sample_warp_feed(&it->code, stream, item, item + 1, &access, &block->warps[0]);
            if (item % 100 == 99)
                wm_recording_block_trim(writer, block);
        }
        wm_recording_block_end(writer, block);
    }
    wm_recording_launch_end(writer, true);
}

static void write_threads(struct threads *it, struct wm_recording *kernels, const char *path)
{
    static const struct wm_recording_header own = {.writer = "w", .source = "s", .lanes = 1};
    const struct wm_recorded_code code = {.name = "cores",
                                          .module = "m",
                                          .instruction_count = SAMPLE_INSTRUCTIONS,
                                          .instructions = it->code.instructions};
    struct wm_recorded_launch launch = {.grid = {it->count, 1, 1}, .block = {1, 1, 1}};
    struct wm_recording_writer *writer;
    struct wm_error error;
    sample_file_clear(path);
    cr_assert_eq(
        wm_recording_writer_new(path, kernels != NULL ? &kernels->header : &own, &writer, &error),
        WM_OK);
    if (kernels != NULL)
        wm_recording_write_copy(writer, &kernels->file);
    launch.code = wm_recording_write_code(writer, &code);
    cr_assert_eq(launch.code, kernels != NULL ? kernels->code_count : 0);
    if (kernels != NULL)
        wm_recording_cores_begin(writer, &launch, it->code.slot_count);
    else
        wm_recording_launch_begin(writer, &launch, it->code.slot_count);
    write_streams(it, writer);
    if (kernels != NULL && it->turn_count != 0)
        wm_recording_write_turns(writer, it->turns, it->turn_count);
    cr_assert_eq(wm_recording_writer_finish(writer, &error), WM_OK, "%s", error.message);
}

static void begin(struct threads *it, uint64_t seed)
{
    struct wm_random random;
    struct wm_recording kernels;
    struct wm_error error;
    wm_random_init(&random, seed, "threads");
    *it = (struct threads){.count = 1 + (uint32_t)wm_random_below(&random, MOST_THREADS)};
    sample_kernel_make(&it->code, 1, &random);
    for (uint32_t pc = 0; pc < SAMPLE_INSTRUCTIONS; pc++)
        it->code.instructions[pc].keeps_waits = true;
    for (uint32_t thread = 0; thread < it->count; thread++)
        sample_warp_make(&it->code, 1 + (uint32_t)wm_random_below(&random, 400), false, &random,
                         &it->streams[thread]);
    it->turn_count = (uint32_t)wm_random_below(&random, MOST_TURNS + 1);
    for (uint32_t i = 0; i < it->turn_count; i++)
        it->turns[i] = (uint8_t)wm_random_below(&random, it->count);
    sample_recording_make(&it->kernels, 32, 10, seed);
    sample_file_open(&it->of_kernels);
    sample_file_open(&it->joined);
    sample_file_open(&it->alone);
    sample_recording_write(&it->kernels, it->of_kernels.path, seed);
    cr_assert_eq(wm_recording_open(&kernels, it->of_kernels.path, &error), WM_OK);
    write_threads(it, &kernels, it->joined.path);
    write_threads(it, NULL, it->alone.path);
    wm_recording_close(&kernels);
}

static void end(struct threads *it)
{
    for (uint32_t thread = 0; thread < it->count; thread++)
        sample_warp_release(&it->streams[thread]);
    sample_recording_release(&it->kernels);
    sample_file_close(&it->of_kernels);
    sample_file_close(&it->joined);
    sample_file_close(&it->alone);
}

// ---- Round trips -------------------------------------------------------------------------------

static void compare_steps(const struct wm_warp_step *a, const struct wm_warp_step *b)
{
    cr_assert(a->pc == b->pc && a->executed == b->executed && a->active == b->active &&
              a->skipped == b->skipped && a->skipped_lanes == b->skipped_lanes);
    cr_assert(a->event == b->event && a->lanes == b->lanes && a->barrier == b->barrier &&
              a->threads == b->threads);
    cr_assert_eq(a->access_count, b->access_count);
    for (uint32_t i = 0; i < a->access_count; i++)
        cr_assert(a->accesses[i].kind == b->accesses[i].kind &&
                  a->accesses[i].bytes_per_lane == b->accesses[i].bytes_per_lane &&
                  a->accesses[i].addresses[0] == b->accesses[i].addresses[0]);
}

static void open_streams(struct wm_recording *recording, struct wm_launch_reader *launch,
                         struct wm_warp_reader *reader)
{
    struct wm_recorded_event event;
    struct wm_error error;
    bool more = false;
    cr_assert_eq(wm_recording_next(recording, &event, &more, &error), WM_OK, "%s", error.message);
    cr_assert(more && event.kind == WM_RECORDED_LAUNCH);
    cr_assert_eq(wm_launch_reader_open(recording, launch, &error), WM_OK, "%s", error.message);
    cr_assert(launch->streams.whole);
    cr_assert_eq(wm_warp_reader_init(reader, launch, &error), WM_OK);
}

static void close_streams(struct wm_recording *recording, struct wm_launch_reader *launch,
                          struct wm_warp_reader *reader)
{
    struct wm_recorded_event event;
    bool more = true;
    cr_assert_eq(wm_recording_next(recording, &event, &more, NULL), WM_OK);
    cr_assert(!more);
    wm_warp_reader_release(reader);
    wm_launch_reader_close(launch);
    wm_recording_close(recording);
}

static void threads_come_back(const struct threads *it, struct wm_recording *cores)
{
    struct wm_recording alone;
    struct wm_launch_reader launches[2];
    struct wm_warp_reader readers[2];
    struct wm_warp_step steps[2];
    struct wm_error error;
    cr_assert_eq(wm_recording_open(&alone, it->alone.path, &error), WM_OK);
    open_streams(cores, &launches[0], &readers[0]);
    open_streams(&alone, &launches[1], &readers[1]);
    for (uint32_t thread = 0; thread < it->count; thread++) {
        bool more[2] = {true, true};
        for (int side = 0; side < 2; side++)
            wm_warp_reader_begin(&readers[side], thread, 0);
        for (;;) {
            for (int side = 0; side < 2; side++)
                cr_assert_eq(wm_warp_reader_step(&readers[side], &steps[side], &more[side], &error),
                             WM_OK, "%s", error.message);
            cr_assert_eq(more[0], more[1]);
            if (!more[0])
                break;
            compare_steps(&steps[0], &steps[1]);
        }
    }
    close_streams(cores, &launches[0], &readers[0]);
    close_streams(&alone, &launches[1], &readers[1]);
}

Test(recorded_threads, come_back)
{
    static struct threads it;
    for (uint64_t seed = 0; seed < 12; seed++) {
        struct wm_recording joined, cores;
        struct wm_error error;
        struct sample_digest with, without;
        begin(&it, seed);
        cr_assert_eq(wm_recording_open(&joined, it.joined.path, &error), WM_OK, "%s",
                     error.message);
        cr_assert(joined.file.complete && joined.cores_section != 0);
        cr_assert_eq(joined.launch_count, SAMPLE_LAUNCHES);
        cr_assert_eq(wm_recording_open_cores(&cores, &joined, &error), WM_OK, "%s", error.message);
        cr_assert_eq(cores.turn_count, it.turn_count);
        cr_assert(it.turn_count == 0 || memcmp(cores.turns, it.turns, it.turn_count) == 0);
        threads_come_back(&it, &cores);
        wm_recording_close(&joined);
        cr_assert_eq(sample_digest(it.joined.path, &with, &error), WM_OK, "%s", error.message);
        cr_assert_eq(sample_digest(it.of_kernels.path, &without, &error), WM_OK);
        cr_assert_eq(with.events, without.events);
        cr_assert_arr_eq(with.launches, without.launches, sizeof with.launches);
        end(&it);
    }
}

Test(recorded_threads, of_a_recording_without_any_is_an_error)
{
    static struct threads it;
    struct wm_recording kernels, cores;
    struct wm_error error;
    begin(&it, 3);
    cr_assert_eq(wm_recording_open(&kernels, it.of_kernels.path, &error), WM_OK);
    cr_assert_eq(kernels.cores_section, 0);
    cr_assert_eq(wm_recording_open_cores(&cores, &kernels, &error), WM_INVALID);
    cr_assert_str_eq(error.message, "the recording has no CPU threads");
    wm_recording_close(&kernels);
    end(&it);
}

// The number of a command that threads issue, of launches and of what else commands do.
Test(recorded_threads, commands_keep_their_numbers)
{
    static const uint32_t numbers[] = {7, 8, 300};
    const struct wm_recording_header header = {.writer = "w", .source = "s", .lanes = 32};
    struct wm_recorded_instruction add = {.text = "add", .exists = true};
    const struct wm_recorded_code code = {
        .name = "f", .module = "m", .instruction_count = 1, .instructions = &add};
    struct sample_file file;
    struct wm_recording_writer *writer;
    struct wm_recording recording;
    struct wm_recorded_event event;
    struct wm_error error;
    bool more;
    sample_file_open(&file);
    cr_assert_eq(wm_recording_writer_new(file.path, &header, &writer, &error), WM_OK);
    wm_recording_write_code(writer, &code);
    for (int i = 0; i < 3; i++) {
        const struct wm_recorded_order order = {.command = numbers[i]};
        const struct wm_recorded_event fill = {
            .kind = WM_RECORDED_DEVICE_FILL, .order = &order, .begins = true, .bytes = 1};
        struct wm_recorded_launch launch = {.grid = {1, 1, 1}, .block = {32, 1, 1}, .order = order};
        wm_recording_write_event(writer, &fill);
        wm_recording_launch_begin(writer, &launch, 0);
        wm_recording_launch_end(writer, true);
    }
    cr_assert_eq(wm_recording_writer_finish(writer, &error), WM_OK);
    cr_assert_eq(wm_recording_open(&recording, file.path, &error), WM_OK);
    for (int i = 0; i < 6; i++) {
        cr_assert_eq(wm_recording_next(&recording, &event, &more, &error), WM_OK, "%s",
                     error.message);
        uint32_t number = event.kind == WM_RECORDED_LAUNCH ? recording.launch.order.command
                                                           : event.order->command;
        cr_assert(more && number == numbers[i / 2]);
    }
    wm_recording_close(&recording);
    sample_file_close(&file);
}

// ---- Two recordings ----------------------------------------------------------------------------

// The threads as they are now beside the same kernels, against those that were written first.
static void compare_threads(struct threads *it, struct wm_diff_threads *threads)
{
    struct wm_recording recordings[3]; // of the kernels, of before, and of now
    static struct wm_recording_diff diff;
    const char *paths[] = {it->of_kernels.path, it->joined.path, it->alone.path};
    struct wm_error error;
    cr_assert_eq(wm_recording_open(&recordings[0], paths[0], &error), WM_OK);
    write_threads(it, &recordings[0], it->alone.path);
    for (int i = 1; i < 3; i++)
        cr_assert_eq(wm_recording_open(&recordings[i], paths[i], &error), WM_OK);
    cr_assert_eq(wm_recording_diff(&recordings[1], &recordings[2], &diff, &error), WM_OK, "%s",
                 error.message);
    cr_assert(!diff.event_differs && !diff.launch_differs && !diff.first.differs, "kernels do");
    cr_assert_eq(wm_recording_diff_any(&diff), wm_diff_threads_any(&diff.threads));
    *threads = diff.threads;
    wm_recording_diff_release(&diff);
    for (int i = 0; i < 3; i++)
        wm_recording_close(&recordings[i]);
}

Test(recorded_threads, where_they_part_is_found)
{
    static struct threads it;
    static struct wm_diff_threads found;
    uint32_t changed = 0;
    for (uint64_t seed = 0; seed < 8; seed++) {
        begin(&it, seed);
        compare_threads(&it, &found);
        cr_assert(!wm_diff_threads_any(&found));
        cr_assert_eq(found.compared, it.count);
        struct sample_warp *last = &it.streams[it.count - 1];
        if (last->access_count > 0) {
            last->accesses[last->access_count - 1].addresses[0] ^= 64;
            compare_threads(&it, &found);
            cr_assert(found.first.differs && !found.turn_differs);
            cr_assert_eq(found.differing, 1);
            cr_assert_eq(found.first.block, it.count - 1);
            cr_assert(found.first.steps[0].there && found.first.steps[1].there);
            last->accesses[last->access_count - 1].addresses[0] ^= 64;
            changed++;
        }
        if (it.turn_count > 1) {
            it.turn_count--;
            compare_threads(&it, &found);
            cr_assert(found.turn_differs && !found.first.differs);
            cr_assert_eq(found.turn, it.turn_count);
            cr_assert_eq(found.turns[0], it.turns[it.turn_count]);
            cr_assert_lt(found.turns[1], 0);
            it.turn_count++;
        }
        it.turn_count = it.count > 1 ? 0 : it.turn_count; // a turn may be of the last
        uint32_t count = it.count;
        it.count = count > 1 ? count - 1 : 1;
        compare_threads(&it, &found);
        cr_assert_eq(wm_diff_threads_any(&found), count > 1);
        cr_assert(found.counts[0] == count && found.counts[1] == it.count && !found.first.differs);
        it.count = count;
        end(&it);
    }
    cr_assert_gt(changed, 3);
}

// ---- Damage ------------------------------------------------------------------------------------

static enum wm_status read_all(const char *path, struct wm_error *error)
{
    struct wm_recording recording, cores;
    struct wm_recorded_event event;
    struct wm_launch_reader launch;
    bool more;
    WM_TRY(wm_recording_open(&recording, path, error));
    enum wm_status status = wm_recording_open_cores(&cores, &recording, error);
    wm_recording_close(&recording);
    if (status != WM_OK)
        return status;
    status = wm_recording_next(&cores, &event, &more, error);
    if (status == WM_OK)
        status = wm_launch_reader_open(&cores, &launch, error);
    if (status == WM_OK)
        wm_launch_reader_close(&launch);
    wm_recording_close(&cores);
    return status;
}

static size_t end_of_cores(const char *path)
{
    struct wm_recording recording;
    struct wm_error error;
    cr_assert_eq(wm_recording_open(&recording, path, &error), WM_OK);
    const struct wm_section *cores = &recording.file.list.sections[recording.cores_section];
    size_t end = (size_t)(cores->offset + WM_SECTION_HEADER_BYTES + cores->stored_bytes);
    wm_recording_close(&recording);
    return end;
}

// Cut off anywhere: an error that names the file, or, where their beginning is there, the threads
// as far as they are.
Test(recorded_threads, cut_off_anywhere)
{
    enum { APART = 13, EACH = 60 }; // and each byte at the end
    static struct threads it;
    struct wm_error error;
    size_t length;
    begin(&it, 5);
    size_t begun = end_of_cores(it.joined.path);
    uint8_t *whole = sample_file_content(&it.joined, &length);
    cr_assert_eq(read_all(it.joined.path, &error), WM_OK, "%s", error.message);
    cr_assert(begun > 10 * APART && begun + EACH < length);
    for (size_t to = 0; to < length; to += to + EACH < length ? APART : 1) {
        sample_file_set(&it.joined, whole, to);
        wm_error_clear(&error);
        enum wm_status status = read_all(it.joined.path, &error);
        cr_assert_eq(status == WM_OK, to >= begun, "cut off at %zu: %s", to, error.message);
        cr_assert(status == WM_OK ||
                  (error.message[0] != '\0' &&
                   strncmp(error.place, it.joined.path, strlen(it.joined.path)) == 0));
    }
    free(whole);
    end(&it);
}

// A file of the same sections, some left out, doubled or with another content.
struct change {
    enum wm_section_type type;
    uint32_t times;      // that such sections are written
    const char *content; // NULL: their own
    size_t bytes;
};

static enum wm_status read_changed(const struct threads *it, const struct change *change,
                                   struct wm_error *error)
{
    struct wm_section_file from;
    struct wm_section_writer *writer;
    struct sample_file file;
    sample_file_open(&file);
    cr_assert_eq(wm_section_file_open(&from, it->joined.path, error), WM_OK);
    cr_assert_eq(wm_section_writer_new(file.path, WM_OUTPUT_ATOMIC, 1, &writer, error), WM_OK);
    for (uint64_t i = 0; i < from.list.count; i++) {
        const struct wm_section *section = &from.list.sections[i];
        bool changes = section->type == change->type;
        for (uint32_t time = 0; time < (changes ? change->times : 1); time++) {
            struct wm_bytes content = {0};
            cr_assert_eq(wm_section_read(&from, section, &content, error), WM_OK);
            if (changes && change->content != NULL) {
                content.length = 0;
                wm_bytes_put(&content, change->content, change->bytes);
            }
            cr_assert_eq(wm_section_write(writer, section->type, &content, error), WM_OK);
            wm_bytes_release(&content);
        }
    }
    cr_assert_eq(wm_section_writer_finish(writer, error), WM_OK);
    wm_section_file_close(&from);
    enum wm_status status = read_all(file.path, error);
    sample_file_close(&file);
    return status;
}

Test(recorded_threads, what_cannot_be_is_refused)
{
    // Number, code, stream, grid, block, shared memory, carve-out, local memory.
    static const char two_rows[] = {0, 2, 0, 1, 2, 1, 1, 1, 1, 0, 0, 0};
    static const char two_lanes[] = {0, 2, 0, 1, 1, 1, 2, 1, 1, 0, 0, 0};
    static const char no_code[] = {0, 3, 0, 1, 1, 1, 1, 1, 1, 0, 0, 0};
    static const char number_1[] = {1, 2, 0, 1, 1, 1, 1, 1, 1, 0, 0, 0};
    static const char many[] = {0, 2, 0, (char)0x81, 2, 1, 1, 1, 1, 1, 0, 0, 0};
    static const struct change changes[] = {
        {WM_SECTION_TURNS, 2, NULL, 0},
        {WM_SECTION_TURNS, 1, "", 0},
        {WM_SECTION_TURNS, 1, "\0\0\x40", 3},
        {WM_SECTION_CORES, 2, NULL, 0},
        {WM_SECTION_CORES, 0, NULL, 0},
        {WM_SECTION_CORES, 1, two_rows, sizeof two_rows},
        {WM_SECTION_CORES, 1, two_lanes, sizeof two_lanes},
        {WM_SECTION_CORES, 1, no_code, sizeof no_code},
        {WM_SECTION_CORES, 1, number_1, sizeof number_1},
        {WM_SECTION_CORES, 1, many, sizeof many},
    };
    static struct threads it;
    struct wm_error error;
    uint64_t seed = 0;
    do
        begin(&it, seed++);
    while (it.turn_count == 0 && (end(&it), true));
    const struct change none = {WM_SECTION_TURNS, 1, NULL, 0},
                        left_out = {WM_SECTION_TURNS, 0, NULL, 0};
    cr_assert_eq(read_changed(&it, &none, &error), WM_OK, "%s", error.message);
    cr_assert_eq(read_changed(&it, &left_out, &error), WM_OK, "%s", error.message);
    for (size_t i = 0; i < sizeof changes / sizeof changes[0]; i++) {
        wm_error_clear(&error);
        cr_assert_eq(read_changed(&it, &changes[i], &error), WM_INVALID, "change %zu", i);
        cr_assert(error.message[0] != '\0' && error.place[0] != '\0');
    }
    end(&it);
}
