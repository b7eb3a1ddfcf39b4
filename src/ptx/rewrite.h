// Rewrites what loads of a module say of caches, and leaves every other byte of its text as it is.
#ifndef WM_PTX_REWRITE_H
#define WM_PTX_REWRITE_H

#include "ptx/ptx.h"

// What a load is to say of L1, instead of what it says.
struct wm_ptx_cache_choice {
    const struct wm_ptx_statement *load; // of the module: an instruction `ld`
    enum wm_ptx_modifier modifier; // WM_PTX_ca, WM_PTX_cg, WM_PTX_L1_…; WM_PTX_none: nothing
};

// Whether a load may say something else of L1: `ld` of global memory, or of generic addresses, that
// no memory semantics bind (PTX ISA 9.7.9.8: volatile, relaxed, acquire and mmio take no cache
// operator) and that names no eviction priority nor cache policy already. If not, `*why`, which may
// be NULL, says what keeps it from it: "is volatile".
bool wm_ptx_may_choose_cache(const struct wm_ptx_instruction *instruction, const char **why);

// Appends the module's text with these choices, which stand in the order of the text and may all be
// chosen; check text->failed at the end. The operator that a load had goes; the new one stands
// where the PTX ISA wants it: an operator behind the state space, a priority behind `.nc`.
//
// WM_INVALID for a load that is not where the module says (a module that was changed).
enum wm_status wm_ptx_rewrite_caches(const struct wm_ptx_module *module,
                                     const struct wm_ptx_cache_choice *choices, uint32_t count,
                                     struct wm_text *text, struct wm_error *error);

#endif
