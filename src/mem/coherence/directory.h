// The lines that a directory at memory knows: those that some cache has. Of fixed room, as no more
// lines can be in caches; what it says of a line stays where it is until the line is forgotten.
// Private to mem/.
#ifndef WM_MEM_COHERENCE_DIRECTORY_H
#define WM_MEM_COHERENCE_DIRECTORY_H

#include "base/containers/key_table.h"
#include "base/error.h"
#include "mem/coherence/coherence.h"

#include <stdint.h>

struct wm_directory {
    struct wm_key_table known;       // by line
    struct wm_coherence_line *lines; // owned: by index in `known`
    uint64_t room;
    uint64_t last; // line that was taken; UINT64_MAX: none, or it is forgotten
    uint32_t last_index;
};

// Room for so many lines. WM_NO_MEMORY. Release is harmless on zeros.
enum wm_status wm_directory_init(struct wm_directory *directory, uint64_t lines,
                                 struct wm_error *error);
void wm_directory_release(struct wm_directory *directory);

// NULL: no cache has the line.
struct wm_coherence_line *wm_directory_find(const struct wm_directory *directory, uint64_t line);
// The same, taken where it is not known: no cache has it, and the data at memory are right.
struct wm_coherence_line *wm_directory_take(struct wm_directory *directory, uint64_t line);
// Forgets a line that is known and that no cache has.
void wm_directory_forget(struct wm_directory *directory, uint64_t line);

#endif
