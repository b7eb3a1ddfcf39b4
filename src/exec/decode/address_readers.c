// Which instructions read the same address registers: what the sink gets of fast moves in place of
// addresses (wm_access_sink.access_by_registers). See decoder.h.
#include "exec/decode/decoder.h"

void wm_decode_readers_forget(struct wm_decoder *decoder)
{
    decoder->reader_count = 0;
}

static void forget(struct wm_decoder *decoder, uint32_t place)
{
    for (uint32_t i = 0; i < decoder->reader_count; i++)
        if (decoder->readers[i].place == place)
            decoder->readers[i--] = decoder->readers[--decoder->reader_count];
}

// Whatever mentions a register other than as an address may write it.
static void forget_registers(struct wm_decoder *decoder, const struct wm_ptx_operand *operands,
                             uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        const struct wm_ptx_operand *operand = &operands[i];
        if (operand->kind == WM_PTX_OPERAND_REGISTER)
            forget(decoder, decoder->registers.offsets[operand->index] | WM_BASE_FRAME);
        forget_registers(decoder, operand->list, operand->list_count);
    }
}

void wm_decode_readers_pass(struct wm_decoder *decoder)
{
    forget_registers(decoder, decoder->instruction->operands, decoder->instruction->operand_count);
}

bool wm_decode_keeps_address(const struct wm_decoder *decoder, const struct wm_memory_form *form)
{
    uint32_t address = form->address;
    uint32_t value_bytes = decoder->width * (form->wide_value ? 8 : 4);
    uint32_t address_bytes = decoder->width * (form->wide_address ? 8 : 4);
    bool overwrites = false;
    for (unsigned e = 0; e < form->element_count; e++) {
        uint32_t value = form->values[e];
        overwrites |= (value & 3) == (address & 3) && value < address + address_bytes &&
                      address < value + value_bytes;
    }
    return !overwrites || form->kind != WM_ACCESS_LOAD;
}

void wm_decode_access_by_registers(struct wm_decoder *decoder, struct wm_memory_form *form,
                                   enum wm_address_space space)
{
    form->keeps_address = wm_decode_keeps_address(decoder, form);
    form->instruction = (struct wm_memory_instruction){.kind = form->kind,
                                                       .space = space,
                                                       .hint = form->hint,
                                                       .pc = decoder->pc,
                                                       .bytes_per_lane = form->bytes,
                                                       .lanes = decoder->width,
                                                       .narrow = !form->wide_address,
                                                       .offset = (uint64_t)form->offset,
                                                       .reference_pc = decoder->pc};
    for (uint32_t i = 0; i < decoder->reader_count; i++)
        if (decoder->readers[i].place == form->address) {
            form->instruction.reference_pc = decoder->readers[i].pc;
            form->instruction.apart = (uint64_t)(form->offset - decoder->readers[i].offset);
            return;
        }
    // A guarded one may not execute at all.
    if (decoder->instruction->guard != WM_PTX_NO_REGISTER ||
        decoder->reader_count == WM_DECODE_READERS)
        return;
    decoder->readers[decoder->reader_count++] = (struct wm_address_reader){
        .place = form->address, .pc = decoder->pc, .offset = form->offset};
}
