// First in, first out: L. A. Belady, "A study of replacement algorithms for a virtual-storage
// computer", IBM Systems Journal 5(2), 1966, where it stands with RAND among the algorithms that
// use no information about usage. The pages wait in one queue in the order in which they came; the
// one that has been in longest goes, however often it was used. As the chain: a line enters in
// front, a hit moves nothing, and the last is the victim.
//
// It is no stack algorithm: a larger cache can miss more (Belady, Nelson and Shedler, "An anomaly
// in space-time characteristics of certain programs running in a paging machine", CACM 12(6),
// 1969).
#include "mem/replacement/entries.h"

const struct wm_replacement_ops wm_replacement_fifo = {
    .name = "fifo",
    .title = "first in, first out",
    .source = "Belady, IBM Systems Journal 5(2), 1966",
    .sentence = "displaces the line that came first, however often it was used",
    .uses_chain = true,
    .insert_at = 0,
    .promote_by = 0,
    .protect = 0,
};
