// The decoder: from a kernel's PTX to its ops (private to exec/). decode_kernel.c drives,
// source_locations.c finds where instructions are in the source, decode_emit.c has refusals and the
// array of ops, decode_instruction.c chooses the family, decode_operands.c turns operands into
// places; decode_data.c, decode_scalar.c, decode_memory.c, decode_texture.c, decode_surface.c,
// decode_control.c, decode_call.c, decode_stack.c and decode_runtime.c take the instructions.
#ifndef WM_EXEC_DECODER_H
#define WM_EXEC_DECODER_H

#include "exec/decode/register_allocation.h"
#include "exec/interpreter.h"
#include "exec/program/function_table.h"
#include "exec/program/linker.h"
#include "exec/program/symbol_addresses.h"

struct wm_texture_geometry;

enum { WM_MAX_TEMPORARIES = 12, WM_DECODE_READERS = 8 };

// A memory instruction of the straight code before that read address registers still unchanged.
struct wm_address_reader {
    uint32_t place, pc;
    int64_t offset;
};

struct wm_decoder {
    const struct wm_linker *linker;              // the program's
    const struct wm_symbol_addresses *addresses; // of the program's variables and functions
    struct wm_function_table *functions;
    const struct wm_ptx_module *module; // of the function being decoded
    struct wm_decoded_kernel *out;
    struct wm_arena scratch;
    enum wm_lane_isa isa;
    unsigned width;
    bool share_registers;
    struct wm_error *error;
    enum wm_status status; // the first failure; later steps do nothing
    // What grows
    uint32_t op_capacity, instruction_capacity, function_capacity, constant_capacity;
    struct wm_symbol_addresses shared, kernel_parameters;
    uint32_t shared_bytes;
    // The function being decoded
    const struct wm_ptx_function *function;
    uint32_t function_index;
    const struct wm_ptx_control_flow *flow;
    struct wm_register_allocation registers;
    struct wm_symbol_addresses locals, frame_params;
    uint32_t *block_ops;          // op index of each block's beginning
    const uint32_t *spin_lengths; // by instruction (decode_spin.c); NULL: not computed yet
    uint32_t temporaries, most_temporaries;
    uint32_t stack_mark; // where the function remembers its stack, or WM_NO_OP
    uint32_t carry;      // the predicate that holds the condition code's carry
    struct wm_address_reader readers[WM_DECODE_READERS];
    uint32_t reader_count;
    // The instruction being decoded
    const struct wm_ptx_instruction *instruction;
    uint32_t line, column, pc;
    bool around; // its guard is a branch around it
    struct wm_op nowhere;
};

// Records the first failure, with module:line:column and the instruction. Returns its status.
enum wm_status wm_decode_refuse(struct wm_decoder *decoder, enum wm_status status,
                                const char *format, ...) __attribute__((format(printf, 3, 4)));
enum wm_status wm_decode_no_memory(struct wm_decoder *decoder);

// Appends an op that does nothing yet. Never NULL: after a failure it is an op that is not read.
struct wm_op *wm_decode_append(struct wm_decoder *decoder);
// Appends an op for the current instruction: guarded when the instruction is. Never NULL: after a
// failure it is an op that is not read.
struct wm_op *wm_decode_emit(struct wm_decoder *decoder, wm_op_handler *handler);
// … that is no instruction of the program (it is not counted) and has no guard.
struct wm_op *wm_decode_emit_extra(struct wm_decoder *decoder, wm_op_handler *handler);
void *wm_decode_allocate(struct wm_decoder *decoder, size_t size);

// --- operands ---
// A constant in all lanes.
uint32_t wm_decode_constant(struct wm_decoder *decoder, uint64_t bits,
                            enum wm_register_class class);
// A different constant in each lane (32-bit lanes).
uint32_t wm_decode_lane_constants(struct wm_decoder *decoder, const uint32_t *values);
uint32_t wm_decode_temporary(struct wm_decoder *decoder);
// A value of `type` to read.
uint32_t wm_decode_source(struct wm_decoder *decoder, const struct wm_ptx_operand *operand,
                          wm_ptx_type type);
// A register to write a value of `type` into; "_" gives a place that is not read.
uint32_t wm_decode_destination(struct wm_decoder *decoder, const struct wm_ptx_operand *operand,
                               wm_ptx_type type);
// Of a .b128's place, which is also that of its low half.
uint32_t wm_decode_high_half(const struct wm_decoder *decoder, uint32_t place);
uint32_t wm_decode_predicate(struct wm_decoder *decoder, const struct wm_ptx_operand *operand);
enum wm_register_class wm_decode_class_of(const struct wm_decoder *decoder,
                                          const struct wm_ptx_operand *operand);
// A symbol's address in its own space, when it is the same for all threads.
bool wm_decode_symbol_address(struct wm_decoder *decoder, const struct wm_ptx_symbol *symbol,
                              uint64_t *address);
// What the program's modules define for a called function; NULL when nothing does.
const struct wm_ptx_function *wm_decode_function_of(const struct wm_decoder *decoder,
                                                    const struct wm_ptx_symbol *symbol);
// Refuses a symbol whose address is not known.
void wm_decode_refuse_symbol(struct wm_decoder *decoder, const struct wm_ptx_symbol *symbol,
                             const char *format) __attribute__((format(printf, 3, 0)));
// How many instructions a spin has, a loop that waits for the clock, if the current instruction is
// the first of it that reads the clock; WM_SPIN_CONTINUES of the others of it; else 0.
uint32_t wm_decode_spin_length(struct wm_decoder *decoder);
// Bytes from lanes 0…31 to lanes 32…63 of an operand of that type.
uint16_t wm_decode_step(wm_ptx_type type);

// Where the instruction behind `loc` is, which may be NULL: fills `to`. `statement` is its own.
void wm_decode_source_location(struct wm_decoder *decoder, const struct wm_ptx_loc *loc,
                               uint32_t statement, struct wm_kernel_instruction *to);

// Decodes instruction `index` of the current function's control flow.
void wm_decode_instruction(struct wm_decoder *decoder, uint32_t index);

// --- instructions: one function a family ---
void wm_decode_lanes(struct wm_decoder *decoder);
// What no lane kernel does, one lane after another; false when that is not known either.
bool wm_decode_scalar(struct wm_decoder *decoder);
void wm_decode_video(struct wm_decoder *decoder); // one lane after another: scalar_video.c
// add.cc, addc and their kin; wm_decode_lanes comes here.
void wm_decode_carry(struct wm_decoder *decoder);
void wm_decode_mov(struct wm_decoder *decoder);
void wm_decode_setp(struct wm_decoder *decoder);
void wm_decode_cvta(struct wm_decoder *decoder);
void wm_decode_isspacep(struct wm_decoder *decoder);
void wm_decode_policy(struct wm_decoder *decoder);          // createpolicy
void wm_decode_cluster_address(struct wm_decoder *decoder); // mapa, getctarank
void wm_decode_activemask(struct wm_decoder *decoder);
void wm_decode_memory(struct wm_decoder *decoder);
void wm_decode_atomic(struct wm_decoder *decoder);
void wm_decode_matrix(struct wm_decoder *decoder);       // mma, wmma, ldmatrix, stmatrix, movmatrix
void wm_decode_async(struct wm_decoder *decoder);        // cp.async
void wm_decode_async_access(struct wm_decoder *decoder); // st.async, red.async
void wm_decode_mbarrier(struct wm_decoder *decoder);
// The address of a matrix, a copy or a mbarrier.
struct wm_plain_address {
    wm_ptx_space space;
    bool wide;
    uint32_t place;
    int64_t offset;
};
bool wm_decode_plain_address(struct wm_decoder *decoder, const struct wm_ptx_operand *operand,
                             struct wm_plain_address *base);
void wm_decode_texture(struct wm_decoder *decoder);         // tex, tld4
void wm_decode_surface(struct wm_decoder *decoder);         // suld, sust, sured
void wm_decode_image_query(struct wm_decoder *decoder);     // txq, suq
void wm_decode_reference_query(struct wm_decoder *decoder); // istypep
// Of textures and surfaces; false after a refusal. `type`: the coordinates', but a layer's.
bool wm_decode_geometry(struct wm_decoder *decoder, struct wm_texture_geometry *geometry);
bool wm_decode_object(struct wm_decoder *decoder, const struct wm_ptx_operand *operand,
                      uint32_t *object);
bool wm_decode_coordinates(struct wm_decoder *decoder, const struct wm_ptx_operand *operand,
                           const struct wm_texture_geometry *geometry, wm_ptx_type type,
                           uint32_t *layer, uint32_t coordinates[3]);
void wm_decode_barrier(struct wm_decoder *decoder);
void wm_decode_warp(struct wm_decoder *decoder);
void wm_decode_call(struct wm_decoder *decoder);
// Whether a function takes or gives values in registers (.reg parameters); at its entry they come
// from its frame's parameter space, and before each of its returns they go there.
bool wm_decode_has_register_parameters(const struct wm_ptx_function *function);
void wm_decode_enter(struct wm_decoder *decoder);
void wm_decode_before_return(struct wm_decoder *decoder, bool guarded);
// What an indirect call may reach: its prototype, or NULL when the instruction is none; and the
// functions from `*number` of the table on, one after the other: NULL behind the last.
const struct wm_ptx_prototype *wm_decode_prototype(const struct wm_ptx_function *function,
                                                   const struct wm_ptx_instruction *instruction);
const struct wm_ptx_function *wm_decode_next_target(const struct wm_decoder *decoder,
                                                    const struct wm_ptx_prototype *prototype,
                                                    uint32_t *number);
// The instruction with what its module's version of PTX leaves unsaid (decode_legacy.c).
const struct wm_ptx_instruction *wm_decode_as_of_version(
    struct wm_decoder *decoder, const struct wm_ptx_instruction *instruction);
// A call of a function that no module defines or that is the device runtime's; false when that has
// none of the name.
bool wm_decode_runtime_call(struct wm_decoder *decoder, const char *name,
                            const struct wm_ptx_operand *results,
                            const struct wm_ptx_operand *arguments);
// Where a call's .param variable lies in the parameter space of the caller's frame.
bool wm_decode_param_place(struct wm_decoder *decoder, const struct wm_ptx_operand *operand,
                           uint32_t *place);
void wm_decode_branch(struct wm_decoder *decoder);
void wm_decode_branch_index(struct wm_decoder *decoder);
void wm_decode_leave(struct wm_decoder *decoder); // exit, ret, trap
void wm_decode_stack(struct wm_decoder *decoder); // alloca, stacksave, stackrestore
// What a function that allocates does at its entry, and before a return.
void wm_decode_stack_enter(struct wm_decoder *decoder);
void wm_decode_stack_leave(struct wm_decoder *decoder, bool guarded);
void wm_decode_nothing(struct wm_decoder *decoder);
void wm_decode_fence(struct wm_decoder *decoder);
void wm_decode_pause(struct wm_decoder *decoder);

// Whether the instruction leaves the registers of its addresses as they were: a load may put its
// value there, when they are not read again.
bool wm_decode_keeps_address(const struct wm_decoder *decoder, const struct wm_memory_form *form);
// Fills form->instruction of the memory instruction being decoded. Straight code ends; and
// continues behind the current instruction.
void wm_decode_access_by_registers(struct wm_decoder *decoder, struct wm_memory_form *form,
                                   enum wm_address_space space);
void wm_decode_readers_forget(struct wm_decoder *decoder);
void wm_decode_readers_pass(struct wm_decoder *decoder);

// Number of a called function in the kernel, added when it is new.
uint32_t wm_decode_function_index(struct wm_decoder *decoder,
                                  const struct wm_ptx_function *function);
// Kernel parameters, the functions it reaches, and shared memory.
void wm_decode_layout_kernel(struct wm_decoder *decoder, const struct wm_ptx_function *kernel);
// Offsets of a function's results, then its parameters, in its frame's parameter space; one more
// for the end.
void wm_decode_param_offsets(const struct wm_ptx_function *function, uint32_t *offsets);
// Lays out the parameter space and the local variables of a function's frame.
void wm_decode_layout_function(struct wm_decoder *decoder, const struct wm_ptx_function *function,
                               uint32_t index);

// Decodes the kernel; *decoded is freed with wm_decoded_kernel_free.
enum wm_status wm_decode_kernel(struct wm_decoder *decoder, const struct wm_ptx_function *kernel,
                                struct wm_decoded_kernel **decoded);
void wm_decoded_kernel_free(struct wm_decoded_kernel *decoded);

#endif
