// Initialisers and instructions as text.
#include "ptx/print/printer.h"

#include <inttypes.h>

static void print_u64(struct wm_text *text, uint64_t value)
{
    char digits[20];
    unsigned at = sizeof digits;
    do
        digits[--at] = (char)('0' + value % 10);
    while (value /= 10);
    wm_text_append(text, digits + at, sizeof digits - at);
}

static void print_i64(struct wm_text *text, int64_t value)
{
    if (value < 0)
        wm_text_add(text, "-");
    print_u64(text, value < 0 ? -(uint64_t)value : (uint64_t)value);
}

// "+8", "+-4": the form that ptxas accepts behind symbols and registers alike.
static void print_offset(struct wm_text *text, int64_t offset)
{
    if (offset) {
        wm_text_add(text, "+");
        print_i64(text, offset);
    }
}

static void print_scalar(const struct wm_ptx_symbol *variable,
                         const struct wm_ptx_initializer *value, struct wm_text *text)
{
    wm_ptx_type type = variable->type;
    if (value->symbol) {
        bool masked = value->shift != 255;
        if (masked)
            wm_text_format(text, "0x%" PRIX64 "(", UINT64_C(0xFF) << value->shift * 8);
        wm_text_add(text, value->generic ? "generic(" : "");
        wm_text_add(text, value->symbol->name);
        wm_text_add(text, value->generic ? ")" : "");
        print_offset(text, value->offset);
        wm_text_add(text, masked ? ")" : "");
    } else if (type == WM_PTX_f32) {
        wm_text_format(text, "0f%08" PRIX32, (uint32_t)value->bits);
    } else if (type == WM_PTX_f64) {
        wm_text_format(text, "0d%016" PRIX64, value->bits);
    } else if (wm_ptx_type_is_signed(type)) {
        unsigned unused = 64 - 8 * wm_ptx_type_bytes(type);
        print_i64(text, (int64_t)(value->bits << unused) >> unused);
    } else {
        print_u64(text, value->bits);
    }
}

struct levels {
    uint64_t elements[6]; // scalars in one item of each level
    unsigned count;
};

// The braces of one level; stops where the values given do.
static void print_level(const struct wm_ptx_symbol *symbol, const struct levels *levels,
                        unsigned level, uint64_t begin, struct wm_text *text)
{
    uint64_t end = levels->elements[level] > symbol->initializer_count - begin
                       ? symbol->initializer_count
                       : begin + levels->elements[level];
    if (level == levels->count) {
        print_scalar(symbol, &symbol->initializers[begin], text);
        return;
    }
    wm_text_add(text, "{");
    for (uint64_t at = begin; at < end;) {
        if (at > begin)
            wm_text_add(text, ", ");
        print_level(symbol, levels, level + 1, at, text);
        uint64_t step = levels->elements[level + 1];
        at = step > end - at ? end : at + step;
    }
    wm_text_add(text, "}");
}

void wm_ptx_print_initializer(const struct wm_ptx_symbol *symbol, struct wm_text *text)
{
    struct levels levels = {.count = symbol->dimension_count};
    if (symbol->vector_length > 1)
        levels.count++;
    uint64_t elements = 1;
    levels.elements[levels.count] = 1;
    for (unsigned level = levels.count; level-- > 0;) {
        elements *=
            level < symbol->dimension_count ? symbol->dimensions[level] : symbol->vector_length;
        levels.elements[level] = elements;
    }
    print_level(symbol, &levels, 0, 0, text);
}

static void print_operand(const struct wm_ptx_function *function,
                          const struct wm_ptx_operand *operand, struct wm_text *text);

static void print_list(const struct wm_ptx_function *function, const struct wm_ptx_operand *operand,
                       const char *open, const char *separator, const char *close,
                       struct wm_text *text)
{
    wm_text_add(text, open);
    for (unsigned i = 0; i < operand->list_count; i++) {
        wm_text_add(text, i ? separator : "");
        print_operand(function, &operand->list[i], text);
    }
    wm_text_add(text, close);
}

static void print_address(const struct wm_ptx_function *function,
                          const struct wm_ptx_operand *operand, struct wm_text *text)
{
    wm_text_add(text, "[");
    if (operand->base_register || operand->symbol) {
        wm_text_add(text, operand->base_register ? function->registers[operand->index].name
                                                 : operand->symbol->name);
        print_offset(text, operand->offset);
    } else {
        print_i64(text, operand->offset);
    }
    wm_text_add(text, "]");
}

static void print_register(const struct wm_ptx_function *function,
                           const struct wm_ptx_operand *operand, struct wm_text *text)
{
    const struct wm_ptx_register *entry = &function->registers[operand->index];
    if (operand->negated)
        wm_text_add(text, entry->type == WM_PTX_pred ? "!" : "-");
    wm_text_add(text, entry->name);
    if (operand->part_count)
        wm_text_add(text, operand->part_bytes == 2 ? ".h" : ".b");
    for (unsigned i = operand->part_count; i-- > 0;)
        wm_text_format(text, "%u", operand->parts[i]);
}

static void print_operand(const struct wm_ptx_function *function,
                          const struct wm_ptx_operand *operand, struct wm_text *text)
{
    switch (operand->kind) {
    case WM_PTX_OPERAND_REGISTER: print_register(function, operand, text); break;
    case WM_PTX_OPERAND_SPECIAL: wm_text_add(text, wm_ptx_special_text(operand->special)); break;
    case WM_PTX_OPERAND_INTEGER: print_i64(text, (int64_t)operand->bits); break;
    case WM_PTX_OPERAND_F32: wm_text_format(text, "0f%08" PRIX32, (uint32_t)operand->bits); break;
    case WM_PTX_OPERAND_F64: wm_text_format(text, "0d%016" PRIX64, operand->bits); break;
    case WM_PTX_OPERAND_SYMBOL:
        wm_text_add(text, operand->symbol->name);
        print_offset(text, operand->offset);
        break;
    case WM_PTX_OPERAND_ADDRESS: print_address(function, operand, text); break;
    case WM_PTX_OPERAND_VECTOR: print_list(function, operand, "{", ", ", "}", text); break;
    case WM_PTX_OPERAND_LIST: print_list(function, operand, "(", ", ", ")", text); break;
    case WM_PTX_OPERAND_PAIR: print_list(function, operand, "", "|", "", text); break;
    case WM_PTX_OPERAND_TEXTURE: print_list(function, operand, "[", ", ", "]", text); break;
    case WM_PTX_OPERAND_LABEL: wm_text_add(text, function->labels[operand->index]); break;
    case WM_PTX_OPERAND_SINK: wm_text_add(text, "_"); break;
    }
}

void wm_ptx_print_instruction(const struct wm_ptx_function *function,
                              const struct wm_ptx_instruction *instruction, struct wm_text *text)
{
    if (instruction->opcode == WM_PTX_OP_unknown) {
        wm_text_add(text, instruction->text);
        return;
    }
    wm_text_add(text, wm_ptx_opcode_text(instruction->opcode));
    for (unsigned i = 0; i < instruction->modifier_count; i++) {
        wm_text_add(text, ".");
        wm_text_add(text, wm_ptx_modifier_text((enum wm_ptx_modifier)instruction->modifiers[i]));
    }
    for (unsigned i = 0; i < instruction->operand_count; i++) {
        wm_text_add(text, i ? ", " : " ");
        print_operand(function, &instruction->operands[i], text);
    }
    if (instruction->call_prototype) {
        wm_text_add(text, ", ");
        wm_text_add(text, instruction->call_prototype);
    }
}
