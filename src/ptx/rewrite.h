// Rewrites what loads of a module say of caches, and leaves every other byte of its text as it is.
#ifndef WM_PTX_REWRITE_H
#define WM_PTX_REWRITE_H

#include "ptx/ptx.h"

// What a load is to say of L1, instead of what it says, and of L2.
struct wm_ptx_cache_choice {
    const struct wm_ptx_statement *load; // of the module: an instruction `ld`
    enum wm_ptx_modifier modifier; // WM_PTX_ca, WM_PTX_cg, WM_PTX_L1_…; WM_PTX_none: nothing
    // WM_PTX_L2_evict_first or WM_PTX_L2_evict_last, of the whole of its accesses: by a policy, as
    // a load of less than 32 bytes takes the priority in no other way (PTX ISA, ld). none: nothing.
    enum wm_ptx_modifier l2;
    const struct wm_ptx_function *function; // that the load is in; read with `l2` alone
};

// What a module's text may say of caches by its .version and .target (PTX ISA, "PTX ISA Notes" and
// "Target ISA Notes" of ld and createpolicy): priorities at L1 from PTX 7.4 and sm_70 on, policies
// for L2 from PTX 7.4 and sm_80 on. `.ca` and `.cg` all may. A text of PTX 6.5 and later becomes
// one of 7.4 where it has to (tests/programs/bypass/check_hinted.py assembles such texts). Older
// ones are left: 6.4 took shfl and vote without .sync from sm_70 (PTX ISA, shfl).
enum {
    WM_PTX_RAISED_MAJOR = 6,
    WM_PTX_RAISED_MINOR = 5,
    WM_PTX_PRIORITIES_MAJOR = 7,
    WM_PTX_PRIORITIES_MINOR = 4,
    WM_PTX_L1_PRIORITIES_TARGET = 70,
    WM_PTX_L2_POLICIES_TARGET = 80
};
bool wm_ptx_may_prioritise(const struct wm_ptx_module *module, bool l2);

// Whether a load may say something else of L1: `ld` of global memory, or of generic addresses, that
// no memory semantics bind (PTX ISA 9.7.9.8: volatile, relaxed, acquire and mmio take no cache
// operator) and that names no eviction priority nor cache policy already. If not, `*why`, which may
// be NULL, says what keeps it from it: "is volatile".
bool wm_ptx_may_choose_cache(const struct wm_ptx_instruction *instruction, const char **why);

// Appends the module's text with these choices, which stand in the order of the text and may all be
// chosen; check text->failed at the end. The operator that a load had goes; the new one stands
// where the PTX ISA requires it: an operator behind the state space, a priority behind `.nc`. The
// policies that a function's loads name are made where its body begins, in registers of names that
// neither the text nor another function has: one instruction each, and no line more. `.version`
// rises to 7.4 where a choice needs it and the text is older.
//
// WM_INVALID for a load that is not where the module says (a module that was changed).
enum wm_status wm_ptx_rewrite_caches(const struct wm_ptx_module *module,
                                     const struct wm_ptx_cache_choice *choices, uint32_t count,
                                     struct wm_text *text, struct wm_error *error);

#endif
