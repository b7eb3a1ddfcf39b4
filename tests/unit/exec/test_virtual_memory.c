// Reserved addresses, physical memory and mappings: against a model of pages that knows one thing,
// which byte of which memory is behind each.
#include "base/numbers/random.h"
#include "exec/memory/virtual_memory.h"

#include <criterion/criterion.h>
#include <string.h>
#include <unistd.h>

#define GRAIN WM_MAPPING_GRANULARITY

static struct wm_device_memory *memory;
static struct wm_virtual_memory *virtual_memory;

static void start(void)
{
    cr_assert_eq(wm_device_memory_new(64 * GRAIN, &memory, NULL), WM_OK);
    virtual_memory = wm_device_memory_virtual(memory);
}

static void finish(void)
{
    wm_device_memory_free(memory);
}

TestSuite(virtual_memory, .init = start, .fini = finish);

static uint64_t reserve(uint64_t grains)
{
    uint64_t address;
    cr_assert_eq(wm_virtual_reserve(virtual_memory, grains * GRAIN, 0, 0, "r", &address, NULL),
                 WM_OK);
    return address;
}

static uint64_t create(uint64_t grains)
{
    struct wm_physical_memory *made;
    cr_assert_eq(wm_virtual_create(virtual_memory, grains * GRAIN, "p", &made, NULL), WM_OK);
    return made->handle;
}

static void map(uint64_t address, uint64_t grains, uint64_t handle, enum wm_mapping_access access)
{
    cr_assert_eq(wm_virtual_map(virtual_memory, address, grains * GRAIN, handle, NULL), WM_OK);
    cr_assert_eq(wm_virtual_set_access(virtual_memory, address, grains * GRAIN, access, NULL),
                 WM_OK);
}

static char *at(uint64_t address)
{
    return (char *)(uintptr_t)address;
}

Test(virtual_memory, reservations_are_first_fit_and_the_same_on_every_run)
{
    uint64_t first = reserve(2), second = reserve(1), address;
    cr_assert_eq(first, WM_RESERVED_BASE);
    cr_assert_eq(second, first + 3 * GRAIN, "a gap follows each");
    cr_assert_eq(
        wm_virtual_reserve(virtual_memory, GRAIN, 0, first + 2 * GRAIN, "h", &address, NULL),
        WM_OK);
    cr_assert_eq(address, first + 2 * GRAIN, "the hint is heeded where it is free");
    cr_assert_eq(wm_virtual_unreserve(virtual_memory, first, 2 * GRAIN, NULL), WM_OK);
    cr_assert_eq(wm_virtual_unreserve(virtual_memory, address, GRAIN, NULL), WM_OK);
    cr_assert_eq(reserve(1), first);
    cr_assert_null(wm_virtual_reservation_of(virtual_memory, first + GRAIN));
    cr_assert_eq(wm_virtual_reserve(virtual_memory, UINT64_MAX - 4095, 0, 0, "", &address, NULL),
                 WM_NO_MEMORY);
    cr_assert_eq(
        wm_virtual_reserve(virtual_memory, GRAIN, UINT64_C(1) << 63, 0, "", &address, NULL),
        WM_NO_MEMORY);
}

// What one process has made for others, and another one imports: here they are the same.
Test(virtual_memory, is_imported_by_its_file_and_outlives_its_maker)
{
    struct wm_physical_memory *made, *imported;
    cr_assert_eq(wm_virtual_create_shared(virtual_memory, 2 * GRAIN, "s", &made, NULL), WM_OK);
    uint64_t maker = made->handle, used = wm_device_memory_used(memory, 0);
    int file = dup(made->file);
    cr_assert_eq(wm_virtual_import(virtual_memory, file, "i", &imported, NULL), WM_OK);
    uint64_t other = imported->handle, first = reserve(2), second = reserve(2);
    cr_assert_eq(imported->size_bytes, 2 * GRAIN);
    cr_assert_eq(wm_device_memory_used(memory, 0), used, "another process's takes no capacity");
    map(first, 2, maker, WM_MAPPING_READ_WRITE);
    map(second, 2, other, WM_MAPPING_READ_WRITE);
    at(first)[2 * GRAIN - 1] = 7;
    cr_assert_eq(at(second)[2 * GRAIN - 1], 7);
    cr_assert_eq(wm_device_memory_host_count(memory), 2, "others may write both");
    cr_assert_eq(wm_virtual_unmap(virtual_memory, first, 2 * GRAIN, NULL), WM_OK);
    cr_assert_eq(wm_virtual_release(virtual_memory, maker, NULL), WM_OK);
    cr_assert_eq(wm_device_memory_used(memory, 0), used - 2 * GRAIN);
    cr_assert_eq(at(second)[2 * GRAIN - 1], 7);
    cr_assert_eq(wm_virtual_unmap(virtual_memory, second, 2 * GRAIN, NULL), WM_OK);
    cr_assert_eq(wm_virtual_release(virtual_memory, other, NULL), WM_OK);
    cr_assert_eq(wm_device_memory_host_count(memory), 0);
    cr_assert_eq(wm_device_memory_used(memory, 0), used - 2 * GRAIN);
    cr_assert_eq(wm_virtual_import(virtual_memory, -1, "i", &imported, NULL), WM_INVALID);
    cr_assert_eq(ftruncate(file, 1000), 0);
    cr_assert_eq(wm_virtual_import(virtual_memory, file, "i", &imported, NULL), WM_INVALID);
    close(file);
}

Test(virtual_memory, other_allocations_keep_their_addresses)
{
    uint64_t address;
    reserve(100);
    cr_assert_eq(
        wm_device_memory_allocate(memory, 16, 1, WM_ALLOCATION_DEVICE, "a", &address, NULL), WM_OK);
    cr_assert_eq(address, WM_DEVICE_BASE);
    cr_assert(wm_device_memory_owns(memory, WM_RESERVED_BASE));
    cr_assert(!wm_device_memory_owns(memory, 4096));
}

Test(virtual_memory, capacity_is_shared_with_other_allocations)
{
    uint64_t address;
    struct wm_physical_memory *made;
    cr_assert_eq(
        wm_device_memory_allocate(memory, 60 * GRAIN, 1, WM_ALLOCATION_DEVICE, "a", &address, NULL),
        WM_OK);
    uint64_t handle = create(4);
    cr_assert_eq(wm_virtual_create(virtual_memory, GRAIN, "p", &made, NULL), WM_NO_MEMORY);
    cr_assert_eq(wm_virtual_release(virtual_memory, handle, NULL), WM_OK);
    create(1);
}

Test(virtual_memory, ranges_may_span_mappings_and_must_be_writable_where_they_are_written)
{
    uint64_t base = reserve(4), one = create(1), two = create(2);
    map(base, 1, one, WM_MAPPING_READ_WRITE);
    map(base + GRAIN, 2, two, WM_MAPPING_READ);
    cr_assert_eq(wm_device_memory_find_range(memory, base + 8, 3 * GRAIN - 8, false),
                 wm_device_memory_find(memory, base));
    cr_assert_null(wm_device_memory_find_range(memory, base + 8, 3 * GRAIN - 7, false));
    cr_assert_null(wm_device_memory_find_range(memory, base, GRAIN + 1, true));
    cr_assert_not_null(wm_device_memory_find_range(memory, base, GRAIN, true));
    cr_assert_null(wm_device_memory_find(memory, base + 3 * GRAIN));
    uint64_t generation = wm_device_memory_generation(memory);
    cr_assert_eq(wm_virtual_set_access(virtual_memory, base, GRAIN, WM_MAPPING_NO_ACCESS, NULL),
                 WM_OK);
    cr_assert_neq(wm_device_memory_generation(memory), generation);
    cr_assert_null(wm_device_memory_find(memory, base));
}

Test(virtual_memory, a_byte_has_one_canonical_name)
{
    uint64_t base = reserve(4), one = create(1), two = create(1), bytes = 100;
    map(base, 1, one, WM_MAPPING_READ_WRITE);
    map(base + GRAIN, 1, two, WM_MAPPING_READ_WRITE);
    map(base + 2 * GRAIN, 1, one, WM_MAPPING_READ_WRITE);
    uint64_t name = wm_virtual_canonical(virtual_memory, base + 5, &bytes);
    cr_assert_eq(bytes, 100);
    cr_assert_eq(wm_virtual_canonical(virtual_memory, base + 2 * GRAIN + 5, &bytes), name);
    cr_assert_neq(wm_virtual_canonical(virtual_memory, base + GRAIN + 5, &bytes), name);
    bytes = 100;
    wm_virtual_canonical(virtual_memory, base + GRAIN - 10, &bytes);
    cr_assert_eq(bytes, 10, "what follows is other memory");
    cr_assert_eq(wm_virtual_canonical(virtual_memory, WM_DEVICE_BASE + 3, &bytes),
                 WM_DEVICE_BASE + 3);
}

Test(virtual_memory, memory_that_was_freed_comes_back_as_zero)
{
    uint64_t base = reserve(1), handle = create(1);
    map(base, 1, handle, WM_MAPPING_READ_WRITE);
    memset(at(base), 7, GRAIN);
    cr_assert_eq(wm_virtual_unmap(virtual_memory, base, GRAIN, NULL), WM_OK);
    map(base, 1, handle, WM_MAPPING_READ_WRITE);
    cr_assert_eq(at(base)[99], 7, "the handle keeps it");
    cr_assert_eq(wm_virtual_release(virtual_memory, handle, NULL), WM_OK);
    cr_assert_eq(at(base)[99], 7, "the mapping keeps it");
    cr_assert_eq(wm_virtual_map(virtual_memory, base, GRAIN, handle, NULL), WM_INVALID);
    cr_assert_eq(wm_virtual_unmap(virtual_memory, base, GRAIN, NULL), WM_OK);
    cr_assert_eq(wm_device_memory_used(memory, 0), 0);
    map(base, 1, create(1), WM_MAPPING_READ_WRITE);
    cr_assert_eq(at(base)[99], 0);
}

enum { PAGES = 24, MEMORIES = 12 };

// What is behind each page of one reservation: a memory's number from 1 and a page of it.
static struct {
    uint64_t base;
    uint64_t handles[MEMORIES + 1];
    int grains[MEMORIES + 1];
    int behind[PAGES], page[PAGES], first[PAGES], length[PAGES];
    int values[MEMORIES + 1][4];
} model;

static void try_map(struct wm_random *random)
{
    int which = 1 + (int)wm_random_below(random, MEMORIES),
        place = (int)wm_random_below(random, PAGES);
    int grains = 1 + (int)wm_random_below(random, 4);
    bool good = model.handles[which] && grains <= model.grains[which] && place + grains <= PAGES;
    for (int i = 0; i < grains && good; i++)
        good = model.behind[place + i] == 0;
    enum wm_status status = wm_virtual_map(virtual_memory, model.base + (uint64_t)place * GRAIN,
                                           (uint64_t)grains * GRAIN, model.handles[which], NULL);
    cr_assert_eq(status == WM_OK, good);
    for (int i = 0; i < grains && good; i++) {
        model.behind[place + i] = which;
        model.page[place + i] = i;
        model.first[place + i] = place;
        model.length[place + i] = grains;
    }
}

static void try_unmap(struct wm_random *random)
{
    int place = (int)wm_random_below(random, PAGES), grains = 1 + (int)wm_random_below(random, 8);
    bool good = place + grains <= PAGES && model.behind[place] && model.first[place] == place;
    for (int i = 0; i < grains && good; i++)
        good = model.behind[place + i] != 0 &&
               model.first[place + i] + model.length[place + i] <= place + grains;
    enum wm_status status = wm_virtual_unmap(virtual_memory, model.base + (uint64_t)place * GRAIN,
                                             (uint64_t)grains * GRAIN, NULL);
    cr_assert_eq(status == WM_OK, good);
    for (int i = 0; i < grains && good; i++)
        model.behind[place + i] = 0;
}

static void write_and_compare(struct wm_random *random)
{
    int place = (int)wm_random_below(random, PAGES), value = (int)wm_random_below(random, 100);
    uint64_t address = model.base + (uint64_t)place * GRAIN;
    if (model.behind[place]) {
        *at(address + 1234) = (char)value;
        model.values[model.behind[place]][model.page[place]] = value;
    }
    for (int i = 0; i < PAGES; i++) {
        uint64_t here = model.base + (uint64_t)i * GRAIN;
        const struct wm_mapping *mapping = wm_virtual_mapping_of(virtual_memory, here + 1234);
        cr_assert_eq(mapping != NULL, model.behind[i] != 0);
        if (!mapping)
            continue;
        cr_assert_eq(mapping->handle, model.handles[model.behind[i]]);
        cr_assert_eq(*at(here + 1234), model.values[model.behind[i]][model.page[i]]);
    }
}

Test(virtual_memory, random_mappings_agree_with_a_table_of_pages)
{
    struct wm_random random;
    wm_random_init(&random, 7, "mappings");
    memset(&model, 0, sizeof model);
    model.base = reserve(PAGES);
    for (int i = 1; i <= MEMORIES; i++) {
        model.grains[i] = 1 + i % 4;
        model.handles[i] = create((uint64_t)model.grains[i]);
    }
    for (int step = 0; step < 4000; step++) {
        try_map(&random);
        if (step % 2)
            try_unmap(&random);
        write_and_compare(&random);
    }
    wm_virtual_reset(virtual_memory);
    cr_assert_eq(wm_device_memory_used(memory, 0), 0);
    cr_assert_eq(reserve(1), model.base);
}
