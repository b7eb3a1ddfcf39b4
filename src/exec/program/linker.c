// Links modules: see linker.h.
#include "exec/program/linker.h"

bool wm_symbol_defines(const struct wm_ptx_symbol *symbol)
{
    if (symbol->kind == WM_PTX_SYMBOL_FUNCTION)
        return symbol->function->defined;
    return symbol->linkage != WM_PTX_LINKAGE_EXTERN;
}

const struct wm_ptx_symbol *wm_item_symbol(const struct wm_ptx_item *item)
{
    if (item->kind == WM_PTX_ITEM_VARIABLE)
        return item->variable;
    return item->kind == WM_PTX_ITEM_FUNCTION ? item->function->symbol : NULL;
}

const struct wm_ptx_symbol *wm_linker_find(const struct wm_linker *linker, const char *name)
{
    return wm_string_map_get(&linker->names, name, strlen(name));
}

// --- conflicts ---

static enum wm_status contradict(const struct wm_ptx_symbol *first,
                                 const struct wm_ptx_symbol *second, struct wm_error *error,
                                 const char *what)
{
    wm_fail(error, WM_INVALID, "'%s' %s: in %s, line %u, and in %s, line %u", second->name, what,
            first->module->name, first->line, second->module->name, second->line);
    return wm_error_place(error, "%s:%u:%u", second->module->name, second->line, second->column);
}

static bool same_layout(struct wm_ptx_symbol *const *a, uint32_t a_count,
                        struct wm_ptx_symbol *const *b, uint32_t b_count)
{
    if (a_count != b_count)
        return false;
    for (uint32_t i = 0; i < a_count; i++)
        if (a[i]->size_bytes != b[i]->size_bytes)
            return false;
    return true;
}

static bool same_prototype(const struct wm_ptx_function *a, const struct wm_ptx_function *b)
{
    return a->entry == b->entry &&
           same_layout(a->parameters, a->parameter_count, b->parameters, b->parameter_count) &&
           same_layout(a->results, a->result_count, b->results, b->result_count);
}

// Whether two symbols of one name may be the same thing.
static enum wm_status agree(const struct wm_ptx_symbol *a, const struct wm_ptx_symbol *b,
                            struct wm_error *error)
{
    if (a->kind != b->kind)
        return contradict(a, b, error, "is a variable and a function");
    if (a->kind == WM_PTX_SYMBOL_FUNCTION)
        return same_prototype(a->function, b->function)
                   ? WM_OK
                   : contradict(a, b, error, "has different parameters or results");
    if (a->space != b->space)
        return contradict(a, b, error, "lies in different state spaces");
    // "table[]", and common variables (PTX ISA 11.6.4): those choose by size.
    bool any = !a->size_bytes || !b->size_bytes || a->linkage == WM_PTX_LINKAGE_COMMON ||
               b->linkage == WM_PTX_LINKAGE_COMMON;
    return any || a->size_bytes == b->size_bytes ? WM_OK
                                                 : contradict(a, b, error, "has different sizes");
}

// Of two common variables the one with the initial value, which must be the largest (PTX ISA
// 11.6.4); else the larger.
static enum wm_status choose_common(const struct wm_ptx_symbol **slot,
                                    const struct wm_ptx_symbol *next, struct wm_error *error)
{
    const struct wm_ptx_symbol *first = *slot;
    if (first->initializer_count && next->initializer_count)
        return contradict(first, next, error, "has an initial value twice");
    bool next_initialized = next->initializer_count != 0;
    bool initialized = next_initialized || first->initializer_count != 0;
    bool larger = next->size_bytes > first->size_bytes;
    if (initialized && first->size_bytes != next->size_bytes && larger != next_initialized)
        return contradict(first, next, error, "is larger where it has no initial value");
    if (larger || next_initialized)
        *slot = next;
    return WM_OK;
}

// --- definitions ---

static enum wm_status choose(const struct wm_ptx_symbol **slot, const struct wm_ptx_symbol *next,
                             struct wm_error *error)
{
    const struct wm_ptx_symbol *first = *slot;
    WM_TRY(agree(first, next, error));
    enum wm_ptx_linkage a = first->linkage, b = next->linkage;
    if (b == WM_PTX_LINKAGE_WEAK)
        return WM_OK;
    if (a == WM_PTX_LINKAGE_COMMON && b == WM_PTX_LINKAGE_COMMON)
        return choose_common(slot, next, error);
    if (b == WM_PTX_LINKAGE_COMMON && a != WM_PTX_LINKAGE_WEAK)
        return first->size_bytes >= next->size_bytes
                   ? WM_OK
                   : contradict(first, next, error, "has different sizes");
    if (a == WM_PTX_LINKAGE_COMMON && next->size_bytes < first->size_bytes)
        return contradict(first, next, error, "has different sizes");
    if (a == WM_PTX_LINKAGE_VISIBLE)
        return contradict(first, next, error, "is defined twice");
    *slot = next;
    return WM_OK;
}

static bool is_shared_out(const struct wm_ptx_symbol *symbol)
{
    return symbol && symbol->linkage != WM_PTX_LINKAGE_INTERNAL;
}

static enum wm_status add_definitions(struct wm_linker *linker, const struct wm_ptx_module *module,
                                      struct wm_error *error)
{
    for (uint32_t i = 0; i < module->item_count; i++) {
        const struct wm_ptx_symbol *symbol = wm_item_symbol(&module->items[i]);
        if (!is_shared_out(symbol) || !wm_symbol_defines(symbol))
            continue;
        const struct wm_ptx_symbol *chosen = wm_linker_find(linker, symbol->name);
        if (!chosen)
            chosen = symbol;
        else if (chosen != symbol)
            WM_TRY(choose(&chosen, symbol, error));
        if (!wm_string_map_put(&linker->names, symbol->name, strlen(symbol->name),
                               (void *)(uintptr_t)chosen))
            return wm_fail_no_memory(error, "linking a program's modules");
    }
    return WM_OK;
}

// --- references ---

// What the module itself defines under the name, for itself alone.
static const struct wm_ptx_symbol *find_internal(const struct wm_ptx_module *module,
                                                 const char *name)
{
    for (uint32_t i = 0; i < module->item_count; i++) {
        const struct wm_ptx_symbol *symbol = wm_item_symbol(&module->items[i]);
        if (symbol && symbol->linkage == WM_PTX_LINKAGE_INTERNAL && wm_symbol_defines(symbol) &&
            strcmp(symbol->name, name) == 0)
            return symbol;
    }
    return NULL;
}

static enum wm_status resolve(struct wm_linker *linker, const struct wm_ptx_symbol *symbol,
                              struct wm_error *error)
{
    const struct wm_ptx_symbol *definition =
        wm_symbol_defines(symbol) ? NULL : find_internal(symbol->module, symbol->name);
    if (!definition)
        definition = wm_linker_find(linker, symbol->name);
    if (!definition || definition == symbol)
        return WM_OK;
    WM_TRY(agree(definition, symbol, error));
    return wm_symbol_addresses_put(&linker->elsewhere, symbol, (uint64_t)(uintptr_t)definition)
               ? WM_OK
               : wm_fail_no_memory(error, "linking a program's modules");
}

enum wm_status wm_linker_link(struct wm_linker *linker, struct wm_ptx_module *const *modules,
                              uint32_t module_count, struct wm_error *error)
{
    *linker = (struct wm_linker){0};
    for (uint32_t m = 0; m < module_count; m++)
        WM_TRY(add_definitions(linker, modules[m], error));
    for (uint32_t m = 0; m < module_count; m++) {
        for (uint32_t i = 0; i < modules[m]->item_count; i++) {
            const struct wm_ptx_symbol *symbol = wm_item_symbol(&modules[m]->items[i]);
            if (is_shared_out(symbol))
                WM_TRY(resolve(linker, symbol, error));
        }
    }
    return WM_OK;
}

void wm_linker_release(struct wm_linker *linker)
{
    wm_string_map_release(&linker->names);
    wm_symbol_addresses_release(&linker->elsewhere);
    *linker = (struct wm_linker){0};
}

const struct wm_ptx_symbol *wm_linker_definition(const struct wm_linker *linker,
                                                 const struct wm_ptx_symbol *symbol)
{
    uint64_t found;
    if (!wm_symbol_addresses_get(&linker->elsewhere, symbol, &found))
        return symbol;
    return (const struct wm_ptx_symbol *)(uintptr_t)found;
}
