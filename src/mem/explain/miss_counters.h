// What is counted when misses are to be explained (docs/misses.md): why a sector was not there, and
// who had displaced its line. Declared here once, for components and for the levels that an
// instruction's accesses went through.
#ifndef WM_MEM_EXPLAIN_MISS_COUNTERS_H
#define WM_MEM_EXPLAIN_MISS_COUNTERS_H

#include "base/names/counters.h"
#include "mem/system/memory_spec.h"

// clang-format off
// What a cache counts, as a whole and on behalf of an instruction (there with its level's name in
// front, as in `l1_cold`). `at`: what sentences say behind it, as in " in L1". The five classes add up to the cache's `misses`; the three evictors to at most
// `capacity` plus `conflict` (a replacement that refused a line evicted none). The six of requests
// add up to the cache's `accesses_missed`: one whose sectors are of several kinds is of the first
// of other_warp, same_warp, refused, dropped, cold, unallocated.
#define WM_EXPLAINED_COUNTERS(X, at)                                                        \
    X(cold, "sectors", "misses" at " of sectors that this cache was never given to keep")   \
    X(coherence, "sectors", "misses" at " of sectors dropped since: overwritten elsewhere") \
    X(capacity, "sectors", "misses" at " that full associativity and LRU would have too")   \
    X(conflict, "sectors", "misses" at " that full associativity and LRU would not have")   \
    X(unallocated, "sectors", "misses" at " of accesses that take no line by policy")       \
    X(evicted_same_warp, "sectors",                                                         \
      "of capacity and conflict, those whose sector the same warp had displaced last")             \
    X(evicted_same_block, "sectors",                                                        \
      "of capacity and conflict, those whose sector another warp of the block had displaced last") \
    X(evicted_other_block, "sectors",                                                       \
      "of capacity and conflict, those whose sector another block had displaced last")             \
    X(accesses_cold, "requests",                                                            \
      "requests that missed" at " a line of which this cache was never given what they lack")      \
    X(accesses_same_warp, "requests",                                                       \
      "requests that missed" at " what the same warp had displaced last")                          \
    X(accesses_other_warp, "requests",                                                      \
      "requests that missed" at " what another warp had displaced last")                           \
    X(accesses_refused, "requests",                                                         \
      "requests that missed" at " what the replacement had refused to take")                       \
    X(accesses_dropped, "requests",                                                         \
      "requests that missed" at " what was dropped since: overwritten elsewhere")                  \
    X(accesses_unallocated, "requests",                                                     \
      "requests that missed" at " and take no line by policy")                                     \
    X(again, "sectors",                                                                     \
      "sectors requested" at ", found or not, after their line had been brought in")               \
    X(fetched_bytes, "bytes", "bytes fetched from below" at)                                \
    X(unused_sector_bytes, "bytes",                                                         \
      "of fetched_bytes, those in sectors that no access requested while they were there")         \
    X(unused_bytes, "bytes",                                                                \
      "of fetched_bytes, those that no access requested while they were there")

// Reuse distances in other lines, in powers of two; each is named by its least distance.
#define WM_REUSE_COUNTERS(X) \
    X(reuse_first, "requests", "requests to L1 for a line that the SM used for the first time") \
    X(reuse_0, "requests", "requests to L1 for a line with no other line used since its last use") \
    X(reuse_1, "requests", "requests to L1 for a line with 1 other line used since") \
    X(reuse_2, "requests", "requests to L1 for a line with 2 to 3 other lines used since") \
    X(reuse_4, "requests", "requests to L1 for a line with 4 to 7 other lines used since") \
    X(reuse_8, "requests", "requests to L1 for a line with 8 to 15 other lines used since") \
    X(reuse_16, "requests", "requests to L1 for a line with 16 to 31 other lines used since") \
    X(reuse_32, "requests", "requests to L1 for a line with 32 to 63 other lines used since") \
    X(reuse_64, "requests", "requests to L1 for a line with 64 to 127 other lines used since") \
    X(reuse_128, "requests", "requests to L1 for a line with 128 to 255 other lines used since") \
    X(reuse_256, "requests", "requests to L1 for a line with 256 to 511 other lines used since") \
    X(reuse_512, "requests", "requests to L1 for a line with 512 to 1023 other lines used since") \
    X(reuse_1024, "requests", "requests to L1 for a line with 1024 to 2047 other lines used since") \
    X(reuse_2048, "requests", "requests to L1 for a line with 2048 to 4095 other lines used since") \
    X(reuse_4096, "requests", "requests to L1 for a line with 4096 to 8191 other lines used since") \
    X(reuse_8192, "requests", "requests to L1 for a line with 8192 to 16383 other lines used since") \
    X(reuse_16384, "requests", "requests to L1 for a line with 16384 to 32767 other lines used since") \
    X(reuse_32768, "requests", "requests to L1 for a line with 32768 to 65535 other lines used since") \
    X(reuse_65536, "requests", "requests to L1 for a line with 65536 or more other lines used since")

// Lines by the number of SMs that read them in one launch, then the same lines by who they are
// (mem/explain/line_sharing.h).
#define WM_SHARING_COUNTERS(X)                                                                     \
    X(lines_read_by_1, "lines", "lines that 1 SM read in a launch")                                \
    X(lines_read_by_2, "lines", "lines that 2 SMs read in a launch")                               \
    X(lines_read_by_4, "lines", "lines that 3 or 4 SMs read in a launch")                          \
    X(lines_read_by_8, "lines", "lines that 5 to 8 SMs read in a launch")                          \
    X(lines_read_by_16, "lines", "lines that 9 to 16 SMs read in a launch")                        \
    X(lines_read_by_32, "lines", "lines that 17 to 32 SMs read in a launch")                       \
    X(lines_read_by_64, "lines", "lines that 33 to 64 SMs read in a launch")                       \
    X(lines_read_by_more, "lines", "lines that more than 64 SMs read in a launch")                 \
    X(lines_private, "lines", "lines that 1 SM read in a launch")                                  \
    X(lines_boundary, "lines", "lines that neighbouring blocks on several SMs read in a launch")   \
    X(lines_broadcast, "lines", "lines that nearly all SMs, or a regular set of blocks, read")     \
    X(lines_dynamic, "lines", "lines that an irregular set of blocks on several SMs read")
enum { WM_SHARING_DEGREES = 8 }; // the first ones

// Requests of an instruction by the class of the line that they read.
#define WM_READS_COUNTERS(X)                                                                       \
    X(reads_private, "requests", "requests for lines that 1 SM read in the launch")                \
    X(reads_boundary, "requests", "requests for lines that neighbouring blocks shared")            \
    X(reads_broadcast, "requests", "requests for lines that nearly all SMs or a row of blocks read") \
    X(reads_dynamic, "requests", "requests for lines that an irregular set of blocks shared")

// How its lanes lie, and which warps of the block requested its lines before
// (engine/access/access_pattern.h).
#define WM_PATTERN_COUNTERS(X)                                                                     \
    X(regular, "warp-instructions", "times that its lanes lay equally far apart, in rows of four or more") \
    X(advancing, "warp-instructions", "times that a lane went on by a sector or less from the warp's last time") \
    X(aligned_8, "warp-instructions", "times that all its addresses were multiples of 8")          \
    X(aligned_16, "warp-instructions", "times that all its addresses were multiples of 16")        \
    X(block_bytes, "bytes", "of a load, bytes that its lanes named, each once an execution of a warp") \
    X(block_first, "bytes", "of block_bytes, those that it had not requested in the block")        \
    X(block_other_warp, "bytes", "of block_bytes, those that another warp of the block had requested last") \
    X(block_readers, "blocks", "of a load, blocks that executed it")                               \
    X(wanted_again, "requests", "of a load, requests for lines that a load of the SM requested later in the launch") \
    X(atomic_other_warp, "addresses", "of an atomic, addresses that another warp of the block came to in the block's last 32 atomics")

// What an instruction counts beside the rows of levels.
#define WM_INSTRUCTION_MISS_COUNTERS(X)                                                            \
    X(shared_passes, "passes", "times the banks of shared memory were used for it")                \
    X(shared_replays, "passes", "of them, those that bank conflicts added")                        \
    WM_READS_COUNTERS(X)                                                                           \
    WM_PATTERN_COUNTERS(X)                                                                         \
    WM_REUSE_COUNTERS(X)
// clang-format on

struct wm_explained_cache {
    WM_EXPLAINED_COUNTERS(WM_COUNTER_FIELD, "")
};
struct wm_reuse_counters {
    WM_REUSE_COUNTERS(WM_COUNTER_FIELD)
};
struct wm_sharing_counters {
    WM_SHARING_COUNTERS(WM_COUNTER_FIELD)
};
struct wm_instruction_misses {
    struct wm_explained_cache levels[WM_MOST_LEVELS]; // by number
    WM_INSTRUCTION_MISS_COUNTERS(WM_COUNTER_FIELD)
    uint64_t true_sharing, false_sharing; // of coherent levels: mem/explain/written_lines.h
};

void wm_instruction_misses_add(struct wm_instruction_misses *to,
                               const struct wm_instruction_misses *from);

// Kinds "l1_reuse" and "sharing".
extern const struct wm_counter_set wm_l1_reuse_set, wm_sharing_counter_set;
// Kinds "l1_explained", "l2_explained", "constant_explained": of the levels with a number of their
// own, under the names that a machine file that says nothing else gives them.
extern const struct wm_counter_set wm_explained_sets[WM_LEVELS_NAMED];

#endif
