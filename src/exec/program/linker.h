// Several modules as one program (private to exec/): which definition every symbol of theirs stands
// for (PTX ISA 11.6, linking directives).
//
// A definition that is not visible outside of its module is found by that module alone, so equal
// names of two modules stay apart. Of visible ones there is one copy: a strong definition before a
// weak one, of weak ones the first, of common ones the largest.
#ifndef WM_EXEC_LINKER_H
#define WM_EXEC_LINKER_H

#include "base/containers/string_map.h"
#include "exec/program/symbol_addresses.h"

struct wm_linker {
    struct wm_string_map names; // definitions that all modules see
    // Symbols that stand for another one: the value is the definition's address on the host.
    struct wm_symbol_addresses elsewhere;
};

// WM_INVALID, naming both modules, where two strong definitions, or what a symbol is in two
// modules, contradict each other. Symbols that nothing defines are no error here.
enum wm_status wm_linker_link(struct wm_linker *linker, struct wm_ptx_module *const *modules,
                              uint32_t module_count, struct wm_error *error);
void wm_linker_release(struct wm_linker *linker);

// What the symbol stands for: itself when it defines, or when nothing does.
const struct wm_ptx_symbol *wm_linker_definition(const struct wm_linker *linker,
                                                 const struct wm_ptx_symbol *symbol);
// The definition of that name which all modules see, or NULL.
const struct wm_ptx_symbol *wm_linker_find(const struct wm_linker *linker, const char *name);

// A function with a body, or a variable that is no .extern declaration.
bool wm_symbol_defines(const struct wm_ptx_symbol *symbol);
// The symbol of a module's item: of a variable or a function; NULL of the others.
const struct wm_ptx_symbol *wm_item_symbol(const struct wm_ptx_item *item);

#endif
