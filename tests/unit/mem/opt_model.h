// Belady's MIN as one would do it by hand: the whole list of what will be done to a cache is known,
// and a line that must make room is the one whose next access lies furthest ahead, a line that is
// dropped before its next access, or never accessed, furthest of all. A store that is sent on below
// in any case and takes no line (opt_step_passes) is no reason to keep a line. Sectors, stores and
// dirt are followed in plain loops. Fetch units are single sectors.
#ifndef WM_TESTS_OPT_MODEL_H
#define WM_TESTS_OPT_MODEL_H

#include "mem/cache/cache.h"

enum opt_action { OPT_READ, OPT_WRITE, OPT_DROP, OPT_CLEAN };

struct opt_step {
    enum opt_action action;
    uint64_t line; // below OPT_MODEL_LINES
    uint32_t sectors;
    bool allocate; // an access takes a line when it misses
};

enum { OPT_MODEL_LINES = 512 };

struct opt_model_result {
    uint64_t hits, misses; // sectors
    uint64_t sector_misses;
    uint64_t line_misses; // accesses that found no line
    uint64_t allocations;
    uint64_t fills;              // sectors, when no store covers one whole
    uint64_t lines_written_back; // with what is dirty at the end
    uint64_t sectors_written_back;
};

bool opt_step_passes(const struct opt_step *step, enum wm_write_policy policy);
// `missing`, with room for `count`, gets the sectors that each access did not find; may be NULL.
struct opt_model_result opt_model_run(const struct opt_step *steps, size_t count, uint32_t sets,
                                      uint32_t ways, const struct wm_set_index_ops *set_index,
                                      uint32_t line_bytes, enum wm_write_policy policy,
                                      uint32_t *missing);

#endif
