// What looks into recordings: the walk and its counts, the state of one that was cut off, the
// difference of two, a part of one.
#include "../../rounds.h"
#include "trace_samples.h"

#include "trace/launch_scan.h"
#include "trace/recording_cut.h"
#include "trace/recording_diff.h"
#include "trace/recording_state.h"

#include <criterion/criterion.h>
#include <stdlib.h>

static void open_file(struct wm_recording *recording, const struct sample_file *file)
{
    struct wm_error error;
    cr_assert_eq(wm_recording_open(recording, file->path, &error), WM_OK, "%s", error.message);
}

// Goes to the launch and opens it.
static void open_launch(struct wm_recording *recording, uint64_t number,
                        struct wm_launch_reader *launch)
{
    struct wm_recorded_event event = {0};
    struct wm_error error;
    bool more = true;
    wm_recording_rewind(recording);
    while (event.kind != WM_RECORDED_LAUNCH || event.launch != number) {
        cr_assert_eq(wm_recording_next(recording, &event, &more, &error), WM_OK);
        cr_assert(more);
    }
    cr_assert_eq(wm_launch_reader_open(recording, launch, &error), WM_OK);
}

// --- Counts ---

static void count_item(const struct wm_trace_item *item, struct wm_launch_counts *sums)
{
    sums->warp_instructions += item->count + item->skipped;
    sums->thread_instructions +=
        item->count * (uint64_t)__builtin_popcountll(item->active) + item->skipped_lanes;
    sums->barriers += item->event == WM_TRACE_ARRIVAL;
}

Test(recording_tools, counts)
{
    for (uint64_t seed = 20; seed < 22; seed++) {
        struct sample_recording sample;
        struct sample_file file;
        struct wm_recording recording;
        sample_recording_make(&sample, 32, 100, seed);
        sample_file_open(&file);
        sample_recording_write(&sample, file.path, seed);
        open_file(&recording, &file);
        for (uint32_t l = 0; l < SAMPLE_LAUNCHES; l++) {
            const struct sample_launch *launch = &sample.launches[l];
            struct wm_launch_counts got, want = {0};
            struct wm_launch_reader reader;
            struct wm_error error;
            for (uint64_t s = 0; s < launch->blocks * launch->warps; s++) {
                for (uint32_t i = 0; i < launch->streams[s].item_count; i++)
                    count_item(&launch->streams[s].items[i], &want);
                want.accesses += launch->streams[s].access_count;
            }
            open_launch(&recording, l, &reader);
            cr_assert_eq(wm_launch_count(&reader, &got, &error), WM_OK);
            cr_assert_eq(got.warp_instructions, want.warp_instructions);
            cr_assert_eq(got.thread_instructions, want.thread_instructions);
            cr_assert_eq(got.barriers, want.barriers);
            cr_assert_eq(got.accesses, want.accesses);
            cr_assert(got.memory_instructions <= got.accesses && got.irregular <= got.accesses);
            cr_assert(got.stored_bytes > 80 && got.stored_bytes < recording.file.file_bytes);
            wm_launch_reader_close(&reader);
        }
        wm_recording_close(&recording);
        sample_file_close(&file);
        sample_recording_release(&sample);
    }
}

// --- State ---

Test(recording_tools, the_state_at_each_length)
{
    struct sample_recording sample;
    struct sample_file file;
    size_t length;
    sample_recording_make(&sample, 32, 4, 30);
    sample_file_open(&file);
    sample_recording_write(&sample, file.path, 30);
    uint8_t *whole = sample_file_content(&file, &length);
    uint64_t partly = 0;
    for (size_t cut = length; cut > 200; cut -= cut == length ? 1 : TEST_SHARE) {
        struct wm_recording recording;
        struct wm_recording_state state;
        struct sample_digest digest;
        struct wm_error error = {0};
        sample_file_set(&file, whole, cut);
        if (wm_recording_open(&recording, file.path, &error) != WM_OK)
            break;
        cr_assert_eq(wm_recording_state(&recording, &state, &error), WM_OK);
        cr_assert_eq(wm_recording_require_whole(&recording, &error),
                     cut == length ? WM_OK : WM_INVALID);
        cr_assert_eq(state.complete, cut == length);
        cr_assert(cut == length || strstr(error.message, "cut off at byte") != NULL);
        cr_assert(cut == length || state.lost_from + state.lost_bytes == cut);
        cr_assert_eq(sample_digest(file.path, &digest, &error), WM_OK);
        uint64_t launches = 0;
        for (uint32_t i = 0; i < digest.launch_count; i++)
            launches += digest.launches[i] != 0;
        cr_assert_eq(state.whole_launches, launches);
        cr_assert_eq(state.launches, digest.launch_count);
        if (state.whole_launches < state.launches) {
            const struct sample_launch *launch = &sample.launches[state.whole_launches];
            cr_assert_eq(state.blocks, launch->blocks);
            cr_assert_str_eq(state.kernel, sample.codes[launch->launch.code].name);
            partly++;
        }
        wm_recording_close(&recording);
    }
    cr_assert_gt(partly, 100 / TEST_SHARE);
    free(whole);
    sample_file_close(&file);
    sample_recording_release(&sample);
}

// --- Differences ---

struct pair {
    struct sample_recording sample;
    struct sample_file files[2];
    struct wm_recording recordings[2];
    struct wm_recording_diff diff;
};

static void begin(struct pair *pair, uint64_t seed)
{
    sample_recording_make(&pair->sample, 32, 60, seed);
    for (int i = 0; i < 2; i++)
        sample_file_open(&pair->files[i]);
    sample_recording_write(&pair->sample, pair->files[0].path, 1);
}

// Writes the sample as it is now, divided otherwise, and compares.
static void compare(struct pair *pair)
{
    struct wm_error error;
    sample_recording_write(&pair->sample, pair->files[1].path, 2);
    for (int i = 0; i < 2; i++)
        open_file(&pair->recordings[i], &pair->files[i]);
    cr_assert_eq(wm_recording_diff(&pair->recordings[0], &pair->recordings[1], &pair->diff, &error),
                 WM_OK, "%s", error.message);
}

static void close_both(struct pair *pair)
{
    wm_recording_diff_release(&pair->diff);
    for (int i = 0; i < 2; i++)
        wm_recording_close(&pair->recordings[i]);
}

static void end(struct pair *pair)
{
    for (int i = 0; i < 2; i++)
        sample_file_close(&pair->files[i]);
    sample_recording_release(&pair->sample);
}

static uint64_t differing(const struct wm_recording_diff *diff)
{
    uint64_t count = 0;
    for (uint32_t i = 0; i < diff->kernel_count; i++)
        count += diff->kernels[i].differing;
    return count;
}

Test(recording_tools, the_same_have_no_difference)
{
    static struct pair pair;
    begin(&pair, 40);
    compare(&pair);
    cr_assert(!wm_recording_diff_any(&pair.diff));
    cr_assert_eq(differing(&pair.diff), 0);
    cr_assert_eq(pair.diff.kernel_count, 2);
    cr_assert_eq(pair.diff.kernels[0].launches, 2);
    cr_assert_eq(pair.diff.kernels[1].launches, 1);
    close_both(&pair);
    end(&pair);
}

// The first of the warp's items that has an access of its own, and its first access.
static struct sample_access *find_access(struct sample_recording *sample, uint32_t launch,
                                         uint64_t stream, uint64_t *instruction)
{
    struct sample_launch *it = &sample->launches[launch];
    const struct sample_kernel *kernel = &sample->kernels[it->launch.code];
    struct sample_warp *warp = &it->streams[stream];
    *instruction = 0;
    for (uint32_t i = 0; i < warp->item_count; i++) {
        const struct wm_trace_item *item = &warp->items[i];
        *instruction += item->skipped;
        if (sample_item_accesses(kernel, item) == 0) {
            *instruction += item->count;
            continue;
        }
        uint32_t slot = warp->accesses[0].slot, pc = item->first_pc;
        while (kernel->slot_before[pc + 1] <= slot)
            pc++;
        *instruction += pc - item->first_pc;
        return &warp->accesses[0];
    }
    return NULL;
}

// One address of one lane of one warp.
Test(recording_tools, an_address_that_differs)
{
    static struct pair pair;
    begin(&pair, 41);
    struct sample_launch *launch = &pair.sample.launches[1];
    uint32_t found = 0;
    for (uint64_t stream = 0; stream < launch->blocks * launch->warps; stream += 3) {
        uint64_t instruction;
        struct sample_access *access = find_access(&pair.sample, 1, stream, &instruction);
        if (access == NULL)
            continue;
        uint32_t lane = (uint32_t)__builtin_ctzll(access->access.active);
        access->addresses[lane] ^= 64;
        compare(&pair);
        const struct wm_recording_diff *diff = &pair.diff;
        cr_assert(diff->first.differs && !diff->event_differs && !diff->launch_differs);
        cr_assert_eq(diff->first.launch.number, 1);
        cr_assert_eq(diff->first.block, stream / launch->warps);
        cr_assert_eq(diff->first.warp, stream % launch->warps);
        cr_assert_eq(diff->first.instruction, instruction);
        cr_assert(diff->first.steps[0].there && diff->first.steps[1].there);
        cr_assert_eq(diff->first.steps[0].step.accesses[0].addresses[lane] ^ 64,
                     diff->first.steps[1].step.accesses[0].addresses[lane]);
        cr_assert_eq(differing(diff), 1);
        close_both(&pair);
        access->addresses[lane] ^= 64;
        found++;
    }
    cr_assert_gt(found, 2);
    end(&pair);
}

// A warp that runs longer in one; other lanes; another event.
Test(recording_tools, instructions_that_differ)
{
    static struct pair pair;
    begin(&pair, 42);
    struct sample_warp *warp = &pair.sample.launches[0].streams[5];
    warp->item_count--;
    compare(&pair);
    cr_assert(pair.diff.first.differs);
    cr_assert(pair.diff.first.steps[0].there && !pair.diff.first.steps[1].there &&
              !pair.diff.first.steps[1].cut);
    cr_assert_eq(pair.diff.first.warp + pair.diff.first.block * pair.sample.launches[0].warps, 5);
    close_both(&pair);
    warp->item_count++;
    struct wm_trace_item *last = &warp->items[warp->item_count - 1];
    last->active ^= 2;
    compare(&pair);
    cr_assert(pair.diff.first.differs && differing(&pair.diff) == 1);
    cr_assert_eq(pair.diff.first.steps[0].step.active ^ 2, pair.diff.first.steps[1].step.active);
    close_both(&pair);
    last->active ^= 2;
    last->event = last->event == WM_TRACE_NO_EVENT ? WM_TRACE_ARRIVAL : WM_TRACE_NO_EVENT;
    if (last->count == 0) { // an instruction for the event, without the accesses that it might make
        last->count = 1;
        last->accesses = 0;
    }
    last->lanes = last->event == WM_TRACE_NO_EVENT ? 0 : 1;
    compare(&pair);
    cr_assert(pair.diff.first.differs && differing(&pair.diff) == 1);
    close_both(&pair);
    end(&pair);
}

Test(recording_tools, events_and_launches_that_differ)
{
    static struct pair pair;
    begin(&pair, 43);
    struct wm_recorded_event *event = &pair.sample.events[9];
    event->address++;
    compare(&pair);
    cr_assert(pair.diff.event_differs && !pair.diff.first.differs);
    cr_assert_eq(pair.diff.event, 9);
    cr_assert_eq(pair.diff.events[0].address + 1, pair.diff.events[1].address);
    close_both(&pair);
    event->address--;
    pair.sample.event_count--;
    compare(&pair);
    cr_assert(pair.diff.event_differs && pair.diff.there[0] && !pair.diff.there[1]);
    close_both(&pair);
    pair.sample.event_count++;
    struct wm_recorded_launch *launch = &pair.sample.launches[1].launch;
    launch->dynamic_shared_bytes++;
    compare(&pair);
    cr_assert(pair.diff.launch_differs && !pair.diff.first.differs && !pair.diff.event_differs);
    cr_assert_eq(pair.diff.launches[0].number, 1);
    close_both(&pair);
    end(&pair);
}

// --- Parts ---

static void cut(const struct sample_file *from, const struct sample_file *to,
                const struct wm_range *launches, const struct wm_range *blocks,
                struct wm_cut_result *result, enum wm_status want)
{
    struct wm_recording recording;
    struct wm_error error;
    struct wm_ranges ranges[2] = {{launches, launches != NULL}, {blocks, blocks != NULL}};
    open_file(&recording, from);
    sample_file_clear(to->path);
    cr_assert_eq(wm_recording_cut(&recording, to->path, &ranges[0], &ranges[1], result, &error),
                 want);
    wm_recording_close(&recording);
}

static bool has_ptx(const struct sample_file *file, uint64_t hash)
{
    struct wm_recording recording;
    struct wm_error error;
    char *text;
    open_file(&recording, file);
    cr_assert_eq(wm_recording_ptx(&recording, hash, &text, &error), WM_OK, "%s", error.message);
    bool has = text != NULL && strstr(text, ".func g()") != NULL;
    free(text);
    wm_recording_close(&recording);
    return has;
}

Test(recording_tools, cut_launches)
{
    static struct pair pair;
    struct sample_digest whole, part;
    struct wm_cut_result result;
    struct wm_error error;
    begin(&pair, 50);
    cr_assert_eq(sample_digest(pair.files[0].path, &whole, &error), WM_OK);
    for (uint64_t first = 0; first < SAMPLE_LAUNCHES; first++)
        for (uint64_t last = first; last < SAMPLE_LAUNCHES + 1; last++) {
            uint64_t count = (last < SAMPLE_LAUNCHES ? last + 1 : SAMPLE_LAUNCHES) - first;
            cut(&pair.files[0], &pair.files[1], &(struct wm_range){first, last}, NULL, &result,
                WM_OK);
            cr_assert_eq(result.launches, count);
            cr_assert_eq(sample_digest(pair.files[1].path, &part, &error), WM_OK);
            cr_assert(part.complete && part.launch_count == count);
            cr_assert_arr_eq(part.launches, whole.launches + first,
                             count * sizeof part.launches[0]);
            cr_assert(has_ptx(&pair.files[1], SAMPLE_CALLED), "what the kernels may call");
        }
    cut(&pair.files[0], &pair.files[1], NULL, NULL, &result, WM_OK);
    cr_assert_eq(sample_digest(pair.files[1].path, &part, &error), WM_OK);
    cr_assert_eq(memcmp(&part, &whole, sizeof whole), 0);
    cut(&pair.files[0], &pair.files[1], &(struct wm_range){3, 9}, NULL, &result, WM_NOT_FOUND);
    end(&pair);
}

Test(recording_tools, cut_blocks)
{
    static struct pair pair;
    struct wm_cut_result result;
    struct wm_launch_reader whole, part;
    struct wm_range blocks = {4, 7};
    begin(&pair, 51);
    cut(&pair.files[0], &pair.files[1], NULL, &blocks, &result, WM_OK);
    cr_assert_eq(result.launches, SAMPLE_LAUNCHES);
    for (int i = 0; i < 2; i++)
        open_file(&pair.recordings[i], &pair.files[i]);
    for (uint64_t l = 0; l < SAMPLE_LAUNCHES; l++) {
        uint64_t has = pair.sample.launches[l].blocks;
        open_launch(&pair.recordings[0], l, &whole);
        open_launch(&pair.recordings[1], l, &part);
        uint64_t count = (has < 8 ? has : 8) - 4;
        cr_assert(part.streams.whole);
        cr_assert_eq(wm_recorded_blocks(&part.streams.launch), count);
        for (uint64_t b = 0; b < count; b++)
            for (uint32_t w = 0; w < part.streams.warps; w++)
                cr_assert_eq(sample_warp_digest(&part, b, w), sample_warp_digest(&whole, b + 4, w));
        wm_launch_reader_close(&whole);
        wm_launch_reader_close(&part);
    }
    for (int i = 0; i < 2; i++)
        wm_recording_close(&pair.recordings[i]);
    cut(&pair.files[0], &pair.files[1], NULL, &(struct wm_range){7, 90}, &result, WM_OK);
    cr_assert_eq(result.launches + result.without_block, SAMPLE_LAUNCHES);
    cr_assert_eq(result.without_block, 1, "the first has six blocks");
    end(&pair);
}

// Of one that was cut off, what is whole; and it can be cut in turn.
Test(recording_tools, cut_what_is_whole)
{
    static struct pair pair;
    struct wm_cut_result result;
    struct sample_digest whole, part;
    struct wm_error error;
    size_t length;
    begin(&pair, 52);
    cr_assert_eq(sample_digest(pair.files[0].path, &whole, &error), WM_OK);
    uint8_t *content = sample_file_content(&pair.files[0], &length);
    uint32_t launches[SAMPLE_LAUNCHES + 1] = {0};
    for (size_t at = length - 1; at > length / 50; at -= length / 50) {
        struct wm_recording recording;
        struct wm_recording_state state;
        sample_file_set(&pair.files[0], content, at);
        open_file(&recording, &pair.files[0]);
        cr_assert_eq(wm_recording_state(&recording, &state, &error), WM_OK);
        wm_recording_close(&recording);
        launches[state.whole_launches]++;
        cut(&pair.files[0], &pair.files[1], NULL, NULL, &result,
            state.whole_launches != 0 ? WM_OK : WM_NOT_FOUND);
        if (state.whole_launches == 0)
            continue;
        cr_assert_eq(sample_digest(pair.files[1].path, &part, &error), WM_OK);
        cr_assert(part.complete && part.launch_count == state.whole_launches);
        cr_assert_arr_eq(part.launches, whole.launches,
                         part.launch_count * sizeof part.launches[0]);
    }
    for (uint32_t i = 0; i <= SAMPLE_LAUNCHES; i++)
        cr_assert_gt(launches[i], 0, "%u launches were never whole", i);
    free(content);
    end(&pair);
}

// Irregular is what has neither a stride nor rows: a lone lane and a block of 16 columns are not.
Test(recording_tools, counts_what_is_irregular)
{
    static const struct {
        uint64_t active;
        uint32_t row;
        uint64_t stride, apart, moved; // the last lane, by so much
    } accesses[] = {{UINT32_MAX, 32, 4, 0, 0},   {UINT32_MAX, 16, 4, 640, 0},
                    {UINT32_MAX, 2, 0, 8, 0},    {1 << 9, 32, 4, 0, 0},
                    {0xff00, 16, 8, 0, 0},       {UINT32_MAX, 32, 4, 0, 4},
                    {UINT32_MAX, 16, 4, 640, 4}, {0xffff0fff, 16, 4, 640, 0}};
    struct sample_file file;
    struct wm_error error;
    struct wm_recorded_instruction load = {.text = "ld", .exists = true, .is_memory = true};
    const struct wm_recorded_code code = {
        .name = "k", .module = "m", .instruction_count = 1, .instructions = &load};
    const struct wm_recording_header header = {.lanes = 32};
    struct wm_recorded_launch launch = {.grid = {1, 1, 1}, .block = {32, 1, 1}};
    struct wm_recording_writer *writer;
    struct wm_recording recording;
    struct wm_recorded_event event;
    struct wm_launch_reader reader;
    struct wm_launch_counts counts;
    bool more;
    sample_file_open(&file);
    sample_file_clear(file.path);
    cr_assert_eq(wm_recording_writer_new(file.path, &header, &writer, &error), WM_OK);
    wm_recording_write_code(writer, &code);
    wm_recording_launch_begin(writer, &launch, 1);
    struct wm_recording_block *block = wm_recording_block_begin(writer, 0);
    for (size_t i = 0; i < sizeof accesses / sizeof accesses[0]; i++) {
        uint64_t addresses[WM_MAX_LANES];
        for (uint32_t lane = 0; lane < 32; lane++)
            addresses[lane] = 4096 + lane % accesses[i].row * accesses[i].stride +
                              lane / accesses[i].row * accesses[i].apart;
        addresses[31] += accesses[i].moved;
        const struct wm_warp_access access = {
            .bytes_per_lane = 4, .lanes = 32, .active = accesses[i].active, .addresses = addresses};
        const struct wm_trace_item item = {
            .count = 1, .active = UINT32_MAX, .accesses = WM_TRACE_ONE_EACH};
        wm_warp_encoder_access(&block->warps[0], 0, &access, 0);
        wm_warp_encoder_item(&block->warps[0], &item);
    }
    wm_recording_block_end(writer, block);
    wm_recording_launch_end(writer, true);
    cr_assert_eq(wm_recording_writer_finish(writer, &error), WM_OK);
    cr_assert_eq(wm_recording_open(&recording, file.path, &error), WM_OK);
    cr_assert_eq(wm_recording_next(&recording, &event, &more, &error), WM_OK);
    cr_assert_eq(wm_launch_reader_open(&recording, &reader, &error), WM_OK);
    cr_assert_eq(wm_launch_count(&reader, &counts, &error), WM_OK);
    cr_assert_eq(counts.accesses, sizeof accesses / sizeof accesses[0]);
    cr_assert_eq(counts.irregular, 3);
    wm_launch_reader_close(&reader);
    wm_recording_close(&recording);
    sample_file_close(&file);
}
