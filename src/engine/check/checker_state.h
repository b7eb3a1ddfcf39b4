// The parts of a checker. Private to engine/check/.
//
//   checker.c         building, findings, what happens outside of kernels
//   checked_launch.c  launches under way, and what their instructions do
//   checked_work.c    the work that is driven in place of the launch's own
//   initialised.c     which bytes nothing has written
//   mbarriers.c       what mbarriers order
//   races.c           which warps touched which byte of shared memory, and what orders them
//   text.c            findings for people
#ifndef WM_ENGINE_CHECK_CHECKER_STATE_H
#define WM_ENGINE_CHECK_CHECKER_STATE_H

#include "base/containers/arena.h"
#include "base/containers/string_map.h"
#include "engine/check/check.h"

enum {
    WM_CHECK_PAGE_SHIFT = 20, // bytes of device memory that share a bit map
    WM_CHECK_BARRIERS = 17,   // of a block: the named ones, and that of its cluster
    WM_CHECK_CLUSTER = 16,    // the last of them
    WM_CHECK_WARPS = 64,      // of a block
    WM_CHECK_SYNCS = 64,      // addresses through which warps of a block order themselves
    WM_CHECK_REMEMBERED = 256,
};

// Which bytes of device memory are not initialised: by page NULL for none of them, `whole` for all
// of them, else a bit a byte.
struct wm_uninitialised_bytes {
    uint64_t **pages; // owned, and so are those that are not `whole`
    uint64_t page_count;
    uint64_t whole[1];
    bool failed; // the host is out of memory: from then on nothing is found
};

void wm_uninitialised_bytes_release(struct wm_uninitialised_bytes *unwritten);
void wm_uninitialised_bytes_mark(struct wm_uninitialised_bytes *unwritten, uint64_t address,
                                 uint64_t bytes, bool yes);
void wm_uninitialised_bytes_copy(struct wm_uninitialised_bytes *unwritten, uint64_t to,
                                 uint64_t from, uint64_t bytes);
// At most WM_MAX_ACCESS_BYTES, naturally aligned.
bool wm_uninitialised_bytes_any(const struct wm_uninitialised_bytes *unwritten, uint64_t address,
                                uint32_t bytes);

// The same of a piece of memory with one map.
bool wm_bits_any(const uint64_t *bits, uint64_t at, uint64_t count);
void wm_bits_mark(uint64_t *bits, uint64_t at, uint64_t count, bool yes);

// What an instruction does to an mbarrier.
enum wm_check_role {
    WM_CHECK_NO_PHASE,
    WM_CHECK_PHASES_BEGIN, // init, inval: what was before is over
    WM_CHECK_PHASE_ARRIVE, // with what the warp knows, when it releases
    WM_CHECK_PHASE_COPIES, // cp.async.mbarrier.arrive without .noinc: takes no arrival of the
                           // phase's
    WM_CHECK_PHASE_BYTES,  // expect_tx, complete_tx alone
    WM_CHECK_PHASE_TEST,   // learns what the phases that are over knew, when it acquires
};

// What the checker has to know of an instruction, found at its first use.
struct wm_check_instruction {
    bool known;
    bool strong; // atomic, volatile, relaxed: does not race with its like
    bool acquires, releases;
    enum wm_check_role role;
};

// An access to some bytes of shared memory. `clock` 0: there was none.
struct wm_race_event {
    uint32_t pc, clock;
    uint8_t warp, lane, strong, kind;
};

struct wm_race_cell {
    struct wm_race_event write, reads[2];
    uint32_t value; // after the write
};

// Vector clocks by warp: warp w knows of warp v's accesses up to clocks[w][v].
struct wm_check_barrier {
    uint32_t arrived, threads, generation;
    uint32_t gathered[WM_CHECK_WARPS], released[WM_CHECK_WARPS];
};

// An mbarrier: what the warps know that arrived in the phase it is in, and in the phases that are
// over.
struct wm_check_phases {
    uint64_t offset;
    uint32_t gathered[WM_CHECK_WARPS], released[WM_CHECK_WARPS];
    bool odd;
};

struct wm_check_block {
    struct wm_block *block; // NULL: the place is free
    const uint8_t *shared;
    uint32_t shared_bytes;
    uint64_t *unwritten;        // owned, a bit a byte; NULL without that check
    struct wm_race_cell *cells; // owned; NULL without that check
    uint32_t cell_shift;        // of the bytes that share one: 2, or 0 since a narrow access
    uint32_t *clocks;           // owned, warps × warps
    uint32_t warp_count, live_threads;
    struct wm_check_barrier barriers[WM_CHECK_BARRIERS];
    bool waits[WM_CHECK_WARPS];
    uint8_t waits_at[WM_CHECK_WARPS];
    uint32_t waits_for[WM_CHECK_WARPS];    // the barrier's generation when it came
    uint64_t sync_offsets[WM_CHECK_SYNCS]; // in shared memory, plus one; 0: unused
    uint32_t sync_clocks[WM_CHECK_SYNCS][WM_CHECK_WARPS];
    uint32_t next_sync;
    struct wm_check_phases *phases; // owned
    uint32_t phase_count, phase_capacity;
    // Lanes that have come to the cluster's barrier in its generation, and which that was.
    uint64_t cluster_lanes[WM_CHECK_WARPS];
    uint32_t cluster_generation[WM_CHECK_WARPS];
};

// The finding that instructions made last: its index plus one.
struct wm_check_memory {
    uint32_t pc, earlier, kind, index;
};

struct wm_checker {
    uint32_t checks;
    const struct wm_device_memory *memory;
    struct wm_arena arena;
    struct wm_string_map texts; // in the arena, each once
    struct wm_uninitialised_bytes unwritten;
    struct wm_check_finding *findings; // owned
    uint32_t finding_count, finding_capacity;
};

// A launch that is under way.
struct wm_checked_launch {
    struct wm_checker *checker;
    struct wm_work work; // what is driven
    struct wm_work *inner;
    struct wm_check_instruction *instructions; // owned, by pc
    struct wm_check_block **blocks;            // owned, by slot × SMs + SM
    uint32_t block_count, sm_count;
    const char *kernel, *module; // copies, made with the launch's first finding
    struct wm_check_memory remembered[WM_CHECK_REMEMBERED];
};

// Where it was seen.
struct wm_check_seen {
    const struct wm_check_block *block;
    uint32_t warp;
    uint32_t pc, lane; // of the later access
    enum wm_access_kind kind;
    const struct wm_race_event *earlier; // or NULL
    uint64_t address;
    uint32_t bytes;
};

// Counts the finding of that kind and those instructions, and fills it the first time; nothing when
// the host is out of memory.
void wm_checked_report(struct wm_checked_launch *launch, enum wm_check_kind kind,
                       const struct wm_check_seen *seen);
// The name of an address's byte that is the same wherever it is mapped; `bytes` is cut to what
// follows it there (exec/memory/virtual_memory.h).
uint64_t wm_checker_canonical(const struct wm_checker *checker, uint64_t address, uint64_t *bytes);
const struct wm_check_instruction *wm_checked_instruction(struct wm_checked_launch *launch,
                                                          uint32_t pc);

bool wm_races_open(struct wm_check_block *block);
void wm_races_access(struct wm_checked_launch *launch, struct wm_check_block *block, uint32_t warp,
                     const struct wm_warp_access *access);
void wm_races_arrival(struct wm_check_block *block, uint32_t warp,
                      const struct wm_warp_arrival *arrival);
void wm_races_exit(struct wm_check_block *block, uint32_t warp, uint64_t lanes);
// At the barrier of the block's cluster. `releases`: the arrival does, which does not wait.
void wm_races_cluster(struct wm_check_block *block, uint32_t warp, uint64_t lanes, bool waits,
                      bool releases);

// What warp w knows of the others is clocks[w × warps …].
uint32_t *wm_races_clocks(struct wm_check_block *block, uint32_t warp);
void wm_races_join(uint32_t *to, const uint32_t *from, uint32_t count);
// An access to mbarriers, which has been executed: the warp releases, or acquires.
void wm_phases_access(struct wm_check_block *block, uint32_t warp,
                      const struct wm_check_instruction *instruction,
                      const struct wm_warp_access *access);
// What the warp has just written by st.async or red.async has completed its bytes of an mbarrier.
void wm_phases_sent(struct wm_check_block *block, uint32_t warp, uint64_t offset);

extern const struct wm_work_ops wm_checked_work_ops;

#endif
