#include "source/program/static_runtime.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

// What every version has, and no program defines for itself.
static const char always[] = "__cudaRegisterFatBinary";

// Functions by which versions differ: the runtime is one object file, so all of a version's are
// there. The L2's persisting lines began with CUDA 11; cudaGetDeviceProperties_v2 is 12's alone;
// the default pool of a location began with 13.
enum { BEGAN_WITH_11, OF_12, BEGAN_WITH_13, MARKS };
static const char *const mark_names[MARKS] = {
    [BEGAN_WITH_11] = "cudaCtxResetPersistingL2Cache",
    [OF_12] = "cudaGetDeviceProperties_v2",
    [BEGAN_WITH_13] = "cudaMemGetDefaultMemPool",
};

static unsigned major_of(const bool *marks)
{
    if (!marks[BEGAN_WITH_11])
        return 0;
    return marks[OF_12] ? 12 : marks[BEGAN_WITH_13] ? 13 : 11;
}

enum wm_status wm_static_runtime_find(const struct wm_elf_file *file, unsigned *major,
                                      struct wm_error *error)
{
    struct wm_elf_symbols symbols;
    struct wm_elf_symbol function;
    bool marks[MARKS] = {false}, registers = false;
    *major = 0;
    // What exports the name is a shared runtime, NVIDIA's or another's.
    if (wm_elf_symbols_open(file, &symbols) && wm_elf_symbols_mention(&symbols, always) &&
        !wm_elf_mentions(file, always))
        for (uint32_t from = 0; wm_elf_function_next(&symbols, &from, &function);) {
            registers |= strcmp(function.name, always) == 0;
            for (size_t i = 0; i < MARKS; i++)
                marks[i] |= strcmp(function.name, mark_names[i]) == 0;
        }
    if (!registers)
        return wm_fail(error, WM_NOT_FOUND, "no CUDA runtime is linked into it");
    *major = major_of(marks);
    if (*major != 0)
        return WM_OK;
    return wm_fail(error, WM_UNSUPPORTED,
                   "the CUDA runtime that is linked into it is none of CUDA 11, 12 or 13, for "
                   "which warpmem stands in");
}
