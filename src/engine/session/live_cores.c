#include "engine/session/live_cores_state.h"

#include "base/containers/array.h"
#include "engine/clock/clock.h"
#include "engine/session/session_state.h"

#include <assert.h>
#include <limits.h>
#include <stdlib.h>

enum {
    BEFORE_KERNELS = INT_MIN, // as a priority: what threads did comes before the round
};

enum wm_status wm_live_cores_check(const struct wm_machine *machine,
                                   const struct wm_session_options *options, struct wm_error *error)
{
    if (machine->memory.core_count == 0) {
        wm_fail(error, WM_UNSUPPORTED,
                "machine %s has no CPU cores beside its SMs that could run the program's threads",
                machine->name);
        return wm_error_hint(error, "take a machine that has a cpu, as machines/examples/"
                                    "cpu-gpu-llc.yaml");
    }
    if (!options->clock)
        return WM_OK;
    return wm_clock_check_cores(machine, error);
}

// ---- The launch as a work ----------------------------------------------------------------------

static const struct wm_live_cores *cores_that_are(const void *work)
{
    return (const struct wm_live_cores *)((const char *)work -
                                          offsetof(struct wm_live_cores, work));
}

static void describe(const void *work, uint32_t pc, struct wm_instruction_facts *facts,
                     struct wm_text *text)
{
    wm_live_codes_describe(cores_that_are(work)->codes, pc, facts, text);
}

static struct wm_live_cores *cores_of(void *work)
{
    return (struct wm_live_cores *)((char *)work - offsetof(struct wm_live_cores, work));
}

// A block a core, whatever its index: thread n runs on core n.
static enum wm_status start_block(void *work, uint64_t index, uint32_t sm, uint32_t slot,
                                  struct wm_block **block, struct wm_error *error)
{
    (void)error;
    *block = &cores_of(work)->blocks[sm];
    **block = wm_work_core_block(index, sm, slot);
    return WM_OK;
}

static void finish_block(void *work, struct wm_block *block)
{
    (void)work, (void)block;
}

static void make(struct wm_live_cores *cores, const struct wm_host_access *made,
                 const struct wm_access_sink *sink)
{
    uint64_t addresses[WM_MAX_LANES];
    const struct wm_warp_access access = {
        .kind = (enum wm_access_kind)made->kind,
        .space = WM_SPACE_GLOBAL,
        .pc = wm_live_codes_pc(cores->codes, made),
        .bytes_per_lane = made->bytes,
        .lanes = 1,
        .active = 1,
        .addresses = addresses,
    };
    addresses[0] = made->address;
    sink->access(sink->context, &access);
}

// In the walk, which counts accesses alone as instructions.
static uint64_t run_accesses(struct wm_live_cores *cores, uint32_t core, uint64_t budget,
                             enum wm_run_until until, const struct wm_access_sink *sink)
{
    uint64_t made = 0;
    while (made < budget && cores->next < cores->end && cores->next->thread == core) {
        const struct wm_host_access *next = cores->next++;
        if (next->kind >= WM_LIVE_KINDS)
            continue;
        made++;
        make(cores, next, sink);
        if (until == WM_RUN_MEMORY)
            break;
    }
    return made;
}

// In time: up to an access or a fence.
static uint64_t run_queued(struct wm_live_cores *cores, struct wm_block *block, uint64_t budget,
                           const struct wm_access_sink *sink)
{
    struct wm_host_access next;
    uint64_t made = 0;
    do {
        made += wm_live_queue_take(cores, block->sm, budget - made, &next);
    } while (next.kind == WM_HOST_PLAIN && made < budget &&
             !wm_live_queue_is_empty(cores, block->sm));
    if (next.kind == WM_HOST_FENCE) {
        const struct wm_warp_phase fence = {.operation = WM_PHASE_FENCE,
                                            .pc = wm_live_codes_pc(cores->codes, &next)};
        sink->phase(sink->context, &fence);
    } else if (next.kind != WM_HOST_PLAIN) {
        make(cores, &next, sink);
    }
    if (cores->ends && next.kind == WM_HOST_PLAIN && wm_live_queue_is_empty(cores, block->sm))
        block->finished = 1;
    return made;
}

static void run(void *work, struct wm_block *block, uint32_t warp, uint64_t budget,
                enum wm_run_until until, const struct wm_access_sink *sink,
                struct wm_run_result *result)
{
    struct wm_live_cores *cores = cores_of(work);
    (void)warp;
    uint64_t made = cores->queues != NULL ? run_queued(cores, block, budget, sink)
                                          : run_accesses(cores, block->sm, budget, until, sink);
    result->warp_instructions += made;
    result->thread_instructions += made;
}

static bool next_pc(void *work, struct wm_block *block, uint32_t warp, uint32_t *pc)
{
    struct wm_live_cores *cores = cores_of(work);
    (void)warp;
    if (cores->next == cores->end || cores->next->thread != block->sm)
        return false;
    *pc = wm_live_codes_pc(cores->codes, cores->next);
    return true;
}

static enum wm_status fault(const void *work, struct wm_error *error)
{
    (void)work, (void)error;
    return WM_OK;
}

// Cores that have made all accesses so far wait for their threads' next ones.
static enum wm_status no_deadlock(void *work, struct wm_block *const *blocks, uint32_t count,
                                  struct wm_error *error)
{
    (void)work, (void)blocks, (void)count, (void)error;
    return WM_OK;
}

static const struct wm_work_ops live_ops = {
    .describe = describe,
    .start_block = start_block,
    .finish_block = finish_block,
    .run = run,
    .next_pc = next_pc,
    .fault = fault,
    .deadlock = no_deadlock,
};

static void fill_work(struct wm_live_cores *cores, uint32_t count)
{
    cores->work = (struct wm_work){
        .ops = &live_ops,
        .kernel = "cores",
        .module = "",
        .fingerprint = count,
        .instruction_count = WM_LIVE_INSTRUCTIONS,
        .grid = {count, 1, 1},
        .block = {1, 1, 1},
        .warps_per_block = 1,
        .gpu = WM_ON_CORES,
        .code_places = cores->code_places,
        .supplied = true,
    };
}

// ---- Its run -----------------------------------------------------------------------------------

enum wm_status wm_live_cores_new(struct wm_session *session,
                                 const struct wm_live_commands *commands,
                                 struct wm_live_cores **cores, struct wm_error *error)
{
    uint32_t count = session->cores.count;
    struct wm_live_cores *made = calloc(1, sizeof *made);
    *cores = NULL;
    if (made == NULL)
        return wm_fail_no_memory(error, "CPU cores");
    made->session = session;
    made->count = count;
    made->commands = *commands;
    made->code_places = calloc(WM_LIVE_INSTRUCTIONS + 1, sizeof *made->code_places);
    made->codes = calloc(1, sizeof *made->codes);
    made->blocks = calloc(count, sizeof *made->blocks);
    enum wm_status status = made->code_places == NULL || made->codes == NULL || made->blocks == NULL
                                ? wm_fail_no_memory(error, "CPU cores")
                                : WM_OK;
    if (status == WM_OK && session->clock != NULL)
        status = wm_live_queues_init(made, error);
    if (status != WM_OK) {
        wm_live_cores_free(made);
        return status;
    }
    fill_work(made, count);
    *cores = made;
    return WM_OK;
}

enum wm_status wm_live_cores_begin(struct wm_live_cores *cores, struct wm_error *error)
{
    if (cores->running != NULL)
        return WM_OK;
    return wm_session_start_work(cores->session, &cores->work, BEFORE_KERNELS, false,
                                 &cores->running, error);
}

enum wm_status wm_live_cores_end(struct wm_live_cores *cores, struct wm_error *error)
{
    enum wm_status status = wm_session_collect(cores->session, cores->running, NULL, error);
    cores->running = NULL;
    if (!wm_kernel_records_describe(cores->session, &cores->work) && status == WM_OK)
        status = wm_fail_no_memory(error, "the instructions of CPU cores");
    return status;
}

void wm_live_cores_describe_code(struct wm_live_cores *cores,
                                 struct wm_host_code (*describe_code)(uint64_t code))
{
    cores->codes->describe = describe_code;
}

// Of one thread.
static enum wm_status make_accesses(struct wm_live_cores *cores, struct wm_error *error)
{
    while (cores->next < cores->end) {
        (void)wm_session_step(cores->session);
        if (wm_concurrent_launch_has_ended(cores->running)) {
            cores->next = cores->end;
            return wm_live_cores_end(cores, error);
        }
    }
    return WM_OK;
}

enum wm_status wm_live_cores_access(struct wm_live_cores *cores,
                                    const struct wm_host_access *accesses, size_t count,
                                    struct wm_error *error)
{
    const struct wm_host_access *all = accesses + count;
    if (cores->queues != NULL)
        return wm_live_queues_add(cores, accesses, count, error);
    if (cores->status == WM_OK && count > 0)
        cores->status = wm_live_cores_begin(cores, &cores->error);
    for (const struct wm_host_access *at = accesses; cores->status == WM_OK && at < all;) {
        assert(at->thread < cores->count);
        cores->next = at;
        while (at < all && at->thread == cores->next->thread)
            at++;
        cores->end = at;
        cores->status = make_accesses(cores, &cores->error);
    }
    if (cores->status != WM_OK)
        *error = cores->error;
    return cores->status;
}

enum wm_status wm_live_cores_profiler_range(struct wm_live_cores *cores, bool inside,
                                            struct wm_error *error)
{
    bool counts = cores->session->options.profiled && inside != cores->session->in_range;
    if (cores->queues != NULL && counts)
        WM_TRY(wm_live_queues_finish(cores, error));
    wm_session_profiler_range(cores->session, inside);
    return WM_OK;
}

void wm_live_cores_free(struct wm_live_cores *cores)
{
    struct wm_error error;
    if (cores == NULL)
        return;
    if (cores->queues != NULL)
        (void)wm_live_queues_finish(cores, &error);
    else if (cores->running != NULL)
        (void)wm_live_cores_end(cores, &error);
    wm_live_queues_release(cores);
    free(cores->code_places);
    free(cores->codes);
    free(cores->blocks);
    free(cores);
}
