// Addresses of functions: see function_table.h.
#include "exec/program/function_table.h"

#include "base/containers/array.h"

void wm_function_table_release(struct wm_function_table *table)
{
    free(table->functions);
    free(table->taken);
    *table = (struct wm_function_table){0};
}

bool wm_function_table_add(struct wm_function_table *table, const struct wm_ptx_function *function,
                           uint64_t *address)
{
    if (table->count >= WM_CODE_PROGRAM_BYTES / WM_CODE_STRIDE / 2 ||
        !WM_ARRAY_ADD(table->functions, table->count, table->capacity, function))
        return false;
    *address = wm_function_table_address(table, table->count - 1);
    return true;
}

uint64_t wm_function_table_address(const struct wm_function_table *table, uint32_t number)
{
    return table->base + (number + UINT64_C(1)) * WM_CODE_STRIDE;
}

// Its number, or `count`.
static uint64_t number_of(const struct wm_function_table *table, uint64_t address)
{
    uint64_t offset = address - table->base;
    if (offset % WM_CODE_STRIDE || offset / WM_CODE_STRIDE - 1 >= table->count)
        return table->count;
    return offset / WM_CODE_STRIDE - 1;
}

const struct wm_ptx_function *wm_function_at(const struct wm_function_table *table,
                                             uint64_t address)
{
    uint64_t number = number_of(table, address);
    return number < table->count ? table->functions[number] : NULL;
}

static void take(const struct wm_function_table *table, const struct wm_ptx_symbol *symbol)
{
    uint64_t address;
    if (symbol && symbol->kind == WM_PTX_SYMBOL_FUNCTION &&
        wm_symbol_addresses_get(table->addresses, symbol, &address))
        table->taken[number_of(table, address)] = true;
}

static void look_at_operands(const struct wm_function_table *table,
                             const struct wm_ptx_operand *operands, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        take(table, operands[i].symbol);
        look_at_operands(table, operands[i].list, operands[i].list_count);
    }
}

static void look_at_function(const struct wm_function_table *table,
                             const struct wm_ptx_function *function)
{
    for (uint32_t s = 0; s < function->statement_count; s++) {
        if (function->statements[s].kind != WM_PTX_STATEMENT_INSTRUCTION)
            continue;
        const struct wm_ptx_instruction *instruction = function->statements[s].instruction;
        for (unsigned i = 0; i < instruction->operand_count; i++) {
            const struct wm_ptx_operand *operand = &instruction->operands[i];
            bool callee =
                instruction->opcode == WM_PTX_OP_call && operand->kind == WM_PTX_OPERAND_SYMBOL;
            if (!callee)
                look_at_operands(table, operand, 1);
        }
    }
}

static void look_at_module(const struct wm_function_table *table,
                           const struct wm_ptx_module *module)
{
    for (uint32_t i = 0; i < module->item_count; i++) {
        const struct wm_ptx_item *item = &module->items[i];
        if (item->kind == WM_PTX_ITEM_FUNCTION)
            look_at_function(table, item->function);
        if (item->kind != WM_PTX_ITEM_VARIABLE)
            continue;
        for (uint64_t e = 0; e < item->variable->initializer_count; e++)
            take(table, item->variable->initializers[e].symbol);
    }
}

bool wm_function_table_look(struct wm_function_table *table)
{
    if (table->taken)
        return true;
    // One more, for what is no function of the table.
    table->taken = calloc(table->count + UINT64_C(1), sizeof(table->taken[0]));
    if (!table->taken)
        return false;
    for (uint32_t m = 0; m < table->module_count; m++)
        look_at_module(table, table->modules[m]);
    return true;
}
