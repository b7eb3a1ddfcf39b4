#include "engine/profile/load_profile.h"

#include "base/containers/array.h"
#include "base/run/progress.h"
#include "engine/profile/load_sets.h"
#include "engine/replay/replay.h"
#include "engine/session/launch_filter.h"
#include "engine/session/session_state.h"
#include "sm/warp_scheduler/warp_scheduler.h"

#include <inttypes.h>
#include <stdlib.h>

enum { BATCH_HEADS = 8192, BATCH_LINES = 16384 };

// A kernel while its launches come.
struct kernel {
    struct wm_profiled_kernel *profiled;
    int32_t *load_of; // by pc: which load it is, or WM_LOAD_OF_ALL_SETS
    uint32_t instruction_count;
    struct wm_instruction_counters
        *before; // by pc: what the front end had counted, at launches left out
};

struct profiler {
    struct wm_request_batcher batcher; // first: the batcher's pass_on finds the profiler
    const struct wm_load_profile_options *options;
    struct wm_load_profile *profile;
    struct wm_load_sets *sets;
    struct wm_session *front;
    struct wm_launch_choice choice;
    uint64_t launches;
    struct kernel *kernels; // owned; in the order of the profile's
    uint32_t kernel_room;
    struct kernel *now; // of the launch under way; NULL: none, or one that is left out
    const struct wm_chosen_sets
        *chosen; // borrowed, of some kernels; NULL: the profile's sets, of all
    uint32_t chosen_count;
};

static enum wm_status out_of_memory(struct wm_error *error)
{
    return wm_fail_no_memory(error, "the profile of a program's loads");
}

// --- Kernels and their loads ---

static bool is_decided(const struct profiler *profiler, const struct wm_work *work, uint32_t pc,
                       struct wm_instruction_facts *facts)
{
    work->ops->describe(work, pc, facts, NULL);
    if (!facts->exists || !facts->is_memory || facts->kind != WM_ACCESS_LOAD ||
        (facts->space != WM_SPACE_GLOBAL && !facts->generic))
        return false;
    const struct wm_load_profile_options *options = profiler->options;
    return options->decided == NULL || options->decided(options->context, work, facts, pc);
}

static enum wm_status find_loads(struct profiler *profiler, const struct wm_work *work,
                                 struct kernel *kernel, struct wm_error *error)
{
    struct wm_arena *arena = &profiler->profile->arena;
    struct wm_profiled_kernel *profiled = kernel->profiled;
    struct wm_instruction_facts facts;
    uint32_t count = 0;
    for (uint32_t pc = 0; pc < work->instruction_count; pc++)
        count += is_decided(profiler, work, pc, &facts);
    if (count > WM_LOAD_PROFILE_MOST_LOADS) {
        wm_fail(error, WM_UNSUPPORTED,
                "kernel %s has %" PRIu32 " global loads; at most %d can be "
                "profiled in pairs",
                work->kernel, count, WM_LOAD_PROFILE_MOST_LOADS);
        return wm_error_hint(error, "leave it out with --kernel");
    }
    uint32_t pairs = count * (count - (count != 0)) / 2;
    profiled->load_count = count;
    profiled->loads = WM_ARENA_ARRAY(arena, struct wm_load_record, count);
    profiled->pairs = WM_ARENA_ARRAY(arena, struct wm_load_set_counts, pairs);
    kernel->load_of = WM_ARENA_ARRAY(arena, int32_t, work->instruction_count);
    kernel->before = WM_ARENA_ARRAY(arena, struct wm_instruction_counters, work->instruction_count);
    if (profiled->loads == NULL || profiled->pairs == NULL || kernel->load_of == NULL ||
        kernel->before == NULL)
        return out_of_memory(error);
    int32_t next = 0;
    for (uint32_t pc = 0; pc < work->instruction_count; pc++) {
        kernel->load_of[pc] = WM_LOAD_OF_ALL_SETS;
        if (!is_decided(profiler, work, pc, &facts))
            continue;
        profiled->loads[next].pc = pc;
        profiled->loads[next].ptx_line = facts.ptx_line;
        kernel->load_of[pc] = next++;
    }
    return WM_OK;
}

static bool is_kernel_of(const struct wm_profiled_kernel *kernel, const struct wm_work *work)
{
    return kernel->fingerprint == work->fingerprint && strcmp(kernel->name, work->kernel) == 0;
}

static enum wm_status add_kernel(struct profiler *profiler, const struct wm_work *work,
                                 struct wm_error *error)
{
    struct wm_load_profile *profile = profiler->profile;
    if (!WM_ARRAY_RESERVE(profiler->kernels, profile->kernel_count, profiler->kernel_room, 1))
        return out_of_memory(error);
    struct kernel *kernel = &profiler->kernels[profile->kernel_count];
    *kernel = (struct kernel){.instruction_count = work->instruction_count};
    kernel->profiled = WM_ARENA_NEW(&profile->arena, struct wm_profiled_kernel);
    if (kernel->profiled == NULL)
        return out_of_memory(error);
    kernel->profiled->name =
        wm_arena_copy_text(&profile->arena, work->kernel, strlen(work->kernel));
    kernel->profiled->module =
        wm_arena_copy_text(&profile->arena, work->module, strlen(work->module));
    kernel->profiled->fingerprint = work->fingerprint;
    if (kernel->profiled->name == NULL || kernel->profiled->module == NULL)
        return out_of_memory(error);
    WM_TRY(find_loads(profiler, work, kernel, error));
    profile->kernel_count++;
    return WM_OK;
}

static enum wm_status kernel_of(struct profiler *profiler, const struct wm_work *work,
                                struct kernel **kernel, struct wm_error *error)
{
    uint32_t i = 0;
    while (i < profiler->profile->kernel_count &&
           !is_kernel_of(profiler->kernels[i].profiled, work))
        i++;
    if (i == profiler->profile->kernel_count)
        WM_TRY(add_kernel(profiler, work, error));
    *kernel = &profiler->kernels[i];
    return WM_OK;
}

// --- Launches ---

// NULL: none of the kernel.
static const struct wm_chosen_sets *chosen_sets_of(const struct profiler *profiler,
                                                   const struct wm_work *work)
{
    for (uint32_t i = 0; i < profiler->chosen_count; i++)
        if (is_kernel_of(profiler->chosen[i].kernel, work))
            return &profiler->chosen[i];
    return NULL;
}

static enum wm_status begin_launch(struct wm_request_batcher *batcher, const struct wm_work *work,
                                   struct wm_error *error)
{
    struct profiler *profiler = (struct profiler *)batcher;
    const struct wm_launch_filter *filter = profiler->options->filter;
    profiler->now = NULL;
    struct kernel *kernel;
    WM_TRY(kernel_of(profiler, work, &kernel, error));
    uint64_t number = profiler->launches++;
    if (filter != NULL && !wm_launch_filter_takes(filter, &profiler->choice, work->kernel, number,
                                                  &profiler->profile->arena))
        return WM_OK;
    if (profiler->chosen != NULL) {
        const struct wm_chosen_sets *chosen = chosen_sets_of(profiler, work);
        if (chosen == NULL || chosen->count == 0)
            return WM_OK;
        wm_load_sets_choose(profiler->sets, chosen->sets, chosen->count);
    }
    struct wm_block_resources needs;
    struct wm_occupancy occupancy;
    WM_TRY(wm_session_find_occupancy(profiler->front, work, &needs, &occupancy, error));
    WM_TRY(wm_load_sets_begin(profiler->sets, kernel->load_of, kernel->instruction_count,
                              kernel->profiled->load_count, &occupancy, &kernel->profiled->l1_bytes,
                              error));
    profiler->now = kernel;
    return WM_OK;
}

static void pass_on(struct wm_request_batcher *batcher)
{
    const struct profiler *profiler = (const struct profiler *)batcher;
    const struct wm_request_batch *batch = batcher->batch;
    if (profiler->now != NULL && batch->head_count != 0)
        wm_load_sets_serve(profiler->sets, batch->heads, batch->head_count, batch->lines);
    wm_request_batch_clear(batcher->batch);
}

// The front end has counted for the kernel over all launches, left out or not.
static enum wm_status end_launch(struct wm_request_batcher *batcher, const struct wm_work *work,
                                 const struct wm_session *front, struct wm_error *error)
{
    struct profiler *profiler = (struct profiler *)batcher;
    const struct wm_instruction_counters *counters_by_pc = front->launched->counters_by_pc;
    struct kernel *kernel;
    pass_on(batcher);
    WM_TRY(kernel_of(profiler, work, &kernel, error));
    struct wm_profiled_kernel *profiled = kernel->profiled;
    for (uint32_t i = 0; i < profiled->load_count && profiler->now != NULL; i++) {
        struct wm_load_record *load = &profiled->loads[i];
        const struct wm_instruction_counters *now = &counters_by_pc[load->pc],
                                             *then = &kernel->before[load->pc];
        load->executions += now->executions - then->executions;
        load->lanes += now->lanes - then->lanes;
        load->bytes_requested += now->bytes_requested - then->bytes_requested;
        load->lines += now->requests - then->requests;
        load->sectors += now->sectors - then->sectors;
    }
    memcpy(kernel->before, counters_by_pc, kernel->instruction_count * sizeof *counters_by_pc);
    if (profiler->now == NULL)
        return WM_OK;
    profiled->launches++;
    memcpy(profiled->grid, work->grid, sizeof profiled->grid);
    memcpy(profiled->block, work->block, sizeof profiled->block);
    profiler->now = NULL;
    if (profiler->chosen != NULL)
        return wm_load_sets_end_chosen(profiler->sets, chosen_sets_of(profiler, work)->bytes,
                                       error);
    return wm_load_sets_end(profiler->sets, profiled, error);
}

// --- The whole ---

enum wm_status wm_load_profile_check(const struct wm_machine *machine, struct wm_error *error)
{
    if (wm_memory_gpus(&machine->memory) > 1) {
        wm_fail(error, WM_UNSUPPORTED, "machine %s has %u GPUs: loads are decided for one",
                machine->name, (unsigned)wm_memory_gpus(&machine->memory));
        return wm_error_hint(error, "set gpu.count=1, for a program that uses one");
    }
    const char *why = !machine->memory.levels[WM_LEVEL_L1].cache.present ? "has no L1"
                      : machine->sm.global_around_l1 ? "keeps global loads out of L1"
                                                     : NULL;
    if (why == NULL)
        return WM_OK;
    wm_fail(error, WM_UNSUPPORTED, "machine %s %s: there is nothing to decide", machine->name, why);
    if (machine->memory.levels[WM_LEVEL_L1].cache.present)
        return wm_error_hint(error,
                             "choose one whose L1 takes them, as -m liang-2015 (a GTX 680 as "
                             "the paper of this method has it) or -m gtx480, or give this "
                             "one such an L1: --set gpu.l1.local_only=false");
    return wm_error_hint(error, "choose one that has, as -m gtx480");
}

static enum wm_status run(struct profiler *profiler, struct wm_recording *recording,
                          const struct wm_machine *machine, struct wm_error *error)
{
    const struct wm_session_options options = {.in_order = true,
                                               .serial_streams = true,
                                               .no_host_threads = true, // of kernels alone
                                               .progress = profiler->options->progress};
    struct wm_machine front = *machine;
    if (!wm_front_end_stands_alone(&front))
        front.sm.warp_scheduler = &wm_warp_scheduler_round_robin;
    front.memory.levels[WM_LEVEL_L1].coherence = WM_LEVEL_INCOHERENT; // requests are all it wants
    profiler->batcher = (struct wm_request_batcher){
        .batch = wm_request_batch_new(BATCH_HEADS, BATCH_LINES),
        .pass_on = pass_on,
        .launch_begins = begin_launch,
        .launch_ends = end_launch,
    };
    if (profiler->batcher.batch == NULL)
        return out_of_memory(error);
    WM_TRY(wm_load_sets_new(machine, profiler->chosen == NULL, &profiler->sets, error));
    WM_TRY(wm_session_new(&front, NULL, &options, &profiler->front, error));
    profiler->front->front_end.batcher = &profiler->batcher;
    return wm_replay(recording, profiler->front, error);
}

static enum wm_status gather(struct profiler *profiler, struct wm_error *error)
{
    struct wm_load_profile *profile = profiler->profile;
    profile->kernels =
        WM_ARENA_ARRAY(&profile->arena, struct wm_profiled_kernel, profile->kernel_count);
    if (profile->kernels == NULL)
        return out_of_memory(error);
    for (uint32_t i = 0; i < profile->kernel_count; i++)
        profile->kernels[i] = *profiler->kernels[i].profiled;
    return WM_OK;
}

// `profiler` says what for; *profile is NULL when it fails.
static enum wm_status make_profile(struct profiler *profiler, struct wm_recording *recording,
                                   const struct wm_machine *machine,
                                   struct wm_load_profile **profile, struct wm_error *error)
{
    *profile = NULL;
    WM_TRY(wm_load_profile_check(machine, error));
    profiler->profile = calloc(1, sizeof *profiler->profile);
    if (profiler->profile == NULL)
        return out_of_memory(error);
    wm_arena_init(&profiler->profile->arena);
    profiler->profile->line_bytes = machine->memory.levels[WM_LEVEL_L1].cache.line_bytes;
    enum wm_status status = run(profiler, recording, machine, error);
    if (status == WM_OK)
        status = gather(profiler, error);
    wm_session_free(profiler->front);
    wm_load_sets_free(profiler->sets);
    wm_request_batch_free(profiler->batcher.batch);
    wm_string_map_release(&profiler->choice.kernels);
    free(profiler->kernels);
    if (status == WM_OK)
        *profile = profiler->profile;
    else
        wm_load_profile_free(profiler->profile);
    return status;
}

enum wm_status wm_load_profile_new(struct wm_recording *recording, const struct wm_machine *machine,
                                   const struct wm_load_profile_options *options,
                                   struct wm_load_profile **profile, struct wm_error *error)
{
    struct profiler profiler = {.options = options};
    return make_profile(&profiler, recording, machine, profile, error);
}

// --- Sets of the caller's choice ---

// What the sets of a pass have of L1, in lines, which take some 25 bytes each: 400 MB.
enum { MOST_LINES_A_PASS = 1 << 24 };

static uint32_t sets_a_pass(const struct wm_machine *machine)
{
    const struct wm_cache_spec *l1 = &machine->memory.levels[WM_LEVEL_L1].cache;
    uint64_t sms_each = machine->memory.levels[WM_LEVEL_L1].units_each > 1
                            ? machine->memory.levels[WM_LEVEL_L1].units_each
                            : 1;
    // Of a unified array a launch may leave L1 nearly all.
    uint64_t bytes =
        l1->size_bytes > machine->sm.unified_bytes ? l1->size_bytes : machine->sm.unified_bytes;
    uint64_t lines = bytes / l1->line_bytes * machine->sm.count;
    uint64_t sets = MOST_LINES_A_PASS * sms_each / (lines + 1);
    return sets == 0 ? 1 : (uint32_t)sets;
}

static enum wm_status make_pass(struct wm_recording *recording, const struct wm_machine *machine,
                                const struct wm_load_profile_options *options,
                                struct wm_chosen_sets *chosen, uint32_t count,
                                struct wm_error *error)
{
    struct profiler profiler = {.options = options, .chosen = chosen, .chosen_count = count};
    struct wm_load_profile *profile;
    WM_TRY(make_profile(&profiler, recording, machine, &profile, error));
    wm_load_profile_free(profile);
    return WM_OK;
}

// Loads around L1 move their sectors, and nothing else.
static void begin_bytes(const struct wm_chosen_sets *chosen)
{
    for (uint32_t i = 0; i < chosen->count; i++) {
        chosen->bytes[i] = 0;
        for (uint32_t load = 0; load < chosen->kernel->load_count; load++)
            if (!wm_load_set_has(&chosen->sets[i], load))
                chosen->bytes[i] += chosen->kernel->loads[load].sectors * WM_SECTOR_BYTES;
    }
}

enum wm_status wm_load_profile_sets(struct wm_recording *recording,
                                    const struct wm_machine *machine,
                                    const struct wm_load_profile_options *options,
                                    const struct wm_chosen_sets *chosen, uint32_t count,
                                    struct wm_error *error)
{
    struct wm_chosen_sets *part = calloc(count + UINT64_C(1), sizeof *part);
    uint32_t most = 0, step = sets_a_pass(machine);
    enum wm_status status = part != NULL ? WM_OK : out_of_memory(error);
    for (uint32_t k = 0; k < count; k++) {
        begin_bytes(&chosen[k]);
        most = chosen[k].count > most ? chosen[k].count : most;
    }
    for (uint32_t first = 0; first < most && status == WM_OK; first += step) {
        for (uint32_t k = 0; k < count; k++) {
            uint32_t begin = first < chosen[k].count ? first : chosen[k].count;
            uint32_t left = chosen[k].count - begin;
            part[k] = (struct wm_chosen_sets){.kernel = chosen[k].kernel,
                                              .sets = chosen[k].sets + begin,
                                              .count = left < step ? left : step,
                                              .bytes = chosen[k].bytes + begin};
        }
        status = make_pass(recording, machine, options, part, count, error);
    }
    free(part);
    return status;
}

void wm_load_profile_free(struct wm_load_profile *profile)
{
    if (profile == NULL)
        return;
    wm_arena_release(&profile->arena);
    free(profile);
}

// --- Weights ---

// Of a load that bypasses L1, each sector goes between L2 and the SM.
static int64_t bypassed(const struct wm_load_record *load)
{
    return (int64_t)(load->sectors * WM_SECTOR_BYTES);
}

static int64_t beyond_none(const struct wm_profiled_kernel *kernel,
                           const struct wm_load_set_counts *set)
{
    return (int64_t)(set->bytes - kernel->none.bytes);
}

int64_t wm_load_profile_saving(const struct wm_profiled_kernel *kernel, uint32_t load)
{
    return bypassed(&kernel->loads[load]) - beyond_none(kernel, &kernel->loads[load].alone);
}

int64_t wm_load_profile_edge(const struct wm_profiled_kernel *kernel, uint32_t a, uint32_t b)
{
    return beyond_none(kernel, &kernel->loads[a].alone) +
           beyond_none(kernel, &kernel->loads[b].alone) -
           beyond_none(kernel, wm_load_profile_pair(kernel, a, b));
}

int64_t wm_load_profile_saving_of_all(const struct wm_profiled_kernel *kernel)
{
    int64_t saved = -beyond_none(kernel, &kernel->all);
    for (uint32_t i = 0; i < kernel->load_count; i++)
        saved += bypassed(&kernel->loads[i]);
    return saved;
}
