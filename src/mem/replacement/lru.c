// Least recently used, as a stack: R. L. Mattson, J. Gecsei, D. R. Slutz and I. L. Traiger,
// "Evaluation techniques for storage hierarchies", IBM Systems Journal 9(2), 1970. Every reference
// puts its line on top of its set's stack, and the line at the bottom is the victim. True LRU, not
// the approximations that hardware builds for many ways.
#include "mem/replacement/entries.h"

const struct wm_replacement_ops wm_replacement_lru = {
    .name = "lru",
    .title = "least recently used",
    .source = "Mattson, Gecsei, Slutz and Traiger, IBM Systems Journal 9(2), 1970",
    .sentence = "displaces the line whose last use lies furthest back",
    .uses_chain = true,
    .insert_at = 0,
    .promote_by = WM_CHAIN_LAST,
    .protect = 0,
};
