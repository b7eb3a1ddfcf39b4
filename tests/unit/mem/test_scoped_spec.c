// Which levels may drop their lines at acquires, and what is refused.
#include "coherent_machines.h"
#include "mem/prefetch/entries.h"
#include "mem/replacement/entries.h"
#include "small_memory.h"

#include <criterion/criterion.h>
#include <string.h>

static struct wm_memory_spec scoped(void)
{
    struct wm_cache_spec l1 = small_cache(4, 2, 128, 32), l2 = small_cache(16, 4, 128, 32);
    l1.write_policy = WM_WRITE_THROUGH_EVICT;
    l1.write_allocate = false;
    struct wm_memory_spec spec = small_memory(4, l1, l2, 2);
    spec.levels[WM_LEVEL_L1].coherence = WM_LEVEL_SCOPED;
    return spec;
}

#define REFUSED(change, message, hint)                                                         \
    do {                                                                                       \
        struct wm_memory_spec spec = scoped();                                                 \
        struct wm_level_spec *l1 = &spec.levels[WM_LEVEL_L1], *l2 = &spec.levels[WM_LEVEL_L2]; \
        (void)l1, (void)l2;                                                                    \
        change;                                                                                \
        expect_spec_refused(&spec, message, hint);                                             \
    } while (0)

Test(scoped_spec, what_does_not_go_is_refused)
{
    REFUSED(l1->cache.write_policy = WM_WRITE_BACK,
            "l1.coherence is scoped, and l1.write_policy is back",
            "set l1.write_policy to through-update or through-evict");
    REFUSED(l1->cache.present = false, "l1.coherence is scoped, and l1.present is false",
            "set l1.coherence to none");
    REFUSED(l1->cache.replacement = &wm_replacement_opt,
            "l1.coherence is scoped, and l1.replacement is opt", "name another l1.replacement");
    REFUSED(l1->victim_lines = 4, "l1.coherence is scoped, and l1.victim_lines is not 0",
            "set l1.victim_lines to 0");
    REFUSED(l1->prefetch = &wm_prefetch_stream_buffer,
            "l1.coherence is scoped, and l1.prefetch is not none", "set l1.prefetch to none");
    REFUSED(l1->coalescing = WM_COALESCES_IN_FLIGHT,
            "l1.coherence is scoped, and l1.coalescing is in-flight", "set l1.coalescing to none");
    REFUSED(l2->inclusion = WM_EXCLUSIVE, "l1.coherence is scoped, and l2.inclusion is exclusive",
            "set l2.inclusion to non-inclusive or inclusive");
    REFUSED((l1->tracker.present = true, l1->cache.sector_bytes = 128),
            "l1.coherence is scoped, and l1.tracker.present is true",
            "set l1.tracker.present to false");
}

// An inclusive first level of a GPU is refused as such; other levels are not where acquires matter.
Test(scoped_spec, only_where_accesses_of_sms_begin)
{
    REFUSED((l2->coherence = WM_LEVEL_SCOPED, l2->cache.write_policy = WM_WRITE_THROUGH_UPDATE),
            "l2.coherence is scoped, and no loads and stores of SMs begin at l2",
            "set l2.coherence to none or mesi");
    struct wm_memory_spec spec = coherent_split(2, 2);
    struct wm_level_spec *core = &spec.levels[CPU_L1];
    for (uint32_t i = 0; i < WM_MOST_LEVELS; i++)
        spec.levels[i].coherence = WM_LEVEL_INCOHERENT;
    core->coherence = WM_LEVEL_SCOPED;
    core->cache.write_policy = WM_WRITE_THROUGH_UPDATE;
    expect_spec_refused(&spec, "coherence is scoped, and no loads and stores of SMs begin at",
                        "to none or mesi");
}

Test(scoped_spec, it_stands_above_what_is_coherent_and_what_is_not)
{
    struct wm_memory_spec spec = scoped();
    wm_memory_free(small_memory_new(&spec));
    spec.levels[WM_LEVEL_L2].inclusion = WM_INCLUSIVE;
    wm_memory_free(small_memory_new(&spec));
    spec.levels[WM_LEVEL_L1].cache.write_policy = WM_WRITE_THROUGH_UPDATE;
    wm_memory_free(small_memory_new(&spec));

    spec = coherent_split(2, 2); // L2 is mesi
    spec.levels[WM_LEVEL_L1].coherence = WM_LEVEL_SCOPED;
    spec.levels[WM_LEVEL_L1].cache.write_policy = WM_WRITE_THROUGH_UPDATE;
    wm_memory_free(small_memory_new(&spec));
}
