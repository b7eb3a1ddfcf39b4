// mbarrier: see async_ops.h. The object's 64 bits, which PTX leaves open: threads still to arrive
// (bits 0 to 19), threads of each phase (20 to 39), bytes still to come (40 to 60, two's
// complement), the parity of the current phase (61), and that it is initialised (62).
#include "exec/operations/async_ops.h"

#include "exec/faults.h"
#include "exec/memory/spaces.h"
#include "exec/operations/memory_ops.h"
#include "exec/sync/reconvergence.h"

enum { COUNT_BITS = 20, BYTES_BITS = 21, MOST_THREADS = (1 << COUNT_BITS) - 1 };

struct mbarrier {
    uint32_t pending, expected, parity;
    int32_t bytes;
    bool initialised;
};

static struct mbarrier unpack(uint64_t word)
{
    return (struct mbarrier){.pending = (uint32_t)word & MOST_THREADS,
                             .expected = (uint32_t)(word >> COUNT_BITS) & MOST_THREADS,
                             .bytes = (int32_t)((int64_t)(word << 3) >> (64 - BYTES_BITS)),
                             .parity = (uint32_t)(word >> 61) & 1,
                             .initialised = word >> 62 & 1};
}

static uint64_t pack(const struct mbarrier *barrier)
{
    uint64_t bytes = (uint64_t)(uint32_t)barrier->bytes & ((1u << BYTES_BITS) - 1);
    return barrier->pending | (uint64_t)barrier->expected << COUNT_BITS | bytes << 40 |
           (uint64_t)barrier->parity << 61 | (uint64_t)barrier->initialised << 62;
}

struct wm_mbarrier_state wm_mbarrier_state_of(const void *object)
{
    uint64_t word;
    memcpy(&word, object, sizeof word);
    struct mbarrier barrier = unpack(word);
    return (struct wm_mbarrier_state){
        .pending = barrier.pending, .expected = barrier.expected, .odd = barrier.parity != 0};
}

// The phase is over when all threads have arrived and all bytes have come.
static bool completes(struct mbarrier *barrier)
{
    if (barrier->pending || barrier->bytes)
        return false;
    barrier->parity ^= 1;
    barrier->pending = barrier->expected;
    return true;
}

static void wake_all(struct wm_block_state *block)
{
    for (uint32_t w = 0; w < block->public.warp_count; w++) {
        struct wm_warp *warp = &block->warps[w];
        uint64_t used = wm_all_lanes(wm_width(warp)) & ~(warp->free_paths | warp->ready_paths);
        for (; used; used &= used - 1) {
            struct wm_path *path = &warp->paths[__builtin_ctzll(used)];
            if (path->state == WM_PATH_AT_MBARRIER)
                wm_paths_wake(warp, path);
        }
    }
}

// Modulo 2^21, as they are kept.
static void add_bytes(struct mbarrier *barrier, uint32_t bytes)
{
    barrier->bytes = (int32_t)((uint32_t)barrier->bytes + bytes);
}

static const char *arrive(const struct wm_mbarrier_form *form, struct mbarrier *barrier,
                          uint32_t operand)
{
    uint32_t threads = form->expects ? 1 : operand;
    if (form->expects)
        add_bytes(barrier, operand);
    if (threads > barrier->pending)
        return "more threads arrive than are expected";
    barrier->pending -= threads;
    if (form->drops)
        barrier->expected -= threads < barrier->expected ? threads : barrier->expected;
    return NULL;
}

// One lane's operation on the object; what is wrong, or NULL.
static const char *operate(const struct wm_mbarrier_form *form, struct mbarrier *barrier,
                           uint64_t operand)
{
    if (form->operation == WM_MBARRIER_INIT) {
        *barrier = (struct mbarrier){
            .pending = (uint32_t)operand, .expected = (uint32_t)operand, .initialised = true};
        return operand == 0 || operand > MOST_THREADS ? "the count is not of 1 to 1048575 threads"
                                                      : NULL;
    }
    if (!barrier->initialised)
        return "the mbarrier has not been initialised";
    switch (form->operation) {
    case WM_MBARRIER_INVALIDATE: *barrier = (struct mbarrier){0}; return NULL;
    case WM_MBARRIER_ARRIVE: return arrive(form, barrier, (uint32_t)operand);
    case WM_MBARRIER_EXPECT: add_bytes(barrier, (uint32_t)operand); return NULL;
    case WM_MBARRIER_COMPLETE: add_bytes(barrier, 0 - (uint32_t)operand); return NULL;
    case WM_MBARRIER_COPIES: // the copies have been made; without .noinc it adds and takes one
        return form->counted ? arrive(form, barrier, 1) : NULL;
    default: return NULL;
    }
}

static bool changes(enum wm_mbarrier_operation operation)
{
    return operation != WM_MBARRIER_INIT && operation != WM_MBARRIER_INVALIDATE &&
           operation != WM_MBARRIER_TEST;
}

static uint64_t operand_of(const struct wm_warp *warp, const struct wm_mbarrier_form *form,
                           unsigned lane)
{
    bool wide = form->operation == WM_MBARRIER_TEST && !form->by_parity;
    if (form->operand == WM_NO_OP)
        return 1;
    const void *values = wm_at(warp, form->operand);
    return wide ? ((const uint64_t *)values)[lane] : ((const uint32_t *)values)[lane];
}

// The phase that the operand names, by its parity or by the state of an arrival in it, is over.
static bool is_over(const struct wm_mbarrier_form *form, const struct mbarrier *barrier,
                    uint64_t operand)
{
    return barrier->parity != (form->by_parity ? operand & 1 : operand >> 61 & 1);
}

struct outcome {
    uint64_t over; // lanes whose phase is
    bool completed;
    const char *wrong;
};

static struct outcome operate_lanes(struct wm_warp *warp, const struct wm_mbarrier_form *form,
                                    char *const *host)
{
    struct outcome outcome = {0};
    for (uint64_t rest = warp->mask; rest && !outcome.wrong; rest &= rest - 1) {
        unsigned lane = (unsigned)__builtin_ctzll(rest);
        uint64_t *word = (uint64_t *)(void *)host[lane], before = *word;
        uint64_t operand = operand_of(warp, form, lane);
        struct mbarrier barrier = unpack(before);
        outcome.wrong = operate(form, &barrier, operand);
        if (changes(form->operation))
            outcome.completed |= completes(&barrier);
        if (is_over(form, &barrier, operand))
            outcome.over |= UINT64_C(1) << lane;
        *word = form->operation == WM_MBARRIER_INVALIDATE ? 0 : pack(&barrier);
        if (form->operation == WM_MBARRIER_ARRIVE && form->d != WM_NO_OP)
            ((uint64_t *)wm_at(warp, form->d))[lane] = before;
    }
    return outcome;
}

// The operation that is reported to the sink; BLOCKED: none.
static enum wm_phase_operation phase_operation_of(const struct wm_mbarrier_form *form)
{
    switch (form->operation) {
    case WM_MBARRIER_INIT: return WM_PHASE_INIT;
    case WM_MBARRIER_ARRIVE:
        if (form->drops)
            return form->expects ? WM_PHASE_EXPECT_DROP : WM_PHASE_DROP;
        return form->expects ? WM_PHASE_EXPECT_ARRIVE : WM_PHASE_ARRIVE;
    case WM_MBARRIER_EXPECT: return WM_PHASE_EXPECT;
    case WM_MBARRIER_COMPLETE: return WM_PHASE_COMPLETE;
    case WM_MBARRIER_TEST: return WM_PHASE_TEST_PASSED;
    case WM_MBARRIER_COPIES: return form->counted ? WM_PHASE_ARRIVE : WM_PHASE_BLOCKED;
    default: return WM_PHASE_BLOCKED;
    }
}

// Lanes that do the same to the same object are reported together.
static void report_phases(const struct wm_warp *warp, const struct wm_op *op,
                          const struct wm_mbarrier_form *form, uint64_t lanes)
{
    struct wm_warp_phase phase = {.operation = phase_operation_of(form), .pc = op->pc};
    if (!warp->sink || !warp->sink->phase || phase.operation == WM_PHASE_BLOCKED)
        return;
    bool tests = form->operation == WM_MBARRIER_TEST;
    while (lanes) {
        unsigned first = (unsigned)__builtin_ctzll(lanes);
        uint64_t address = warp->addresses[first];
        phase.object = (uint32_t)(address / WM_MBARRIER_BYTES);
        phase.operand = tests ? 0 : (uint32_t)operand_of(warp, form, first);
        phase.lanes = 0;
        for (uint64_t rest = lanes; rest; rest &= rest - 1) {
            unsigned lane = (unsigned)__builtin_ctzll(rest);
            if (warp->addresses[lane] == address &&
                (tests || (uint32_t)operand_of(warp, form, lane) == phase.operand))
                phase.lanes |= UINT64_C(1) << lane;
        }
        warp->sink->phase(warp->sink->context, &phase);
        lanes &= ~phase.lanes;
    }
}

static void report_blocked(const struct wm_warp *warp, const struct wm_op *op)
{
    struct wm_warp_phase phase = {.operation = WM_PHASE_BLOCKED, .pc = op->pc, .lanes = warp->mask};
    if (warp->sink && warp->sink->phase)
        warp->sink->phase(warp->sink->context, &phase);
}

const struct wm_op *wm_run_mbarrier(struct wm_warp *warp, const struct wm_op *op)
{
    const struct wm_mbarrier_form *form = (const struct wm_mbarrier_form *)(const void *)op->memory;
    char *host[WM_MAX_LANES];
    wm_spaces_addresses(warp, &form->memory);
    if (form->memory.space == WM_PTX_none)
        wm_spaces_of_generic(warp); // an address outside of shared memory is found to be so
    if (!wm_spaces_resolve(warp, op, WM_PTX_shared, warp->mask, host))
        return NULL;
    struct outcome outcome = operate_lanes(warp, form, host);
    if (outcome.wrong)
        return wm_fault_barrier(warp, op, outcome.wrong, 0);
    bool tests = form->operation == WM_MBARRIER_TEST;
    if (tests && form->waits && !outcome.over) {
        // Another phase's end wakes it, to look again.
        report_blocked(warp, op);
        wm_paths_block(warp, WM_PATH_AT_MBARRIER, op);
        return wm_paths_next(warp);
    }
    if (!form->reported)
        wm_memory_report(warp, op, WM_PTX_shared, warp->mask);
    report_phases(warp, op, form, tests ? outcome.over : warp->mask);
    warp->spins += tests;
    if (tests && form->d != WM_NO_OP) {
        uint64_t *d = wm_predicate_at(warp, form->d);
        *d = (*d & ~warp->mask) | outcome.over;
    }
    if (outcome.completed)
        wake_all(warp->block);
    return op + 1;
}

const struct wm_op *wm_run_async_access(struct wm_warp *warp, const struct wm_op *op)
{
    const struct wm_async_access_form *form =
        (const struct wm_async_access_form *)(const void *)op->memory;
    const struct wm_op *next = form->access(warp, op);
    if (!next)
        return NULL;
    struct wm_op completion = *op;
    completion.memory = &form->completion.memory;
    return wm_run_mbarrier(warp, &completion) ? next : NULL;
}
