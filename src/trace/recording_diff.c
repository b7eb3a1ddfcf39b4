#include "trace/recording_diff.h"

#include "base/containers/array.h"
#include "base/numbers/hash.h"
#include "trace/launch_scan.h"

#include <inttypes.h>
#include <stdlib.h>

// --- One instruction ---

static void mix(uint64_t *hash, uint64_t number)
{
    *hash = wm_hash_u64(*hash + number) + 1;
}

static bool same_code(const struct wm_recorded_code *a, const struct wm_recorded_code *b)
{
    if (a->fingerprint != b->fingerprint || a->instruction_count != b->instruction_count)
        return false;
    for (uint32_t pc = 0; pc < a->instruction_count; pc++)
        if (strcmp(a->instructions[pc].text, b->instructions[pc].text) != 0)
            return false;
    return true;
}

static bool same_access(const struct wm_warp_access *a, const struct wm_warp_access *b)
{
    if (a->kind != b->kind || a->space != b->space || a->hint != b->hint ||
        a->bytes_per_lane != b->bytes_per_lane || a->active != b->active)
        return false;
    for (uint64_t rest = a->active; rest != 0; rest &= rest - 1)
        if (a->addresses[__builtin_ctzll(rest)] != b->addresses[__builtin_ctzll(rest)])
            return false;
    return true;
}

// Instructions of equal code are identified by their pc, of two codes by their text.
struct comparison {
    const struct wm_recorded_code *codes[2];
    bool by_text;
};

static bool same_step(const struct comparison *with, const struct wm_warp_step *a,
                      const struct wm_warp_step *b)
{
    if (with->by_text ? strcmp(with->codes[0]->instructions[a->pc].text,
                               with->codes[1]->instructions[b->pc].text) != 0
                      : a->pc != b->pc)
        return false;
    if (a->executed != b->executed || a->active != b->active || a->skipped != b->skipped ||
        a->skipped_lanes != b->skipped_lanes || a->access_count != b->access_count ||
        a->event != b->event)
        return false;
    for (uint32_t i = 0; i < a->access_count; i++)
        if (!same_access(&a->accesses[i], &b->accesses[i]))
            return false;
    if (a->event == WM_TRACE_NO_EVENT)
        return true;
    return a->lanes == b->lanes &&
           (a->event == WM_TRACE_EXIT || (a->barrier == b->barrier && a->threads == b->threads &&
                                          a->waits == b->waits && a->others == b->others));
}

// --- All warps of a launch ---

// A hash of what each warp executed: two are compared by it, and looked into only where they part.
struct warp_hashes {
    uint64_t *hashes; // owned; block by block
    uint64_t *texts;  // owned; by pc: what stands for the instruction
    uint32_t warps;
};

static void hash_step(void *context, uint64_t block, uint32_t warp, const struct wm_warp_step *step)
{
    const struct warp_hashes *it = context;
    uint64_t *hash = &it->hashes[block * it->warps + warp];
    mix(hash, it->texts[step->pc]);
    mix(hash, step->active);
    mix(hash, step->skipped);
    mix(hash, step->skipped_lanes);
    mix(hash, (uint64_t)step->event << 8 | step->access_count << 1 | step->executed);
    for (uint32_t i = 0; i < step->access_count; i++) {
        const struct wm_warp_access *access = &step->accesses[i];
        mix(hash, (uint64_t)access->kind << 48 | (uint64_t)access->space << 40 |
                      (uint64_t)access->hint << 32 | access->bytes_per_lane);
        mix(hash, access->active);
        for (uint64_t rest = access->active; rest != 0; rest &= rest - 1)
            mix(hash, access->addresses[__builtin_ctzll(rest)]);
    }
    if (step->event == WM_TRACE_NO_EVENT)
        return;
    mix(hash, step->lanes);
    if (step->event == WM_TRACE_EXIT)
        return;
    mix(hash, (uint64_t)step->threads << 32 | step->barrier);
    mix(hash, (uint64_t)step->waits << 1 | (uint64_t)step->others);
}

static enum wm_status hash_warps(struct wm_launch_reader *launch, bool by_text,
                                 struct warp_hashes *it, struct wm_error *error)
{
    uint64_t blocks = wm_recorded_blocks(&launch->streams.launch);
    uint32_t count = launch->code->instruction_count;
    it->warps = launch->streams.warps;
    it->hashes = blocks < UINT64_C(1) << 40 ? calloc(blocks * it->warps, sizeof *it->hashes) : NULL;
    it->texts = calloc(count + UINT64_C(1), sizeof *it->texts);
    if (it->hashes == NULL || it->texts == NULL)
        return wm_fail_no_memory(error, "the warps of a launch");
    for (uint32_t pc = 0; pc < count; pc++) {
        const char *text = launch->code->instructions[pc].text;
        it->texts[pc] = by_text ? wm_hash_bytes(text, strlen(text)) : pc;
    }
    return wm_launch_scan(launch, hash_step, it, error);
}

static enum wm_status next_step(struct wm_warp_reader *reader, struct wm_diff_step *side,
                                struct wm_error *error)
{
    WM_TRY(wm_warp_reader_step(reader, &side->step, &side->there, error));
    side->cut = reader->cut;
    return WM_OK;
}

static void keep_addresses(struct wm_diff_step *side)
{
    for (uint32_t i = 0; side->there && i < side->step.access_count; i++) {
        struct wm_warp_access *access = &side->step.accesses[i];
        memcpy(side->addresses[i], access->addresses, access->lanes * sizeof *access->addresses);
        access->addresses = side->addresses[i];
    }
}

// Goes along the warp in both until they part.
static enum wm_status find_step(struct wm_warp_reader readers[2], const struct comparison *with,
                                struct wm_diff_first *first, struct wm_error *error)
{
    struct wm_diff_step *a = &first->steps[0], *b = &first->steps[1];
    first->instruction = 0;
    for (int i = 0; i < 2; i++)
        wm_warp_reader_begin(&readers[i], first->block, first->warp);
    for (;;) {
        WM_TRY(next_step(&readers[0], a, error));
        WM_TRY(next_step(&readers[1], b, error));
        if (!a->there || !b->there || !same_step(with, &a->step, &b->step))
            break;
        first->instruction += a->step.executed + a->step.skipped;
    }
    first->instruction += a->there ? a->step.skipped : 0;
    keep_addresses(a);
    keep_addresses(b);
    first->differs = true;
    return WM_OK;
}

static enum wm_status find_first(struct wm_launch_reader launches[2], const struct comparison *with,
                                 uint64_t warp, struct wm_diff_first *first, struct wm_error *error)
{
    struct wm_warp_reader readers[2] = {0};
    first->launch = launches[0].streams.launch;
    first->block = warp / launches[0].streams.warps;
    first->warp = (uint32_t)(warp % launches[0].streams.warps);
    enum wm_status status = WM_OK;
    for (int i = 0; i < 2 && status == WM_OK; i++) {
        first->codes[i] = launches[i].code;
        status = wm_warp_reader_init(&readers[i], &launches[i], error);
    }
    if (status == WM_OK)
        status = find_step(readers, with, first, error);
    for (int i = 0; i < 2; i++)
        if (readers[i].launch != NULL)
            wm_warp_reader_release(&readers[i]);
    return status;
}

// How many of the first `warps` of a launch differ, and where the first does, unless one did
// before.
static enum wm_status compare_opened(struct wm_launch_reader launches[2], uint64_t warps,
                                     uint64_t *differing, struct wm_diff_first *first,
                                     struct wm_error *error)
{
    struct comparison with = {{launches[0].code, launches[1].code}, false};
    struct warp_hashes hashes[2] = {0};
    with.by_text = !same_code(with.codes[0], with.codes[1]);
    enum wm_status status = hash_warps(&launches[0], with.by_text, &hashes[0], error);
    if (status == WM_OK)
        status = hash_warps(&launches[1], with.by_text, &hashes[1], error);
    for (uint64_t i = 0; i < warps && status == WM_OK; i++) {
        if (hashes[0].hashes[i] == hashes[1].hashes[i])
            continue;
        (*differing)++;
        if (!first->differs)
            status = find_first(launches, &with, i, first, error);
    }
    for (int i = 0; i < 2; i++) {
        free(hashes[i].hashes);
        free(hashes[i].texts);
    }
    return status;
}

// --- Launches and events ---

static bool same_shape(const struct wm_recorded_launch *a, const struct wm_recorded_launch *b)
{
    return memcmp(a->grid, b->grid, sizeof a->grid) == 0 &&
           memcmp(a->block, b->block, sizeof a->block) == 0;
}

static bool same_launch(const struct wm_recorded_launch *a, const struct wm_recorded_launch *b)
{
    return same_shape(a, b) && a->stream == b->stream && a->order.gpu == b->order.gpu &&
           a->dynamic_shared_bytes == b->dynamic_shared_bytes &&
           a->preferred_carveout == b->preferred_carveout &&
           a->local_bytes_per_block == b->local_bytes_per_block;
}

static struct wm_diff_kernel *kernel_of(struct wm_recording_diff *diff, const char *name)
{
    for (uint32_t i = 0; i < diff->kernel_count; i++)
        if (strcmp(diff->kernels[i].name, name) == 0)
            return &diff->kernels[i];
    return WM_ARRAY_ADD(diff->kernels, diff->kernel_count, diff->kernel_room, {.name = name})
               ? &diff->kernels[diff->kernel_count - 1]
               : NULL;
}

static enum wm_status compare_launches(struct wm_recording *sides[2],
                                       struct wm_recording_diff *diff, struct wm_error *error)
{
    const struct wm_recorded_launch *a = &sides[0]->launch, *b = &sides[1]->launch;
    const struct wm_recorded_code *codes[2] = {&sides[0]->codes[a->code],
                                               &sides[1]->codes[b->code]};
    struct wm_diff_kernel *kernel = kernel_of(diff, codes[0]->name);
    if (kernel == NULL)
        return wm_fail_no_memory(error, "the recordings' kernels");
    bool same_name = strcmp(codes[0]->name, codes[1]->name) == 0;
    if (!diff->launch_differs && (!same_name || !same_launch(a, b))) {
        diff->launch_differs = true;
        for (int i = 0; i < 2; i++) {
            diff->launches[i] = sides[i]->launch;
            diff->codes[i] = codes[i];
        }
    }
    bool comparable = same_name && same_shape(a, b);
    kernel->launches += comparable;
    kernel->unlike += !comparable;
    if (!comparable)
        return WM_OK;
    struct wm_launch_reader readers[2];
    WM_TRY(wm_launch_reader_open(sides[0], &readers[0], error));
    enum wm_status status = wm_launch_reader_open(sides[1], &readers[1], error);
    if (status == WM_OK) {
        uint64_t warps = wm_recorded_blocks(a) * readers[0].streams.warps;
        kernel->warps += warps;
        status = compare_opened(readers, warps, &kernel->differing, &diff->first, error);
        wm_launch_reader_close(&readers[1]);
    }
    wm_launch_reader_close(&readers[0]);
    return status;
}

static bool same_event(const struct wm_recorded_event *a, const struct wm_recorded_event *b)
{
    return a->kind == b->kind && a->stream == b->stream && a->address == b->address &&
           a->from == b->from && a->bytes == b->bytes;
}

// A launch that one recording has alone.
static enum wm_status count_alone(const struct wm_recording *side, struct wm_recording_diff *diff,
                                  struct wm_error *error)
{
    struct wm_diff_kernel *kernel = kernel_of(diff, side->codes[side->launch.code].name);
    if (kernel == NULL)
        return wm_fail_no_memory(error, "the recordings' kernels");
    kernel->unlike++;
    return WM_OK;
}

static bool is_launch(const struct wm_recording_diff *diff, int side)
{
    return diff->there[side] && diff->events[side].kind == WM_RECORDED_LAUNCH;
}

// Event against event, and launch against launch.
static enum wm_status compare_all(struct wm_recording *sides[2], struct wm_recording_diff *diff,
                                  struct wm_error *error)
{
    struct wm_recording_diff at = {.there = {true, true}};
    bool wait[2] = {false, false};
    for (;; at.event++) {
        for (int i = 0; i < 2; i++)
            if (!wait[i] && at.there[i])
                WM_TRY(wm_recording_next(sides[i], &at.events[i], &at.there[i], error));
        if (!at.there[0] && !at.there[1])
            return WM_OK;
        bool launch[2] = {is_launch(&at, 0), is_launch(&at, 1)};
        bool same = at.there[0] && at.there[1] &&
                    (launch[0] ? launch[1] : same_event(&at.events[0], &at.events[1]));
        if (!same && !diff->event_differs) {
            diff->event_differs = true;
            diff->event = at.event;
            memcpy(diff->events, at.events, sizeof at.events);
            memcpy(diff->there, at.there, sizeof at.there);
        }
        if (launch[0] && launch[1])
            WM_TRY(compare_launches(sides, diff, error));
        // The one that came to a launch waits for the other.
        for (int i = 0; i < 2; i++) {
            wait[i] = launch[i] && !launch[1 - i] && at.there[1 - i];
            if (launch[i] && !launch[1 - i] && !at.there[1 - i])
                WM_TRY(count_alone(sides[i], diff, error));
        }
    }
}

// --- CPU threads ---

static void compare_turns(const struct wm_recording cores[2], struct wm_diff_threads *threads)
{
    uint64_t most =
        cores[0].turn_count > cores[1].turn_count ? cores[0].turn_count : cores[1].turn_count;
    for (uint64_t turn = 0; turn < most && !threads->turn_differs; turn++) {
        for (int i = 0; i < 2; i++)
            threads->turns[i] = turn < cores[i].turn_count ? cores[i].turns[turn] : -1;
        threads->turn_differs = threads->turns[0] != threads->turns[1];
        threads->turn = turn;
    }
}

static enum wm_status compare_streams(struct wm_recording cores[2], struct wm_diff_threads *threads,
                                      struct wm_error *error)
{
    struct wm_launch_reader readers[2];
    uint64_t differing = 0;
    threads->compared =
        threads->counts[0] < threads->counts[1] ? threads->counts[0] : threads->counts[1];
    WM_TRY(wm_launch_reader_open(&cores[0], &readers[0], error));
    enum wm_status status = wm_launch_reader_open(&cores[1], &readers[1], error);
    if (status == WM_OK) {
        status = compare_opened(readers, threads->compared, &differing, &threads->first, error);
        threads->differing = (uint32_t)differing;
        wm_launch_reader_close(&readers[1]);
    }
    wm_launch_reader_close(&readers[0]);
    return status;
}

// Goes to their launch, which is the only event.
static enum wm_status open_threads(struct wm_recording *cores, const struct wm_recording *side,
                                   uint32_t *count, struct wm_error *error)
{
    struct wm_recorded_event event;
    bool more;
    if (side->cores_section == 0)
        return WM_OK;
    WM_TRY(wm_recording_open_cores(cores, side, error));
    enum wm_status status = wm_recording_next(cores, &event, &more, error);
    *count = status == WM_OK ? cores->launch.grid[0] : 0;
    if (status != WM_OK)
        wm_recording_close(cores);
    return status;
}

// What is known of the first that differ is the recordings' own: their readers of threads end here.
static void keep_codes(struct wm_recording *const sides[2], const struct wm_recording cores[2],
                       struct wm_diff_first *first)
{
    for (int i = 0; i < 2 && first->differs; i++)
        first->codes[i] = &sides[i]->codes[cores[i].launch.code];
}

static enum wm_status compare_threads(struct wm_recording *const sides[2],
                                      struct wm_diff_threads *threads, struct wm_error *error)
{
    struct wm_recording cores[2];
    enum wm_status status = WM_OK;
    for (int i = 0; i < 2 && status == WM_OK; i++)
        status = open_threads(&cores[i], sides[i], &threads->counts[i], error);
    bool both = threads->counts[0] != 0 && threads->counts[1] != 0;
    if (status == WM_OK && both)
        status = compare_streams(cores, threads, error);
    if (status == WM_OK && both) {
        compare_turns(cores, threads);
        keep_codes(sides, cores, &threads->first);
    }
    for (int i = 0; i < 2; i++)
        if (threads->counts[i] != 0)
            wm_recording_close(&cores[i]);
    return status;
}

enum wm_status wm_recording_diff(struct wm_recording *a, struct wm_recording *b,
                                 struct wm_recording_diff *diff, struct wm_error *error)
{
    struct wm_recording *sides[2] = {a, b};
    *diff = (struct wm_recording_diff){0};
    if (a->header.lanes != b->header.lanes || a->header.memory_only != b->header.memory_only) {
        if (a->header.lanes != b->header.lanes)
            wm_fail(error, WM_INVALID,
                    "the recordings have warps of %" PRIu32 " and %" PRIu32 " lanes",
                    a->header.lanes, b->header.lanes);
        else
            wm_fail(error, WM_INVALID, "one of the recordings has memory instructions alone");
        wm_error_place(error, "%s", b->file.path);
        return wm_error_hint(error, "record the program in the same way twice");
    }
    wm_recording_rewind(a);
    wm_recording_rewind(b);
    WM_TRY(compare_all(sides, diff, error));
    return compare_threads(sides, &diff->threads, error);
}

void wm_recording_diff_release(struct wm_recording_diff *diff)
{
    free(diff->kernels);
    diff->kernels = NULL;
}
