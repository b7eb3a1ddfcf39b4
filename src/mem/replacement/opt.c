// Belady's MIN: the line whose next use lies furthest in the future leaves (L. A. Belady, "A study
// of replacement algorithms for a virtual-storage computer", IBM Systems Journal 5(2), 1966).
//
// The entry that names it. It has no hooks: which way is the victim is not known when the victim is
// due, only later which accesses hit. A cache with this entry keeps its lines in a structure of its
// own (mem/replacement/opt_online.h, mem/cache/opt_cache.c) and calls no hook.
#include "mem/replacement/entries.h"

const struct wm_replacement_ops wm_replacement_opt = {
    .name = "opt",
    .title = "Belady's optimum",
    .source = "Belady, IBM Systems Journal 5(2), 1966 (MIN); in one pass: Belady and Palermo, IBM "
              "Journal of Research and Development 18(1), 1974",
    .sentence = "displaces the line whose next use lies furthest in the future",
    .details = "No cache can be built like this: it is the limit that the others are held against. "
               "Hits and misses are exact; which line has left is known late, so write-backs come "
               "late and misses are not explained. Memory grows with the lines of the program.",
};
