// LRU insertion policy: M. K. Qureshi, A. Jaleel, Y. N. Patt, S. C. Steely and J. Emer, "Adaptive
// insertion policies for high performance caching", ISCA 2007. The victim is the line in the LRU
// position and a hit moves a line to the MRU position, as under LRU; but the incoming line is put
// in the LRU position, so that it goes next unless it is used before. Of a cyclic working set of T
// lines in K ways, K - 1 lines stay and hit ((K-1)/T of all references), where LRU hits none; when
// the working set changes, the lines of the old one stay for ever.
#include "mem/replacement/entries.h"

const struct wm_replacement_ops wm_replacement_lip = {
    .name = "lip",
    .title = "LRU insertion policy",
    .source = "Qureshi, Jaleel, Patt, Steely and Emer, ISCA 2007",
    .sentence = "inserts lines as the next victim and keeps those used a second time",
    .uses_chain = true,
    .insert_at = WM_CHAIN_LAST,
    .promote_by = WM_CHAIN_LAST,
    .protect = 0,
};
