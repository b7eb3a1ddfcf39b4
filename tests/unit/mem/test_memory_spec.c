// Memory systems that cannot be: each refusal names the field and says what would do.
#include "mem/replacement/replacement.h"
#include "mem/set_index/set_index.h"
#include "mem/system/memory.h"

#include <criterion/criterion.h>
#include <string.h>

static struct wm_memory_spec good(void)
{
    struct wm_cache_spec l1 = {
        .present = true,
        .size_bytes = 16384,
        .ways = 4,
        .line_bytes = 128,
        .sector_bytes = 32,
        .write_policy = WM_WRITE_THROUGH_EVICT,
        .replacement = &wm_replacement_lru,
        .set_index = &wm_set_index_modulo,
    };
    struct wm_cache_spec l2 = l1;
    l2.size_bytes = 786432;
    l2.ways = 8;
    l2.write_policy = WM_WRITE_BACK;
    l2.write_allocate = true;
    return (struct wm_memory_spec){
        .sm_count = 15,
        .l1 = l1,
        .l2 = l2,
        .l2_slices = 12,
        .l2_interleave_bytes = 256,
        .dram = {.channels = 6, .channel_interleave_bytes = 256, .access_bytes = 32},
    };
}

static void refused(const struct wm_memory_spec *spec, const char *message, const char *hint)
{
    struct wm_error error;
    struct wm_memory *memory = (struct wm_memory *)&error;
    cr_assert_eq(wm_memory_new(spec, "gpu0", &memory, &error), WM_INVALID, "not refused: %s",
                 message);
    cr_assert_null(memory);
    cr_assert(strstr(error.message, message) != NULL, "'%s' does not say '%s'", error.message,
              message);
    cr_assert(strstr(error.hint, hint) != NULL, "'%s' does not say '%s'", error.hint, hint);
}

Test(memory_spec, a_good_one_is_built_with_its_components_in_order)
{
    struct wm_memory_spec spec = good();
    struct wm_error error;
    struct wm_memory *memory;
    cr_assert_eq(wm_memory_new(&spec, "gpu0", &memory, &error), WM_OK, "%s", error.message);
    size_t count;
    const struct wm_component_counters *components = wm_memory_components(memory, &count);
    cr_assert_eq(count, 15 + 12 + 6);
    cr_assert_str_eq(components[3].path, "gpu0.sm[3].l1");
    cr_assert_str_eq(components[15 + 5].path, "gpu0.l2[5]");
    cr_assert_str_eq(components[15 + 12 + 2].path, "gpu0.dram[2]");
    cr_assert_str_eq(components[3].set->kind, "l1");
    cr_assert_str_eq(components[20].set->kind, "l2");
    cr_assert_str_eq(components[29].set->kind, "dram");
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < components[i].set->count; j++)
            cr_assert_eq(components[i].values[j], 0);
    wm_memory_free(memory);
    wm_memory_free(NULL);
}

#define REFUSED(change, message, hint)       \
    do {                                     \
        struct wm_memory_spec spec = good(); \
        change;                              \
        refused(&spec, message, hint);       \
    } while (0)

Test(memory_spec, impossible_caches_are_refused)
{
    REFUSED(spec.l1.size_bytes = 16385, "l1.size_bytes is 16385", "give 16384 bytes");
    REFUSED(spec.l1.size_bytes = 0, "l1.size_bytes is 0", "give 512 bytes");
    REFUSED(spec.l1.size_bytes = 100, "not a multiple of 512", "give 512 bytes");
    REFUSED(spec.l1.ways = 0, "l1.ways is 0", "1 to 1024");
    REFUSED(spec.l1.ways = 1025, "l1.ways is 1025", "1 to 1024");
    REFUSED(spec.l1.line_bytes = 96, "l1.line_bytes is 96", "power of two");
    REFUSED(spec.l1.line_bytes = 16, "l1.line_bytes is 16", "from 32");
    REFUSED(spec.l1.line_bytes = 2048, "l1.line_bytes is 2048", "to 1024");
    REFUSED(spec.l1.sector_bytes = 16, "l1.sector_bytes is 16", "from 32");
    REFUSED(spec.l1.sector_bytes = 256, "l1.sector_bytes is 256", "line's 128");
    REFUSED(spec.l1.sector_bytes = 48, "l1.sector_bytes is 48", "power of two");
    REFUSED(spec.l1.replacement = NULL, "l1 has no replacement", "table");
    REFUSED(spec.l1.set_index = NULL, "l1 has no set index", "table");
    REFUSED(spec.l1.write_allocate = true, "l1 allocates on stores", "l1.write_allocate false");
    REFUSED(spec.l2.size_bytes = 786432 + 1024, "l2.size_bytes is 787456", "give 786432 bytes");
    REFUSED(spec.l1.size_bytes = UINT64_C(1) << 50, "lines in one array", "at most");
}

Test(memory_spec, a_set_index_that_does_not_take_the_sets_is_refused)
{
    struct wm_memory_spec spec = good();
    spec.l1.set_index = &wm_set_index_fermi_hash; // 32 sets: taken
    struct wm_memory *memory;
    struct wm_error error;
    cr_assert_eq(wm_memory_new(&spec, "gpu0", &memory, &error), WM_OK);
    wm_memory_free(memory);
    spec.l1.ways = 8; // 16 sets: not
    refused(&spec, "l1 has 16 sets, but its set index 'fermi-hash' takes 32 or 64 sets",
            "'modulo'");
}

Test(memory_spec, impossible_arrangements_are_refused)
{
    REFUSED(spec.sm_count = 0, "sm_count is 0", "at least one SM");
    REFUSED(spec.dram.channels = 0, "dram.channels is 0", "at least one channel");
    REFUSED(spec.l2_slices = 8, "l2_slices is 8, not a multiple of dram.channels (6)",
            "same number");
    REFUSED(spec.l2_slices = 0, "l2_slices is 0", "same number");
    REFUSED(spec.l2_interleave_bytes = 64, "l2_interleave_bytes is 64", "128 bytes (one L2 line)");
    REFUSED(spec.l2_interleave_bytes = 384, "l2_interleave_bytes is 384", "power of two");
    REFUSED(spec.dram.channel_interleave_bytes = 0, "dram.channel_interleave_bytes is 0",
            "32 bytes");
    REFUSED(spec.dram.channel_interleave_bytes = 48, "dram.channel_interleave_bytes is 48",
            "power");
    REFUSED(spec.dram.access_bytes = 0, "dram.access_bytes is 0", "power of two");
    REFUSED(spec.dram.access_bytes = 512, "dram.channel_interleave_bytes is 256", "512 bytes");
}
