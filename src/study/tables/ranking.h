// The few instructions of a run that a table for people has room for. Private to study/tables/.
#ifndef WM_STUDY_TABLES_RANKING_H
#define WM_STUDY_TABLES_RANKING_H

#include "engine/session/results.h"

struct wm_ranked_instruction {
    const struct wm_kernel_result *kernel;
    const struct wm_instruction_result *instruction;
};

struct wm_instruction_ranking {
    bool (*counts)(const struct wm_instruction_result *it); // others are left out
    bool (*before)(const struct wm_results *results, const struct wm_instruction_result *a,
                   const struct wm_instruction_result *b);
};

// The first `most` over all kernels in `found`; of equals, the earlier one first. Returns how many
// there are.
uint32_t wm_rank_instructions(const struct wm_results *results,
                              const struct wm_instruction_ranking *ranking,
                              struct wm_ranked_instruction *found, uint32_t most);

#endif
