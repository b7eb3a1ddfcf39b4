// The front end: turns a warp's memory instruction into requests (coalescing, side caches, TLBs).
// Both engines, profiles and replays hand it each access, whether the interpreter executed it or a
// recording has it.
//
// Thread rules: one thread at a time.
#ifndef WM_ENGINE_ACCESS_FRONT_END_H
#define WM_ENGINE_ACCESS_FRONT_END_H

#include "base/access/access.h"
#include "base/error.h"
#include "engine/access/sm_counters.h"
#include "engine/session/work.h"
#include "machine/machine.h"
#include "mem/system/memory.h"
#include "sm/coalescer/coalescer.h"
#include "sm/occupancy.h"

#include <stdbool.h>
#include <stdint.h>

struct wm_access_patterns; // access_pattern.h
struct wm_request_batcher; // walk/request_batch.h
struct wm_written_lines;   // mem/explain/written_lines.h

// What the accesses of one instruction that makes several, a texture fetch, have requested so far.
struct wm_instruction_footprint {
    uint32_t line_count;
    struct wm_line_request lines[WM_MOST_ACCESSES * WM_MAX_LANES];
};

// What the access sink needs at hand. wm_front_end_init fills the first group; all else is its
// owner's to set, and borrowed.
struct wm_front_end {
    struct wm_memory *memory;
    wm_coalesce_function *coalesce;
    uint32_t line_bytes; // of requests: lines of the L1 of the unit whose turn it is
    uint32_t sm_line_bytes, core_line_bytes; // which is an SM's, or a CPU core's beside SMs
    bool global_around_l1;
    bool coherent;    // levels are: a CPU core's locked operation is one request
    bool needs_bytes; // of stores, for caches that keep byte masks
    uint32_t side_cache_line_bytes[WM_SIDE_CACHE_KINDS]; // by kind of side cache; 0: there is none
    enum wm_side_cache_kind serves_constants;            // WM_SIDE_CACHE_KINDS: none of them
    bool serves_global; // one of them serves loads of global memory
    bool scalar_read_only;
    bool translates;            // there are TLBs
    uint32_t instruction_bytes; // of code
    // Where requests go instead of to `memory`, which may then be NULL; NULL: they are served at
    // once.
    struct wm_request_batcher *batcher;

    uint32_t sm, warp;               // whose turn it is; the unit's number (struct wm_memory_spec)
    uint32_t first_warp;             // of its block
    uint32_t resident_warps;         // of that SM, unfinished; 0 where not used
    bool counts_residents;           // a bypass entry does
    struct wm_sm_counters *counters; // of that SM
    struct wm_instruction_counters *counters_by_pc; // of the kernel, by pc
    uint8_t *spaces;
    const uint8_t *listed;
    // When misses are explained, else NULL: the kernel's, by pc, and the SM's.
    struct wm_instruction_misses *explained;
    struct wm_shared_counters *shared;
    struct wm_access_patterns *patterns;    // NULL: not counted
    struct wm_written_lines *written_lines; // NULL: not noted
    const uint32_t *coherent_caches;        // then: by unit, wm_memory_coherent_cache_of
    uint64_t block;                         // whose turn it is, counted over all launches
    // Where there are instruction caches: where the kernel's code begins, and by warp the line of
    // it that the warp is in, WM_NO_CODE_LINE before its first instruction.
    uint64_t code_address, *code_lines;
    const struct wm_code_place
        *code_places; // engine/session/work.h: by pc, in place of code_address; or NULL
    struct wm_instruction_counters
        *fetches; // of the kernel, and why they missed when that is explained
    struct wm_instruction_misses *fetches_explained;
    bool missed; // in this run of a warp a load or an atomic was not served by the SM's caches
    bool in_footprint; // the access is one of several of its instruction
    uint32_t parts;    // of that, accesses before this one; 0: this is the first, or alone
    // What they use, which one instruction is done with before the next begins. NULL where no
    // instruction makes several.
    struct wm_instruction_footprint *footprint;
    // By pc, enum wm_memory_order (engine/issue/memory_order.h); NULL: the first level is not
    // scoped, or the kernel orders nothing beyond its blocks.
    const uint8_t *orders;
    // Where machine code is estimated, else NULL: issue slots by pc, and the SM's counters.
    const uint8_t *machine_slots;
    struct wm_machine_code_counters *machine_code;
};

// Connects the front end to a memory system that was built from the machine; both are borrowed.
void wm_front_end_init(struct wm_front_end *front_end, const struct wm_machine *machine,
                       struct wm_memory *memory);

// Whether the number of unfinished warps of an SM is used: by a bypass entry other than the
// default.
bool wm_front_end_counts_resident_warps(const struct wm_machine *machine);

// Whether it does not depend on the machine's memory system, so that requests may be served later,
// by several machines: nothing that it does depends on what misses, and which bytes of a sector are
// written is not used.
bool wm_front_end_stands_alone(const struct wm_machine *machine);

// The lines that requests of CPU cores are of: those of their L1; without one, as SMs'.
uint32_t wm_front_end_core_line_bytes(const struct wm_memory_spec *memory);
// What comes is of an SM, or of a CPU core beside SMs.
static inline void wm_front_end_take_unit(struct wm_front_end *front_end, uint32_t unit,
                                          bool is_core)
{
    front_end->sm = unit;
    front_end->line_bytes = is_core ? front_end->core_line_bytes : front_end->sm_line_bytes;
}

// Some machines keep L1 for local memory and for what a kernel never writes.
static inline bool wm_front_end_skips_l1(const struct wm_front_end *front_end,
                                         enum wm_address_space space, enum wm_cache_hint hint)
{
    return front_end->global_around_l1 && space == WM_SPACE_GLOBAL && hint != WM_HINT_READ_ONLY &&
           hint != WM_HINT_VOLATILE;
}

// The access sink; `context` is a struct wm_front_end. `access->pc` is below the length of the
// front end's tables.
void wm_front_end_access(void *context, const struct wm_warp_access *access);

// The same for a CPU core, one lane at a time, where wm_front_end_core_may_hit: what the core's L1
// has takes a shorter way. The counts are the same.
void wm_front_end_core_access(void *context, const struct wm_warp_access *access);
bool wm_front_end_core_may_hit(const struct wm_front_end *front_end);
// The same in time, where the core makes its requests itself: those in the batch are counted alone,
// and need not be there.
void wm_front_end_core_count(struct wm_front_end *front_end, const struct wm_warp_access *access);

// The same for warps of one block (wm_access_sink.access_of_warps), where the front end takes
// regular ones.
void wm_front_end_access_of_warps(void *context, const struct wm_multi_warp_access *accesses);

// Serves requests that another front end put into a batch (walk/request_batch.h): all `lines` of
// `count` heads, which are of one SM; `next_sm` is whose most likely come next. The requests that
// they send to L2 may wait for wm_front_end_drain.
void wm_front_end_serve(struct wm_front_end *front_end, const struct wm_request_head *heads,
                        uint32_t count, const struct wm_line_request *lines, uint32_t line_count,
                        uint32_t next_sm);
void wm_front_end_drain(struct wm_front_end *front_end);
// The self-invalidation of an SM's first level that another front end put there, after a drain.
void wm_front_end_self_invalidate(struct wm_front_end *front_end, uint32_t sm);
// The same to a side cache: `head->count` of `lines`.
void wm_front_end_serve_side_cache(struct wm_front_end *front_end,
                                   const struct wm_request_head *head,
                                   const struct wm_line_request *lines);

// Whether it takes accesses without addresses: which bytes or banks they touch is not used.
static inline bool wm_front_end_takes_regular(const struct wm_front_end *front_end)
{
    return front_end->explained == NULL && !front_end->needs_bytes;
}

// The fence sink; `context` likewise. Where it acquires, the SM's first level drops its lines
// behind all that was requested before.
void wm_front_end_fence(void *context, uint32_t pc);

// The stretch sink of machines with instruction caches, or whose machine code is estimated;
// `context` likewise. The warp fetches each line of code that it enters, charged to the kernel as a
// whole.
#define WM_NO_CODE_LINE UINT64_MAX
void wm_front_end_execute(void *context, const struct wm_warp_stretch *stretch);

#endif
