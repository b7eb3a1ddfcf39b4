// Names of a run's kernels for people, in whole and as the shortest part that no other has: kernels
// of a library share namespaces and most arguments of their templates, and a name cut at its end,
// or in its middle, is what they share.
#ifndef WM_BASE_KERNEL_NAMES_H
#define WM_BASE_KERNEL_NAMES_H

#include "base/containers/arena.h"

#include <stdbool.h>
#include <stdint.h>

struct wm_kernel_name {
    // "ns::reduce<256, float>": without result type, and without parameters where kernels do not
    // differ by these alone.
    const char *whole;
    // "…::reduce<…, float>": "…" stands for what is left out. No wider than `whole`.
    const char *part;
    const char *heading; // the signature
};

// Of kernels by their readable signatures (wm_demangle), which may repeat; two kernels have the
// same name, or part, only where their signatures are the same. The order of kernels does not
// matter. Texts are in the arena, or are those of the signatures. False without memory.
bool wm_kernel_names_find(const char *const *signatures, uint32_t count, struct wm_arena *arena,
                          struct wm_kernel_name *names);

// Of a run on several GPUs, where kernels are of one: all three get " on gpu1" behind them. False
// without memory.
bool wm_kernel_name_on_gpu(struct wm_kernel_name *name, uint32_t gpu, struct wm_arena *arena);

// What a line without a width of its own has room for: of a name that is longer, the part.
enum { WM_KERNEL_NAME_COLUMNS = 96 };

// The whole name where it is at most `columns` characters wide, else the part.
const char *wm_kernel_name_within(const struct wm_kernel_name *name, unsigned columns);
// The signature where it is, else the whole name where that is, else the part: for a heading.
const char *wm_kernel_heading_within(const struct wm_kernel_name *name, unsigned columns);

#endif
