// Misses of an L1 in time explained (docs/misses.md, "In time"): its look-ups and fills, fed to the
// shadows of mem/explain/. Only where l1->blocks is not NULL.
//
// Thread rules: those of the L1. Private to mem/timed/.
#ifndef WM_MEM_TIMED_L1_EXPLAIN_H
#define WM_MEM_TIMED_L1_EXPLAIN_H

#include "mem/timed/timed_l1.h"

// A look-up has been served: `result` says what was not there and what it displaced.
void wm_timed_explain(struct wm_timed_l1 *l1, const struct wm_request *request, bool allocate,
                      const struct wm_timed_result *result);

// Before a fill of `line`: whether it takes its way now. And after.
bool wm_timed_explain_takes(const struct wm_timed_l1 *l1, uint64_t line);
void wm_timed_explain_fill(struct wm_timed_l1 *l1, bool takes, uint64_t line, uint32_t sectors,
                           const struct wm_cache_victim *victim,
                           const struct wm_request *instruction_counters);

// An access has gone around L1, which drops its copy or would.
void wm_timed_explain_pass(struct wm_timed_l1 *l1, const struct wm_request *request, bool drops);

// A side cache has served a load.
void wm_timed_explain_side_load(struct wm_timed_l1 *l1, struct wm_cache *cache,
                                const struct wm_request *request,
                                const struct wm_cache_result *result);

#endif
