// Asynchronous copies into shared memory and the barriers that count them (private to exec/):
// cp.async, mbarrier (PTX ISA 9.7.9.25, 9.7.13.15), st.async and red.async (9.7.9.12, 9.7.13.7).
//
// A copy is made where it is issued: PTX orders it before the wait and says no more, and the same
// bytes come on every run. So groups are always complete. Asynchronous stores are made so too.
#ifndef WM_EXEC_ASYNC_OPS_H
#define WM_EXEC_ASYNC_OPS_H

#include "exec/interpreter.h"

struct wm_copy_form {
    struct wm_memory_form load; // the first member, for op->memory
    struct wm_memory_form store;
    uint32_t size;   // the bytes to read, or WM_NO_OP: all of them
    uint32_t ignore; // a predicate: read none; or WM_NO_OP
    bool ignore_negated;
};

// cp.async: op->memory is a copy form's.
wm_op_handler wm_run_copy;

enum wm_mbarrier_operation {
    WM_MBARRIER_INIT,
    WM_MBARRIER_INVALIDATE,
    WM_MBARRIER_ARRIVE,
    WM_MBARRIER_EXPECT,   // expect_tx
    WM_MBARRIER_COMPLETE, // complete_tx
    WM_MBARRIER_TEST,
    WM_MBARRIER_COPIES, // cp.async.mbarrier.arrive
};

struct wm_mbarrier_form {
    struct wm_memory_form memory; // the first member, for op->memory
    enum wm_mbarrier_operation operation;
    uint32_t d;       // the state, or a predicate; WM_NO_OP: not used
    uint32_t operand; // a count, a number of bytes, a parity (32 bits) or a state (64 bits)
    bool expects;     // arrive.expect_tx: the operand is bytes, one thread arrives
    bool drops;       // arrive_drop
    bool by_parity;
    bool waits;    // try_wait without a time limit: until a phase completes
    bool counted;  // cp.async.mbarrier.arrive.noinc: the barrier's count includes it
    bool reported; // a part of an instruction that reports its access itself
};

// op->memory is a mbarrier form's.
wm_op_handler wm_run_mbarrier;

struct wm_async_access_form {
    struct wm_memory_form memory; // the first member, for op->memory: the store or reduction
    wm_op_handler *access;        // makes it
    struct wm_mbarrier_form completion;
};

// st.async, red.async: op->memory is an asynchronous access form's.
wm_op_handler wm_run_async_access;

// Threads still to arrive, of what an arrival returned.
static inline uint32_t wm_mbarrier_pending(uint64_t state)
{
    return (uint32_t)state & 0xFFFFF;
}

#endif
