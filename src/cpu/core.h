// An out-of-order CPU core in time: a window (reorder buffer) that instructions enter and leave in
// program order, a load queue, and a store buffer under total store order, as x86 processors have
// them (Sewell et al., "x86-TSO", CACM 2010; Hennessy and Patterson, 6th edition, chapter 3).
//
// In a cycle, in this order: stores that have been written leave the store buffer; loads that have
// to be made again are unsent; the oldest instructions of the window that are complete retire,
// `width` at most; stores that have retired are sent, in program order; `width` instructions at
// most are dispatched into the window, as long as it has room, and a load has an entry of the load
// queue, a store one of the store buffer; and loads of the window are sent, in program order,
// whether or not those before them have their data.
//
// - An instruction that makes no access is complete a cycle after its dispatch. A load is complete
//   when its data are there, a store a cycle after its dispatch: it is sent when it has retired.
// - A load does not wait for older stores to other bytes. One whose bytes an older store of the
//   store buffer writes, all of them, has them from it; if it writes some of them, the load is sent
//   when the store has been written.
// - A load whose line leaves L1 after it was read there, and before the load retires, is made
//   again, unless it is the oldest of the window: so loads are in program order for all other
//   cores.
// - A fence retires when all older stores have been written; a locked operation is sent when it is
//   the oldest of the window and all older stores have been written. No younger load is sent before
//   either has retired.
//
// Branch prediction, functional units and dependences through registers are not modelled: loads
// that need the data of others are sent as if they did not.
//
// The core does not know a clock: all cycles are its own. It acts in the cycles that wm_core_next
// names, and stands still between them; its owner calls wm_core_run_cycle in each of these.
//
// Thread rules: one thread at a time.
#ifndef WM_CPU_CORE_H
#define WM_CPU_CORE_H

#include "base/error.h"
#include "base/names/counters.h"
#include "cpu/core_spec.h"

#include <stdbool.h>
#include <stdint.h>

enum wm_core_kind {
    WM_CPU_LOAD,
    WM_CPU_STORE,
    WM_CPU_LOCKED, // reads a line exclusively, and writes it before another may
    WM_CPU_FENCE,
    WM_CPU_PLAIN, // within a core: instructions that make no access
};

// The next access, or fence, of a core's program.
struct wm_core_operation {
    enum wm_core_kind kind;
    uint64_t address;
    uint32_t bytes; // 1 and more, of one line or of two that follow each other
    uint32_t pc;    // of its instruction, for the port
    // Instructions behind those of the operation before: of them the last makes this access, unless
    // `continues`: it is of the same instruction as the operation before.
    uint64_t instructions;
    bool continues;
};

enum wm_core_supply {
    WM_CORE_NEXT, // there is another
    // Of `op`, `instructions` alone are read, none of which makes an access.
    WM_CORE_WAITS, // behind them for what another core does first: wm_core_wake says when to look
    WM_CORE_ENDED, // there is nothing behind them
};

// Where a core's operations come from, in program order.
struct wm_core_source {
    enum wm_core_supply (*next)(void *context, struct wm_core_operation *op);
    void *context;
};

// What a core sends to memory: a part of an operation that lies in one line.
struct wm_core_request {
    enum wm_core_kind kind;
    uint64_t address;
    uint32_t bytes;
    uint32_t pc;
    uint32_t tag;         // of its completion, below 2^31 but for bit 31 of stores
    uint32_t parts, part; // of its operation, and this one's number
};

enum wm_core_sent {
    WM_CORE_SENT,
    WM_CORE_AGAIN,   // it has to come again, in the next cycle
    WM_CORE_BLOCKED, // the same, when wm_core_unblock has been called
};

// How an access that was sent becomes done: a load has its data, a store is written.
struct wm_core_answer {
    uint64_t done;        // in this cycle, a later one,
    uint32_t completions; // or when wm_core_complete has been called so often, if that is not 0
};

// A load, or a locked operation, that retires.
struct wm_core_load {
    uint32_t pc, tag; // as those of its requests
    uint64_t cycles;  // from its dispatch to its data, or of a locked operation to its end
};

// The memory below a core. It gets loads and stores in the order in which they become visible, but
// for what is on its way at the same time (`stores_in_flight`).
struct wm_core_port {
    // `*answer` is all 0 before.
    enum wm_core_sent (*send)(void *context, const struct wm_core_request *access, uint64_t cycle,
                              struct wm_core_answer *answer);
    void (*loaded)(void *context, const struct wm_core_load *load); // NULL: no call
    void *context;
};

// clang-format off
#define WM_CORE_COUNTERS(X)                                                                        \
    X(cycles, "cycles", "cycles of the core from its first instruction until all was done")        \
    X(instructions, "instructions", "instructions that retired")                                   \
    X(loads, "accesses", "loads that retired")                                                     \
    X(stores, "accesses", "stores that retired")                                                   \
    X(locked, "accesses", "locked operations that retired")                                        \
    X(fences, "fences", "fences that retired")                                                     \
    X(load_cycles, "cycles", "sum over loads of the cycles from the dispatch to the data")         \
    X(locked_cycles, "cycles", "sum over locked operations of the cycles from the dispatch to the end") \
    X(forwarded, "accesses", "loads that had their data from the store buffer")                    \
    X(loads_made_again, "accesses", "loads made once more, as their lines left L1 between their data and their retirement") \
    X(stalled_window, "cycles", "cycles without a dispatch: the window was full")                  \
    X(stalled_load_queue, "cycles", "cycles without a dispatch: the load queue was full")          \
    X(stalled_store_buffer, "cycles", "cycles without a dispatch: the store buffer was full")      \
    X(stalled_fence, "cycles", "cycles without a dispatch for want of room, while a fence was the oldest") \
    X(stalled_locked, "cycles", "cycles without a dispatch for want of room, while a locked operation was the oldest") \
    X(stalled_order, "cycles", "cycles without a dispatch: another core had to do something first")
// clang-format on

struct wm_core_counters {
    WM_CORE_COUNTERS(WM_COUNTER_FIELD)
};
extern const struct wm_counter_set wm_core_counter_set;

struct wm_core_entry;
struct wm_core_store;

enum { WM_CORE_FILTER_BITS = 8, WM_CORE_FILTER = 1 << WM_CORE_FILTER_BITS };

struct wm_core {
    struct wm_core_spec spec;
    struct wm_core_source source;
    struct wm_core_port port;
    uint32_t line_bytes, line_shift;
    bool running;
    uint64_t cycle; // all before this one is done
    uint64_t due;   // when it acts next
    // The operation that comes next, and of its instructions those that are to be dispatched.
    struct wm_core_operation next;
    uint64_t plain_left;
    bool has_next, ended;
    // The window: entries in program order, owned, a ring; counts of them modulo 2^32.
    struct wm_core_entry *entries;
    uint32_t mask, first, end, send; // `send`: the next that may be a load to be sent
    uint32_t in_window, loads;       // instructions; loads among them
    // The store buffer, likewise: those from `sent` on have not been sent, those from `retired` on
    // are in the window.
    struct wm_core_store *stores;
    uint32_t store_mask, first_store, sent_store, retired_store, end_store;
    // By a hash: of the word of 8 bytes, stores that write to it; of the line, loads of the window
    // that read it.
    uint32_t words_written[WM_CORE_FILTER], lines_read[WM_CORE_FILTER];
    bool loads_blocked, stores_blocked, locked_blocked;
    bool has_old;                 // loads that are to be made again
    uint64_t dispatched, retired; // operations, fences not among them
    uint64_t dispatched_now;      // instructions, in the last cycle
    uint64_t passed;              // cycles behind `cycle` in which plain instructions alone pass
    uint64_t *stalled;            // the counter of cycles without a dispatch from now on, or NULL
    struct wm_core_counters counters;
};

// A core at rest, of lines of so many bytes, a power of two. WM_NO_MEMORY.
enum wm_status wm_core_init(struct wm_core *core, const struct wm_core_spec *spec,
                            uint32_t line_bytes, const struct wm_core_port *port,
                            struct wm_error *error);
// Harmless on a zeroed one.
void wm_core_release(struct wm_core *core);

// It begins, at rest, to execute the source's operations in `cycle`. And stops at once, whatever it
// was doing: nothing completes any more.
void wm_core_begin(struct wm_core *core, const struct wm_core_source *source, uint64_t cycle);
void wm_core_abandon(struct wm_core *core);

// The cycle in which it acts next; WM_NEVER: not before something is completed, or it is woken or
// unblocked.
static inline uint64_t wm_core_next(const struct wm_core *core)
{
    return core->due;
}
// All that it does in `cycle`, behind the last one and no later than wm_core_next.
void wm_core_run_cycle(struct wm_core *core, uint64_t cycle);

// An access is done: from `cycle` on a load has its data, a store is written. In a cycle before its
// step.
void wm_core_complete(struct wm_core *core, uint32_t tag, uint64_t cycle);
// What was WM_CORE_BLOCKED may be sent from `cycle` on.
void wm_core_unblock(struct wm_core *core, uint64_t cycle);
// Its L1, a coherent one, can no more read the line that the address lies in, from `cycle` on:
// loads of the window that have read it are made again, all but the oldest instruction. Before its
// step of that cycle, or within it.
void wm_core_line_left(struct wm_core *core, uint64_t address, uint64_t cycle);
// What its source waited for may be there from `cycle` on.
void wm_core_wake(struct wm_core *core, uint64_t cycle);

// Whether its source has ended and all has retired and been written, or it has been abandoned.
static inline bool wm_core_has_finished(const struct wm_core *core)
{
    return !core->running;
}

// So many of its first operations, fences not among them, are done, as other cores see it: they
// have retired, and stores among them have been written.
uint64_t wm_core_operations_done(const struct wm_core *core);

#endif
