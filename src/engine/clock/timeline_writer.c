// What the clock engine did over time. Samples are taken at the ends of windows, where counters are
// those of one time for all islands; a stretch in which nothing happens makes no samples.
#include "engine/clock/timeline_writer.h"

#include "base/containers/arena.h"
#include "base/containers/array.h"
#include "engine/clock/clock_state.h"

#include <stdlib.h>
#include <string.h>

static const struct wm_counter_declaration sample_declarations[] = {
    WM_SAMPLE_COUNTERS(WM_COUNTER_DECLARATION)};

const struct wm_counter_set wm_sample_set = {
    .kind = "sample",
    .title = "what was in use over time",
    .declarations = sample_declarations,
    .count = sizeof sample_declarations / sizeof sample_declarations[0],
};

struct wm_clock_timeline {
    struct wm_timeline kept; // owned, with room for so many
    uint64_t sample_room, launch_room, block_room;
    struct wm_sample before; // everything counted when the current sample began
    uint64_t latencies;      // of the launches so far: cycles that the islands do not see
    uint64_t *open;          // owned: by SM and place, the block that is there
    bool left_out;           // the launch: it is in no profiler's range
    bool failed;
};

struct wm_clock_timeline *wm_clock_timeline_new(uint64_t sample_cycles)
{
    struct wm_clock_timeline *timeline = calloc(1, sizeof *timeline);
    if (timeline != NULL)
        timeline->kept.sample_cycles = sample_cycles;
    return timeline;
}

void wm_clock_timeline_free(struct wm_clock_timeline *timeline)
{
    if (timeline == NULL)
        return;
    free(timeline->kept.samples);
    free(timeline->kept.launches);
    free(timeline->kept.blocks);
    free(timeline->open);
    free(timeline);
}

// Room for one more; after a failure there is none for anything.
#define GROW(timeline, list, number, room)                                                         \
    (!((timeline)->failed =                                                                        \
           (timeline)->failed || !WM_ARRAY_RESERVE((timeline)->kept.list, (timeline)->kept.number, \
                                                   (timeline)->room, 1)))

static uint64_t now_of(const struct wm_clock *clock)
{
    return wm_clock_convert(&clock->from_network, clock->now) + clock->timeline->latencies;
}

// --- Samples ---

static struct wm_sample count_all(const struct wm_clock *clock)
{
    struct wm_sample sum = {.begin = now_of(clock), .end = now_of(clock)};
    for (uint32_t i = 0; i < clock->sm_count; i++) {
        const struct wm_clock_sm *sm = &clock->sms[i];
        sum.resident_warps += sm->resident_warps;
        sum.warp_instructions += sm->core.counters.issued;
        sum.replies += sm->unit.requests_replied;
        sum.flits_from_sms += sm->output.counters.flits;
    }
    for (uint32_t i = 0; i < wm_clock_channels(clock); i++) {
        const struct wm_dram_channel_counters *channel =
            wm_dram_channel_counters_of(wm_clock_channel(clock, i));
        sum.dram_bytes_read += channel->bytes_read;
        sum.dram_bytes_written += channel->bytes_written;
    }
    for (uint32_t i = 0; i < clock->topology.receivers; i++)
        sum.flits_to_sms += clock->receivers[i].slice->output.counters.flits;
    return sum;
}

// Of what has happened since the last one, in cycles up to `end`.
static void take_sample(struct wm_clock *clock, uint64_t end)
{
    struct wm_clock_timeline *timeline = clock->timeline;
    if (!GROW(timeline, samples, sample_count, sample_room))
        return;
    struct wm_sample now = count_all(clock), *before = &timeline->before;
    timeline->kept.samples[timeline->kept.sample_count++] = (struct wm_sample){
        .begin = before->begin,
        .end = end,
        .resident_warps = now.resident_warps,
        .warp_instructions = now.warp_instructions - before->warp_instructions,
        .replies = now.replies - before->replies,
        .flits_from_sms = now.flits_from_sms - before->flits_from_sms,
        .flits_to_sms = now.flits_to_sms - before->flits_to_sms,
        .dram_bytes_read = now.dram_bytes_read - before->dram_bytes_read,
        .dram_bytes_written = now.dram_bytes_written - before->dram_bytes_written,
    };
    *before = now;
}

void wm_clock_timeline_window(struct wm_clock *clock)
{
    const struct wm_clock_timeline *timeline = clock->timeline;
    if (timeline != NULL && !timeline->left_out &&
        now_of(clock) - timeline->before.begin >= timeline->kept.sample_cycles)
        take_sample(clock, now_of(clock));
}

// --- Launches and blocks ---

static bool is_left_out(const struct wm_clock_launch *running)
{
    return running->timeline_launch == WM_KERNEL_NOT_COUNTED;
}

void wm_clock_timeline_begin(struct wm_clock *clock, struct wm_clock_launch *running,
                             uint32_t kernel, bool waits)
{
    struct wm_clock_timeline *timeline = clock->timeline;
    if (timeline == NULL)
        return;
    if (timeline->open == NULL)
        timeline->open = calloc((size_t)clock->unit_count * clock->machine->sm.max_blocks,
                                sizeof *timeline->open);
    timeline->failed = timeline->failed || timeline->open == NULL;
    bool first = clock->launch_count == 1, left_out = kernel == WM_KERNEL_NOT_COUNTED;
    running->timeline_launch = WM_KERNEL_NOT_COUNTED;
    uint64_t latency = clock->machine->sm.launch_latency;
    uint64_t begin = now_of(clock) - (waits && !first ? latency : 0);
    if (!left_out && GROW(timeline, launches, launch_count, launch_room)) {
        running->timeline_launch = (uint32_t)timeline->kept.launch_count;
        struct wm_timeline_launch *launch = &timeline->kept.launches[timeline->kept.launch_count++];
        *launch = (struct wm_timeline_launch){.begin = begin, .kernel = kernel};
        memcpy(launch->grid, running->run->work->grid, sizeof launch->grid);
    }
    timeline->left_out = first ? left_out : timeline->left_out && left_out;
    if (!first)
        return;
    timeline->before = count_all(clock);
    timeline->latencies += latency;
    if (!timeline->left_out && latency >= timeline->kept.sample_cycles)
        take_sample(clock, now_of(clock));
}

// What has not been sampled when the last launch ends.
static void end_samples(struct wm_clock *clock, uint64_t last)
{
    struct wm_clock_timeline *timeline = clock->timeline;
    struct wm_timeline *kept = &timeline->kept;
    // The last window may have been sampled at its end, and blocks end with windows.
    if (timeline->before.begin > last && kept->sample_count != 0)
        kept->samples[kept->sample_count - 1].end = last;
    else if (timeline->before.begin < last)
        take_sample(clock, last);
}

void wm_clock_timeline_end(struct wm_clock *clock, const struct wm_clock_launch *running,
                           uint64_t last)
{
    struct wm_clock_timeline *timeline = clock->timeline;
    if (timeline == NULL || timeline->left_out || timeline->failed)
        return;
    struct wm_timeline *kept = &timeline->kept;
    last += timeline->latencies;
    if (clock->launch_count == 1)
        end_samples(clock, last);
    if (is_left_out(running))
        return;
    const struct wm_timeline_launch *launch = &kept->launches[running->timeline_launch];
    kept->launches[running->timeline_launch].end = last;
    for (uint64_t i = kept->block_count; i > 0; i--) {
        struct wm_timeline_block *block = &kept->blocks[i - 1];
        if (block->begin < launch->begin)
            break;
        // 0: a fault left it there.
        if (block->launch == running->timeline_launch && (block->end == 0 || block->end > last))
            block->end = last;
    }
}

void wm_clock_timeline_start(struct wm_clock *clock, const struct wm_clock_launch *running,
                             uint32_t sm, uint32_t place, uint64_t block)
{
    struct wm_clock_timeline *timeline = clock->timeline;
    if (timeline == NULL || timeline->failed)
        return;
    uint64_t *open = &timeline->open[(size_t)sm * clock->machine->sm.max_blocks + place];
    *open = UINT64_MAX;
    if (is_left_out(running) || !GROW(timeline, blocks, block_count, block_room))
        return;
    *open = timeline->kept.block_count;
    timeline->kept.blocks[timeline->kept.block_count++] =
        (struct wm_timeline_block){.begin = now_of(clock),
                                   .index = block,
                                   .launch = running->timeline_launch,
                                   .sm = sm,
                                   .place = place};
}

void wm_clock_timeline_finish(struct wm_clock *clock, uint32_t sm, uint32_t place)
{
    struct wm_clock_timeline *timeline = clock->timeline;
    if (timeline == NULL || timeline->failed)
        return;
    uint64_t open = timeline->open[(size_t)sm * clock->machine->sm.max_blocks + place];
    if (open != UINT64_MAX)
        timeline->kept.blocks[open].end = now_of(clock);
}

// --- The end ---

static void *copy(struct wm_arena *arena, const void *items, uint64_t count, size_t size)
{
    void *list = wm_arena_alloc(arena, count * size + 1, _Alignof(max_align_t));
    if (list != NULL && count != 0)
        memcpy(list, items, count * size);
    return list;
}

const struct wm_timeline *wm_clock_timeline_copy(const struct wm_clock_timeline *timeline,
                                                 struct wm_arena *arena)
{
    struct wm_timeline *result = WM_ARENA_NEW(arena, struct wm_timeline);
    if (result == NULL || timeline->failed)
        return NULL;
    *result = timeline->kept;
    result->samples = copy(arena, result->samples, result->sample_count, sizeof *result->samples);
    result->launches =
        copy(arena, result->launches, result->launch_count, sizeof *result->launches);
    result->blocks = copy(arena, result->blocks, result->block_count, sizeof *result->blocks);
    bool good = result->samples != NULL && result->launches != NULL && result->blocks != NULL;
    return good ? result : NULL;
}
