// The memory system below the coalescer, untimed: L1s, L2 slices, DRAM channels. It knows accesses
// to lines and their requesters; not warps, PTX or files.
//
// Thread rules: one memory system is driven by one thread at a time.
#ifndef WM_MEM_SYSTEM_MEMORY_H
#define WM_MEM_SYSTEM_MEMORY_H

#include "base/access/access.h"
#include "base/error.h"
#include "base/names/counters.h"
#include "mem/explain/miss_counters.h"
#include "mem/system/instruction_counters.h"
#include "mem/system/memory_spec.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct wm_request {
    uint64_t address;      // of the first byte of the line (l1.line_bytes, present or not)
    uint32_t sectors;      // bit i: sector i of the line (32 bytes) is touched; at least one
    uint32_t full_sectors; // stores: of these, the sectors written whole
    enum wm_access_kind kind;
    enum wm_cache_hint hint;
    uint32_t sm, warp; // the requester: sm below sm_count, warp the SM's warp slot
    uint32_t pc;
    // Which bytes of each sector, a word a sector of the line and a bit a byte: of stores, where
    // wm_memory_needs_byte_masks, read of sectors that are written in part; of all accesses, when
    // misses are explained. Borrowed for the call; NULL when they are not known.
    const uint32_t *bytes;
    bool around_l1; // by the machine itself: with L2_ONLY as its hint, past any bypass entry
    uint8_t
        listed; // enum wm_bypass_list_entry: what the machine's bypass list says of the instruction
    uint32_t resident_warps; // of the SM, unfinished: read by bypass entries
    uint16_t lines;          // of the instruction, this one among them; 0: those that it comes with
    uint16_t rank;           // in time: unfinished warps of the same scheduler that are older
    struct wm_instruction_counters
        *instruction_counters; // borrowed, may be NULL: counted in step with the components
    // Read only when misses are explained.
    uint64_t block;                          // a number of its own for each block of each launch
    struct wm_instruction_misses *explained; // borrowed for good, may be NULL: the classes
};

// Where the sectors of a load or an atomic came from, the nearest first; of several requests, the
// farthest. Which of the levels below L1 had them is not said: their slice of L2 may serve them
// later (wm_memory_drain_l2_queues).
enum wm_access_source {
    WM_SOURCE_L1, // or its victim cache
    WM_SOURCE_SIDE_CACHE,
    WM_SOURCE_OTHER_L1, // of another SM, which the sharing tracker names
    WM_SOURCE_BELOW_L1, // L2 or DRAM: what L1 lacked, what went around it, and all atomics
};

// What happened to requests, for those who act on it; counters are for reports alone.
struct wm_access_result {
    enum wm_access_source source; // of loads and atomics; of stores WM_SOURCE_L1
    uint16_t lines_missed; // requests that L1 was searched for and that lacked a sector there
    bool went_around;      // a load did not search an L1 that is there
};

// Whether the SM's own caches had all of it.
static inline bool wm_access_hit(struct wm_access_result result)
{
    return result.source <= WM_SOURCE_SIDE_CACHE;
}

struct wm_memory;

// Copies the spec. WM_INVALID when its geometry is impossible; WM_NO_MEMORY.
enum wm_status wm_memory_new(const struct wm_memory_spec *spec, const char *path_prefix,
                             struct wm_memory **memory, struct wm_error *error);
void wm_memory_free(struct wm_memory *memory);

// Explains misses from here on (docs/misses.md): components "….misses" are added behind the others,
// requests' `block` and `explained` are used. Before the first access, at most once. Costs several
// times an access, and memory with the lines touched. WM_INVALID when a cache is under `opt`,
// under which the evicting access is not known; WM_NO_MEMORY.
enum wm_status wm_memory_explain(struct wm_memory *memory, struct wm_error *error);
// The same for the clock engine, where caches are driven by several threads, each by one at a time:
// what `explained` points to is written by that one alone, as far as its level's row goes, and by
// an SM's the rest. What no instruction requested is charged to none, and who shares lines is not
// said.
enum wm_status wm_memory_explain_timed(struct wm_memory *memory, struct wm_error *error);
// Whether that would be WM_INVALID, before there is a memory system.
enum wm_status wm_memory_explain_check(const struct wm_memory_spec *spec, struct wm_error *error);
// The grid of the next launch, when misses are explained: its blocks are numbered from
// `first_block`, x first, in requests' `block`. Before its wm_memory_kernel_begin; else blocks
// count as one row.
void wm_memory_explain_grid(struct wm_memory *memory, uint64_t first_block, const uint32_t grid[3]);
// From here on which write each copy has seen is checked (mem/tracker/line_versions.h), on a
// machine with a sharing tracker, before its first access. The result is owned by the memory
// system; NULL when there is no tracker or no memory.
struct wm_line_versions *wm_memory_check_versions(struct wm_memory *memory);
// Memory for it ran out on the way: what was explained is incomplete.
bool wm_memory_explain_failed(const struct wm_memory *memory);
// Memory for the lines of a cache under `opt` ran out on the way: all counts are wrong.
bool wm_memory_opt_failed(const struct wm_memory *memory);

// Whether the memory system reads requests' `bytes`: a cache of it keeps byte masks.
bool wm_memory_needs_byte_masks(const struct wm_memory *memory);

// Serves one request. Loads and stores follow the machine's L1 policy and its bypass entry, which
// gets the hint; cache-operator obeys it:
//   L2_ONLY    goes around L1 (a store drops L1's copy; a dirty copy is written back first)
//   VOLATILE   the same under every entry, and a load drops L1's copy too
//   NO_L1      is looked up in L1 but takes no line there
//   the others are the default: untimed, evict-first and last-use are alike, and there is
//   one L1 for plain and read-only loads
// Atomics and reductions are done at L2 and drop the L1 copy. Local memory is treated as global.
// Bytes move in whole sectors: a store of 4 bytes counts 32 at each boundary it crosses.
struct wm_access_result wm_memory_access(struct wm_memory *memory,
                                         const struct wm_request *request);

// Serves the requests of one instruction, at most WM_MAX_LINE_REQUESTS and each for another line:
// as one wm_memory_access after the other, those of a load in the order of the L1's allocation
// (enum wm_l1_allocation). `who` is as a request of them; its address, sectors and full_sectors are
// not read, and its bytes are those of all lines, one behind the other.
struct wm_access_result wm_memory_access_lines(struct wm_memory *memory,
                                               const struct wm_request *who,
                                               const struct wm_line_request *lines, uint32_t count);

// Serves a load or a store of one line where the unit's first level has all of it and nothing else
// is to be done: as wm_memory_access, faster. False: nothing has happened, and wm_memory_access
// serves it. The request is its instruction's only one.
bool wm_memory_hit(struct wm_memory *memory, const struct wm_request *request);

// Of one instruction's requests, what is the same for all, where many are kept to be served
// together. Fields are those of struct wm_request.
struct wm_request_head {
    uint32_t pc, sm, warp;
    uint8_t count;            // of requests
    uint8_t kind, hint;       // enum wm_access_kind, wm_cache_hint
    uint8_t item, side_cache; // the owner's; not read
    bool around_l1;
    uint16_t resident_warps;
};

// The requests of `count` instructions, at least one, all of one SM; which bytes is not known.
struct wm_request_run {
    const struct wm_request_head *heads;
    uint32_t count, line_count;
    const struct wm_line_request *lines; // line_count: of one instruction behind those of another
    struct wm_instruction_counters *counters_by_pc; // by pc, as `listed`
    const uint8_t *listed;
    uint32_t next_sm; // whose run most likely comes next; any is allowed
};

// Serves them one instruction after the other, each as by wm_memory_translate and
// wm_memory_access_lines. Knowing them all, it prefetches what they will read. Their requests to L2
// may be left in queues, and `counters_by_pc` be used and counters be wrong, until
// wm_memory_drain_l2_queues; no other function of the memory system may be called before that.
void wm_memory_access_run(struct wm_memory *memory, const struct wm_request_run *run);
// Does all that waits.
void wm_memory_drain_l2_queues(struct wm_memory *memory);

// Whether the SM's L1, or its victim cache, holds the line of `address`, whatever its sectors.
// Changes nothing.
bool wm_memory_l1_holds(const struct wm_memory *memory, uint32_t sm, uint64_t address);

// Serves a load by the cache of that kind that the request's SM uses: it is looked up there, and
// fetched from L2; L1 is not looked up. The request's address is that of a line of that cache, its
// sectors that line's; its kind and hint are not read. Nothing happens where the spec has no such
// cache. What it fetches is charged to the cause as what moves between L1 and L2 is.
struct wm_access_result wm_memory_side_load(struct wm_memory *memory, enum wm_side_cache_kind kind,
                                            const struct wm_request *request);

// An acquire of a scope beyond the block on an SM: where its first level is scoped, that level's
// cache, which other units may share, drops all its lines (docs/memory-system.md, R19). All that
// the SM has requested before must have been served.
void wm_memory_self_invalidate(struct wm_memory *memory, uint32_t sm);

// Translates the pages in which the lines at `addresses` lie, of the requests of one instruction in
// their order: one look-up for each different page, in order of the first line in it. `who` is as a
// request of them; its address and sectors are not read. What walks read of L2 is charged to its
// cause. Nothing happens where the spec has no TLBs. The code that makes the requests calls it
// before them: wm_memory_access does not. Returns whether a page took a walk.
bool wm_memory_translate(struct wm_memory *memory, const struct wm_request *who,
                         const uint64_t *addresses, size_t count);

// Serves `count` loads and stores that each touch one sector, in order, as runs of instructions
// with one request each (wm_memory_access_run), translated as those. A reference is a byte address
// below 2^62, plus WM_REFERENCE_STORE when it stores: part of a sector, the 4 bytes from there, or
// those of them that lie in it. `who` is as a request of them: instruction 0 of a kernel whose
// counters do not count them; its address, sectors, full_sectors, bytes and kind are not read.
#define WM_REFERENCE_STORE (UINT64_C(1) << 63)
void wm_memory_access_references(struct wm_memory *memory, const struct wm_request *who,
                                 const uint64_t *references, size_t count);

// What the instructions of the kernel that begins say of how long L1 and L2 should keep lines, by
// pc: bytes of mem/replacement/fractional_priority.h. NULL: no priorities. Replacement `priority`
// obeys. Borrowed until the next call.
void wm_memory_set_eviction_priorities(struct wm_memory *memory, const uint8_t *l1,
                                       const uint8_t *l2);
// The first coherent cache on the way of a unit's data accesses, by a number that units have in
// common where they share it, and the bytes of its lines. Of a memory that has coherent levels.
uint32_t wm_memory_coherent_cache_of(const struct wm_memory *memory, uint32_t unit,
                                     uint32_t *line_bytes);
// A kernel starts on a GPU: its L1s are emptied when the spec says so (their dirty sectors are
// written back first), its side caches always.
void wm_memory_kernel_begin_on(struct wm_memory *memory, uint32_t gpu);
// A kernel has ended: what is explained of it is complete then. Does nothing else.
void wm_memory_kernel_end(struct wm_memory *memory);
// Between kernels of a GPU: every L1 of it becomes one of `size_bytes` in `ways`, with the spec's
// other keys, and is empty (its dirty sectors are written back first); counters go on. Replacement
// and bypass entries start anew, what they learned included: their states are made for an array's
// sets and ways. Nothing happens when that is what it is. WM_INVALID when no L1 can be like that,
// WM_NO_MEMORY; then the old ones stay.
enum wm_status wm_memory_resize_l1_on(struct wm_memory *memory, uint32_t gpu, uint64_t size_bytes,
                                      uint32_t ways, struct wm_error *error);
// Both of a machine with one GPU.
static inline void wm_memory_kernel_begin(struct wm_memory *memory)
{
    wm_memory_kernel_begin_on(memory, 0);
}
static inline enum wm_status wm_memory_resize_l1(struct wm_memory *memory, uint64_t size_bytes,
                                                 uint32_t ways, struct wm_error *error)
{
    return wm_memory_resize_l1_on(memory, 0, size_bytes, ways, error);
}
// The host writes device bytes (copy, set): cached copies of them are dropped without write-back; a
// sector written only in part is written back before. The host's own bytes are not counted here.
void wm_memory_host_write(struct wm_memory *memory, uint64_t address, uint64_t size_bytes);
// The host reads device bytes: dirty lines in the range are written back first.
void wm_memory_host_read(struct wm_memory *memory, uint64_t address, uint64_t size_bytes);
// Bytes are copied from one address to another, of device memory: where these are of two GPUs, over
// the link between them. Besides what wm_memory_host_read and wm_memory_host_write do.
void wm_memory_peer_copy(struct wm_memory *memory, uint64_t to, uint64_t from, uint64_t size_bytes);
// Writes all dirty lines back (the end of a program).
void wm_memory_write_back_all(struct wm_memory *memory);

// All components in a fixed order (sm by sm, slice by slice, channel by channel); the array is
// owned by the memory system and lives as long.
const struct wm_component_counters *wm_memory_components(const struct wm_memory *memory,
                                                         size_t *count);

#endif
