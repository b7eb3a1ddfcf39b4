#include "study/tables/ranking.h"

uint32_t wm_rank_instructions(const struct wm_results *results,
                              const struct wm_instruction_ranking *ranking,
                              struct wm_ranked_instruction *found, uint32_t most)
{
    uint32_t count = 0;
    for (uint32_t k = 0; k < results->kernel_count; k++) {
        const struct wm_kernel_result *kernel = &results->kernels[k];
        for (uint32_t i = 0; i < kernel->instruction_count; i++) {
            const struct wm_instruction_result *it = &kernel->instructions[i];
            if (!ranking->counts(it))
                continue;
            uint32_t at = count;
            while (at > 0 && ranking->before(results, it, found[at - 1].instruction))
                at--;
            if (at == most)
                continue;
            count += count < most;
            for (uint32_t move = count - 1; move > at; move--)
                found[move] = found[move - 1];
            found[at] = (struct wm_ranked_instruction){kernel, it};
        }
    }
    return count;
}
