// Inside the interpreter (private to exec/): a kernel decoded into ops, and the state of the grid,
// blocks and warps that execute them.
//
// A warp executes one path at a time: a set of its lanes that are at the same instruction. Where
// lanes diverge, a node holds where they reconverge (the branch's immediate post-dominator), which
// lanes are expected there and which have arrived. The nodes of a warp form a tree; a path hangs
// below the node it is heading for.
#ifndef WM_EXEC_INTERPRETER_H
#define WM_EXEC_INTERPRETER_H

#include "base/containers/arena.h"
#include "exec/exec.h"
#include "ptx/control_flow.h"

struct wm_op;
struct wm_warp;

// Executes `op` for the warp's current lanes and returns the op to execute next, or NULL when the
// warp has to stop (warp->next is then where it continues, if it does).
typedef const struct wm_op *wm_op_handler(struct wm_warp *warp, const struct wm_op *op);

// Operands are offsets (multiples of 4) with a base in their two low bits; warp->bases[] holds
// each base less its own number, so that base + operand is the address.
enum wm_operand_base {
    WM_BASE_FRAME,    // registers of the function being executed
    WM_BASE_CONSTANT, // the kernel's constants, broadcast to all lanes
    WM_BASE_WARP,     // what is the same for warp w of every block: %tid
    WM_BASE_BLOCK,    // what is the same for all threads of a block: %ctaid, %ntid, …
};

struct wm_move_range;
// Moves one element a lane between registers and memory, when all addresses of `mask` lie within
// `range` and are aligned; returns 0, having done nothing, when not. Else one more than the lanes'
// address pattern (enum wm_half_warp_pattern, which may be unknown).
typedef uint32_t wm_move_function(void *data, const void *addresses, int64_t offset, uint32_t mask,
                                  const struct wm_move_range *range);

// Addresses [low, low + size_bytes) are the host's bytes from `host`.
struct wm_move_range {
    uint64_t low, size_bytes;
    char *host;
};

enum {
    WM_NO_OP = UINT32_MAX,
    WM_NO_RECONVERGENCE_NODE = UINT32_MAX,
    WM_NO_PATH = UINT32_MAX,
    WM_ROOT_NODE = 0,
    WM_MAX_VECTOR = 8,
    WM_MAX_RECONVERGENCE_NODES = 1 << 17, // of a warp
    WM_NAMED_BARRIERS = 16,
    WM_CLUSTER_BARRIER = WM_NAMED_BARRIERS,
    WM_BARRIERS,
};

struct wm_memory_form;
struct wm_call_form;
struct wm_indirect_form;
struct wm_pack_form;
struct wm_warp_form;
struct wm_runtime_form;
struct wm_scalar_form;
struct wm_texture_form;
struct wm_surface_form;
struct wm_image_query_form;
struct wm_reference_query_form;
struct wm_texture_objects;

struct wm_op {
    wm_op_handler *run;
    wm_op_handler *body; // a guarded op: what it does for the lanes whose guard holds
    union {
        wm_lane_function *lane;
        wm_move_function *move;
    };
    uint32_t d, a, b, c;
    uint32_t extra; // the fourth source of bfi and lop3
    uint32_t guard;
    uint32_t pc;
    uint16_t step_d, step_a, step_b, step_c; // bytes from lanes 0…31 to lanes 32…63
    union {
        struct {
            uint32_t target;       // op index
            uint32_t reconverge;   // op index of the reconvergence point, or WM_NO_OP
            uint32_t target_count; // of brx.idx
        };
        uint64_t immediate;
        int64_t offset;
    };
    union {
        const struct wm_memory_form *memory;
        const struct wm_call_form *call;
        const struct wm_indirect_form *indirect;
        const struct wm_pack_form *pack;
        const struct wm_warp_form *warp;
        const struct wm_runtime_form *runtime;
        const struct wm_scalar_form *scalar;
        const struct wm_texture_form *texture;
        const struct wm_surface_form *surface;
        const struct wm_image_query_form *image_query;
        const struct wm_reference_query_form *reference_query;
        const uint32_t *targets; // brx.idx: op indices
        const char *refusal;     // of a function that cannot be executed
    };
    bool guard_negated;
    uint8_t flags; // by handler
};

enum wm_atomic_operation {
    WM_ATOMIC_ADD,
    WM_ATOMIC_INC,
    WM_ATOMIC_DEC,
    WM_ATOMIC_MIN,
    WM_ATOMIC_MAX,
    WM_ATOMIC_AND,
    WM_ATOMIC_OR,
    WM_ATOMIC_XOR,
    WM_ATOMIC_EXCH,
    WM_ATOMIC_CAS,
};

// A memory instruction, in full; the fast handlers use the op alone.
struct wm_memory_form {
    enum wm_access_kind kind;
    wm_ptx_space space; // WM_PTX_none: generic
    enum wm_cache_hint hint;
    uint8_t element_bytes, element_count, bytes; // bytes = element_bytes × element_count
    bool sign_extend;
    bool spins;          // a lane may be waiting for another lane with it
    bool wide_address;   // the address operand has 64-bit lanes
    bool wide_value;     // the registers have 64-bit lanes
    bool frame_relative; // a local variable of a called function
    enum wm_atomic_operation atomic;
    wm_ptx_type type;
    uint32_t address;
    int64_t offset;
    uint32_t values[WM_MAX_VECTOR]; // WM_NO_OP: "_"
    uint32_t swap;                  // cas: the new value (`operand` is the one to compare with)
    uint32_t operand;               // atomics: the operand; values[0] takes the old value
    const uint32_t *operands;       // atomics on vectors: one an element
    uint32_t range;                 // index of its cached range in the grid
    uint32_t function;              // parameters of functions: whose frame
    uint64_t value_mask;            // sign_extend: the bits of the destination register
    // For wm_access_sink.access_by_registers; of local memory there is none.
    struct wm_memory_instruction instruction;
    bool keeps_address; // a fast move that leaves its address registers as they were
};

// Bytes of .param space copied between a caller's and a callee's frame.
struct wm_param_copy {
    uint32_t caller, callee, bytes;
};

struct wm_call_form {
    uint32_t caller, function; // indices in the kernel's functions
    uint32_t local_advance;    // bytes of .local variables that the caller keeps
    struct wm_param_copy *in, *out;
    uint32_t in_count, out_count;
};

struct wm_function_table;

// A call through an address: what it may reach, by ascending address.
struct wm_call_target {
    uint64_t address;
    struct wm_call_form call;
};

struct wm_indirect_form {
    struct wm_call_target *targets;
    uint32_t count;
    bool wide;                             // the address operand has 64-bit lanes
    const struct wm_function_table *table; // of the program, for messages
};

// mov with a vector on one side: parts, lowest first.
struct wm_pack_form {
    uint32_t parts[WM_MAX_VECTOR]; // WM_NO_OP: "_"
    uint8_t count, part_bytes;
    bool wide_part, wide_whole; // the registers have 64-bit lanes
};

// What a GPU of sm_80 or later keeps of a block's shared memory for itself (CUDA C++ Programming
// Guide, technical specifications), which NVIDIA's cooperative groups write to.
enum { WM_RESERVED_SHARED_BYTES = 1024 };

// One function of a kernel's call graph (the kernel itself is number 0).
struct wm_decoded_function {
    const struct wm_ptx_function *function;
    uint32_t entry;       // op index
    uint32_t frame_bytes; // registers and parameter space of one activation
    uint32_t param_area;  // offset of the parameter space in the frame
    uint32_t param_bytes; // a lane
    uint32_t local_bytes; // of .local variables, a thread
    uint32_t live_registers;
    uint32_t depth_local_bytes; // with everything it may call
    uint32_t first_pc;
    bool recursive;
    bool required; // the kernel, and what such a function calls by name
};

struct wm_decoded_kernel {
    struct wm_kernel kernel; // what the rest of warpmem sees
    struct wm_arena arena;   // owns everything below
    struct wm_op *ops;
    uint32_t op_count;
    uint32_t *counted; // PTX instructions among the ops before each; op_count + 1 of them
    char *constants;   // 64-byte aligned
    uint32_t constants_bytes;
    struct wm_decoded_function *functions;
    uint32_t function_count;
    uint32_t range_count;
    uint32_t dynamic_shared_offset; // where the launch's dynamic shared memory begins
    uint32_t activation_bytes;      // that each call takes of the stack besides variables
    bool allocates;                 // it has an alloca
    bool reserves_shared;           // it reads where shared memory is the system's
    unsigned width;
};

enum wm_path_state {
    WM_PATH_FREE,
    WM_PATH_READY,
    WM_PATH_RUNNING, // its state is in the warp's own fields
    WM_PATH_AT_BARRIER,
    WM_PATH_AT_WARP_SYNC,
    WM_PATH_AT_MBARRIER,
    WM_PATH_AT_CHILDREN, // waits for what its block launched
};

struct wm_path {
    enum wm_path_state state;
    uint32_t barrier;
    uint64_t mask;
    uint64_t members; // warp sync: the lanes it waits for
    const struct wm_op *next;
    uintptr_t frame;
    uint32_t local_base, node;
};

struct wm_reconvergence_node {
    uint32_t parent;
    uint32_t next_free;
    const struct wm_op *op; // where its lanes continue
    uint64_t expected;      // lanes that will come, arrived ones included; 0: the node is free
    uint64_t arrived;
    uintptr_t frame; // of the lanes when they continue
    uint32_t local_base;
    // A call's node: the lanes come here by returning.
    const struct wm_call_form *call;
    uintptr_t callee_frame;
};

struct wm_warp {
    uintptr_t bases[4];
    uint64_t mask; // lanes of the current path
    const struct wm_op *ops;
    uint64_t left; // ops until the loop ends
    const struct wm_access_sink *sink;
    struct wm_move_range shared;
    struct wm_block_state *block;
    struct wm_grid *grid;
    const struct wm_op *reconverge; // the op of the current path's node
    uint64_t mark;                  // `left` when instructions were last counted
    uint64_t uncounted;             // ops since then that are no PTX instructions
    bool stop_at_memory;
    // Below: touched when paths change.
    const struct wm_op *next;
    uint32_t node, local_base;
    uint32_t path;                    // the current path's place in paths[]; WM_NO_PATH: none
    struct wm_path *paths;            // one place a lane
    uint64_t free_paths, ready_paths; // places in paths[]
    struct wm_reconvergence_node
        *nodes; // owned; the root, which has no reconvergence point, is number 0
    uint32_t node_capacity, nodes_used; // the root aside
    uint32_t free_node;                 // WM_NO_RECONVERGENCE_NODE: all in use
    uint32_t index;                     // in the block
    uint64_t live, waiting;             // lanes not exited; lanes that have arrived at a node
    uint64_t existing;                  // lanes that are threads of the block
    uint64_t path_steps;                // ops since the current path was chosen, until this run
    uint64_t steps_from;                // `left` where it was chosen, or the run began
    uint32_t spins;                     // of them, instructions that may wait for another lane
    uint64_t spins_before;              // of paths before, since the warp began to run
    uint64_t warp_instructions, thread_instructions;
    uint64_t executed; // warp instructions, before it began to run
    // The clock that was read last in a spin; when that spin began, in ticks; how many instructions
    // the warp had executed at that reading, and what it gave. NULL: the warp is in none.
    const struct wm_op *spin;
    uint64_t spin_began, spin_seen, spin_read;
    uint64_t come[WM_BARRIERS];        // lanes that have come to each barrier
    uint64_t addresses[WM_MAX_LANES];  // of the memory instruction being executed
    uint32_t stack_tops[WM_MAX_LANES]; // where what each lane has allocated begins (stack_ops.h)
};

struct wm_barrier {
    uint64_t warps;         // warps with lanes that have come, to wait or by bar.arrive
    uint32_t waiting;       // lanes that wait
    uint32_t threads;       // the count the instruction named; 0: all live threads
    uint32_t reduced_count; // bar.red: threads whose predicate held
};

struct wm_block_state {
    struct wm_block public;
    struct wm_grid *grid;
    struct wm_block_state *next_free, *next_resident, *previous_resident;
    char *registers;        // the root frames of all warps
    char *shared;           // NULL when there is none
    char *local;            // warp after warp, interleaved by lane
    char *specials;         // WM_BASE_BLOCK
    uint64_t local_address; // what is reported for `local`
    struct wm_barrier barriers[WM_BARRIERS];
    uint32_t live_threads;
    struct wm_warp warps[];
};

struct wm_frame_pool {
    void *free;
};

struct wm_grid {
    const struct wm_decoded_kernel *decoded;
    struct wm_device_memory *memory;
    uint64_t generation; // of the memory when `ranges` was filled
    uint32_t grid[3], block[3];
    uint32_t gpu, peers; // as of its launch
    uint32_t threads_per_block, warps_per_block, sm_count;
    uint64_t local_offset;
    uint32_t shared_bytes, dynamic_shared_bytes;
    uint32_t reserved_shared_bytes; // of shared_bytes, at their end
    uint64_t block_count, clock;
    uint32_t local_bytes_per_thread; // with the stack
    uint64_t local_bytes_per_warp;
    char *parameters; // owned
    uint32_t parameter_bytes;
    char *thread_ids; // WM_BASE_WARP for each warp of a block: %tid.x, .y, .z
    struct wm_move_range *ranges;
    struct wm_frame_pool *frames; // by function
    struct wm_block_state *free_blocks, *resident_blocks;
    uint64_t workspace, graph;
    struct wm_device_output *output;           // borrowed; NULL: what is printed goes nowhere
    struct wm_device_heap *heap;               // borrowed; NULL: malloc gives nothing
    struct wm_condition_values *conditions;    // borrowed; NULL: there are none to set
    const struct wm_texture_objects *textures; // borrowed; NULL: there are none
    const struct wm_device_services *services; // borrowed; NULL: there are none
    bool (*stray)(void *context, const struct wm_stray_access *access); // of wm_launch
    void *stray_context;
    const struct wm_device_time *time; // borrowed; NULL: clocks count instructions
    bool faulted;
    struct wm_finding fault;
};

static inline void *wm_at(const struct wm_warp *warp, uint32_t operand)
{
    return (void *)(warp->bases[operand & 3] + operand);
}

static inline uint64_t *wm_predicate_at(const struct wm_warp *warp, uint32_t operand)
{
    return (uint64_t *)wm_at(warp, operand);
}

// What holds of the current lanes. Comparisons store 32 lanes at a time, and a processor holds up a
// load of more than was stored until the store lies in its cache: so 32 are read where that is all.
static inline uint64_t wm_predicate_read(const struct wm_warp *warp, uint32_t operand)
{
    if (warp->mask > UINT32_MAX)
        return *wm_predicate_at(warp, operand);
    uint32_t low;
    memcpy(&low, wm_at(warp, operand), sizeof(low));
    return low;
}

static inline unsigned wm_width(const struct wm_warp *warp)
{
    return warp->grid->decoded->width;
}

#endif
