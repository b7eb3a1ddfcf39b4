#include "coherent_machines.h"

#include "small_memory.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

enum { LINE = 128 };

static void add(struct wm_memory_spec *spec, uint32_t number, enum wm_level_place place,
                const char *name, struct wm_cache_spec cache, uint8_t below)
{
    struct wm_level_spec *level = &spec->levels[number];
    *level = (struct wm_level_spec){
        .place = place, .cache = cache, .below = below, .coherence = WM_LEVEL_MESI};
    snprintf(level->name, sizeof level->name, "%s", name);
}

static void be_of(struct wm_level_spec *level, uint32_t first, uint32_t count, uint32_t each)
{
    level->first_unit = first;
    level->unit_count = count;
    level->units_each = each;
}

static struct wm_memory_spec units(uint32_t sms, uint32_t cores)
{
    return (struct wm_memory_spec){
        .sm_count = sms,
        .core_count = cores,
        .dram = {.channels = 1, .channel_interleave_bytes = 256, .access_bytes = 32},
        .demand_before_writeback = true,
    };
}

static void slice(struct wm_level_spec *level, uint32_t slices, uint64_t interleave_bytes)
{
    level->slices = slices;
    level->interleave_bytes = interleave_bytes;
}

struct wm_memory_spec coherent_cores(uint32_t cores)
{
    struct wm_memory_spec spec = units(cores, 0);
    spec.levels[WM_LEVEL_L1] =
        (struct wm_level_spec){.cache = small_cache(2, 2, LINE, LINE), .coherence = WM_LEVEL_MESI};
    spec.levels[WM_LEVEL_L2] = (struct wm_level_spec){.cache = small_cache(4, 4, LINE, LINE),
                                                      .coherence = WM_LEVEL_MESI,
                                                      .slices = 1,
                                                      .interleave_bytes = 256};
    return spec;
}

static struct wm_memory_spec upper_levels(uint32_t sms, uint32_t cores)
{
    struct wm_memory_spec spec = units(sms, cores);
    spec.levels[WM_LEVEL_L1] =
        (struct wm_level_spec){.cache = small_cache(4, 2, LINE, LINE), .coherence = WM_LEVEL_MESI};
    spec.levels[WM_LEVEL_L2] = (struct wm_level_spec){.cache = small_cache(8, 4, LINE, LINE),
                                                      .units_each = WM_UNITS_ALL,
                                                      .below = WM_BELOW(LAST),
                                                      .coherence = WM_LEVEL_MESI};
    slice(&spec.levels[WM_LEVEL_L2], 2, 256);
    be_of(&spec.levels[WM_LEVEL_L1], 0, sms, 1);
    be_of(&spec.levels[WM_LEVEL_L2], 0, sms, WM_UNITS_ALL);
    add(&spec, CPU_L1, WM_PLACE_CPU, "l1", small_cache(4, 2, LINE, LINE), WM_BELOW(CPU_L2));
    spec.levels[CPU_L1].serves = WM_SERVES_DATA;
    add(&spec, CPU_L2, WM_PLACE_CPU, "l2", small_cache(8, 2, LINE, LINE), WM_BELOW(LAST));
    be_of(&spec.levels[CPU_L1], sms, cores, 1);
    be_of(&spec.levels[CPU_L2], sms, cores, 1);
    return spec;
}

struct wm_memory_spec coherent_shared(uint32_t sms, uint32_t cores)
{
    struct wm_memory_spec spec = upper_levels(sms, cores);
    add(&spec, LAST, WM_PLACE_MACHINE, "llc", small_cache(28, 4, LINE, LINE), WM_BELOW_MEMORY);
    spec.levels[LAST].inclusion = WM_INCLUSIVE;
    slice(&spec.levels[LAST], 4, LINE);
    return spec;
}

struct wm_memory_spec coherent_without_sms_caches(uint32_t sms, uint32_t cores)
{
    struct wm_memory_spec spec = coherent_shared(sms, cores);
    for (uint32_t i = WM_LEVEL_L1; i <= WM_LEVEL_L2; i++) {
        spec.levels[i].cache.present = false;
        spec.levels[i].coherence = WM_LEVEL_INCOHERENT;
    }
    spec.levels[WM_LEVEL_L1].below = WM_BELOW(LAST);
    return spec;
}

struct wm_memory_spec coherent_split(uint32_t sms, uint32_t cores)
{
    struct wm_memory_spec spec = upper_levels(sms, cores);
    add(&spec, LAST, WM_PLACE_GPU, "l3", small_cache(12, 4, LINE, LINE), WM_BELOW_MEMORY);
    add(&spec, CPU_LAST, WM_PLACE_CPU, "l3", small_cache(7, 4, LINE, LINE), WM_BELOW_MEMORY);
    spec.levels[CPU_L2].below = WM_BELOW(CPU_LAST);
    slice(&spec.levels[LAST], 4, LINE);
    be_of(&spec.levels[LAST], 0, sms, WM_UNITS_ALL);
    be_of(&spec.levels[CPU_LAST], sms, cores, WM_UNITS_ALL);
    return spec;
}

void expect_spec_refused(const struct wm_memory_spec *spec, const char *message, const char *hint)
{
    struct wm_error error;
    struct wm_memory *memory = (struct wm_memory *)&error;
    cr_assert_eq(wm_memory_new(spec, "gpu0", &memory, &error), WM_INVALID, "not refused: %s",
                 message);
    cr_expect(strstr(error.message, message) != NULL, "'%s' does not say '%s'", error.message,
              message);
    cr_expect(strstr(error.hint, hint) != NULL, "'%s' does not say '%s'", error.hint, hint);
}
