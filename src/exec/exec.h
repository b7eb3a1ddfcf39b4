// The PTX interpreter: programs, grids, blocks and warps. It executes, without caches or time. Its
// caller, an engine, chooses which warp runs next and receives each memory instruction through a
// sink.
//
//   wm_program_load → wm_program_kernel → wm_grid_new → wm_grid_start_block → wm_warp_run … →
//   wm_grid_finish_block → wm_grid_free
//
// Thread rules: one grid is driven by one thread. Different grids of one device may not run at the
// same time (they share device memory without locks, but for .sys atomics).
#ifndef WM_EXEC_EXEC_H
#define WM_EXEC_EXEC_H

#include "base/access/access.h"
#include "base/access/block.h"
#include "base/error.h"
#include "base/names/source_location.h"
#include "exec/device_time.h"
#include "exec/lanes.h"
#include "exec/memory/device_memory.h"
#include "ptx/ptx.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct wm_condition_values;
struct wm_device_heap;
struct wm_device_output;
struct wm_device_services;
struct wm_texture_objects;
struct wm_program; // modules, linked and loaded: their variables live in device memory
struct wm_grid;    // one launch

struct wm_program_options {
    unsigned warp_width; // 32 or 64
    enum wm_lane_isa isa;
    bool private_registers; // every PTX register keeps a place of its own (for tests)
    uint32_t gpu;           // in whose memory its variables are
    uint32_t number; // of the device's programs, from 0: their functions have different addresses
    // Where texture and surface references get their numbers; borrowed until the program is loaded.
    // NULL: kernels that name one are refused.
    struct wm_texture_objects *textures;
    // The program of the same modules on another GPU, which lives longer: managed variables are
    // that one's. NULL: they are its own.
    const struct wm_program *shares;
};

// One instruction of a kernel (its called functions included, after it), for reports: index = pc.
struct wm_kernel_instruction {
    const struct wm_ptx_function *function;
    const struct wm_ptx_instruction *instruction;
    uint32_t ptx_line;
    // From .loc: of what was inlined from a toolkit's header the call in a file of the program's
    // own, and all places from the innermost outwards, one at least; else none of these.
    const char *source_file; // or NULL
    uint32_t source_line;
    const struct wm_source_location *inlined;
    uint32_t inlined_count;
    bool is_memory; // reported to the sink when it executes (parameters are not)
};

struct wm_kernel_parameter {
    uint32_t offset, size, alignment; // bytes in the parameter block
};

struct wm_kernel {
    const char *name;   // the PTX entry name
    const char *module; // the name of the module that defines it, for reports (the program's)
    const struct wm_program *program;
    const struct wm_ptx_function *function;
    struct wm_kernel_parameter *parameters;
    uint32_t parameter_count, parameter_bytes;
    uint32_t static_shared_bytes, local_bytes_per_thread, constant_bytes;
    // PTX has no register allocation: this is the largest number of 32-bit registers live at once,
    // an estimate of what ptxas would take, within .maxnreg.
    uint32_t registers_per_thread;
    uint32_t max_threads_per_block; // .maxntid, or 0 when not given
    bool uses_dynamic_shared;
    bool needs_stack;       // its functions call each other in circles, or it has an alloca
    bool prints, allocates; // it calls vprintf; malloc or free: a launch needs output; a heap
    bool launches; // it calls the device runtime of dynamic parallelism: a launch needs services
    bool launches_kernels, launches_graphs;
    bool synchronises; // it calls cudaDeviceSynchronize: its blocks may wait for their children
    const char *warp_primitive; // an instruction that fixes the warp width to 32, or NULL
    struct wm_kernel_instruction *instructions;
    uint32_t instruction_count;
};

// Takes the modules over (frees them with the program, or at once on failure), links them,
// allocates and initialises their variables. WM_INVALID for definitions that contradict each other;
// WM_NO_MEMORY. (What no module defines refuses the kernels that use it.)
enum wm_status wm_program_link(struct wm_ptx_module *const *modules, uint32_t count,
                               struct wm_device_memory *memory,
                               const struct wm_program_options *options,
                               struct wm_program **program, struct wm_error *error);
// The same of one module.
enum wm_status wm_program_load(struct wm_ptx_module *module, struct wm_device_memory *memory,
                               const struct wm_program_options *options,
                               struct wm_program **program, struct wm_error *error);
// Whether modules can be one program: WM_INVALID, naming both modules, for definitions that
// contradict each other. They stay the caller's.
enum wm_status wm_program_check_link(struct wm_ptx_module *const *modules, uint32_t count,
                                     struct wm_error *error);
void wm_program_free(struct wm_program *program);

// The kernel of that name, decoded on first use. WM_NOT_FOUND; WM_UNSUPPORTED naming the first
// instruction that is not supported, with file and line. The kernel lives as long as the program.
enum wm_status wm_program_kernel(struct wm_program *program, const char *name,
                                 const struct wm_kernel **kernel, struct wm_error *error);
// The same of the kernel whose device address it is; WM_NOT_FOUND.
enum wm_status wm_program_kernel_at(struct wm_program *program, uint64_t address,
                                    const struct wm_kernel **kernel, struct wm_error *error);
// Number of kernels, and their names in source order (for messages and listings).
uint32_t wm_program_kernel_count(const struct wm_program *program);
const char *wm_program_kernel_name(const struct wm_program *program, uint32_t index);
// Device address and size of a module-scope variable; false when there is none. Of equal names
// that are each their own module's, the first.
bool wm_program_variable(const struct wm_program *program, const char *name, uint64_t *address,
                         uint64_t *size_bytes);
// The number in the program's table of objects that a texture or surface reference of the module
// scope stands for; 0 when there is none of that name.
uint64_t wm_program_reference(const struct wm_program *program, const char *name, bool surface);

// An access of one lane to bytes that no allocation has, in memory that a driver maps together with
// one (wm_device_memory_mapped_with): GPUs do not see it.
struct wm_stray_access {
    uint32_t pc;
    enum wm_access_kind kind;
    uint32_t block[3], thread[3];
    uint64_t address;
    uint32_t bytes;
    const struct wm_allocation *near; // the allocation
};

struct wm_launch {
    const struct wm_kernel *kernel;
    uint32_t grid[3], block[3];
    uint32_t dynamic_shared_bytes;
    uint32_t gpu, peers;   // it runs on, and bit by number: whose memory it may access, too
    uint32_t sm_count;     // of the GPU: %nsmid, and where local memory lies; 0 is 1
    uint64_t local_offset; // bytes from the first that local memory may lie at to its own
    // Percent of the SM's shared memory that the program prefers, plus one; 0: no preference.
    uint32_t preferred_carveout;
    const void *parameters; // parameter block, laid out as kernel->parameters says; copied
    uint32_t parameter_bytes;
    // Of a cooperative launch: 8 bytes of device memory, zero at first, through which its blocks
    // wait for each other; kernels find the address in %envreg1 (its high half) and %envreg2. 0:
    // none.
    uint64_t workspace;
    uint64_t graph; // the executable graph that it is of, for %current_graph_exec; 0: of none
    // Local memory of a thread for a kernel that needs a stack, besides what its functions take
    // when each calls the next once: 16 KiB at least, 512 KiB at most.
    uint64_t stack_bytes;
    // All borrowed until the grid is freed.
    struct wm_device_output *output;        // takes what the kernel prints; NULL: it goes nowhere
    struct wm_device_heap *heap;            // for its malloc; NULL: that gives null pointers
    struct wm_condition_values *conditions; // that it may set; NULL: none
    const struct wm_texture_objects *textures; // and surfaces; NULL: there are none
    // For kernels that launch kernels; NULL: their first call of it is a fault.
    const struct wm_device_services *services;
    // Called before each stray access: true lets it pass, false makes it the fault that every other
    // access out of bounds is. NULL: false.
    bool (*stray)(void *context, const struct wm_stray_access *access);
    void *stray_context;
    const struct wm_device_time *time; // NULL: clocks count instructions
};

// What a fault was: enough for a message and for the API's error code.
enum wm_fault_kind {
    WM_FAULT_NONE,
    WM_FAULT_OUT_OF_BOUNDS, // no live allocation there
    WM_FAULT_FREED,         // in an allocation that was freed
    WM_FAULT_PEER,          // in the memory of a GPU that it has no access to
    WM_FAULT_MISALIGNED,
    WM_FAULT_SHARED_OUT_OF_BOUNDS,
    WM_FAULT_LOCAL_OUT_OF_BOUNDS,
    WM_FAULT_READ_ONLY, // a store into constant or parameter space
    WM_FAULT_TRAP,
    WM_FAULT_ASSERT,
    WM_FAULT_DEADLOCK,
    WM_FAULT_ILLEGAL_BARRIER, // e.g. a barrier number above 15
    WM_FAULT_ILLEGAL_CALL,    // through an address where no such function is
    WM_FAULT_UNSUPPORTED,     // a function called that warpmem cannot execute
};

// A failed assertion: all threads of the warp that failed it together.
struct wm_failed_assertion {
    char place[400];      // "scale.cu:7: void scale(float *)"
    char expression[200]; // both cut where they are longer
    uint32_t thread_count, threads[WM_MAX_LANES][3];
};

struct wm_finding {
    enum wm_fault_kind kind;
    const struct wm_kernel *kernel;
    uint32_t pc;
    uint32_t block[3], thread[3]; // the first faulting lane
    uint64_t address;
    uint32_t bytes;
    bool write;
    struct wm_failed_assertion assertion; // WM_FAULT_ASSERT
    struct wm_error error; // the whole message: kernel, PTX and source line, block, thread, …
};

// What an mbarrier's eight bytes of shared memory say (PTX ISA 9.7.13.15).
struct wm_mbarrier_state {
    uint32_t pending, expected; // arrivals that its phase still waits for, and that each phase has
    bool odd;                   // the parity of the phase it is in
};
struct wm_mbarrier_state wm_mbarrier_state_of(const void *object);

// Checks the launch against PTX and the kernel (block size against .maxntid, zero dimensions,
// parameter bytes, warp primitives under 64 lanes). Limits of the machine are the engine's.
enum wm_status wm_grid_new(const struct wm_launch *launch, struct wm_device_memory *memory,
                           struct wm_grid **grid, struct wm_error *error);
void wm_grid_free(struct wm_grid *grid);
uint64_t wm_grid_block_count(const struct wm_grid *grid);
uint32_t wm_grid_warps_per_block(const struct wm_grid *grid);
// Bytes between the local memories of two block places (base/access/block.h).
uint64_t wm_grid_local_bytes_per_block(const struct wm_grid *grid);
// Before its first block starts: its local memory lies that many bytes behind the first that local
// memory may lie at, in place of wm_launch.local_offset.
void wm_grid_place_local(struct wm_grid *grid, uint64_t offset);
// NULL, or what stopped the grid: after a fault no warp runs any more.
const struct wm_finding *wm_grid_fault(const struct wm_grid *grid);

// Starts block `index` on SM `sm`, place `slot`. The engine owns which place it sits in; exec owns
// its memory, which is pooled: starting a block after another finished allocates nothing.
// WM_NO_MEMORY when the host is out of memory.
enum wm_status wm_grid_start_block(struct wm_grid *grid, uint64_t index, uint32_t sm, uint32_t slot,
                                   struct wm_block **block, struct wm_error *error);
// Gives a block whose warps have all finished back to the pool.
void wm_grid_finish_block(struct wm_grid *grid, struct wm_block *block);

// All that the block launched has completed: its threads that wait for that can continue. Harmless
// when it is not resident, or none waits.
void wm_grid_children_ended(struct wm_grid *grid, uint64_t index);

// The block's shared memory and its bytes, for observers; NULL and 0 when it has none.
const void *wm_block_shared(const struct wm_block *block, uint32_t *bytes);

// A number of what the grid's resident blocks hold: of which threads are where, their registers and
// shared memory. Equal states have equal ones. False where it is not known: of a kernel that
// calls functions.
bool wm_grid_state(const struct wm_grid *grid, uint64_t *state);

// Runs warp `warp` of `block`, which must be ready, for at most `budget` warp instructions, until
// it blocks at a barrier, finishes, faults, or as `until` says. Updates block->ready and ->finished
// (of other warps of the block too, when a barrier opens). Adds to `result`.
void wm_warp_run(struct wm_block *block, uint32_t warp, uint64_t budget, enum wm_run_until until,
                 const struct wm_access_sink *sink, struct wm_run_result *result);

// The instruction with which wm_warp_run would begin; false when it would execute none.
bool wm_warp_next_pc(struct wm_block *block, uint32_t warp, uint32_t *pc);

// All live warps wait and none can continue: fills the grid's fault with what waits where.
enum wm_status wm_grid_deadlock(struct wm_grid *grid, struct wm_block *const *blocks,
                                uint32_t block_count, struct wm_error *error);

#endif
