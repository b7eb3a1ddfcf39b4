// The vocabulary of a memory access, shared by the rooms that make accesses (exec, source), group
// them (sm) and serve them (mem), which may not include each other.
#ifndef WM_BASE_ACCESS_H
#define WM_BASE_ACCESS_H

#include "warpmem/access.h"

#include <stdbool.h>
#include <stdint.h>

enum { WM_MAX_LANES = 64, WM_SECTOR_BYTES = 32, WM_MAX_ACCESS_BYTES = 32 };
// The banks of shared memory, each of which serves a word in a cycle (sm/conflicts/).
enum { WM_SHARED_BANKS = 32, WM_SHARED_BANK_BYTES = 4 };
// Most accesses of one executed instruction: two mipmap levels of eight texels a lane.
enum { WM_MOST_ACCESSES = 16 };

// The address space. The interpreter resolves generic accesses lane by lane before it reports them;
// a warp instruction that touches several spaces is reported once per space.
enum wm_address_space {
    WM_SPACE_GLOBAL,
    WM_SPACE_LOCAL,  // addresses already interleaved by lane, as the hardware lays them out
    WM_SPACE_SHARED, // offsets in the block's shared memory
    WM_SPACE_CONSTANT,
    WM_SPACE_PARAMETER,
    WM_SPACE_TEXTURE,
};

// One executed memory instruction of one warp.
struct wm_warp_access {
    enum wm_access_kind kind;
    enum wm_address_space space;
    enum wm_cache_hint hint;
    uint32_t pc;             // index of the instruction in its kernel's instruction table
    uint32_t bytes_per_lane; // element size times vector length, 1 to WM_MAX_ACCESS_BYTES
    uint32_t lanes;          // warp width, 32 or 64
    uint64_t active;         // lanes that take part
    // By lane; undefined for inactive lanes. Borrowed for the call. NULL, only for a sink that
    // accepts_strided: modulo 2^64, lane l accesses base + l × stride, or, when row_shift is not 0,
    // base + l mod R × stride + l div R × row_stride, R = 2^row_shift.
    const uint64_t *addresses;
    uint64_t base, stride, row_stride; // these are read only without addresses
    uint32_t row_shift;                // at most 5
    // The next access is a further one of the same instruction and space, as of a texture fetch.
    bool continues;
};

// The mask of all lanes of a warp of 1 to 64.
static inline uint64_t wm_all_lanes(uint32_t lanes)
{
    return lanes == 64 ? UINT64_MAX : (UINT64_C(1) << lanes) - 1;
}

// The number of active lanes.
static inline uint32_t wm_count_lanes(uint64_t active)
{
    return (uint32_t)__builtin_popcountll(active);
}

// The bits of a mask of sectors.
static inline uint32_t wm_count_sectors(uint32_t mask)
{
    return (uint32_t)__builtin_popcount(mask);
}

static inline uint64_t wm_sector_bytes(uint32_t mask)
{
    return (uint64_t)wm_count_sectors(mask) * WM_SECTOR_BYTES;
}

// The addresses of an access that has a base and a stride, for all of its lanes.
static inline void wm_access_expand(const struct wm_warp_access *access, uint64_t *addresses)
{
    uint32_t row = access->row_shift == 0 ? access->lanes : UINT32_C(1) << access->row_shift;
    uint64_t begin = access->base, stride = access->stride;
    for (uint32_t first = 0; first < access->lanes; first += row, begin += access->row_stride) {
        uint64_t address = begin;
        for (uint32_t lane = first; lane < first + row && lane < access->lanes; lane++) {
            addresses[lane] = address;
            address += stride;
        }
    }
}

// A request of one warp instruction for one line, as the coalescer makes it
// (sm/coalescer/coalescer.h). A lane's element may cross a line's boundary (not when naturally
// aligned, which the interpreter enforces), so 64 lanes give at most 128 requests.
enum { WM_MAX_LINE_REQUESTS = 2 * WM_MAX_LANES, WM_MAX_LINE_SECTORS = 1024 / WM_SECTOR_BYTES };

struct wm_line_request {
    uint64_t line_address;
    uint32_t sectors;      // bit i: 32-byte sector i of the line
    uint32_t full_sectors; // stores: sectors of which every byte is covered; else 0
};

// One memory instruction of several warps of a block, executed one warp after the other: `access`
// holds for all of them, but each warp has its own active lanes and base. With `addresses`, which
// only one warp alone may have, the active lanes are those of `access`.
enum { WM_MAX_MULTI_WARP = 64 };
struct wm_multi_warp_access {
    struct wm_warp_access access;     // `base` and, without addresses, `active` are undefined
    uint32_t count;                   // at least 1
    uint8_t warps[WM_MAX_MULTI_WARP]; // numbers in their block, in order of execution
    uint64_t bases[WM_MAX_MULTI_WARP], active[WM_MAX_MULTI_WARP];
};

// The static part of a memory instruction: what is the same each time it executes.
struct wm_memory_instruction {
    enum wm_access_kind kind;
    enum wm_address_space space;
    enum wm_cache_hint hint;
    uint32_t pc, bytes_per_lane, lanes; // as wm_warp_access's
    // Lane l's address is its 64-bit register plus `offset`; or, narrow, its 32-bit register plus
    // `offset`, modulo 2^32.
    bool narrow;
    uint64_t offset;
    // An earlier instruction of the same straight-line code that read the same registers, unchanged
    // since: if these lanes alone executed it last, in the same space, each address is now its
    // address plus `apart`. The instruction itself when there is none.
    uint32_t reference_pc;
    uint64_t apart;
};

// The access of an instruction: `addresses` is written, for all lanes, and borrowed.
static inline struct wm_warp_access wm_access_of_instruction(
    const struct wm_memory_instruction *instruction, const void *registers, uint64_t active,
    uint64_t *addresses)
{
    for (uint32_t lane = 0; lane < instruction->lanes; lane++)
        addresses[lane] =
            instruction->narrow
                ? (uint32_t)(((const uint32_t *)registers)[lane] + (uint32_t)instruction->offset)
                : ((const uint64_t *)registers)[lane] + instruction->offset;
    return (struct wm_warp_access){.kind = instruction->kind,
                                   .space = instruction->space,
                                   .hint = instruction->hint,
                                   .pc = instruction->pc,
                                   .bytes_per_lane = instruction->bytes_per_lane,
                                   .lanes = instruction->lanes,
                                   .active = active,
                                   .addresses = addresses};
}

// Straight-line code that a warp executed with the same lanes: the instructions first_pc,
// first_pc + 1, … . A guarded instruction counts with all lanes of its path.
struct wm_warp_stretch {
    uint32_t first_pc, count;
    uint64_t active;
};

// Lanes of a warp arrived at one of the block's barriers.
struct wm_warp_arrival {
    uint32_t pc;
    uint32_t barrier; // 0 to 15
    uint32_t threads; // that the barrier waits for, as the instruction says; 0: all live threads
    uint64_t lanes;
    bool waits;  // false: bar.arrive
    bool others; // other lanes of the warp can execute meanwhile
};

// What lanes did to an mbarrier, or at the barrier of their block's cluster; the numbers are those
// of recordings (docs/formats/recording.md). The operand counts threads for each lane, or bytes.
enum wm_phase_operation {
    WM_PHASE_INIT,          // threads of each phase
    WM_PHASE_ARRIVE,        // threads
    WM_PHASE_DROP,          // threads, which later phases do not expect
    WM_PHASE_EXPECT,        // bytes
    WM_PHASE_COMPLETE,      // bytes
    WM_PHASE_TEST_PASSED,   // a test found its phase over; of recordings: phases that had ended by
                            // then
    WM_PHASE_EXPECT_ARRIVE, // bytes, and one thread arrives
    WM_PHASE_EXPECT_DROP,
    WM_PHASE_CLUSTER_ARRIVE,      // without operand or object, as are the next two
    WM_PHASE_CLUSTER_WAIT,        // the warp waits
    WM_PHASE_CLUSTER_WAIT_OTHERS, // other lanes of it can execute meanwhile
    // Of recordings of CPU cores alone (docs/formats/cores.md), and of no instruction.
    WM_PHASE_FOLLOWS,  // goes on when another block has made so many accesses
    WM_PHASE_FENCE,    // a full fence: without operand or object
    WM_PHASE_ISSUES,   // issues the device's command of that number
    WM_PHASE_AWAITS,   // goes on when the device's commands up to that number have completed
    WM_PHASE_TURN_END, // the thread gave its turn away: without operand or object
    WM_PHASE_RECORDED, // those before this are in recordings
    // A test in which the phase is over for no lane: they wait, and test again.
    WM_PHASE_BLOCKED = WM_PHASE_RECORDED,
};

// An mbarrier has 8 bytes; an object's number is its offset in the block's shared memory in these.
enum { WM_MBARRIER_BYTES = 8, WM_MOST_MBARRIERS = 1 << 15 };

// Lanes that did the same operation on one object.
struct wm_warp_phase {
    enum wm_phase_operation operation;
    uint32_t pc;
    uint32_t object, operand;
    uint64_t lanes;
};

// The address pattern of 32 lanes as far as the interpreter knows it: lanes 0 to 15 have this
// pattern, and so have lanes 16 to 31.
enum wm_half_warp_pattern {
    WM_HALF_WARPS_UNKNOWN,
    WM_HALF_WARPS_UNIFORM,     // at one address
    WM_HALF_WARPS_CONSECUTIVE, // each lane `bytes_per_lane` behind the one before
};

// Callbacks of the interpreter: an engine or the recorder sets those that it needs, and leaves the
// others NULL. Without `access` the interpreter reports nothing. Arguments are borrowed for the
// call.
//
// The interpreter calls `access` for each memory instruction after executing it, in execution order
// and for shared memory too. It calls `arrival`, `cluster` and `exit` when lanes arrive at a
// barrier or end, before it releases the warps that wait for these lanes; likewise `phase`, after
// the `access` of the same instruction. `stretch` follows the other calls of its instructions,
// which have its pcs; all stretches of a run add up to its wm_run_result.
struct wm_access_sink {
    void (*access)(void *context, const struct wm_warp_access *access);
    void (*arrival)(void *context, const struct wm_warp_arrival *arrival);
    void (*exit)(void *context, uint32_t pc, uint64_t lanes);
    // Lanes arrive at the barrier of the block's cluster (barrier.cluster.arrive), which all live
    // threads do before any passes its wait; or at that wait. `others`: as wm_warp_arrival's.
    void (*cluster)(void *context, uint32_t pc, uint64_t lanes, bool waits, bool others);
    // Lanes changed an mbarrier, found a phase of it over, or wait for it.
    void (*phase)(void *context, const struct wm_warp_phase *phase);
    void (*stretch)(void *context, const struct wm_warp_stretch *stretch);
    // A warp executed a fence for which `fences`, by pc, is not 0: called in order with `access`.
    // A guarded fence counts for whichever lanes. NULL both, or neither.
    void (*fence)(void *context, uint32_t pc);
    const uint8_t *fences;
    void *context;
    // May be called in place of `access`, with the lanes' registers in place: a sink that only
    // compares addresses spends most of its time on copying them. `rows` is unknown unless lanes 0
    // to 31 are active and no others.
    void (*access_by_registers)(void *context, const struct wm_memory_instruction *instruction,
                                const void *registers, uint64_t active,
                                enum wm_half_warp_pattern rows);
    // `access` may get a base and a stride instead of addresses, and for loads and stores of shared
    // memory undefined addresses.
    bool accepts_strided;
    // Called in place of `access` for warps that execute in lockstep (wm_work_ops.run_in_step); its
    // accesses are as with accepts_strided.
    void (*access_of_warps)(void *context, const struct wm_multi_warp_access *accesses);
};

#endif
