// Operands of PTX instructions into places of the frame and the constants: see decoder.h.
#include "exec/decode/decoder.h"
#include "exec/device_runtime/device_services.h"

#include "exec/grid.h"
#include "exec/memory/spaces.h"
#include "exec/operations/data_ops.h"

uint16_t wm_decode_step(wm_ptx_type type)
{
    switch (wm_register_class_of(type)) {
    case WM_CLASS_PREDICATE: return 4;
    case WM_CLASS_8: return 256;
    default: return 128;
    }
}

// Room for `bytes` constants, zeroed; WM_NO_OP when out of memory.
static uint32_t constant_room(struct wm_decoder *decoder, uint32_t bytes)
{
    struct wm_decoded_kernel *out = decoder->out;
    uint32_t size = (bytes + 63) & ~UINT32_C(63);
    if (out->constants_bytes + size > decoder->constant_capacity) {
        uint32_t capacity = decoder->constant_capacity ? decoder->constant_capacity * 2 : 8192;
        char *grown = aligned_alloc(64, capacity);
        if (!grown) {
            wm_decode_no_memory(decoder);
            return WM_NO_OP;
        }
        memset(grown, 0, capacity);
        if (out->constants_bytes)
            memcpy(grown, out->constants, out->constants_bytes);
        free(out->constants);
        out->constants = grown;
        decoder->constant_capacity = capacity;
    }
    uint32_t place = out->constants_bytes;
    out->constants_bytes += size;
    return place;
}

// Constants are few; a search through their bytes finds those that are there already.
static uint32_t constant_place(struct wm_decoder *decoder, const void *bytes, uint32_t size)
{
    const struct wm_decoded_kernel *out = decoder->out;
    for (uint32_t at = 0; at + size <= out->constants_bytes; at += 64)
        if (memcmp(out->constants + at, bytes, size) == 0)
            return at;
    uint32_t place = constant_room(decoder, size);
    if (place == WM_NO_OP)
        return 0;
    memcpy(decoder->out->constants + place, bytes, size);
    return place;
}

uint32_t wm_decode_constant(struct wm_decoder *decoder, uint64_t bits, enum wm_register_class class)
{
    union {
        uint32_t narrow[WM_MAX_LANES];
        uint64_t wide[WM_MAX_LANES];
    } lanes = {0};
    if (class == WM_CLASS_PREDICATE) {
        lanes.wide[0] = bits ? UINT64_MAX : 0;
        return constant_place(decoder, &lanes, 8) | WM_BASE_CONSTANT;
    }
    for (unsigned lane = 0; lane < decoder->width; lane++) {
        if (class == WM_CLASS_8)
            lanes.wide[lane] = bits;
        else
            lanes.narrow[lane] = (uint32_t)bits;
    }
    return constant_place(decoder, &lanes, wm_register_bytes(class, decoder->width)) |
           WM_BASE_CONSTANT;
}

uint32_t wm_decode_lane_constants(struct wm_decoder *decoder, const uint32_t *values)
{
    return constant_place(decoder, values, 4 * decoder->width) | WM_BASE_CONSTANT;
}

uint32_t wm_decode_temporary(struct wm_decoder *decoder)
{
    if (decoder->temporaries == WM_MAX_TEMPORARIES) {
        wm_decode_refuse(decoder, WM_UNSUPPORTED, "too many operands that need conversion");
        return 0;
    }
    uint32_t place = decoder->registers.frame_bytes + decoder->temporaries * 8 * decoder->width;
    decoder->temporaries++;
    if (decoder->temporaries > decoder->most_temporaries)
        decoder->most_temporaries = decoder->temporaries;
    return place | WM_BASE_FRAME;
}

enum wm_register_class wm_decode_class_of(const struct wm_decoder *decoder,
                                          const struct wm_ptx_operand *operand)
{
    if (operand->kind != WM_PTX_OPERAND_REGISTER)
        return WM_CLASS_NONE;
    return wm_register_class_of(decoder->function->registers[operand->index].type);
}

// Special registers that are vectors of the block or the warp; WM_NO_OP for the others.
static uint32_t vector_special(const struct wm_decoder *decoder, enum wm_ptx_special special)
{
    static const struct {
        enum wm_ptx_special special;
        uint8_t vector, base;
    } table[] = {
        {WM_PTX_SPECIAL_tid_x, WM_VECTOR_TID_X, WM_BASE_WARP},
        {WM_PTX_SPECIAL_tid_y, WM_VECTOR_TID_Y, WM_BASE_WARP},
        {WM_PTX_SPECIAL_tid_z, WM_VECTOR_TID_Z, WM_BASE_WARP},
        {WM_PTX_SPECIAL_warpid, WM_VECTOR_WARPID, WM_BASE_WARP},
        {WM_PTX_SPECIAL_ntid_x, WM_VECTOR_NTID_X, WM_BASE_BLOCK},
        {WM_PTX_SPECIAL_ntid_y, WM_VECTOR_NTID_Y, WM_BASE_BLOCK},
        {WM_PTX_SPECIAL_ntid_z, WM_VECTOR_NTID_Z, WM_BASE_BLOCK},
        {WM_PTX_SPECIAL_ctaid_x, WM_VECTOR_CTAID_X, WM_BASE_BLOCK},
        {WM_PTX_SPECIAL_ctaid_y, WM_VECTOR_CTAID_Y, WM_BASE_BLOCK},
        {WM_PTX_SPECIAL_ctaid_z, WM_VECTOR_CTAID_Z, WM_BASE_BLOCK},
        {WM_PTX_SPECIAL_nctaid_x, WM_VECTOR_NCTAID_X, WM_BASE_BLOCK},
        {WM_PTX_SPECIAL_nctaid_y, WM_VECTOR_NCTAID_Y, WM_BASE_BLOCK},
        {WM_PTX_SPECIAL_nctaid_z, WM_VECTOR_NCTAID_Z, WM_BASE_BLOCK},
        {WM_PTX_SPECIAL_nwarpid, WM_VECTOR_NWARPID, WM_BASE_BLOCK},
        {WM_PTX_SPECIAL_smid, WM_VECTOR_SMID, WM_BASE_BLOCK},
        {WM_PTX_SPECIAL_nsmid, WM_VECTOR_NSMID, WM_BASE_BLOCK},
        {WM_PTX_SPECIAL_dynamic_smem_size, WM_VECTOR_DYNAMIC_SHARED, WM_BASE_BLOCK},
        {WM_PTX_SPECIAL_envreg1, WM_VECTOR_ENVREG1, WM_BASE_BLOCK},
        {WM_PTX_SPECIAL_envreg2, WM_VECTOR_ENVREG2, WM_BASE_BLOCK},
        {WM_PTX_SPECIAL_total_smem_size, WM_VECTOR_TOTAL_SHARED, WM_BASE_BLOCK},
        {WM_PTX_SPECIAL_aggr_smem_size, WM_VECTOR_AGGREGATE_SHARED, WM_BASE_BLOCK},
        {WM_PTX_SPECIAL_reserved_smem_offset_begin, WM_VECTOR_RESERVED_SHARED, WM_BASE_BLOCK},
        {WM_PTX_SPECIAL_reserved_smem_offset_0, WM_VECTOR_RESERVED_SHARED, WM_BASE_BLOCK},
        {WM_PTX_SPECIAL_reserved_smem_offset_1, WM_VECTOR_RESERVED_SECOND, WM_BASE_BLOCK},
        {WM_PTX_SPECIAL_reserved_smem_offset_end, WM_VECTOR_RESERVED_END, WM_BASE_BLOCK},
        // Each block is a cluster of its own.
        {WM_PTX_SPECIAL_clusterid_x, WM_VECTOR_CTAID_X, WM_BASE_BLOCK},
        {WM_PTX_SPECIAL_clusterid_y, WM_VECTOR_CTAID_Y, WM_BASE_BLOCK},
        {WM_PTX_SPECIAL_clusterid_z, WM_VECTOR_CTAID_Z, WM_BASE_BLOCK},
        {WM_PTX_SPECIAL_nclusterid_x, WM_VECTOR_NCTAID_X, WM_BASE_BLOCK},
        {WM_PTX_SPECIAL_nclusterid_y, WM_VECTOR_NCTAID_Y, WM_BASE_BLOCK},
        {WM_PTX_SPECIAL_nclusterid_z, WM_VECTOR_NCTAID_Z, WM_BASE_BLOCK},
    };
    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++)
        if (table[i].special == special)
            return table[i].vector * decoder->width * 4 | table[i].base;
    return WM_NO_OP;
}

// Special registers that depend on the lane's number alone.
static bool lane_special(const struct wm_decoder *decoder, enum wm_ptx_special special,
                         uint32_t *values)
{
    for (unsigned lane = 0; lane < decoder->width; lane++) {
        uint32_t bit = UINT32_C(1) << (lane & 31);
        switch ((int)special) {
        case WM_PTX_SPECIAL_laneid: values[lane] = lane; break;
        case WM_PTX_SPECIAL_lanemask_eq: values[lane] = bit; break;
        case WM_PTX_SPECIAL_lanemask_lt: values[lane] = bit - 1; break;
        case WM_PTX_SPECIAL_lanemask_le: values[lane] = bit - 1 + bit; break;
        case WM_PTX_SPECIAL_lanemask_gt: values[lane] = ~(bit - 1 + bit); break;
        case WM_PTX_SPECIAL_lanemask_ge: values[lane] = ~(bit - 1); break;
        case WM_PTX_SPECIAL_warp_size: values[lane] = decoder->width; break;
        default: return false;
        }
    }
    return true;
}

static uint32_t clock_special(struct wm_decoder *decoder, enum wm_ptx_special special)
{
    uint32_t place = wm_decode_temporary(decoder);
    struct wm_op *op = wm_decode_emit_extra(decoder, wm_run_clock);
    op->d = place;
    op->flags =
        wm_register_class_of(wm_ptx_special_type(special)) == WM_CLASS_8 ? WM_CLOCK_WIDE : 0;
    if (special == WM_PTX_SPECIAL_globaltimer || special == WM_PTX_SPECIAL_globaltimer_lo ||
        special == WM_PTX_SPECIAL_globaltimer_hi)
        op->flags |= WM_CLOCK_NANOSECONDS;
    op->immediate =
        special == WM_PTX_SPECIAL_clock_hi || special == WM_PTX_SPECIAL_globaltimer_hi ? 32 : 0;
    op->extra = wm_decode_spin_length(decoder);
    return place;
}

// The launch's, of two halves.
static uint32_t graph_special(struct wm_decoder *decoder)
{
    uint32_t place = wm_decode_temporary(decoder);
    struct wm_pack_form *form = wm_decode_allocate(decoder, sizeof(*form));
    if (!form)
        return place;
    *form = (struct wm_pack_form){.count = 2, .part_bytes = 4, .wide_whole = true};
    for (uint32_t half = 0; half < 2; half++)
        form->parts[half] = (WM_VECTOR_GRAPH_LOW + half) * decoder->width * 4 | WM_BASE_BLOCK;
    struct wm_op *op = wm_decode_emit_extra(decoder, wm_run_pack);
    op->d = place;
    op->pack = form;
    return place;
}

static uint32_t special_source(struct wm_decoder *decoder, enum wm_ptx_special special)
{
    if (special >= WM_PTX_SPECIAL_reserved_smem_offset_begin &&
        special <= WM_PTX_SPECIAL_reserved_smem_offset_1)
        decoder->out->reserves_shared = true;
    uint32_t place = vector_special(decoder, special);
    if (place != WM_NO_OP)
        return place;
    uint32_t values[WM_MAX_LANES];
    if (lane_special(decoder, special, values))
        return wm_decode_lane_constants(decoder, values);
    // The driver's own (PTX ISA 10.28): of what CUDA's puts there, only the two above are known.
    if (special >= WM_PTX_SPECIAL_envreg0 && special <= WM_PTX_SPECIAL_envreg31)
        return wm_decode_constant(decoder, 0, WM_CLASS_4);
    switch ((int)special) {
    case WM_PTX_SPECIAL_clock:
    case WM_PTX_SPECIAL_clock_hi:
    case WM_PTX_SPECIAL_clock64:
    case WM_PTX_SPECIAL_globaltimer:
    case WM_PTX_SPECIAL_globaltimer_lo:
    case WM_PTX_SPECIAL_globaltimer_hi: return clock_special(decoder, special);
    case WM_PTX_SPECIAL_reserved_smem_offset_cap:
        return wm_decode_constant(decoder, WM_RESERVED_SHARED_BYTES, WM_CLASS_4);
    case WM_PTX_SPECIAL_current_graph_exec: return graph_special(decoder);
    // Nothing is counted here.
    case WM_PTX_SPECIAL_gridid:
    case WM_PTX_SPECIAL_pm0_64:
    case WM_PTX_SPECIAL_pm1_64:
    case WM_PTX_SPECIAL_pm2_64:
    case WM_PTX_SPECIAL_pm3_64:
    case WM_PTX_SPECIAL_pm4_64:
    case WM_PTX_SPECIAL_pm5_64:
    case WM_PTX_SPECIAL_pm6_64:
    case WM_PTX_SPECIAL_pm7_64: return wm_decode_constant(decoder, 0, WM_CLASS_8);
    case WM_PTX_SPECIAL_pm0:
    case WM_PTX_SPECIAL_pm1:
    case WM_PTX_SPECIAL_pm2:
    case WM_PTX_SPECIAL_pm3:
    case WM_PTX_SPECIAL_pm4:
    case WM_PTX_SPECIAL_pm5:
    case WM_PTX_SPECIAL_pm6:
    case WM_PTX_SPECIAL_pm7:
    case WM_PTX_SPECIAL_cluster_ctaid_x:
    case WM_PTX_SPECIAL_cluster_ctaid_y:
    case WM_PTX_SPECIAL_cluster_ctaid_z:
    case WM_PTX_SPECIAL_cluster_ctarank: return wm_decode_constant(decoder, 0, WM_CLASS_4);
    case WM_PTX_SPECIAL_cluster_nctaid_x:
    case WM_PTX_SPECIAL_cluster_nctaid_y:
    case WM_PTX_SPECIAL_cluster_nctaid_z:
    case WM_PTX_SPECIAL_cluster_nctarank: return wm_decode_constant(decoder, 1, WM_CLASS_4);
    case WM_PTX_SPECIAL_is_explicit_cluster:
        return wm_decode_constant(decoder, 0, WM_CLASS_PREDICATE);
    default: break;
    }
    wm_decode_refuse(decoder, WM_UNSUPPORTED, "special register %s is not supported yet",
                     wm_ptx_special_text(special));
    return 0;
}

bool wm_decode_symbol_address(struct wm_decoder *decoder, const struct wm_ptx_symbol *symbol,
                              uint64_t *address)
{
    if (wm_symbol_addresses_get(&decoder->shared, symbol, address) ||
        wm_symbol_addresses_get(&decoder->kernel_parameters, symbol, address) ||
        wm_symbol_addresses_get(decoder->addresses, symbol, address))
        return true;
    // A local variable of the kernel itself: called functions' depend on the caller.
    return decoder->function_index == 0 &&
           wm_symbol_addresses_get(&decoder->locals, symbol, address);
}

const struct wm_ptx_function *wm_decode_function_of(const struct wm_decoder *decoder,
                                                    const struct wm_ptx_symbol *symbol)
{
    const struct wm_ptx_symbol *definition = wm_linker_definition(decoder->linker, symbol);
    // nvcc links NVIDIA's own device runtime into a program, which is made of a driver's system
    // calls: the launch's services stand in for it as a whole.
    enum wm_device_service service;
    bool defined = definition->kind == WM_PTX_SYMBOL_FUNCTION && definition->function->defined &&
                   !wm_device_service_find(symbol->name, &service);
    return defined ? definition->function : NULL;
}

void wm_decode_refuse_symbol(struct wm_decoder *decoder, const struct wm_ptx_symbol *symbol,
                             const char *format)
{
    char text[160];
    const struct wm_ptx_symbol *definition = wm_linker_definition(decoder->linker, symbol);
    snprintf(text, sizeof(text), format, symbol->name);
    if (symbol->linkage == WM_PTX_LINKAGE_EXTERN && definition == symbol)
        snprintf(text, sizeof(text), "no module of the program defines '%s'", symbol->name);
    wm_decode_refuse(decoder, WM_UNSUPPORTED, "%s", text);
}

static uint32_t symbol_source(struct wm_decoder *decoder, const struct wm_ptx_operand *operand,
                              enum wm_register_class class)
{
    const struct wm_ptx_symbol *symbol = operand->symbol;
    uint64_t address;
    if (wm_decode_symbol_address(decoder, symbol, &address))
        return wm_decode_constant(decoder, address + (uint64_t)operand->offset, class);
    if (wm_symbol_addresses_get(&decoder->locals, symbol, &address)) {
        uint32_t place = wm_decode_temporary(decoder);
        struct wm_op *op = wm_decode_emit_extra(decoder, wm_run_add_local_base);
        op->d = place;
        op->flags = class == WM_CLASS_8 ? 8 : 4;
        op->immediate = address + (uint64_t)operand->offset;
        return place;
    }
    wm_decode_refuse_symbol(decoder, symbol, "the address of '%s' cannot be taken");
    return 0;
}

static uint64_t literal_bits(const struct wm_ptx_operand *operand, wm_ptx_type type)
{
    if (operand->kind == WM_PTX_OPERAND_F64 && type == WM_PTX_f32) {
        double wide;
        memcpy(&wide, &operand->bits, sizeof(wide));
        float narrow = (float)wide;
        uint32_t bits;
        memcpy(&bits, &narrow, sizeof(bits));
        return bits;
    }
    if (operand->kind == WM_PTX_OPERAND_F32 && type == WM_PTX_f64) {
        uint32_t narrow_bits = (uint32_t)operand->bits;
        float narrow;
        memcpy(&narrow, &narrow_bits, sizeof(narrow));
        double wide = (double)narrow;
        uint64_t bits;
        memcpy(&bits, &wide, sizeof(bits));
        return bits;
    }
    return operand->bits;
}

// A wider register read as a type of up to 32 bits: the low half of its low 64.
static uint32_t narrowed(struct wm_decoder *decoder, uint32_t place)
{
    uint32_t low = wm_decode_temporary(decoder);
    struct wm_pack_form *form = wm_decode_allocate(decoder, sizeof(*form));
    if (!form)
        return low;
    *form = (struct wm_pack_form){
        .parts = {low, WM_NO_OP}, .count = 2, .part_bytes = 4, .wide_whole = true};
    struct wm_op *op = wm_decode_emit_extra(decoder, wm_run_unpack);
    op->a = place;
    op->pack = form;
    return low;
}

static uint32_t register_source(struct wm_decoder *decoder, const struct wm_ptx_operand *operand,
                                enum wm_register_class class)
{
    const struct wm_ptx_register *reg = &decoder->function->registers[operand->index];
    enum wm_register_class own = wm_register_class_of(reg->type);
    uint32_t place = decoder->registers.offsets[operand->index] | WM_BASE_FRAME;
    if (own == class)
        return place;
    if ((own == WM_CLASS_8 || own == WM_CLASS_16) && class == WM_CLASS_4)
        return narrowed(decoder, place);
    if (own == WM_CLASS_16 && class == WM_CLASS_8)
        return place; // the low half
    wm_decode_refuse(decoder, own == WM_CLASS_NONE ? WM_UNSUPPORTED : WM_INVALID,
                     own == WM_CLASS_NONE ? "register %s has a type that is not supported yet"
                                          : "register %s has the wrong size for this operand",
                     reg->name);
    return 0;
}

uint32_t wm_decode_source(struct wm_decoder *decoder, const struct wm_ptx_operand *operand,
                          wm_ptx_type type)
{
    enum wm_register_class class = wm_register_class_of(type);
    if (class == WM_CLASS_NONE) {
        wm_decode_refuse(decoder, WM_UNSUPPORTED, "type .%s is not supported here yet",
                         wm_ptx_modifier_text(type));
        return 0;
    }
    if (class == WM_CLASS_16 && operand->kind != WM_PTX_OPERAND_REGISTER) {
        wm_decode_refuse(decoder, WM_INVALID, "a value of type .b128 that is not a register");
        return 0;
    }
    switch (operand->kind) {
    case WM_PTX_OPERAND_REGISTER: return register_source(decoder, operand, class);
    case WM_PTX_OPERAND_SPECIAL: return special_source(decoder, operand->special);
    case WM_PTX_OPERAND_INTEGER:
    case WM_PTX_OPERAND_F32:
    case WM_PTX_OPERAND_F64: return wm_decode_constant(decoder, literal_bits(operand, type), class);
    case WM_PTX_OPERAND_SYMBOL: return symbol_source(decoder, operand, class);
    default: break;
    }
    wm_decode_refuse(decoder, WM_INVALID, "an operand of this kind cannot be read as a value");
    return 0;
}

uint32_t wm_decode_high_half(const struct wm_decoder *decoder, uint32_t place)
{
    return place + wm_register_bytes(WM_CLASS_8, decoder->width);
}

uint32_t wm_decode_predicate(struct wm_decoder *decoder, const struct wm_ptx_operand *operand)
{
    return wm_decode_source(decoder, operand, WM_PTX_pred);
}

uint32_t wm_decode_destination(struct wm_decoder *decoder, const struct wm_ptx_operand *operand,
                               wm_ptx_type type)
{
    if (operand->kind == WM_PTX_OPERAND_SINK)
        return wm_decode_temporary(decoder);
    enum wm_register_class class = wm_register_class_of(type);
    if (operand->kind != WM_PTX_OPERAND_REGISTER) {
        wm_decode_refuse(decoder, WM_INVALID, "the destination is not a register");
        return 0;
    }
    const struct wm_ptx_register *reg = &decoder->function->registers[operand->index];
    if (class == WM_CLASS_NONE || wm_register_class_of(reg->type) != class) {
        wm_decode_refuse(decoder, class == WM_CLASS_NONE ? WM_UNSUPPORTED : WM_INVALID,
                         "register %s cannot take a value of type .%s", reg->name,
                         wm_ptx_modifier_text(type));
        return 0;
    }
    return decoder->registers.offsets[operand->index] | WM_BASE_FRAME;
}
