// Deep equality of modules: what a print and a second parse must preserve.
#include "ptx/ptx.h"

// Where the walk stands, for the line that says what differs.
struct compare {
    const char *function; // name, or NULL at module level
    uint32_t item, statement;
    struct wm_text *difference; // may be NULL
};

static bool differ(const struct compare *compare, const char *what)
{
    if (!compare->difference)
        return false;
    if (compare->function)
        wm_text_format(compare->difference, "item %u, function '%s', statement %u: %s",
                       compare->item, compare->function, compare->statement, what);
    else
        wm_text_format(compare->difference, "item %u: %s", compare->item, what);
    return false;
}

#define SAME(condition, what)               \
    do {                                    \
        if (!(condition))                   \
            return differ(compare, (what)); \
    } while (0)
#define SAME_FIELD(field) SAME(a->field == b->field, #field)
#define SAME_TEXT(field) SAME(same_text(a->field, b->field), #field)

static bool same_text(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

// A reference to a symbol is the same when it names the same thing.
static bool same_reference(const struct wm_ptx_symbol *a, const struct wm_ptx_symbol *b)
{
    return a == b ||
           (a && b && a->kind == b->kind && a->space == b->space && strcmp(a->name, b->name) == 0);
}

static bool same_variable(const struct compare *compare, const struct wm_ptx_symbol *a,
                          const struct wm_ptx_symbol *b)
{
    SAME_TEXT(name);
    SAME_FIELD(linkage);
    SAME_FIELD(space);
    SAME_FIELD(type);
    SAME_FIELD(vector_length);
    SAME_FIELD(unsized);
    SAME_FIELD(managed);
    SAME_FIELD(is_unified);
    SAME_FIELD(unified[0]);
    SAME_FIELD(unified[1]);
    SAME_FIELD(alignment);
    SAME_FIELD(alignment_declared);
    SAME_FIELD(dimension_count);
    for (unsigned i = 0; i < a->dimension_count; i++)
        SAME_FIELD(dimensions[i]);
    SAME_FIELD(size_bytes);
    SAME_FIELD(pointer);
    SAME_FIELD(pointer_space);
    SAME_FIELD(pointer_alignment);
    SAME_FIELD(initializer_count);
    for (uint64_t i = 0; i < a->initializer_count; i++) {
        SAME_FIELD(initializers[i].bits);
        SAME(same_reference(a->initializers[i].symbol, b->initializers[i].symbol),
             "symbol of an initialiser");
        SAME_FIELD(initializers[i].offset);
        SAME_FIELD(initializers[i].generic);
        SAME_FIELD(initializers[i].shift);
    }
    return true;
}

static bool same_operand(const struct compare *compare, const struct wm_ptx_operand *a,
                         const struct wm_ptx_operand *b)
{
    SAME(a->kind == b->kind, "kind of an operand");
    SAME_FIELD(special);
    SAME_FIELD(negated);
    SAME_FIELD(base_register);
    SAME_FIELD(list_count);
    SAME_FIELD(part_count);
    SAME_FIELD(part_bytes);
    SAME(memcmp(a->parts, b->parts, sizeof a->parts) == 0, "parts of an operand");
    SAME_FIELD(index);
    SAME_FIELD(offset);
    SAME(a->bits == b->bits, "value of an operand");
    SAME(same_reference(a->symbol, b->symbol), "symbol of an operand");
    for (unsigned i = 0; i < a->list_count; i++)
        if (!same_operand(compare, &a->list[i], &b->list[i]))
            return false;
    return true;
}

static bool same_instruction(const struct compare *compare, const struct wm_ptx_instruction *a,
                             const struct wm_ptx_instruction *b)
{
    SAME_FIELD(opcode);
    SAME_FIELD(guard);
    SAME_FIELD(guard_negated);
    SAME_FIELD(modifier_count);
    SAME_FIELD(operand_count);
    SAME(memcmp(a->modifiers, b->modifiers, sizeof a->modifiers) == 0, "modifiers");
    SAME_TEXT(text);
    SAME_FIELD(type);
    SAME_FIELD(type2);
    SAME_FIELD(space);
    SAME_FIELD(vector_length);
    SAME_FIELD(rounding);
    SAME_FIELD(compare);
    SAME_FIELD(cache);
    SAME_FIELD(scope);
    SAME_FIELD(semantics);
    SAME_TEXT(call_prototype);
    for (unsigned i = 0; i < a->operand_count; i++)
        if (!same_operand(compare, &a->operands[i], &b->operands[i]))
            return false;
    return true;
}

static bool same_loc(const struct compare *compare, const struct wm_ptx_loc *a,
                     const struct wm_ptx_loc *b)
{
    SAME_FIELD(file);
    SAME_FIELD(line);
    SAME_FIELD(column);
    SAME_TEXT(function_name);
    SAME_FIELD(inlined_file);
    SAME_FIELD(inlined_line);
    SAME_FIELD(inlined_column);
    return true;
}

static bool same_registers(const struct compare *compare,
                           const struct wm_ptx_register_declaration *a,
                           const struct wm_ptx_register_declaration *b)
{
    SAME_FIELD(type);
    SAME_FIELD(vector_length);
    SAME_TEXT(name);
    SAME_FIELD(count);
    SAME_FIELD(first_index);
    return true;
}

static bool same_statement(const struct compare *compare, const struct wm_ptx_statement *a,
                           const struct wm_ptx_statement *b)
{
    SAME(a->kind == b->kind, "kind of the statement");
    switch (a->kind) {
    case WM_PTX_STATEMENT_INSTRUCTION:
        return same_instruction(compare, a->instruction, b->instruction);
    case WM_PTX_STATEMENT_LABEL: SAME_FIELD(label); return true;
    case WM_PTX_STATEMENT_LOC: return same_loc(compare, a->loc, b->loc);
    case WM_PTX_STATEMENT_PRAGMA:
    case WM_PTX_STATEMENT_CALL_PROTOTYPE: SAME_TEXT(text); return true;
    case WM_PTX_STATEMENT_SCOPE_BEGIN:
    case WM_PTX_STATEMENT_SCOPE_END: return true;
    case WM_PTX_STATEMENT_REGISTERS: return same_registers(compare, a->registers, b->registers);
    case WM_PTX_STATEMENT_VARIABLE: return same_variable(compare, a->variable, b->variable);
    case WM_PTX_STATEMENT_BRANCH_TARGETS:
        SAME_FIELD(branch.label);
        SAME_FIELD(branch.target_count);
        for (uint32_t i = 0; i < a->branch.target_count; i++)
            SAME_FIELD(branch.targets[i]);
        return true;
    }
    return true;
}

static bool same_parameters(const struct compare *compare, struct wm_ptx_symbol *const *a,
                            struct wm_ptx_symbol *const *b, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (!same_variable(compare, a[i], b[i]))
            return false;
    return true;
}

static bool same_head(const struct compare *compare, const struct wm_ptx_function *a,
                      const struct wm_ptx_function *b)
{
    SAME_TEXT(name);
    SAME_FIELD(linkage);
    SAME_FIELD(entry);
    SAME_FIELD(defined);
    SAME_FIELD(result_count);
    SAME_FIELD(parameter_count);
    SAME_FIELD(directive_count);
    for (uint32_t i = 0; i < a->directive_count; i++) {
        SAME_TEXT(directives[i].name);
        SAME_FIELD(directives[i].value_count);
        for (unsigned j = 0; j < a->directives[i].value_count; j++)
            SAME_FIELD(directives[i].values[j]);
    }
    return same_parameters(compare, a->results, b->results, a->result_count) &&
           same_parameters(compare, a->parameters, b->parameters, a->parameter_count);
}

static bool same_function(struct compare *compare, const struct wm_ptx_function *a,
                          const struct wm_ptx_function *b)
{
    if (!same_head(compare, a, b))
        return false;
    compare->function = a->name;
    SAME_FIELD(register_count);
    for (uint32_t i = 0; i < a->register_count; i++) {
        SAME_TEXT(registers[i].name);
        SAME_FIELD(registers[i].type);
        SAME_FIELD(registers[i].vector_length);
    }
    SAME_FIELD(label_count);
    for (uint32_t i = 0; i < a->label_count; i++)
        SAME_TEXT(labels[i]);
    SAME_FIELD(statement_count);
    for (uint32_t i = 0; i < a->statement_count; i++) {
        compare->statement = i;
        if (!same_statement(compare, &a->statements[i], &b->statements[i]))
            return false;
    }
    compare->function = NULL;
    return true;
}

static bool same_file(const struct compare *compare, const struct wm_ptx_file *a,
                      const struct wm_ptx_file *b)
{
    SAME_FIELD(index);
    SAME_TEXT(name);
    SAME_FIELD(has_details);
    SAME_FIELD(timestamp);
    SAME_FIELD(size);
    return true;
}

static bool same_item(struct compare *compare, const struct wm_ptx_item *a,
                      const struct wm_ptx_item *b)
{
    SAME(a->kind == b->kind, "kind of the item");
    switch (a->kind) {
    case WM_PTX_ITEM_VARIABLE: return same_variable(compare, a->variable, b->variable);
    case WM_PTX_ITEM_FUNCTION: return same_function(compare, a->function, b->function);
    case WM_PTX_ITEM_FILE: return same_file(compare, a->file, b->file);
    case WM_PTX_ITEM_SECTION:
    case WM_PTX_ITEM_DIRECTIVE: SAME_TEXT(text); return true;
    case WM_PTX_ITEM_LOC: return same_loc(compare, a->loc, b->loc);
    }
    return true;
}

bool wm_ptx_module_equal(const struct wm_ptx_module *a, const struct wm_ptx_module *b,
                         struct wm_text *difference)
{
    struct compare state = {.difference = difference}, *compare = &state;
    SAME_FIELD(version_major);
    SAME_FIELD(version_minor);
    SAME_TEXT(target);
    SAME_FIELD(target_architecture);
    SAME_FIELD(address_size);
    SAME_FIELD(item_count);
    SAME_FIELD(file_count);
    for (uint32_t i = 0; i < a->item_count; i++) {
        state.item = i;
        if (!same_item(&state, &a->items[i], &b->items[i]))
            return false;
    }
    return true;
}
