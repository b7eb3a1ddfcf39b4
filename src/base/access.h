// The vocabulary of a memory access, shared by the rooms that make accesses (exec, source), group
// them (sm) and serve them (mem), which may not include each other.
#ifndef WM_BASE_ACCESS_H
#define WM_BASE_ACCESS_H

#include "warpmem/access.h"

#include <stdbool.h>
#include <stdint.h>

enum { WM_MAX_LANES = 64, WM_SECTOR_BYTES = 32, WM_MAX_ACCESS_BYTES = 32 };
// Most accesses of one executed instruction: two mipmap levels of eight texels a lane.
enum { WM_MOST_ACCESSES = 16 };

// Where the address lies. Generic accesses are resolved by the interpreter, lane by lane, before
// anyone sees them; a warp instruction that touches several spaces is reported once per space.
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
    // By lane; undefined for inactive lanes. Borrowed for the call. NULL, only for a listener that
    // takes it (wm_access_sink.accepts_strided): modulo 2^64, lane l lies at base + l × stride, or,
    // when row_shift is not 0, at base + l mod R × stride + l div R × row_stride, R = 2^row_shift.
    const uint64_t *addresses;
    uint64_t base, stride, row_stride; // these are read only without addresses
    uint32_t row_shift;                // at most 5
    // The next access is of the same instruction and space: what a texture fetch reads besides.
    bool continues;
};

// The mask of all lanes of a warp of 1 to 64.
static inline uint64_t wm_all_lanes(uint32_t lanes)
{
    return lanes == 64 ? UINT64_MAX : (UINT64_C(1) << lanes) - 1;
}

// How many take part.
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

// What one of them asks of one line, as the coalescer makes it (sm/coalescer/coalescer.h).
// Each lane may touch up to two lines when its element crosses a boundary (it cannot when naturally
// aligned, which the interpreter enforces), so 64 lanes give at most 128 requests.
enum { WM_MAX_LINE_REQUESTS = 2 * WM_MAX_LANES, WM_MAX_LINE_SECTORS = 1024 / WM_SECTOR_BYTES };

struct wm_line_request {
    uint64_t line_address;
    uint32_t sectors;      // bit i: 32-byte sector i of the line
    uint32_t full_sectors; // stores: sectors of which every byte is covered; else 0
};

// One memory instruction of several warps of a block, executed one warp after the other: all is as
// `access` says but the lanes that take part and the base, of which each has its own. Of one warp
// alone there may be addresses: then `access` says which lanes.
enum { WM_MAX_MULTI_WARP = 64 };
struct wm_multi_warp_access {
    struct wm_warp_access access;     // `base` and, without addresses, `active` are undefined
    uint32_t count;                   // at least 1
    uint8_t warps[WM_MAX_MULTI_WARP]; // by number in their block, as they went
    uint64_t bases[WM_MAX_MULTI_WARP], active[WM_MAX_MULTI_WARP];
};

// What is the same each time a memory instruction executes.
struct wm_access_plan {
    enum wm_access_kind kind;
    enum wm_address_space space;
    enum wm_cache_hint hint;
    uint32_t pc, bytes_per_lane, lanes; // as wm_warp_access's
    // Lane l's address is its 64-bit register plus `offset`; or, narrow, its 32-bit register plus
    // `offset`, modulo 2^32.
    bool narrow;
    uint64_t offset;
    // An earlier instruction of the same straight code read the same registers, unchanged since:
    // where it was executed last by just these lanes in the same space, each address is now that of
    // then plus `apart`. Itself: there is none.
    uint32_t reference_pc;
    uint64_t apart;
};

// The access of a plan: `addresses` is written, for all lanes, and borrowed.
static inline struct wm_warp_access wm_access_of_plan(const struct wm_access_plan *plan,
                                                      const void *registers, uint64_t active,
                                                      uint64_t *addresses)
{
    for (uint32_t lane = 0; lane < plan->lanes; lane++)
        addresses[lane] =
            plan->narrow ? (uint32_t)(((const uint32_t *)registers)[lane] + (uint32_t)plan->offset)
                         : ((const uint64_t *)registers)[lane] + plan->offset;
    return (struct wm_warp_access){.kind = plan->kind,
                                   .space = plan->space,
                                   .hint = plan->hint,
                                   .pc = plan->pc,
                                   .bytes_per_lane = plan->bytes_per_lane,
                                   .lanes = plan->lanes,
                                   .active = active,
                                   .addresses = addresses};
}

// Instructions that a warp executed one after the other with the same lanes: those of `first_pc`,
// first_pc + 1, … . A guarded instruction counts with all lanes of its path.
struct wm_warp_stretch {
    uint32_t first_pc, count;
    uint64_t active;
};

// Lanes of a warp came to one of the block's barriers.
struct wm_warp_arrival {
    uint32_t pc;
    uint32_t barrier; // 0 to 15
    uint32_t threads; // that the barrier waits for, as the instruction says; 0: all live threads
    uint64_t lanes;
    bool waits;  // false: bar.arrive
    bool others; // other lanes of the warp can go on meanwhile
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
    WM_PHASE_CLUSTER_WAIT_OTHERS, // other lanes of it can go on meanwhile
    WM_PHASE_RECORDED,            // what is below, recordings have
    // A test without lanes whose phase is over: they wait, and make it again.
    WM_PHASE_BLOCKED = WM_PHASE_RECORDED,
};

// An mbarrier has 8 bytes; an object's number is its offset in the block's shared memory in these.
enum { WM_MBARRIER_BYTES = 8, WM_MOST_MBARRIERS = 1 << 15 };

// Lanes that did the same to one object.
struct wm_warp_phase {
    enum wm_phase_operation operation;
    uint32_t pc;
    uint32_t object, operand;
    uint64_t lanes;
};

// What the move of an access has found out of how 32 lanes lie: lanes 0 to 15 one way, and lanes 16
// to 31 the same way.
enum wm_half_warp_pattern {
    WM_HALF_WARPS_UNKNOWN,
    WM_HALF_WARPS_UNIFORM,     // at one address
    WM_HALF_WARPS_CONSECUTIVE, // one behind the other, as far apart as the access has bytes a lane
};

// Who listens to the interpreter. Without `access` nobody does; the others are NULL when nobody
// asks for them. What they are handed is borrowed for the call.
//
// `access` is called for each memory instruction after it has executed, in execution order;
// shared-memory accesses are reported too. `arrival`, `cluster` and `exit` are called when lanes
// come to a barrier or end, before anybody is woken by it; so is `phase`, behind the access of the
// same instruction. `stretch` comes after the accesses, arrivals, phases and exits of its
// instructions, whose places in it their pcs tell; all stretches of a run add up to its
// wm_run_result.
struct wm_access_sink {
    void (*access)(void *context, const struct wm_warp_access *access);
    void (*arrival)(void *context, const struct wm_warp_arrival *arrival);
    void (*exit)(void *context, uint32_t pc, uint64_t lanes);
    // Lanes come to the barrier of the block's cluster (barrier.cluster.arrive), which all live
    // threads do before any passes its wait; or to that wait. `others`: as wm_warp_arrival's.
    void (*cluster)(void *context, uint32_t pc, uint64_t lanes, bool waits, bool others);
    // Lanes did something to an mbarrier that changes it, or found a phase of it over; or wait.
    void (*phase)(void *context, const struct wm_warp_phase *phase);
    void (*stretch)(void *context, const struct wm_warp_stretch *stretch);
    void *context;
    // May be called in place of `access`, with the lanes' registers where they stand: copying their
    // addresses is most of what a listener costs that only compares them. `rows` is unknown unless
    // lanes 0 to 31 are active and no others.
    void (*planned)(void *context, const struct wm_access_plan *plan, const void *registers,
                    uint64_t active, enum wm_half_warp_pattern rows);
    // `access` may be handed a base and a stride instead of addresses; of loads and stores of
    // shared memory, addresses that are undefined.
    bool accepts_strided;
    // Called in place of `access` for warps that are run in step (wm_work_ops.run_in_step), as one
    // that accepts_strided.
    void (*together)(void *context, const struct wm_multi_warp_access *accesses);
};

#endif
