// Belady's MIN over a recorded stream of lines, in two passes: backwards for the next uses, then
// forwards, displacing the line whose next use lies furthest in the future (L. A. Belady, "A study
// of replacement algorithms for a virtual-storage computer", IBM Systems Journal 5(2), 1966). No
// policy that gives every missing line a way misses less (Mattson et al., IBM Systems Journal 9(2),
// 1970, call it OPT).
//
// The obvious way to count it, which the one that runs online (opt_online.h) is held against.
// Private to mem/replacement/.
#ifndef WM_MEM_REPLACEMENT_OPT_TWO_PASS_H
#define WM_MEM_REPLACEMENT_OPT_TWO_PASS_H

#include "base/error.h"
#include "mem/set_index/set_index.h"

#include <stddef.h>
#include <stdint.h>

struct wm_opt_geometry {
    uint32_t sets, ways, line_bytes;
    const struct wm_set_index_ops *set_index;
};

// Counts the misses of `count` references to the line numbers in `lines` under MIN, from an empty
// cache. Takes about 40 bytes of memory a reference while it runs, plus the cache's lines; time
// grows with count times ways. WM_NO_MEMORY; WM_INVALID when sets or ways are 0 or the set index
// does not support so many sets. `*misses` is 0 then.
enum wm_status wm_opt_misses(const struct wm_opt_geometry *geometry, const uint64_t *lines,
                             size_t count, uint64_t *misses, struct wm_error *error);

#endif
