// Where the instructions of a launch come from: the interpreter, which executes them
// (engine/session/live_work.h), or a recording, which has them. An engine starts blocks and runs
// their warps; it does not know which of the two they come from.
//
// Thread rules: one thread at a time. Private to engine/.
#ifndef WM_ENGINE_SESSION_WORK_H
#define WM_ENGINE_SESSION_WORK_H

#include "base/access/access.h"
#include "base/access/block.h"
#include "base/access/gpu_addresses.h"
#include "base/error.h"
#include "base/names/source_location.h"
#include "base/text/text.h"

#include <stdbool.h>
#include <stdint.h>

// What reports need to know of one instruction of a kernel; the index in its table is its pc.
struct wm_instruction_facts {
    uint32_t ptx_line, source_line;
    const char *source_file; // or NULL; borrowed
    // Of an inlined function's, where that is known: its places from the innermost outwards;
    // borrowed.
    const struct wm_source_location *inlined;
    uint32_t inlined_count;
    const char *module; // that its line of PTX is in, or NULL: that of the kernel; borrowed
    const char *guard;  // the register of its guard, which its text is without; or NULL
    bool exists;        // false: there is nothing to print at this pc
    bool is_memory;     // reported when it executes
    bool generic;       // its space is known when it runs
    bool reads_clock;   // %clock, %globaltimer or one of their kin
    enum wm_access_kind kind;
    enum wm_address_space space;
};

// What a warp does next.
struct wm_next_step {
    uint32_t pc;
    // From pc on, so many instructions one behind the other do nothing that is reported. They are
    // executed, each by `lanes` lanes: what follows is said of the warp behind them.
    uint8_t plain, lanes;
};

// How far warps that are run in step go, in warp instructions.
struct wm_step_budget {
    uint64_t turn; // when all have executed so many, no other begins
    uint64_t each; // of one warp, before another has its turn
};

struct wm_work_ops {
    // Fills `facts`, and the instruction as PTX has it into `text` (may be NULL).
    void (*describe)(const void *work, uint32_t pc, struct wm_instruction_facts *facts,
                     struct wm_text *text);
    // The hash of the kernel's module, its PTX text, as recordings name it; 0: there is none. NULL:
    // there never is.
    uint64_t (*ptx_hash)(const void *work);
    // The text of the kernel's module, the caller frees it; NULL where there is none, or it cannot
    // be read. NULL: there never is.
    char *(*copy_ptx)(const void *work);
    // As wm_grid_start_block, wm_grid_finish_block and wm_warp_run.
    enum wm_status (*start_block)(void *work, uint64_t index, uint32_t sm, uint32_t slot,
                                  struct wm_block **block, struct wm_error *error);
    void (*finish_block)(void *work, struct wm_block *block);
    void (*run)(void *work, struct wm_block *block, uint32_t warp, uint64_t budget,
                enum wm_run_until until, const struct wm_access_sink *sink,
                struct wm_run_result *result);
    // Called before each round of the walk's turns, by one thread, while no warp runs. NULL:
    // nothing changes between rounds.
    void (*begin_round)(void *work);
    // In place of rounds, of an engine that keeps time: so many of the block's accesses are done,
    // which others may wait for: `run` then executes nothing for one that has to, until it has been
    // called for what is waited for. NULL: none waits for others' accesses.
    void (*accesses_done)(void *work, uint64_t block, uint64_t accesses);
    // Runs the ready warps from `first` on one after the other, each up to an access that leaves
    // the SM within `budget`: as `run` until WM_RUN_MEMORY for each, but the accesses go to
    // sink->access_of_warps. Ends before the first warp that does anything else; of what comes
    // before that it may have executed a part, which is counted: `begun` instructions. Returns the
    // warps that stopped at memory, bit by number. NULL: there is none.
    uint64_t (*run_in_step)(void *work, struct wm_block *block, uint32_t first,
                            const struct wm_step_budget *budget, const struct wm_access_sink *sink,
                            struct wm_run_result *result, uint64_t *begun);
    // The instruction that the warp executes next. False when it can execute none: it waits, has
    // finished, or the launch was stopped. Lanes that end without an instruction do so here. One
    // that is only known to be executed has the work's instruction_count as its pc.
    bool (*next_pc)(void *work, struct wm_block *block, uint32_t warp, uint32_t *pc);
    // Both at once for an engine that keeps time: runs one instruction of a ready warp as `run`
    // does, and says what follows as `next_pc` does. `result` is without the plain ones of `next`:
    // the engine counts each when it is its turn. NULL: those two do.
    bool (*step)(void *work, struct wm_block *block, uint32_t warp,
                 const struct wm_access_sink *sink, struct wm_run_result *result,
                 struct wm_next_step *next);
    // Prefetches what an instruction of the warp will need: it may run soon. `access`: this was
    // called before, and the instruction goes to memory. NULL: nothing is known.
    void (*expect)(const struct wm_block *block, uint32_t warp, bool access);
    // The same for run_in_step of the block's warps, which prefetches all but the first two itself.
    // NULL where that is.
    void (*expect_in_step)(const struct wm_block *block);
    // Reads some of what blocks that start later will need, if there is anything to read: for a
    // thread that has time while others run warps. NULL: there never is.
    void (*read_ahead)(void *work);
    // WM_OK, or what stopped the launch: after a fault no warp of its block runs any more. Where
    // others did meanwhile (`parallel`), what stopped first counts, as `moment` has it.
    enum wm_status (*fault)(const void *work, struct wm_error *error);
    // All live warps wait and none can continue: always an error, which says what waits where.
    enum wm_status (*deadlock)(void *work, struct wm_block *const *blocks, uint32_t count,
                               struct wm_error *error);
};

// Where an instruction's code lies; `bytes` 0: not known.
struct wm_code_place {
    uint64_t address;
    uint32_t bytes;
};

// In place of a GPU's number: the CPU cores beside it.
enum { WM_ON_CORES = WM_MOST_GPUS, WM_PLACES_TO_RUN };

// One launch. Filled by its maker; texts borrowed for the time of the engine's call.
struct wm_work {
    const struct wm_work_ops *ops;
    const char *kernel, *module; // as in PTX (mangled); file or program
    uint64_t fingerprint;        // of the code: two programs may use one name for two kernels
    uint32_t instruction_count;
    uint32_t grid[3], block[3], warps_per_block;
    uint32_t static_shared_bytes, dynamic_shared_bytes, registers_per_thread;
    uint64_t local_bytes_per_block; // of local memory, as it is reported
    uint32_t gpu;                   // that it runs on, or WM_ON_CORES
    uint64_t local_offset;          // of a recording's launch, behind those of launches under way
    uint32_t preferred_carveout;    // as wm_launch's
    uint32_t stream;                // of a recording's launch, in order of first use; else 0
    // Blocks of different SMs may start, run and finish, and next_pc may be called for their warps,
    // at the same time.
    bool parallel;
    bool threaded; // they do: set by the engine before the first starts
    // What its blocks execute comes from outside, while they are under way: blocks that have
    // nothing to execute wait for that, and are in no deadlock.
    bool supplied;
    // The time that it is, theirs: of two faults the earlier is reported, of two at one moment that
    // of the SM with the lower number. NULL: warps run one at a time, and stop at the first.
    const uint64_t *moment;
    bool clocks_count_cycles; // %clock and its kin; else they count instructions
    // By pc, of the code of a CPU core; NULL: the engine places the code. Such work reports a
    // stretch before the accesses of its last instruction: what is executed was fetched first.
    const struct wm_code_place *code_places;
    // In the walk: an SM's turn ends where `run` executes nothing more, however long that takes.
    bool ends_turns;
};

// Where local memory of a GPU's blocks begins, behind WM_LOCAL_BASE.
static inline uint64_t wm_work_first_local(uint32_t gpu)
{
    return gpu * WM_GPU_ADDRESSES;
}

// Where the local memory of a block in that place is reported to lie.
static inline uint64_t wm_work_local_base(const struct wm_work *work, uint32_t sm_count,
                                          const struct wm_block *block)
{
    return WM_LOCAL_BASE + work->local_offset +
           ((uint64_t)block->slot * sm_count + block->sm) * work->local_bytes_per_block;
}

// What a CPU core has of a launch in place of a block of warps: one thread, which can run.
static inline struct wm_block wm_work_core_block(uint64_t index, uint32_t core, uint32_t slot)
{
    return (struct wm_block){.index = index, .sm = core, .slot = slot, .warp_count = 1, .ready = 1};
}

static inline uint64_t wm_work_blocks(const struct wm_work *work)
{
    return (uint64_t)work->grid[0] * work->grid[1] * work->grid[2];
}

#endif
