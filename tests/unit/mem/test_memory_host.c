// What the host does to the caches: by hand where the rule shows, and at random against the model.
#include "base/numbers/random.h"
#include "mem/cache/pins.h"
#include "obvious_memory.h"
#include "small_memory.h"

#include <criterion/criterion.h>

static struct wm_memory_spec write_back_spec(uint32_t sector_bytes)
{
    struct wm_memory_spec spec =
        small_memory(2, small_cache(8, 4, 128, sector_bytes), small_cache(64, 4, 128, 32), 2);
    spec.levels[WM_LEVEL_L1].flush_at_kernel = true;
    return spec;
}

static void request(struct wm_memory *memory, enum wm_access_kind kind, uint32_t sm,
                    uint64_t address, uint32_t sectors)
{
    struct wm_request r = {
        .address = address, .sectors = sectors, .full_sectors = sectors, .kind = kind, .sm = sm};
    wm_memory_access(memory, &r);
}

static uint64_t dram_written(const struct wm_memory *memory)
{
    return memory->dram[0].bytes_written + memory->dram[1].bytes_written;
}

Test(memory_host, a_read_writes_dirty_sectors_of_the_range_back_once)
{
    struct wm_memory_spec spec = write_back_spec(32);
    struct wm_memory *memory = small_memory_new(&spec);
    request(memory, WM_ACCESS_STORE, 0, 0x1000, 0xf);
    request(memory, WM_ACCESS_STORE, 1, 0x1080, 0xf);
    cr_assert_eq(dram_written(memory), 0);
    wm_memory_host_read(memory, 0x1020, 32); // one sector of the first line
    cr_assert_eq(dram_written(memory), 32);
    wm_memory_host_read(memory, 0x1000, 256);
    cr_assert_eq(dram_written(memory), 256);
    wm_memory_host_read(memory, 0x1000, 256);
    wm_memory_host_read(memory, 0, 0);
    cr_assert_eq(dram_written(memory), 256);
    // The lines stay and are clean.
    request(memory, WM_ACCESS_LOAD, 0, 0x1000, 0xf);
    cr_assert_eq(memory->levels[WM_LEVEL_L1].caches[0].counters.load_hits, 4);
    wm_memory_free(memory);
}

Test(memory_host, a_write_drops_copies_without_writing_them_back)
{
    struct wm_memory_spec spec = write_back_spec(32);
    struct wm_memory *memory = small_memory_new(&spec);
    request(memory, WM_ACCESS_STORE, 0, 0x1000, 0xf);
    wm_memory_host_write(memory, 0x1000, 128);
    wm_memory_write_back_all(memory);
    cr_assert_eq(dram_written(memory), 0);
    request(memory, WM_ACCESS_LOAD, 0, 0x1000, 0xf);
    cr_assert_eq(memory->levels[WM_LEVEL_L1].caches[0].counters.load_misses, 4);
    cr_assert_eq(memory->dram[0].bytes_read, 128);
    wm_memory_free(memory);
}

Test(memory_host, a_write_of_part_of_a_sector_saves_its_other_part)
{
    struct wm_memory_spec spec = write_back_spec(32);
    struct wm_memory *memory = small_memory_new(&spec);
    request(memory, WM_ACCESS_STORE, 0, 0x1000, 0xf);
    wm_memory_host_write(memory, 0x1030, 0x20); // the upper half of sector 1, the lower of sector 2
    cr_assert_eq(dram_written(memory), 64);
    wm_memory_write_back_all(memory);
    cr_assert_eq(dram_written(memory), 128);
    wm_memory_free(memory);
}

Test(memory_host, a_write_of_part_of_an_unsectored_line_saves_the_line)
{
    struct wm_memory_spec spec = write_back_spec(128);
    struct wm_memory *memory = small_memory_new(&spec);
    request(memory, WM_ACCESS_STORE, 0, 0x1000, 0xf);
    wm_memory_host_write(memory, 0x1020, 0x20);
    request(memory, WM_ACCESS_LOAD, 0, 0x1000, 0x8);
    cr_assert_eq(memory->levels[WM_LEVEL_L1].caches[0].counters.load_misses, 1);
    cr_assert_eq(memory->levels[WM_LEVEL_L1].caches[0].counters.write_backs, 1);
    wm_memory_free(memory);
}

// Whole sectors stay in L2, clean, and the rest is fetched; of more than L2 holds the last part.
Test(memory_host, an_l2_keeps_what_is_copied)
{
    struct wm_memory_spec spec = write_back_spec(32);
    spec.levels[WM_LEVEL_L2].host_write_allocate = true;
    struct wm_memory *memory = small_memory_new(&spec);
    request(memory, WM_ACCESS_STORE, 0, 0x1000, 0xf);
    wm_memory_host_write(memory, 0x1010,
                         0x60); // of the last sector but one a half, of the first too
    cr_assert_eq(dram_written(memory), 64, "halves of sectors that stores wrote");
    request(memory, WM_ACCESS_LOAD, 0, 0x1000, 0xf);
    cr_assert_eq(memory->levels[WM_LEVEL_L2].caches[0].counters.load_hits, 2);
    cr_assert_eq(memory->dram[0].bytes_read, 64);
    wm_memory_write_back_all(memory);
    cr_assert_eq(dram_written(memory), 64, "copies are clean");
    uint64_t size = spec.levels[WM_LEVEL_L2].cache.size_bytes;
    wm_memory_host_write(memory, 0x100000, 4 * size);
    request(memory, WM_ACCESS_LOAD, 0, 0x100000 + 3 * size, 0xf);
    request(memory, WM_ACCESS_LOAD, 0, 0x100000 + 4 * size - 128, 0xf);
    request(memory, WM_ACCESS_LOAD, 0, 0x100000, 0xf);
    uint64_t hits = memory->levels[WM_LEVEL_L2].caches[0].counters.load_hits +
                    memory->levels[WM_LEVEL_L2].caches[1].counters.load_hits;
    cr_assert_eq(hits, 2 + 8);
    wm_memory_free(memory);
}

Test(memory_host, a_kernel_finds_l1_empty_and_its_dirt_below)
{
    struct wm_memory_spec spec = write_back_spec(32);
    struct wm_memory *memory = small_memory_new(&spec);
    request(memory, WM_ACCESS_STORE, 0, 0x1000, 0x3);
    wm_memory_kernel_begin(memory);
    cr_assert_eq(memory->levels[WM_LEVEL_L1].caches[0].counters.write_backs, 1);
    cr_assert_eq(memory->levels[WM_LEVEL_L1].caches[0].counters.invalidations, 1);
    request(memory, WM_ACCESS_LOAD, 1, 0x1000, 0x3);
    cr_assert_eq(memory->levels[WM_LEVEL_L2].caches[0].counters.load_hits, 2);
    wm_memory_free(memory);

    spec.levels[WM_LEVEL_L1].flush_at_kernel = false;
    memory = small_memory_new(&spec);
    request(memory, WM_ACCESS_STORE, 0, 0x1000, 0x3);
    wm_memory_kernel_begin(memory);
    request(memory, WM_ACCESS_LOAD, 0, 0x1000, 0x3);
    cr_assert_eq(memory->levels[WM_LEVEL_L1].caches[0].counters.load_hits, 2);
    wm_memory_free(memory);
}

Test(memory_host, drain_leaves_nothing_dirty)
{
    struct wm_memory_spec spec = write_back_spec(32);
    struct wm_memory *memory = small_memory_new(&spec);
    for (uint64_t line = 0; line < 20; line++)
        request(memory, WM_ACCESS_STORE, (uint32_t)line & 1, line * 128, 0xf);
    wm_memory_write_back_all(memory);
    cr_assert_eq(dram_written(memory), 20 * 128);
    wm_memory_write_back_all(memory);
    cr_assert_eq(dram_written(memory), 20 * 128);
    wm_memory_free(memory);
}

// The end of the address space is no place to trip over.
Test(memory_host, ranges_at_the_end_of_the_address_space)
{
    struct wm_memory_spec spec = write_back_spec(32);
    struct wm_memory *memory = small_memory_new(&spec);
    request(memory, WM_ACCESS_STORE, 0, UINT64_MAX - 127, 0xf);
    wm_memory_host_read(memory, UINT64_MAX - 200, 1000);
    cr_assert_eq(dram_written(memory), 128);
    wm_memory_host_write(memory, UINT64_MAX - 200, UINT64_MAX);
    wm_memory_free(memory);
}

static void random_step(struct wm_random *random, struct wm_memory *memory,
                        struct obvious_memory *model)
{
    uint64_t address = wm_random_below(random, 16384), size = wm_random_below(random, 600);
    if (wm_random_below(random, 10) == 0)
        size *= 100;
    switch (wm_random_below(random, 40)) {
    case 0:
        wm_memory_host_read(memory, address, size);
        obvious_host_read(model, address, size);
        return;
    case 1:
        wm_memory_host_write(memory, address, size);
        obvious_host_write(model, address, size);
        return;
    case 2:
        wm_memory_kernel_begin(memory);
        obvious_kernel_begin(model);
        return;
    default: {
        struct wm_request r = {.address = address / 128 * 128,
                               .sectors = 1 + (uint32_t)wm_random_below(random, 15),
                               .kind = (enum wm_access_kind)wm_random_below(random, 4),
                               .sm = (uint32_t)wm_random_below(random, 2)};
        r.full_sectors = r.sectors & (uint32_t)wm_random_u64(random);
        wm_memory_access(memory, &r);
        obvious_serve(model, &r);
    }
    }
}

Test(memory_host, random_host_traffic_counts_as_the_model)
{
    struct wm_random random;
    wm_random_init(&random, 5, "host");
    for (uint32_t machine = 0; machine < 60; machine++) {
        struct wm_memory_spec spec = write_back_spec(machine % 2 == 0 ? 32 : 128);
        if (machine % 3 == 0)
            spec.levels[WM_LEVEL_L1].cache.write_policy = WM_WRITE_THROUGH_UPDATE;
        if (machine % 5 == 0)
            spec.levels[WM_LEVEL_L2].cache.sector_bytes = 64;
        spec.levels[WM_LEVEL_L2].host_write_allocate = machine % 7 < 3;
        if (machine % 4 == 0)
            spec.levels[WM_LEVEL_L1].cache.ways = 32;
        if (machine % 8 == 0) { // above the vector compares
            spec.levels[WM_LEVEL_L1].cache.size_bytes =
                spec.levels[WM_LEVEL_L1].cache.ways * UINT64_C(256);
            spec.levels[WM_LEVEL_L2].cache.ways = 64;
        }
        struct wm_memory *memory = small_memory_new(&spec);
        struct obvious_memory *model = obvious_memory_new(&spec);
        for (int i = 0; i < 2000; i++)
            random_step(&random, memory, model);
        cr_assert(obvious_equal(model, memory), "machine %u", machine);
        wm_memory_free(memory);
        obvious_memory_free(model);
    }
}

static enum wm_status resize(struct wm_memory *memory, uint64_t size_bytes, uint32_t ways)
{
    struct wm_error error;
    return wm_memory_resize_l1(memory, size_bytes, ways, &error);
}

Test(resize_l1, writes_dirty_lines_back_and_starts_empty)
{
    struct wm_memory_spec spec = write_back_spec(32);
    spec.levels[WM_LEVEL_L1].flush_at_kernel = false;
    struct wm_memory *memory = small_memory_new(&spec);
    request(memory, WM_ACCESS_STORE, 0, 0x1000, 0xf);
    request(memory, WM_ACCESS_LOAD, 1, 0x1080, 0xf);
    cr_assert_eq(resize(memory, 4096, 4), WM_OK, "what it is");
    request(memory, WM_ACCESS_LOAD, 0, 0x1000, 0xf);
    cr_assert_eq(memory->levels[WM_LEVEL_L1].caches[0].counters.load_hits, 4, "nothing happened");
    cr_assert_eq(resize(memory, 8192, 8), WM_OK);
    cr_assert_eq(memory->levels[WM_LEVEL_L1].caches[0].counters.write_backs, 1);
    cr_assert_eq(memory->levels[WM_LEVEL_L1].caches[0].counters.bytes_to_below, 128);
    cr_assert_eq(memory->levels[WM_LEVEL_L1].caches[1].counters.invalidations, 1);
    request(memory, WM_ACCESS_LOAD, 0, 0x1000, 0xf);
    cr_assert_eq(memory->levels[WM_LEVEL_L1].caches[0].counters.load_hits, 4,
                 "counters go on, contents do not");
    cr_assert_eq(memory->levels[WM_LEVEL_L1].caches[0].counters.load_misses, 4);
    // The sets stay: nine lines of one set are one more than its ways.
    for (uint64_t line = 0; line < 9; line++)
        request(memory, WM_ACCESS_LOAD, 1, line * 1024, 1);
    cr_assert_eq(memory->levels[WM_LEVEL_L1].caches[1].counters.evictions, 1);
    wm_memory_free(memory);
}

// Those of the clock engine are warmed by the walk before the range that is profiled: later they
// have lines, and it is too late.
Test(resize_l1, keeps_lines_in_their_ways_where_they_were)
{
    struct wm_memory_spec spec = write_back_spec(32);
    struct wm_memory *memory = small_memory_new(&spec);
    struct wm_cache *l1s = memory->levels[WM_LEVEL_L1].caches;
    struct wm_error error;
    cr_assert_eq(resize(memory, 8192, 8), WM_OK);
    cr_expect_null(l1s[0].pins, "as they were");
    for (uint32_t sm = 0; sm < 2; sm++) {
        wm_cache_reset(&l1s[sm]);
        cr_assert_eq(wm_cache_enable_pins(&l1s[sm], &error), WM_OK);
    }
    cr_assert_eq(resize(memory, 4096, 4), WM_OK);
    request(memory, WM_ACCESS_LOAD, 1, 0x1000, 0xf);
    for (uint32_t sm = 0; sm < 2; sm++) {
        cr_assert_not_null(l1s[sm].pins);
        cr_expect(!l1s[sm].is_ordered);
        cr_expect_eq(wm_cache_enable_pins(&l1s[sm], &error), WM_OK, "it is done");
    }
    wm_memory_free(memory);
}

Test(resize_l1, refuses_what_cannot_be_and_keeps_what_is)
{
    struct wm_memory_spec spec = write_back_spec(32);
    struct wm_memory *memory = small_memory_new(&spec);
    request(memory, WM_ACCESS_STORE, 0, 0x1000, 0xf);
    cr_assert_eq(resize(memory, 4000, 4), WM_INVALID);
    cr_assert_eq(resize(memory, 4096, 0), WM_INVALID);
    cr_assert_eq(resize(memory, UINT64_C(128) * 8 * 1025, 1025), WM_INVALID);
    request(memory, WM_ACCESS_LOAD, 0, 0x1000, 0xf);
    cr_assert_eq(memory->levels[WM_LEVEL_L1].caches[0].counters.load_hits, 4);
    cr_assert_eq(dram_written(memory), 0);
    wm_memory_free(memory);
    spec.levels[WM_LEVEL_L1].cache.present = false;
    memory = small_memory_new(&spec);
    cr_assert_eq(resize(memory, 8192, 8), WM_OK, "there is none");
    wm_memory_free(memory);
}

// Resized, then back and forth, it counts as one that was built so, below and above the ways that
// are found by vector compares.
Test(resize_l1, counts_as_one_that_was_built_so)
{
    struct wm_random random;
    wm_random_init(&random, 6, "resize");
    static const uint32_t ways[] = {1, 4, 30, 32, 33, 80};
    for (uint32_t machine = 0; machine < 60; machine++) {
        struct wm_memory_spec spec = write_back_spec(machine % 2 == 0 ? 32 : 128);
        struct wm_memory *memory = small_memory_new(&spec);
        for (uint32_t change = 0; change < 3; change++) {
            spec.levels[WM_LEVEL_L1].cache.ways =
                ways[wm_random_below(&random, sizeof ways / sizeof ways[0])];
            spec.levels[WM_LEVEL_L1].cache.size_bytes =
                spec.levels[WM_LEVEL_L1].cache.ways * UINT64_C(1024);
            cr_assert_eq(resize(memory, spec.levels[WM_LEVEL_L1].cache.size_bytes,
                                spec.levels[WM_LEVEL_L1].cache.ways),
                         WM_OK);
        }
        struct obvious_memory *model = obvious_memory_new(&spec);
        for (int i = 0; i < 2000; i++)
            random_step(&random, memory, model);
        cr_assert(obvious_equal(model, memory), "machine %u", machine);
        wm_memory_free(memory);
        obvious_memory_free(model);
    }
}
