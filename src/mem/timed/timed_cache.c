#include "mem/timed/timed_cache.h"

#include "mem/cache/pins.h"
#include "mem/system/memory_state.h"

const char *const wm_stall_names[WM_STALLS] = {
    [WM_STALL_NONE] = "none",
    [WM_STALL_MSHR] = "no free MSHR entry",
    [WM_STALL_MERGE] = "no room in an MSHR entry",
    [WM_STALL_WAY] = "no way that may be displaced",
    [WM_STALL_QUEUE] = "no room in a queue",
    [WM_STALL_BANK] = "a bank is busy",
    [WM_STALL_PAGE] = "a page is walked for",
};

const struct wm_timed_steps *const *wm_timed_steps_available(size_t *count)
{
    static const struct wm_timed_steps *const builds[] = {
        &wm_timed_steps_plain,
#if defined(__x86_64__)
        &wm_timed_steps_avx2,
        &wm_timed_steps_avx512,
#endif
    };
    wm_memory_paths_available(count); // which are built for the same processors
    return builds;
}

enum wm_status wm_timed_cache_init(struct wm_timed_cache *timed, struct wm_cache *cache,
                                   const struct wm_cache_timing *timing, bool allocates_on_fill,
                                   struct wm_error *error)
{
    size_t count;
    const struct wm_timed_steps *const *builds = wm_timed_steps_available(&count);
    *timed = (struct wm_timed_cache){.steps = builds[wm_memory_paths_allowed() - 1],
                                     .cache = cache,
                                     .allocates_on_fill = allocates_on_fill};
    WM_TRY(wm_cache_enable_pins(cache, error));
    return wm_mshr_init(&timed->mshr, timing->mshr_entries, timing->mshr_merges,
                        timing->mshr_of_sectors, error);
}

void wm_timed_cache_release(struct wm_timed_cache *timed)
{
    wm_mshr_release(&timed->mshr);
}

enum wm_stall wm_timed_cache_wait(struct wm_timed_cache *timed, uint64_t line, uint32_t sectors,
                                  uint64_t token, bool *waits)
{
    struct wm_mshr_entry *entry = wm_mshr_find(&timed->mshr, line);
    uint32_t awaited = entry != NULL ? sectors & entry->pending : 0;
    *waits = false;
    if (awaited == 0)
        return WM_STALL_NONE;
    if (!wm_mshr_can_merge(&timed->mshr, entry, awaited))
        return WM_STALL_MERGE;
    wm_mshr_merge(&timed->mshr, entry, token, awaited);
    *waits = true;
    return WM_STALL_NONE;
}
