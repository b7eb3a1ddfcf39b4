// What is counted of a coherent cache and of the directory at memory beside its accesses, for both
// engines: from the rows that are carried out. Private to mem/.
#ifndef WM_MEM_COHERENCE_COUNTERS_H
#define WM_MEM_COHERENCE_COUNTERS_H

#include "base/names/counters.h"
#include "mem/coherence/coherence.h"
#include "mem/system/memory_components.h"

// clang-format off
#define WM_COHERENCE_COUNTERS(X)                                                                   \
    X(read_requests, "requests", "lines requested of the home to be read: GetS")                            \
    X(write_requests, "requests", "lines requested of the home to be written: GetM")                         \
    X(upgrades, "requests", "of write_requests, those of a line that was here in S")                         \
    X(coherence_misses, "requests", "accesses that missed a line which another cache's write had taken, and in whose way no other line was since") \
    X(invalidations, "lines", "copies that another cache's write took: Inv, FwdGetM")              \
    X(back_invalidations, "lines", "copies taken as a level below evicted the line, or the host wrote it") \
    X(downgrades, "lines", "copies in E or M that another's read made S: FwdGetS, Downgrade")      \
    X(forwards, "lines", "copies given to another cache of the same home: the owner's part of three hops") \
    X(bytes_from_peers, "bytes", "bytes that came from another cache of the same home")            \
    X(bytes_to_peers, "bytes", "bytes that went to another cache of the same home")                \
    X(clean_puts, "lines", "unmodified copies that were evicted: PutS, PutE")                      \
    X(put_m, "lines", "modified copies that were evicted: PutM")                                   \
    X(recalls, "lines", "lines that were called back from all caches above: for an eviction, a probe from below or the host") \
    X(locked_operations, "operations", "locked read-modify-writes")                                \
    X(locked_hits, "operations", "of locked_operations, those whose line was here in E or M")

#define WM_DIRECTORY_COUNTERS(X)                                                                   \
    X(read_requests, "requests", "lines requested to be read: GetS")                                        \
    X(write_requests, "requests", "lines requested to be written: GetM")                                     \
    X(upgrades, "requests", "of write_requests, those of a cache that had the line in S: no data went to it") \
    X(forwards, "requests", "of both, those that the owner of the line answered: FwdGetS, FwdGetM") \
    X(invalidations, "messages", "copies called back for another cache's write: Inv")              \
    X(clean_puts, "lines", "unmodified lines that caches evicted: PutS, PutE")                     \
    X(put_m, "lines", "modified lines that caches evicted: PutM")                                  \
    X(recalls, "lines", "lines called back from all caches as the host wrote them")
// clang-format on

struct wm_coherence_counters {
    WM_COHERENCE_COUNTERS(WM_COUNTER_FIELD)
};
struct wm_directory_counters {
    WM_DIRECTORY_COUNTERS(WM_COUNTER_FIELD)
};

// Of a row that a cache carries out, of either side: all but coherence misses, bytes and locked
// operations. `recalled`: copies are called back because of an eviction or the host.
void wm_coherence_count(struct wm_coherence_counters *counters, const struct wm_coherence_row *row,
                        enum wm_coherence_side side, bool recalled);
// Of a row of the directory at memory; `facts` are those that it was found by, `line` as it was.
void wm_directory_count(struct wm_directory_counters *counters, const struct wm_coherence_row *row,
                        const struct wm_coherence_line *line, unsigned facts);

#endif
