// By contention: a load that touches as many lines as its warp has in L1, were these divided among
// the SM's warps, takes none (Anssari, section 3.3: "less cache lines than those available").
#include "mem/bypass/entries.h"

struct state {
    uint64_t lines;    // of the cache
    uint64_t constant; // warps that its lines are divided by; 0: those resident at the time
};

static void reset(void *state, const struct wm_bypass_geometry *geometry)
{
    struct state *own = state;
    own->lines = (uint64_t)geometry->sets * geometry->ways;
    own->constant = geometry->parameters[0];
}

static enum wm_bypass_decision decide(void *state, const struct wm_bypass_event *event)
{
    const struct state *own = state;
    enum wm_bypass_decision by_operator = wm_bypass_by_operator(event->hint);
    uint64_t warps = own->constant != 0 ? own->constant : event->resident_warps;
    if (by_operator != WM_BYPASS_NO || event->kind != WM_ACCESS_LOAD || warps == 0)
        return by_operator;
    return event->lines < own->lines / warps ? WM_BYPASS_NO : WM_BYPASS_YES;
}

static const struct wm_parameter parameters[] = {
    {"warps", "warps that share the lines; 0: those resident at the time", 0, 4096, 0},
};

const struct wm_bypass_ops wm_bypass_contention = {
    .name = "contention",
    .title = "by contention",
    .source = "Anssari, Using hybrid shared and distributed caching for mixed-coherency GPU "
              "workloads, MS thesis, University of Illinois, 2012, section 3.3",
    .sentence = "loads bypass that touch as many lines as a warp's share of the cache has, or more",
    .details = "A warp's share is the cache's lines divided by the warps on the SM that have not "
               "finished, rounded down. The thesis looks the line up and only keeps it from being "
               "allocated: gpu.l1.bypass_means: no-allocation. Stores do as their operators say, "
               "and so does a load whose operator already bypasses.",
    .parameters = parameters,
    .parameter_count = sizeof parameters / sizeof parameters[0],
    .state_bytes = sizeof(struct state),
    .decide = decide,
    .reset = reset,
};
