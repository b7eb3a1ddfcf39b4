// The device's address space: first fit, records, determinism.
#include "base/numbers/random.h"
#include "exec/memory/device_memory.h"

#include <criterion/criterion.h>

#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

static struct wm_device_memory *memory;

static void start(void)
{
    cr_assert_eq(wm_device_memory_new(1 << 20, &memory, NULL), WM_OK);
}

static void finish(void)
{
    wm_device_memory_free(memory);
}

TestSuite(device_memory, .init = start, .fini = finish);

static uint64_t allocate(uint64_t size)
{
    uint64_t address = 0;
    cr_assert_eq(
        wm_device_memory_allocate(memory, size, 1, WM_ALLOCATION_DEVICE, "a", &address, NULL),
        WM_OK);
    return address;
}

Test(device_memory, begins_at_its_base_and_is_aligned)
{
    uint64_t first = allocate(10), second = allocate(1), address;
    cr_assert_eq(first, WM_DEVICE_BASE);
    cr_assert_eq(second % 256, 0);
    cr_assert_geq(second, first + 10 + 256, "unowned bytes follow an allocation");
    cr_assert_eq(
        wm_device_memory_allocate(memory, 8, 65536, WM_ALLOCATION_DEVICE, "b", &address, NULL),
        WM_OK);
    cr_assert_eq(address % 65536, 0);
}

Test(device_memory, refuses_zero_bytes_odd_alignments_and_more_than_there_is)
{
    uint64_t address;
    struct wm_error error;
    cr_assert_eq(
        wm_device_memory_allocate(memory, 0, 1, WM_ALLOCATION_DEVICE, "", &address, &error),
        WM_INVALID);
    cr_assert_eq(
        wm_device_memory_allocate(memory, 8, 3, WM_ALLOCATION_DEVICE, "", &address, &error),
        WM_INVALID);
    cr_assert_eq(wm_device_memory_allocate(memory, (1 << 20) + 1, 1, WM_ALLOCATION_DEVICE, "",
                                           &address, &error),
                 WM_NO_MEMORY);
    cr_assert_eq(wm_device_memory_allocate(memory, UINT64_MAX - 100, 1, WM_ALLOCATION_HOST, "",
                                           &address, &error),
                 WM_NO_MEMORY);
    allocate(1 << 20);
    cr_assert_eq(
        wm_device_memory_allocate(memory, 1, 1, WM_ALLOCATION_DEVICE, "", &address, &error),
        WM_NO_MEMORY);
    cr_assert_eq(
        wm_device_memory_allocate(memory, 1 << 20, 1, WM_ALLOCATION_MANAGED, "", &address, &error),
        WM_OK, "managed memory may be larger than the device's");
    cr_assert_eq(wm_device_memory_used(memory, 0), 1 << 20);
}

Test(device_memory, is_zero_again_after_release)
{
    enum { SIZE = 20000 };
    uint64_t address = allocate(SIZE);
    memset((void *)(uintptr_t)address, 0xAB, SIZE);
    cr_assert_eq(wm_device_memory_release(memory, address, NULL), WM_OK);
    cr_assert_eq(wm_device_memory_used(memory, 0), 0);
    cr_assert_eq(allocate(SIZE), address, "first fit takes the freed place");
    const char *bytes = (const char *)(uintptr_t)address;
    for (int i = 0; i < SIZE; i++)
        cr_assert_eq(bytes[i], 0);
}

Test(device_memory, remembers_what_was_freed)
{
    uint64_t address = allocate(100);
    cr_assert_eq(wm_device_memory_release(memory, address, NULL), WM_OK);
    cr_assert_null(wm_device_memory_find(memory, address));
    const struct wm_allocation *near = wm_device_memory_nearest(memory, address + 50);
    cr_assert_not_null(near);
    cr_assert(near->freed);
    cr_assert_eq(wm_device_memory_release(memory, address, NULL), WM_INVALID);
    cr_assert_eq(wm_device_memory_release(memory, address + 1, NULL), WM_INVALID);
}

Test(device_memory, finds_the_nearest_of_two)
{
    uint64_t a = allocate(256), b = allocate(256);
    cr_assert_eq(wm_device_memory_nearest(memory, a + 260)->address, a);
    cr_assert_eq(wm_device_memory_nearest(memory, b - 4)->address, b);
    cr_assert_eq(wm_device_memory_nearest(memory, 0)->address, a);
    cr_assert_eq(wm_device_memory_nearest(memory, UINT64_MAX)->address, b);
}

// What a driver would have mapped around an allocation: the rest of its 2 MiB.
Test(device_memory, knows_what_is_mapped_with_an_allocation)
{
    enum { PAGE = 1 << 21 };
    uint64_t a = allocate(1000), b = allocate(256), c = allocate(512), page = a + PAGE;
    cr_assert_eq(a % PAGE, 0);
    const struct wm_allocation *near = wm_device_memory_mapped_with(memory, a + 1000, 4);
    cr_assert(near && near->address == a);
    near = wm_device_memory_mapped_with(memory, a + 996, 16); // begins within
    cr_assert(near && near->address == a);
    near = wm_device_memory_mapped_with(memory, b - 4, 4);
    cr_assert(near && near->address == b);
    near = wm_device_memory_mapped_with(memory, page - 4, 4);
    cr_assert(near && near->address == c);
    *(volatile char *)(uintptr_t)(page - 1) = 1; // the host's too
    cr_assert_null(wm_device_memory_mapped_with(memory, page, 4));
    cr_assert_null(wm_device_memory_mapped_with(memory, page - 4, 8));
    cr_assert_null(wm_device_memory_mapped_with(memory, a - 4, 4));
    cr_assert_null(wm_device_memory_mapped_with(memory, 0, 4));
    // Freed memory is not mapped any more, but what lies around it is, while others hold it.
    cr_assert_eq(wm_device_memory_release(memory, b, NULL), WM_OK);
    cr_assert_null(wm_device_memory_mapped_with(memory, b + 8, 4));
    cr_assert_null(wm_device_memory_mapped_with(memory, b - 4, 8));
    near = wm_device_memory_mapped_with(memory, b + 256, 4);
    cr_assert(near && near->address == c);
    cr_assert_eq(wm_device_memory_release(memory, a, NULL), WM_OK);
    cr_assert_eq(wm_device_memory_release(memory, c, NULL), WM_OK);
    cr_assert_null(wm_device_memory_mapped_with(memory, a + 1000, 4));
    // Nor is there more behind memory of the program's own.
    static char host[100];
    cr_assert_eq(wm_device_memory_register(memory, host, sizeof host, NULL), WM_OK);
    cr_assert_null(wm_device_memory_mapped_with(memory, (uint64_t)(uintptr_t)host + 100, 4));
}

Test(device_memory, is_zero_where_something_strayed)
{
    uint64_t a = allocate(1000);
    char *beyond = (char *)(uintptr_t)a + 100000;
    memset(beyond, 1, 5000);
    wm_device_memory_strayed(memory);
    uint64_t b = allocate(200000);
    cr_assert(b < a + 100000 && b + 200000 > a + 105000);
    for (int i = 0; i < 5000; i++)
        cr_assert_eq(beyond[i], 0);
}

Test(device_memory, registers_host_memory_once)
{
    static char host[1000];
    uint64_t address = (uint64_t)(uintptr_t)host;
    cr_assert_eq(wm_device_memory_register(memory, host, sizeof(host), NULL), WM_OK);
    cr_assert_eq(wm_device_memory_find(memory, address + 999)->kind, WM_ALLOCATION_REGISTERED);
    cr_assert_null(wm_device_memory_find(memory, address + 1000));
    cr_assert_eq(wm_device_memory_register(memory, host + 500, 10, NULL), WM_INVALID);
    cr_assert_eq(wm_device_memory_release(memory, address, NULL), WM_OK);
    cr_assert_eq(wm_device_memory_register(memory, host + 500, 10, NULL), WM_OK);
}

Test(device_memory, changes_its_generation_with_each_change)
{
    uint64_t before = wm_device_memory_generation(memory), address = allocate(1);
    uint64_t between = wm_device_memory_generation(memory);
    cr_assert_neq(before, between);
    wm_device_memory_release(memory, address, NULL);
    cr_assert_neq(between, wm_device_memory_generation(memory));
}

static char *bytes_at(uint64_t address)
{
    return (char *)(uintptr_t)address;
}

// A file that one process has shared and another one imports: here they are the same.
Test(device_memory, shares_pages_and_keeps_what_is_in_them)
{
    enum { SIZE = 10000 };
    struct wm_shared_place place, again;
    uint64_t before = allocate(100), shared = allocate(SIZE), after = allocate(100), imported;
    memset(bytes_at(before), 1, 100);
    memset(bytes_at(shared), 2, SIZE);
    memset(bytes_at(after), 3, 100);
    uint64_t generation = wm_device_memory_generation(memory);
    cr_assert_eq(wm_device_memory_share(memory, shared, &place, NULL), WM_OK);
    cr_assert_eq(wm_device_memory_share(memory, shared, &again, NULL), WM_OK);
    cr_assert_eq(again.file, place.file);
    cr_assert_eq(wm_device_memory_generation(memory), generation, "its address stays");
    cr_assert_eq(wm_device_memory_host_count(memory), 1);
    cr_assert(bytes_at(before)[99] == 1 && bytes_at(shared)[SIZE - 1] == 2 &&
              bytes_at(after)[0] == 3);
    uint64_t used = wm_device_memory_used(memory, 0);
    cr_assert_eq(wm_device_memory_import(memory, 0, &place, "i", &imported, NULL), WM_OK);
    cr_assert_eq(wm_device_memory_used(memory, 0), used, "another process's takes no capacity");
    cr_assert_eq(wm_device_memory_find(memory, imported + SIZE - 1)->kind, WM_ALLOCATION_IMPORTED);
    cr_assert_null(wm_device_memory_find(memory, imported + SIZE));
    cr_assert_null(wm_device_memory_find(memory, imported - 1));
    bytes_at(imported)[SIZE - 1] = 4;
    bytes_at(shared)[0] = 5;
    cr_assert(bytes_at(shared)[SIZE - 1] == 4 && bytes_at(imported)[0] == 5);
    // Nothing is put into the rest of its pages.
    uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE), next = allocate(1);
    cr_assert(next / page > (imported + SIZE - 1) / page || next / page < imported / page);
    cr_assert_eq(wm_device_memory_release(memory, imported, NULL), WM_OK);
    cr_assert_eq(bytes_at(imported)[0], 0, "its own address again");
    cr_assert_eq(bytes_at(shared)[0], 5);
    cr_assert_eq(wm_device_memory_release(memory, shared, NULL), WM_OK);
    cr_assert_eq(wm_device_memory_host_count(memory), 0);
    cr_assert_eq(allocate(SIZE), shared);
    for (int i = 0; i < SIZE; i++)
        cr_assert_eq(bytes_at(shared)[i], 0);
    cr_assert(bytes_at(before)[99] == 1 && bytes_at(after)[0] == 3);
}

Test(device_memory, imports_over_pages_that_it_has_shared_itself)
{
    struct wm_shared_place place, other;
    uint64_t kept = allocate(5000), first = allocate(40000), imported;
    cr_assert_eq(wm_device_memory_share(memory, kept, &other, NULL), WM_OK);
    cr_assert_eq(wm_device_memory_share(memory, first, &place, NULL), WM_OK);
    cr_assert_eq(wm_device_memory_release(memory, first, NULL), WM_OK);
    cr_assert_eq(wm_device_memory_import(memory, 0, &other, "i", &imported, NULL), WM_OK);
    cr_assert(imported > first && imported < first + 40000, "in its place");
    cr_assert_eq(wm_device_memory_release(memory, imported, NULL), WM_OK);
    cr_assert_eq(allocate(40000), first);
    memset(bytes_at(first), 7, 40000);
    cr_assert_eq(wm_device_memory_share(memory, first, &place, NULL), WM_OK);
    cr_assert_eq(wm_device_memory_import(memory, 0, &place, "i", &imported, NULL), WM_OK);
    for (int i = 0; i < 40000; i++)
        cr_assert_eq(bytes_at(imported)[i], 7, "byte %d", i);
}

Test(device_memory, imports_no_bytes_that_are_not_there)
{
    struct wm_shared_place place;
    uint64_t imported;
    cr_assert_eq(wm_device_memory_share(memory, allocate(100), &place, NULL), WM_OK);
    struct wm_shared_place wrong[] = {{place.file, UINT64_C(1) << 60, 100},
                                      {place.file, 0, UINT64_C(1) << 60},
                                      {place.file, 0, 0},
                                      {-1, 0, 100}};
    for (int i = 0; i < 4; i++)
        cr_assert_eq(wm_device_memory_import(memory, 0, &wrong[i], "i", &imported, NULL),
                     WM_INVALID);
}

// ---- Several GPUs ------------------------------------------------------------------------------

static uint64_t allocate_on(uint32_t gpu, uint64_t size, enum wm_allocation_kind kind)
{
    uint64_t address = 0;
    cr_assert_eq(wm_device_memory_allocate_on(memory, gpu, size, 1, kind, "a", &address, NULL),
                 WM_OK);
    return address;
}

static void start_three(void)
{
    cr_assert_eq(wm_device_memory_new_of_gpus(1 << 20, 3, &memory, NULL), WM_OK);
}

Test(device_memory_of_gpus, is_a_range_and_a_capacity_each, .init = start_three, .fini = finish)
{
    uint64_t address;
    for (uint32_t gpu = 0; gpu < 3; gpu++) {
        uint64_t place = allocate_on(gpu, 1 << 19, WM_ALLOCATION_DEVICE);
        cr_assert_eq(place, WM_DEVICE_BASE + gpu * WM_GPU_ADDRESSES);
        memset((void *)(uintptr_t)place, 1, 1 << 19);
    }
    cr_assert_eq(wm_device_memory_allocate_on(memory, 1, (1 << 19) + 1, 1, WM_ALLOCATION_DEVICE, "",
                                              &address, NULL),
                 WM_NO_MEMORY);
    cr_assert_eq(wm_device_memory_release(memory, WM_DEVICE_BASE + WM_GPU_ADDRESSES, NULL), WM_OK);
    cr_assert_eq(wm_device_memory_used(memory, 0), 1 << 19);
    cr_assert_eq(wm_device_memory_used(memory, 1), 0);
    cr_assert_eq(allocate_on(1, 1 << 20, WM_ALLOCATION_DEVICE), WM_DEVICE_BASE + WM_GPU_ADDRESSES);
    cr_assert(wm_device_memory_owns(memory, WM_DEVICE_BASE + 2 * WM_GPU_ADDRESSES));
    cr_assert_not(wm_device_memory_owns(memory, WM_DEVICE_BASE + 3 * WM_GPU_ADDRESSES));
    // The host's is no GPU's, and no part of what GPUs have.
    address = allocate_on(2, 1 << 20, WM_ALLOCATION_HOST);
    cr_assert_eq(address, WM_HOST_BASE);
    cr_assert_eq(wm_device_memory_used(memory, 2), 1 << 19);
    cr_assert_eq(wm_device_memory_gpu_of(memory, wm_device_memory_find(memory, address)),
                 WM_MOST_GPUS);
}

static bool reaches(uint32_t gpu, uint32_t peers, uint64_t address)
{
    return wm_device_memory_reaches(memory, gpu, peers, wm_device_memory_find(memory, address));
}

Test(device_memory_of_gpus, is_reached_by_its_gpu_its_peers_and_those_it_is_granted_to,
     .init = start_three, .fini = finish)
{
    uint64_t device = allocate_on(1, 64, WM_ALLOCATION_DEVICE),
             managed = allocate_on(1, 64, WM_ALLOCATION_MANAGED),
             host = allocate_on(1, 64, WM_ALLOCATION_HOST);
    for (uint32_t gpu = 0; gpu < 3; gpu++) {
        cr_assert(reaches(gpu, 0, managed) && reaches(gpu, 0, host));
        cr_assert_eq(reaches(gpu, 0, device), gpu == 1);
        cr_assert_eq(reaches(gpu, 5, device), gpu == 1, "peers are others");
        cr_assert(reaches(gpu, 2, device));
    }
    uint64_t before = wm_device_memory_generation(memory);
    wm_device_memory_grant(memory, device, 1 << 2);
    cr_assert_neq(wm_device_memory_generation(memory), before, "what was found is found anew");
    cr_assert(!reaches(0, 2, device) && reaches(1, 0, device) && reaches(2, 0, device));
}

// ------------------------------------------------------------------------------------------------

// Random allocations and releases against an array that says which byte belongs to whom.
// What device_addresses.c is for: the sandbox has to find the range taken, in the process that
// places its arena.
Test(device_memory, is_passed_over_by_the_tests_sandbox)
{
    char path[64], line[512];
    snprintf(path, sizeof(path), "/proc/%d/maps", getppid());
    FILE *maps = fopen(path, "r");
    cr_assert_not_null(maps);
    uint64_t low, high, kept = 0;
    while (fgets(line, sizeof(line), maps))
        if (sscanf(line, "%" SCNx64 "-%" SCNx64, &low, &high) == 2 && low == WM_DEVICE_BASE)
            kept = high - low;
    fclose(maps);
    cr_assert_geq(kept, UINT64_C(1) << 40);
}

Test(device_memory, never_overlaps)
{
    enum { COUNT = 64, STEPS = 4000 };
    uint64_t addresses[COUNT] = {0}, sizes[COUNT] = {0};
    struct wm_random random;
    wm_random_init(&random, 3, "allocations");
    for (int step = 0; step < STEPS; step++) {
        uint32_t i = (uint32_t)wm_random_below(&random, COUNT);
        if (addresses[i]) {
            cr_assert_eq(wm_device_memory_release(memory, addresses[i], NULL), WM_OK);
            addresses[i] = 0;
            continue;
        }
        sizes[i] = 1 + wm_random_below(&random, 3000);
        addresses[i] = allocate(sizes[i]);
        for (uint32_t j = 0; j < COUNT; j++)
            cr_assert(j == i || !addresses[j] || addresses[j] + sizes[j] <= addresses[i] ||
                      addresses[i] + sizes[i] <= addresses[j]);
        uint64_t inside = addresses[i] + wm_random_below(&random, sizes[i]);
        cr_assert_eq(wm_device_memory_find(memory, inside)->address, addresses[i]);
        cr_assert_null(wm_device_memory_find(memory, addresses[i] + sizes[i]));
    }
}
