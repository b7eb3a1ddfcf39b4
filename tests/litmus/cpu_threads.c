#include "cpu_threads.h"

#include <criterion/criterion.h>
#include <stddef.h>
#include <string.h>

static struct cpu_threads *threads_of(void *work)
{
    return (struct cpu_threads *)((char *)work - offsetof(struct cpu_threads, work));
}

// --- The launch as a work ---

static void describe(const void *work, uint32_t pc, struct wm_instruction_facts *facts,
                     struct wm_text *text)
{
    (void)work, (void)text;
    *facts = (struct wm_instruction_facts){
        .exists = true, .is_memory = true, .ptx_line = pc, .space = WM_SPACE_GLOBAL};
}

// Whatever its index, by its core.
static enum wm_status start_block(void *work, uint64_t index, uint32_t sm, uint32_t slot,
                                  struct wm_block **block, struct wm_error *error)
{
    (void)error;
    *block = &threads_of(work)->blocks[sm];
    **block = wm_work_core_block(index, sm, slot);
    return WM_OK;
}

static void finish_block(void *work, struct wm_block *block)
{
    (void)work, (void)block;
}

static void report(const struct wm_access_sink *sink, const struct cpu_operation *operation)
{
    uint64_t addresses[WM_MAX_LANES] = {operation->address};
    const struct wm_warp_access access = {.kind = operation->kind,
                                          .space = WM_SPACE_GLOBAL,
                                          .pc = operation->pc,
                                          .bytes_per_lane = 4,
                                          .lanes = 1,
                                          .active = 1,
                                          .addresses = addresses};
    const struct wm_warp_phase fence = {.operation = WM_PHASE_FENCE, .pc = operation->pc};
    if (!operation->is_fence)
        sink->access(sink->context, &access);
    else if (sink->phase != NULL)
        sink->phase(sink->context, &fence);
}

static void run(void *work, struct wm_block *block, uint32_t warp, uint64_t budget,
                enum wm_run_until until, const struct wm_access_sink *sink,
                struct wm_run_result *result)
{
    struct cpu_threads *threads = threads_of(work);
    struct cpu_operation *operations = threads->operations[block->sm];
    uint32_t *next = &threads->next[block->sm];
    uint64_t made = 0;
    bool stops = false;
    (void)warp;
    while (made < budget && !stops && *next < threads->counts[block->sm]) {
        struct cpu_operation *operation = &operations[*next];
        uint64_t left = budget - made;
        uint64_t before = operation->before < left ? operation->before : left;
        operation->before -= before;
        made += before;
        if (made == budget)
            break;
        made++;
        report(sink, operation);
        ++*next;
        stops = until == WM_RUN_MEMORY;
    }
    if (*next == threads->counts[block->sm]) {
        block->finished = 1;
        block->ready = 0;
    }
    result->warp_instructions += made;
    result->thread_instructions += made;
}

static bool next_pc(void *work, struct wm_block *block, uint32_t warp, uint32_t *pc)
{
    const struct cpu_threads *threads = threads_of(work);
    (void)warp;
    if (threads->next[block->sm] == threads->counts[block->sm])
        return false;
    *pc = threads->operations[block->sm][threads->next[block->sm]].pc;
    return true;
}

static enum wm_status fault(const void *work, struct wm_error *error)
{
    (void)work, (void)error;
    return WM_OK;
}

static enum wm_status deadlock(void *work, struct wm_block *const *blocks, uint32_t count,
                               struct wm_error *error)
{
    (void)work, (void)blocks, (void)count;
    return wm_fail(error, WM_DEADLOCK, "threads of a litmus test wait");
}

static const struct wm_work_ops ops = {
    .describe = describe,
    .start_block = start_block,
    .finish_block = finish_block,
    .run = run,
    .next_pc = next_pc,
    .fault = fault,
    .deadlock = deadlock,
};

// --- What they do ---

static struct cpu_operation *add(struct cpu_threads *threads, uint32_t thread,
                                 enum wm_access_kind kind, uint64_t address)
{
    uint32_t number = threads->counts[thread]++;
    cr_assert_lt(number, CPU_MOST_OPERATIONS);
    struct cpu_operation *operation = &threads->operations[thread][number];
    *operation = (struct cpu_operation){
        .kind = kind, .address = address, .pc = thread * CPU_MOST_OPERATIONS + number};
    return operation;
}

static void write_thread(struct cpu_threads *threads, const struct litmus_test *test,
                         enum cpu_form form, uint32_t thread, uint64_t address, uint64_t wait,
                         struct gpu_litmus *kernel)
{
    const struct litmus_step *steps = test->steps[thread], *last = NULL;
    for (uint32_t i = 0; i < test->steps_of[thread]; i++)
        last = steps[i].store ? last : &steps[i];
    if (last != NULL)
        add(threads, thread, WM_ACCESS_LOAD, address + last->location * LITMUS_APART);
    add(threads, thread, WM_ACCESS_LOAD, 0)->is_fence = true;
    add(threads, thread, WM_ACCESS_STORE, address + (LITMUS_LOCATIONS + thread) * LITMUS_APART)
        ->before = wait;
    for (uint32_t i = 0; i < test->steps_of[thread]; i++) {
        enum wm_access_kind store = form == CPU_LOCKED ? WM_ACCESS_ATOMIC : WM_ACCESS_STORE;
        if (form == CPU_FENCED && i != 0)
            add(threads, thread, WM_ACCESS_LOAD, 0)->is_fence = true;
        kernel->pcs[thread][i] = add(threads, thread, steps[i].store ? store : WM_ACCESS_LOAD,
                                     address + steps[i].location * LITMUS_APART)
                                     ->pc;
    }
}

void cpu_threads_init(struct cpu_threads *threads, const struct litmus_test *test, uint32_t mask,
                      enum cpu_form form, uint64_t address, const uint64_t *waits,
                      struct gpu_litmus *kernel)
{
    memset(threads, 0, sizeof *threads);
    for (uint32_t thread = 0; thread < test->threads; thread++)
        if ((mask >> thread & 1) != 0)
            write_thread(threads, test, form, thread, address, waits[thread], kernel);
    threads->work = (struct wm_work){
        .ops = &ops,
        .kernel = "threads",
        .module = "",
        .fingerprint = 1,
        .instruction_count = LITMUS_THREADS * CPU_MOST_OPERATIONS,
        .grid = {LITMUS_THREADS, 1, 1},
        .block = {1, 1, 1},
        .warps_per_block = 1,
        .gpu = WM_ON_CORES,
        .code_places = threads->code_places,
    };
}
