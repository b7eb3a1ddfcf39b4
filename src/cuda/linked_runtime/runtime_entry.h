// The public functions of a CUDA runtime that is linked into a program: each gets a jump to ours at
// its beginning. Which function of ours that is, is found at the first call of any of them.
#ifndef WM_CUDA_RUNTIME_ENTRY_H
#define WM_CUDA_RUNTIME_ENTRY_H

#include "base/error.h"
#include "source/program/elf_file.h"

#include <stdatomic.h>
#include <stdint.h>

// One function; runtime_first_call.c has assembler code that reads this.
struct wm_runtime_entry {
    void *_Atomic target;
    const char *name; // owned
    atomic_flag refused;
};

// Those of one file. They live as long as the process: the file's code leads here.
struct wm_runtime_entries {
    struct wm_runtime_entry *entries;
    uint64_t *addresses; // of the functions, as linked
    uint64_t *room;      // bytes that it has, with the padding behind a short one
    uint32_t count;
    unsigned major;                  // of CUDA
    struct wm_runtime_entries *next; // another file's
};

// Lists the functions of a file in which wm_static_runtime_find has found a runtime of CUDA
// `major`: what the runtime exports, and what else of its kind stands between these, which is
// refused by name when it is called. WM_NO_MEMORY.
enum wm_status wm_runtime_entries_list(const struct wm_elf_file *file, unsigned major,
                                       struct wm_runtime_entries **list, struct wm_error *error);

// Writes the jumps into the file's image, which was moved by `moved` bytes from where it was
// linked, and whose code is not running yet. WM_UNSUPPORTED for a function too short for a jump;
// WM_IO when the system does not let the code be changed.
enum wm_status wm_runtime_entries_patch(const struct wm_runtime_entries *list, uint64_t moved,
                                        struct wm_error *error);

// Makes a list's functions lead to ours, which are loaded from `folder` (borrowed) when one of them
// is first called.
void wm_runtime_entries_lead(struct wm_runtime_entries *list, const char *folder);

#endif
