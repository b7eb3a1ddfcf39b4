// Writes the stream of one warp (trace/warp/stream.h). One thread at a time. Private to trace/.
#ifndef WM_TRACE_WARP_ENCODER_H
#define WM_TRACE_WARP_ENCODER_H

#include "trace/warp/stream.h"

struct wm_warp_encoder;

// Whether those of 32 lanes that are in `mask` lie as `shape` says from `base` on (its own mask is
// not read). Their addresses are 64-bit registers plus `offset`, or 32-bit ones plus `offset`
// modulo 2^32. Pure.
typedef bool wm_address_pattern_function(const void *registers, uint64_t offset, uint32_t mask,
                                         uint64_t base, const struct wm_trace_shape *shape);
// An access by registers of 32 lanes' 64-bit registers, as were the slot's last.
typedef void wm_full_by_registers_function(struct wm_warp_encoder *encoder,
                                           struct wm_encoder_slot *slot,
                                           const struct wm_memory_instruction *instruction,
                                           const uint64_t *registers);
struct wm_address_pattern_functions {
    wm_address_pattern_function *wide, *narrow;
    wm_full_by_registers_function *full_by_registers;
};
// The plain build, and the fastest that this processor runs and WARPMEM_ISA allows
// (base/host/processor.h, looked at once: each chunk of each warp begins with it; any thread). NULL
// of the AVX-512 build where it cannot run.
extern const struct wm_address_pattern_functions wm_address_pattern_c;
const struct wm_address_pattern_functions *wm_address_pattern_avx512_find(void);
const struct wm_address_pattern_functions *wm_address_pattern_best(void);

struct wm_warp_encoder {
    struct wm_bytes control, data;
    struct wm_trace_first_access *firsts; // owned
    uint32_t first_count, first_capacity;
    uint64_t control_run, data_run; // predicted ones not yet written
    uint64_t steps;                 // of the chunk's items
    struct wm_encoder_slot *slots;  // owned; slot_count of them
    uint32_t slot_count;
    uint32_t shapes;                                    // counts those of slots that changed
    const struct wm_address_pattern_functions *matches; // chosen when a chunk begins
    bool failed;                                        // memory ran out
    // Behind what every access needs.
    struct wm_trace_successors successors;
};

// `slots`: memory instructions of the kernel. Begins a chunk; keeps the memory of an earlier one.
void wm_warp_encoder_begin(struct wm_warp_encoder *encoder, uint32_t slots);
void wm_warp_encoder_release(struct wm_warp_encoder *encoder);

// The accesses of an item come before it, in order. `slot` is below slot_count; `subtract` is taken
// off each address (local memory is kept relative to its block's).
void wm_warp_encoder_access(struct wm_warp_encoder *encoder, uint32_t slot,
                            const struct wm_warp_access *access, uint64_t subtract);
// The same of an access by registers; `like` is the slot of instruction->reference_pc.
void wm_warp_encoder_by_registers(struct wm_warp_encoder *encoder, uint32_t slot, uint32_t like,
                                  const struct wm_memory_instruction *instruction,
                                  const void *registers, uint64_t active);
// Whether the access before in a slot was by this instruction and these lanes. If so an access by
// it may be encoded the shorter way. No access is known in the slot behind the last one.
static inline bool wm_warp_encoder_knows(const struct wm_encoder_slot *slot,
                                         const struct wm_memory_instruction *instruction,
                                         uint64_t active);
static inline void wm_warp_encoder_known(struct wm_warp_encoder *encoder,
                                         struct wm_encoder_slot *slot,
                                         const struct wm_memory_instruction *instruction,
                                         const void *registers, enum wm_half_warp_pattern rows);
void wm_warp_encoder_item(struct wm_warp_encoder *encoder, const struct wm_trace_item *item);
// The same item `times` times in a row; not 0.
void wm_warp_encoder_items(struct wm_warp_encoder *encoder, const struct wm_trace_item *item,
                           uint64_t times);
// Ends the chunk: the strings and firsts are complete.
void wm_warp_encoder_end(struct wm_warp_encoder *encoder);

static inline size_t wm_warp_encoder_bytes(const struct wm_warp_encoder *encoder)
{
    return encoder->control.length + encoder->data.length +
           encoder->first_count * sizeof *encoder->firsts;
}

// --- Within the encoder ---

// An access of the slot's last shape whose base is not as expected.
void wm_warp_encoder_step(struct wm_warp_encoder *encoder, struct wm_encoder_slot *slot,
                          uint64_t base);
// An access by registers of the slot's last lanes, in full.
void wm_warp_encoder_lanes(struct wm_warp_encoder *encoder, struct wm_encoder_slot *slot,
                           const struct wm_encoder_slot *like,
                           const struct wm_memory_instruction *instruction, const void *registers);
// An access by registers that is not like the one before; slot->like is set.
void wm_warp_encoder_by_addresses(struct wm_warp_encoder *encoder, struct wm_encoder_slot *slot,
                                  const struct wm_memory_instruction *instruction,
                                  const void *registers, uint64_t active);

// An access of the slot's last shape.
static inline void wm_warp_encoder_base(struct wm_warp_encoder *encoder,
                                        struct wm_encoder_slot *slot, uint64_t base)
{
    if (base == slot->base + slot->step) {
        slot->base = base;
        encoder->data_run++;
    } else {
        wm_warp_encoder_step(encoder, slot, base);
    }
}

static inline bool wm_warp_encoder_knows(const struct wm_encoder_slot *slot,
                                         const struct wm_memory_instruction *instruction,
                                         uint64_t active)
{
    return slot->instruction == instruction && slot->shape.mask == active;
}

// Whether 32 lanes that are known to lie in two rows lie as the slot's last did.
static inline bool wm_warp_encoder_rows(const struct wm_encoder_slot *slot,
                                        const struct wm_memory_instruction *instruction,
                                        const uint64_t *addresses, enum wm_half_warp_pattern rows)
{
    const struct wm_trace_shape *shape = &slot->shape;
    uint64_t stride = rows == WM_HALF_WARPS_UNIFORM ? 0 : instruction->bytes_per_lane;
    uint64_t row = shape->row_shift == 0 ? 16 * stride : shape->row_stride;
    return (shape->row_shift == 0 || shape->row_shift == 4) && shape->stride == stride &&
           addresses[16] - addresses[0] == row;
}

// Nearly every access comes here and is as expected. What is called is called last, so that no
// registers are to be saved.
static inline void wm_warp_encoder_known(struct wm_warp_encoder *encoder,
                                         struct wm_encoder_slot *slot,
                                         const struct wm_memory_instruction *instruction,
                                         const void *registers, enum wm_half_warp_pattern rows)
{
    const struct wm_encoder_slot *like = &encoder->slots[slot->like];
    const uint64_t *addresses = registers;
    if (slot->alike_since == encoder->shapes)
        wm_warp_encoder_base(encoder, slot, like->base + instruction->apart);
    else if (like != slot || slot->shape.mask != UINT32_MAX || instruction->narrow)
        wm_warp_encoder_lanes(encoder, slot, like, instruction, registers);
    else if (rows != WM_HALF_WARPS_UNKNOWN &&
             wm_warp_encoder_rows(slot, instruction, addresses, rows))
        wm_warp_encoder_base(encoder, slot, addresses[0] + instruction->offset);
    else
        encoder->matches->full_by_registers(encoder, slot, instruction, registers);
}

#endif
