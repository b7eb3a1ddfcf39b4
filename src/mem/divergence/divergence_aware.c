#include "mem/divergence/divergence_aware.h"

#include "mem/cache/cache.h"

// --- The spec, as an entry's parameters ---

// INSERTION: 0 in front, else 1 and how coherent loads are.
enum { SCHEDULERS, WARP_WIDTH, MAX_WARPS, INSERTION, PROMOTION, REGION, REGION_WARPS, PROTECTS };

bool wm_divergence_is_enabled(const struct wm_divergence_spec *spec)
{
    return spec->insertion != WM_INSERT_FRONT || spec->promotion != 0 ||
           spec->region != WM_REGION_NONE || spec->full != WM_FULL_ANY;
}

struct wm_cache_spec wm_divergence_built_as(const struct wm_divergence_spec *spec,
                                            const struct wm_cache_spec *l1)
{
    struct wm_cache_spec built = *l1;
    if (!wm_divergence_is_enabled(spec))
        return built;
    built.replacement = &wm_replacement_divergence_aware;
    built.replacement_values = (struct wm_entry_values){
        .values = {[SCHEDULERS] = spec->schedulers,
                   [WARP_WIDTH] = spec->warp_width,
                   [MAX_WARPS] = spec->max_warps,
                   [INSERTION] = spec->insertion == WM_INSERT_FRONT ? 0 : 1 + spec->coherent,
                   [PROMOTION] = spec->promotion,
                   [REGION] = spec->region,
                   [REGION_WARPS] = spec->region_warps,
                   [PROTECTS] = spec->full != WM_FULL_ANY},
        .given = (1u << (PROTECTS + 1)) - 1,
    };
    return built;
}

static void reset(void *array, const struct wm_replacement_geometry *geometry)
{
    struct wm_divergence_aware *aware = array;
    const uint64_t *values = geometry->parameters;
    uint32_t schedulers = (uint32_t)values[SCHEDULERS], warps = (uint32_t)values[REGION_WARPS];
    *aware = (struct wm_divergence_aware){
        .spec = {.schedulers = schedulers,
                 .warp_width = (uint32_t)values[WARP_WIDTH],
                 .max_warps = (uint32_t)values[MAX_WARPS],
                 .insertion = values[INSERTION] == 0 ? WM_INSERT_FRONT : WM_INSERT_GAUGED,
                 .coherent =
                     (enum wm_coherent_insertion)(values[INSERTION] - (values[INSERTION] != 0)),
                 .promotion = (uint32_t)values[PROMOTION],
                 .region = (enum wm_region)values[REGION],
                 .region_warps = warps,
                 .full = values[PROTECTS] != 0 ? WM_FULL_STALLS : WM_FULL_ANY},
        .gauge = {.schedulers = schedulers,
                  .warp_width = (uint32_t)values[WARP_WIDTH],
                  .sets = geometry->sets,
                  .ways = geometry->ways},
        .warps =
            wm_fully_cached_warps_of(schedulers, (uint32_t)values[MAX_WARPS], warps * schedulers),
    };
}

// --- The chain's hooks ---

uint32_t wm_divergence_warps(const struct wm_divergence_aware *aware)
{
    switch (aware->spec.region) {
    case WM_REGION_STATIC: return aware->spec.region_warps;
    case WM_REGION_DYNAMIC: return wm_fully_cached_warps_each(&aware->warps);
    default: return 0;
    }
}

static uint32_t coherent_position(const struct wm_divergence_aware *aware,
                                  const struct wm_replacement_event *event)
{
    bool useless = aware->spec.coherent == WM_COHERENT_DETECTED &&
                   wm_locality_of(&aware->detector, event->pc) == WM_LOCALITY_NONE;
    return useless ? WM_CHAIN_LAST : 0;
}

static uint32_t insert_at(const struct wm_replacement_set *set,
                          const struct wm_replacement_event *event)
{
    const struct wm_divergence_aware *aware = set->array;
    if (aware->spec.insertion == WM_INSERT_FRONT || event->kind != WM_ACCESS_LOAD ||
        event->write_back)
        return 0;
    if (aware->spec.coherent != WM_COHERENT_GAUGED) {
        if (!wm_is_divergent(event->lines))
            return coherent_position(aware, event);
        if (event->lines <= WM_FEW_LINES)
            return 0;
    }
    bool thrashes =
        aware->spec.region != WM_REGION_NONE && event->rank >= wm_divergence_warps(aware);
    return thrashes ? WM_CHAIN_LAST : wm_gauge_position(&aware->gauge, event->rank);
}

static uint32_t promote_by(const struct wm_replacement_set *set, uint32_t way,
                           const struct wm_replacement_event *event)
{
    const struct wm_divergence_aware *aware = set->array;
    (void)way;
    if (aware->spec.promotion == 0)
        return WM_CHAIN_LAST;
    return event->pending ? 0 : aware->spec.promotion; // a line on its way has not been used yet
}

static uint32_t protect(const struct wm_replacement_set *set,
                        const struct wm_replacement_event *event)
{
    const struct wm_divergence_aware *aware = set->array;
    (void)event;
    return aware->spec.full == WM_FULL_ANY
               ? 0
               : wm_gauge_region(&aware->gauge, wm_divergence_warps(aware));
}

const struct wm_replacement_ops wm_replacement_divergence_aware = {
    .name = "divergence-aware",
    .title = "DaCache",
    .source = "Wang, Yu, Sun and Wang, DaCache: memory divergence-aware GPU cache management, "
              "ICS 2015",
    .sentence =
        "keeps the lines of the oldest warps, as gpu.l1.insertion, promotion and region say",
    .parameter_count = PROTECTS + 1,
    .array_state_bytes = sizeof(struct wm_divergence_aware),
    .uses_chain = true,
    .chain_insert = insert_at,
    .chain_promote = promote_by,
    .chain_protect = protect,
    .reset = reset,
};

// --- The loads that it sees ---

void wm_divergence_watch(struct wm_divergence_aware *aware, uint32_t pc, uint32_t warp,
                         uint32_t rank, uint32_t lines, uint64_t line, bool missing)
{
    bool watched = rank == 0 && warp % aware->gauge.schedulers == 0;
    if (watched && !wm_is_divergent(lines) && aware->spec.coherent == WM_COHERENT_DETECTED)
        wm_locality_watch(&aware->detector, pc, line, missing);
}

void wm_divergence_served(struct wm_divergence_aware *aware, uint32_t rank, uint32_t lines,
                          uint32_t missed)
{
    if (aware->spec.region == WM_REGION_DYNAMIC && wm_is_divergent(lines))
        wm_fully_cached_warps_count(&aware->warps, rank, missed == 0);
}
