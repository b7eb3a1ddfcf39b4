// The library's promises about machines, counters and wrong arguments: an answer, never a crash,
// and nothing counted by what was refused.
#include "library_fixture.h"

#include <criterion/criterion.h>
#include <string.h>
#include <sys/resource.h>

#define REFUSED(call, wanted, words)                                                               \
    do {                                                                                           \
        struct warpmem_error error = {.status = WARPMEM_OK};                                       \
        cr_expect_eq(call, wanted, "%s", #call);                                                   \
        cr_expect_eq(error.status, wanted, "%s", #call);                                           \
        cr_expect(error.place[0] != '\0', "%s", #call);                                            \
        cr_expect(strstr(error.message, words), "%s: \"%s\" without \"%s\"", #call, error.message, \
                  words);                                                                          \
    } while (0)

Test(library, version_is_the_headers)
{
    cr_expect_str_eq(warpmem_version(), WARPMEM_VERSION);
}

Test(library, machine_facts_and_description)
{
    struct warpmem_machine *machine = library_machine("v100"), *again = NULL;
    struct warpmem_facts facts;
    cr_assert_eq(warpmem_machine_facts(machine, &facts, NULL), WARPMEM_OK);
    cr_expect_str_eq(facts.name, "v100");
    cr_expect_eq(facts.sm_count, 80);
    cr_expect_eq(facts.warp_lanes, 32);
    cr_expect_eq(facts.line_bytes, 128);
    cr_expect_eq(facts.l2_bytes, 6 << 20);
    const char *yaml = warpmem_machine_yaml(machine);
    struct warpmem_error error;
    cr_assert_eq(warpmem_machine_read(yaml, strlen(yaml), NULL, NULL, &again, &error), WARPMEM_OK,
                 "%s: %s", error.place, error.message);
    cr_expect_str_eq(warpmem_machine_yaml(again), yaml);
    warpmem_machine_free(machine);
    warpmem_machine_free(again);
}

Test(library, settings_change_the_machine)
{
    static const char *const settings[] = {"gpu.sm.count=3", "gpu.l2.replacement=srrip"};
    const struct warpmem_machine_options options = {settings, 2, NULL, 0};
    struct warpmem_machine *machine = NULL;
    struct warpmem_facts facts;
    cr_assert_eq(warpmem_machine_load("gtx480", &options, &machine, NULL), WARPMEM_OK);
    cr_assert_eq(warpmem_machine_facts(machine, &facts, NULL), WARPMEM_OK);
    cr_expect_eq(facts.sm_count, 3);
    cr_expect(strstr(warpmem_machine_yaml(machine), "srrip"));
    warpmem_machine_free(machine);
}

Test(library, machines_that_are_none)
{
    static const char *const wrong[] = {"gpu.l1.size=7B"}, *const hole[] = {NULL},
                             *const gone[] = {"./not-there.so"};
    const struct warpmem_machine_options bad_setting = {wrong, 1, NULL, 0};
    const struct warpmem_machine_options null_setting = {hole, 1, NULL, 0};
    const struct warpmem_machine_options no_list = {NULL, 1, NULL, 0};
    const struct warpmem_machine_options null_plugin = {NULL, 0, hole, 1};
    const struct warpmem_machine_options no_plugin = {NULL, 0, gone, 1};
    struct warpmem_machine *machine = (struct warpmem_machine *)hole;
    REFUSED(warpmem_machine_load("v10", NULL, &machine, &error), WARPMEM_NOT_FOUND, "\"v10\"");
    cr_expect_null(machine);
    REFUSED(warpmem_machine_load("v100", &bad_setting, &machine, &error), WARPMEM_INVALID, "l1");
    REFUSED(warpmem_machine_load("v100", &null_setting, &machine, &error), WARPMEM_INVALID, "NULL");
    REFUSED(warpmem_machine_load("v100", &no_list, &machine, &error), WARPMEM_INVALID, "NULL");
    REFUSED(warpmem_machine_load("v100", &null_plugin, &machine, &error), WARPMEM_INVALID, "NULL");
    REFUSED(warpmem_machine_load("v100", &no_plugin, &machine, &error), WARPMEM_NOT_FOUND,
            "no such file");
    REFUSED(warpmem_machine_load(NULL, NULL, &machine, &error), WARPMEM_INVALID, "name is NULL");
    REFUSED(warpmem_machine_load("v100", NULL, NULL, &error), WARPMEM_INVALID, "machine is NULL");
    REFUSED(warpmem_machine_read("gpu: 7\n", 7, "mine", NULL, &machine, &error), WARPMEM_INVALID,
            "gpu");
    REFUSED(warpmem_machine_read(NULL, 7, NULL, NULL, &machine, &error), WARPMEM_INVALID, "NULL");
    cr_expect_neq(warpmem_machine_read(NULL, 0, NULL, NULL, &machine, NULL), WARPMEM_OK);
    REFUSED(warpmem_machine_facts(NULL, NULL, &error), WARPMEM_INVALID, "NULL");
    cr_expect_null(warpmem_machine_yaml(NULL));
    warpmem_machine_free(NULL);
}

Test(library, memories_that_are_none)
{
    struct warpmem_machine *machine = library_machine("v100");
    struct warpmem_memory *memory = NULL;
    const struct warpmem_memory_options many = {.instructions = WARPMEM_MOST_INSTRUCTIONS + 1};
    REFUSED(warpmem_memory_new(NULL, NULL, &memory, &error), WARPMEM_INVALID, "machine is NULL");
    REFUSED(warpmem_memory_new(machine, NULL, NULL, &error), WARPMEM_INVALID, "memory is NULL");
    REFUSED(warpmem_memory_new(machine, &many, &memory, &error), WARPMEM_INVALID, "16777217");
    cr_expect_null(memory);
    warpmem_machine_free(machine);
    warpmem_memory_free(NULL);
}

Test(library, several_gpus_are_refused)
{
    static const char *const settings[] = {"gpu.count=2"};
    const struct warpmem_machine_options options = {settings, 1, NULL, 0};
    struct warpmem_machine *machine = NULL;
    struct warpmem_memory *memory = NULL;
    cr_assert_eq(warpmem_machine_load("v100", &options, &machine, NULL), WARPMEM_OK);
    REFUSED(warpmem_memory_new(machine, NULL, &memory, &error), WARPMEM_UNSUPPORTED, "2 GPUs");
    cr_expect_null(memory);
    warpmem_machine_free(machine);
}

Test(library, accesses_that_are_none)
{
    struct warpmem_memory *memory = library_memory("v100", false);
    const struct warpmem_access good = {.address = 256, .sectors = 1};
    struct warpmem_access access;
#define WRONG(field, value, status, words) \
    access = good;                         \
    access.field = value;                  \
    REFUSED(warpmem_memory_access(memory, &access, &error), status, words)
    WRONG(address, 260, WARPMEM_INVALID, "0x104");
    WRONG(address, WARPMEM_ADDRESS_LIMIT, WARPMEM_INVALID, "0x4000000000000000");
    WRONG(sectors, 0, WARPMEM_INVALID, "sectors 0");
    WRONG(sectors, 0x10, WARPMEM_INVALID, "sectors 0x10");
    WRONG(sm, 80, WARPMEM_INVALID, "SM 80");
    WRONG(pc, 64, WARPMEM_INVALID, "pc 64");
    WRONG(kind, (enum wm_access_kind)4, WARPMEM_INVALID, "kind 4");
    WRONG(hint, (enum wm_cache_hint)7, WARPMEM_INVALID, "hint 7");
    WRONG(space, (enum warpmem_space)7, WARPMEM_INVALID, "space 7");
    WRONG(space, WARPMEM_SHARED, WARPMEM_INVALID, "no lines");
    WRONG(space, WARPMEM_PARAMETER, WARPMEM_INVALID, "no lines");
    access = good;
    access.kind = WM_ACCESS_STORE;
    access.full_sectors = 3;
    REFUSED(warpmem_memory_access(memory, &access, &error), WARPMEM_INVALID, "full_sectors");
    access.space = WARPMEM_TEXTURE;
    REFUSED(warpmem_memory_access(memory, &access, &error), WARPMEM_INVALID, "only loads");
    REFUSED(warpmem_memory_access(NULL, &good, &error), WARPMEM_INVALID, "memory is NULL");
    REFUSED(warpmem_memory_access(memory, NULL, &error), WARPMEM_INVALID, "access is NULL");
    library_require_untouched(memory);
    cr_expect_eq(warpmem_memory_access(memory, &good, NULL), WARPMEM_OK);
    warpmem_memory_free(memory);
}

Test(library, warp_accesses_that_are_none)
{
    struct warpmem_memory *memory = library_memory("v100", true);
    uint64_t addresses[32] = {0};
    const struct warpmem_warp_access good = {
        .bytes_per_lane = 4, .active = UINT32_MAX, .addresses = addresses};
    struct warpmem_warp_access access;
#undef WRONG
#define WRONG(field, value, words) \
    access = good;                 \
    access.field = value;          \
    REFUSED(warpmem_memory_warp_access(memory, &access, &error), WARPMEM_INVALID, words)
    WRONG(active, 0, "active 0");
    WRONG(active, UINT64_C(1) << 32, "active 0x100000000");
    WRONG(bytes_per_lane, 0, "bytes_per_lane is 0");
    WRONG(bytes_per_lane, 64, "bytes_per_lane is 64");
    WRONG(bytes_per_lane, 12, "bytes_per_lane is 12");
    WRONG(addresses, NULL, "addresses is NULL");
    WRONG(sm, UINT32_MAX, "SM 4294967295");
    WRONG(pc, UINT32_MAX, "pc 4294967295");
    WRONG(space, (enum warpmem_space)77, "space 77");
    addresses[31] = 2;
    REFUSED(warpmem_memory_warp_access(memory, &good, &error), WARPMEM_INVALID, "aligned");
    addresses[31] = UINT64_MAX - 3;
    REFUSED(warpmem_memory_warp_access(memory, &good, &error), WARPMEM_INVALID, "aligned");
    library_require_untouched(memory);
    // An inactive lane's address is not looked at.
    access = good;
    access.active = 1;
    cr_expect_eq(warpmem_memory_warp_access(memory, &access, NULL), WARPMEM_OK);
    REFUSED(warpmem_memory_warp_access(NULL, &good, &error), WARPMEM_INVALID, "memory is NULL");
    REFUSED(warpmem_memory_warp_access(memory, NULL, &error), WARPMEM_INVALID, "access is NULL");
    warpmem_memory_free(memory);
}

Test(library, streams_and_ranges_that_are_none)
{
    struct warpmem_memory *memory = library_memory("v100", false);
    const uint64_t references[] = {0, 64, WARPMEM_ADDRESS_LIMIT};
    REFUSED(warpmem_memory_stream(memory, 80, references, 2, &error), WARPMEM_INVALID, "SM 80");
    REFUSED(warpmem_memory_stream(memory, 0, references, 3, &error), WARPMEM_INVALID, "reference");
    REFUSED(warpmem_memory_stream(memory, 0, NULL, 3, &error), WARPMEM_INVALID, "NULL");
    REFUSED(warpmem_memory_stream(NULL, 0, references, 1, &error), WARPMEM_INVALID, "NULL");
    REFUSED(warpmem_memory_host_write(memory, UINT64_MAX, 2, &error), WARPMEM_INVALID, "beyond");
    REFUSED(warpmem_memory_host_read(memory, 16, UINT64_MAX, &error), WARPMEM_INVALID, "beyond");
    REFUSED(warpmem_memory_host_read(NULL, 0, 1, &error), WARPMEM_INVALID, "NULL");
    REFUSED(warpmem_memory_drain(NULL, &error), WARPMEM_INVALID, "NULL");
    REFUSED(warpmem_memory_kernel_begin(NULL, NULL, &error), WARPMEM_INVALID, "NULL");
    REFUSED(warpmem_memory_kernel_end(NULL, &error), WARPMEM_INVALID, "NULL");
    cr_expect_eq(warpmem_memory_host_write(memory, WARPMEM_ADDRESS_LIMIT, 0, NULL), WARPMEM_OK);
    library_require_untouched(memory);
    // The highest line there is.
    const struct warpmem_access last = {.address = WARPMEM_ADDRESS_LIMIT - 128, .sectors = 15};
    cr_expect_eq(warpmem_memory_access(memory, &last, NULL), WARPMEM_OK);
    warpmem_memory_free(memory);
}

Test(library, constants_need_a_constant_cache)
{
    static const char *const settings[] = {"gpu.constant.present=false"};
    const struct warpmem_machine_options options = {settings, 1, NULL, 0};
    struct warpmem_machine *machine = NULL;
    struct warpmem_memory *memory = NULL;
    const struct warpmem_access line = {.space = WARPMEM_CONSTANT, .sectors = 1};
    cr_assert_eq(warpmem_machine_load("v100", &options, &machine, NULL), WARPMEM_OK);
    cr_assert_eq(warpmem_memory_new(machine, NULL, &memory, NULL), WARPMEM_OK);
    REFUSED(warpmem_memory_access(memory, &line, &error), WARPMEM_UNSUPPORTED, "no constant cache");
    warpmem_memory_free(memory);
    warpmem_machine_free(machine);
}

static struct warpmem_memory *memory_with(const char *const *settings, size_t count)
{
    const struct warpmem_machine_options options = {settings, count, NULL, 0};
    struct warpmem_machine *machine = NULL;
    struct warpmem_memory *memory = NULL;
    struct warpmem_error error;
    cr_assert_eq(warpmem_machine_load("v100", &options, &machine, &error), WARPMEM_OK, "%s",
                 error.message);
    cr_assert_eq(warpmem_memory_new(machine, NULL, &memory, &error), WARPMEM_OK);
    warpmem_machine_free(machine);
    return memory;
}

Test(library, code_is_fetched_by_lines)
{
    static const char *const settings[] = {"gpu.instruction.present=true"};
    struct warpmem_memory *with = memory_with(settings, 1), *without = memory_with(NULL, 0);
    struct warpmem_access fetch = {.space = WARPMEM_INSTRUCTION, .address = 640, .sectors = 3};
    const struct warpmem_warp_access lanes = {.space = WARPMEM_INSTRUCTION,
                                              .bytes_per_lane = 4,
                                              .active = 1,
                                              .addresses = &fetch.address};
    uint64_t hits, misses;
    cr_expect_eq(warpmem_memory_access(with, &fetch, NULL), WARPMEM_OK);
    cr_expect_eq(warpmem_memory_access(with, &fetch, NULL), WARPMEM_OK);
    cr_assert_eq(warpmem_memory_value(with, "instruction_cache", "hits", &hits, NULL), WARPMEM_OK);
    cr_assert_eq(warpmem_memory_value(with, "instruction_cache", "misses", &misses, NULL),
                 WARPMEM_OK);
    cr_expect_eq(hits, 2);
    cr_expect_eq(misses, 2);
    REFUSED(warpmem_memory_warp_access(with, &lanes, &error), WARPMEM_INVALID, "by lines");
    REFUSED(warpmem_memory_access(without, &fetch, &error), WARPMEM_UNSUPPORTED, "no instruction");
    fetch.kind = WM_ACCESS_STORE;
    REFUSED(warpmem_memory_access(with, &fetch, &error), WARPMEM_INVALID, "only loads");
    warpmem_memory_free(with);
    warpmem_memory_free(without);
}

// Whatever the machine does with them, references count as the accesses that they stand for.
Test(library, streams_are_accesses)
{
    static const char *const settings[][2] = {
        {"gpu.tlb.present=true", "gpu.l1.size=32KiB"},
        {"gpu.l1.bypass=per-pc", "gpu.l1.bypass_list=*:pc0"},
        {"gpu.l1.local_only=true", "gpu.sm.count=2"},
        {"gpu.l1.write_fetch=never", "gpu.l1.write=back"},
    };
    for (size_t m = 0; m < sizeof settings / sizeof settings[0]; m++) {
        struct warpmem_memory *streamed = memory_with(settings[m], 2);
        struct warpmem_memory *single = memory_with(settings[m], 2);
        struct wm_random random;
        uint64_t references[4000];
        wm_random_init(&random, 41, settings[m][0]);
        for (size_t i = 0; i < 4000; i++) {
            uint64_t address = wm_random_below(&random, 1 << 19) & ~UINT64_C(3);
            bool store = wm_random_below(&random, 3) == 0;
            references[i] = address | (store ? WARPMEM_STREAM_STORE : 0);
            uint32_t bytes[4] = {0}, sector = (uint32_t)(address / 32 % 4);
            bytes[sector] = UINT32_C(15) << (address % 32);
            const struct warpmem_access one = {.address = address & ~UINT64_C(127),
                                               .sectors = UINT32_C(1) << sector,
                                               .kind = store ? WM_ACCESS_STORE : WM_ACCESS_LOAD,
                                               .bytes = bytes};
            cr_assert_eq(warpmem_memory_access(single, &one, NULL), WARPMEM_OK);
        }
        cr_assert_eq(warpmem_memory_stream(streamed, 0, references, 4000, NULL), WARPMEM_OK);
        for (size_t c = 0; c < warpmem_memory_component_count(single); c++) {
            struct warpmem_component component;
            struct warpmem_counter wanted, found;
            cr_assert_eq(warpmem_memory_component(single, c, &component, NULL), WARPMEM_OK);
            for (size_t i = 0; i < component.counter_count; i++) {
                warpmem_memory_counter(single, c, i, &wanted, NULL);
                warpmem_memory_counter(streamed, c, i, &found, NULL);
                cr_assert_eq(found.value, wanted.value, "%s: %s %s", settings[m][0], component.path,
                             wanted.name);
            }
        }
        warpmem_memory_free(streamed);
        warpmem_memory_free(single);
    }
}

Test(library, kernels_divide_the_array)
{
    struct warpmem_memory *memory = library_memory("v100", false);
    const struct warpmem_kernel plain = {.threads_per_block = 256};
    const struct warpmem_kernel shared = {.threads_per_block = 256,
                                          .shared_bytes_per_block = 96 << 10};
    const struct warpmem_kernel huge = {.threads_per_block = 256,
                                        .shared_bytes_per_block = 97 << 10};
    cr_expect_eq(warpmem_memory_l1_bytes(memory), 32 << 10, "as the file says");
    cr_assert_eq(warpmem_memory_kernel_begin(memory, &plain, NULL), WARPMEM_OK);
    cr_expect_eq(warpmem_memory_l1_bytes(memory), 128 << 10);
    cr_assert_eq(warpmem_memory_kernel_begin(memory, &shared, NULL), WARPMEM_OK);
    cr_expect_eq(warpmem_memory_l1_bytes(memory), 32 << 10);
    REFUSED(warpmem_memory_kernel_begin(memory, &huge, &error), WARPMEM_LIMIT, "shared memory");
    cr_expect_eq(warpmem_memory_l1_bytes(memory), 32 << 10);
    cr_expect_eq(warpmem_memory_l1_bytes(NULL), 0);
    warpmem_memory_free(memory);
}

// A bypass list speaks of a kernel's instructions by number.
Test(library, bypass_lists_know_the_kernel)
{
    static const char *const settings[] = {"gpu.l1.bypass=per-pc",
                                           "gpu.l1.bypass_list=scan:pc3,*:pc5"};
    const struct warpmem_machine_options options = {settings, 2, NULL, 0};
    struct warpmem_machine *machine = NULL;
    struct warpmem_memory *memory = NULL;
    cr_assert_eq(warpmem_machine_load("gtx480", &options, &machine, NULL), WARPMEM_OK);
    cr_assert_eq(warpmem_memory_new(machine, NULL, &memory, NULL), WARPMEM_OK);
    static const struct {
        const char *kernel;
        uint32_t pc;
        uint64_t bypasses; // so far
    } steps[] = {{NULL, 3, 0}, {NULL, 5, 1}, {"other", 3, 1}, {"scan", 3, 2}, {"scan", 4, 2}};
    for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++) {
        const struct warpmem_kernel kernel = {.name = steps[i].kernel};
        const struct warpmem_access load = {.sectors = 1, .pc = steps[i].pc};
        uint64_t bypasses;
        cr_assert_eq(warpmem_memory_kernel_begin(memory, &kernel, NULL), WARPMEM_OK);
        cr_assert_eq(warpmem_memory_access(memory, &load, NULL), WARPMEM_OK);
        cr_assert_eq(warpmem_memory_value(memory, "l1", "bypasses", &bypasses, NULL), WARPMEM_OK);
        cr_expect_eq(bypasses, steps[i].bypasses, "step %zu", i);
    }
    warpmem_memory_free(memory);
    warpmem_machine_free(machine);
}

enum { TABLE_LINES = 96, TURNS = 4 };

// Hits in an L1 of 128 lines, of 96 that are read again and again beside as many that are new.
static uint64_t hits_beside_a_stream(const char *kernel, const char *list)
{
    const char *const settings[] = {"gpu.l1.bypass=per-pc", "gpu.l1.replacement=priority",
                                    "gpu.l1.set_index=modulo", list};
    const struct warpmem_machine_options options = {settings, 4, NULL, 0};
    const struct warpmem_kernel begun = {.name = kernel};
    struct warpmem_machine *machine = NULL;
    struct warpmem_memory *memory = NULL;
    cr_assert_eq(warpmem_machine_load("gtx480", &options, &machine, NULL), WARPMEM_OK);
    cr_assert_eq(warpmem_memory_new(machine, NULL, &memory, NULL), WARPMEM_OK);
    cr_assert_eq(warpmem_memory_kernel_begin(memory, &begun, NULL), WARPMEM_OK);
    for (uint64_t round = 0; round < TURNS; round++)
        for (uint64_t i = 0; i < 2 * TABLE_LINES; i++) {
            uint64_t line = i < TABLE_LINES ? i : (round + 1) * TABLE_LINES + i;
            const struct warpmem_access load = {
                .address = line * 128, .sectors = 1, .pc = i < TABLE_LINES ? 0 : 1};
            cr_assert_eq(warpmem_memory_access(memory, &load, NULL), WARPMEM_OK);
        }
    uint64_t hits;
    cr_assert_eq(warpmem_memory_value(memory, "l1", "load_hits", &hits, NULL), WARPMEM_OK);
    warpmem_memory_free(memory);
    warpmem_machine_free(machine);
    return hits;
}

// Priorities of a list are those of the kernel that it names.
Test(library, bypass_lists_have_priorities)
{
    cr_expect_eq(hits_beside_a_stream("scan", "gpu.l1.bypass_list=none"), 0);
    cr_expect_eq(hits_beside_a_stream("scan", "gpu.l1.bypass_list=other:pc1=L1::evict_first"), 0);
    cr_expect_eq(hits_beside_a_stream("scan", "gpu.l1.bypass_list=scan:pc1=L1::evict_first"),
                 TABLE_LINES * (TURNS - 1));
    cr_expect_eq(hits_beside_a_stream("scan", "gpu.l1.bypass_list=*:pc0=L1::evict_last"),
                 TABLE_LINES * (TURNS - 1));
}

Test(library, kinds_are_sums_of_their_components)
{
    struct warpmem_memory *memory = library_memory("v100", true);
    struct wm_random random;
    wm_random_init(&random, 23, "kinds");
    for (int i = 0; i < 2000; i++) {
        struct warpmem_access access = library_random_access(&random, 80, 128);
        cr_assert_eq(warpmem_memory_access(memory, &access, NULL), WARPMEM_OK);
    }
    size_t listed = 0;
    for (size_t kind = 0; kind < warpmem_memory_kind_count(memory); kind++) {
        struct warpmem_component all, one;
        cr_assert_eq(warpmem_memory_kind(memory, kind, &all, NULL), WARPMEM_OK);
        listed += all.components;
        for (size_t i = 0; i < all.counter_count; i++) {
            struct warpmem_counter total, part;
            uint64_t by_hand = 0, by_name;
            cr_assert_eq(warpmem_memory_kind_counter(memory, kind, i, &total, NULL), WARPMEM_OK);
            for (size_t c = 0; c < warpmem_memory_component_count(memory); c++) {
                cr_assert_eq(warpmem_memory_component(memory, c, &one, NULL), WARPMEM_OK);
                if (strcmp(one.kind, all.kind) != 0)
                    continue;
                cr_assert_eq(warpmem_memory_counter(memory, c, i, &part, NULL), WARPMEM_OK);
                by_hand += part.value;
            }
            cr_expect_eq(total.value, by_hand, "%s %s", all.kind, total.name);
            cr_assert_eq(warpmem_memory_value(memory, all.kind, total.name, &by_name, NULL),
                         WARPMEM_OK);
            cr_expect_eq(by_name, by_hand);
        }
    }
    cr_expect_eq(listed, warpmem_memory_component_count(memory));
    cr_expect_geq(warpmem_memory_kind_count(memory), 7);
    warpmem_memory_free(memory);
}

Test(library, counters_that_are_none)
{
    struct warpmem_memory *memory = library_memory("v100", false);
    struct warpmem_component component;
    struct warpmem_counter counter;
    uint64_t value;
    size_t components = warpmem_memory_component_count(memory);
    REFUSED(warpmem_memory_component(memory, components, &component, &error), WARPMEM_NOT_FOUND,
            "component");
    REFUSED(warpmem_memory_component(memory, 0, NULL, &error), WARPMEM_INVALID, "NULL");
    REFUSED(warpmem_memory_counter(memory, 0, 1000, &counter, &error), WARPMEM_NOT_FOUND,
            "counter 1000");
    REFUSED(warpmem_memory_kind(memory, 99, &component, &error), WARPMEM_NOT_FOUND, "kind 99");
    REFUSED(warpmem_memory_kind_counter(memory, 0, 1000, &counter, &error), WARPMEM_NOT_FOUND,
            "counter");
    REFUSED(warpmem_memory_value(memory, "l7", "hits", &value, &error), WARPMEM_NOT_FOUND, "l7");
    REFUSED(warpmem_memory_value(memory, "l1", "hit", &value, &error), WARPMEM_NOT_FOUND, "hit");
    REFUSED(warpmem_memory_value(memory, NULL, "hits", &value, &error), WARPMEM_INVALID, "NULL");
    REFUSED(warpmem_memory_value(memory, "l1", NULL, &value, &error), WARPMEM_INVALID, "NULL");
    REFUSED(warpmem_memory_value(NULL, "l1", "hits", &value, &error), WARPMEM_INVALID, "NULL");
    REFUSED(warpmem_memory_instruction_counter(memory, 64, 0, &counter, &error), WARPMEM_NOT_FOUND,
            "instruction 64");
    REFUSED(warpmem_memory_instruction_counter(memory, 0, 99, &counter, &error), WARPMEM_NOT_FOUND,
            "counter 99");
    struct warpmem_error error;
    warpmem_memory_value(memory, "l1", "hit", &value, &error);
    cr_expect_str_eq(error.hint, "did you mean \"hits\"?");
    cr_expect_eq(warpmem_memory_component_count(NULL), 0);
    cr_expect_eq(warpmem_memory_kind_count(NULL), 0);
    cr_expect_eq(warpmem_memory_instruction_counter_count(NULL), 0);
    warpmem_memory_free(memory);
}

Test(library, instructions_count_what_they_cause)
{
    struct warpmem_memory *memory = library_memory("v100", true);
    uint64_t addresses[32];
    for (uint64_t lane = 0; lane < 32; lane++)
        addresses[lane] = lane * 128;
    const struct warpmem_warp_access load = {
        .pc = 9, .bytes_per_lane = 4, .active = UINT32_MAX, .addresses = addresses};
    cr_assert_eq(warpmem_memory_warp_access(memory, &load, NULL), WARPMEM_OK);
    static const struct {
        const char *name;
        uint64_t value;
    } wanted[] = {{"executions", 1}, {"lanes", 32},     {"bytes_requested", 128}, {"requests", 32},
                  {"sectors", 32},   {"l1.misses", 32}, {"l1_cold", 32},          {"l1.hits", 0}};
    size_t found = 0;
    for (size_t i = 0; i < warpmem_memory_instruction_counter_count(memory); i++) {
        struct warpmem_counter counter, other;
        cr_assert_eq(warpmem_memory_instruction_counter(memory, 9, i, &counter, NULL), WARPMEM_OK);
        cr_assert_eq(warpmem_memory_instruction_counter(memory, 8, i, &other, NULL), WARPMEM_OK);
        cr_expect_eq(other.value, 0);
        for (size_t w = 0; w < sizeof wanted / sizeof wanted[0]; w++)
            if (strcmp(counter.name, wanted[w].name) == 0) {
                cr_expect_eq(counter.value, wanted[w].value, "%s", counter.name);
                found++;
            }
    }
    cr_expect_eq(found, sizeof wanted / sizeof wanted[0]);
    warpmem_memory_free(memory);
}

// An address sanitizer takes address space of its own.
#ifndef __SANITIZE_ADDRESS__
Test(library, memory_that_runs_out_is_said)
{
    struct warpmem_memory *memory = library_memory("v100", true);
    struct rlimit limit;
    unsigned long pages = 0;
    FILE *file = fopen("/proc/self/statm", "re");
    cr_assert(file && fscanf(file, "%lu", &pages) == 1);
    fclose(file);
    cr_assert_eq(getrlimit(RLIMIT_AS, &limit), 0);
    limit.rlim_cur = pages * 4096 + (32 << 20);
    cr_assert_eq(setrlimit(RLIMIT_AS, &limit), 0);
    enum warpmem_status status = WARPMEM_OK;
    for (uint64_t line = 0; line < 1 << 22 && status == WARPMEM_OK; line++) {
        const struct warpmem_access access = {.address = line * 128, .sectors = 1};
        uint64_t value;
        cr_assert_eq(warpmem_memory_access(memory, &access, NULL), WARPMEM_OK);
        if (line % 4096 == 0)
            status = warpmem_memory_value(memory, "l1", "misses", &value, NULL);
    }
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_AS, &limit);
    REFUSED(warpmem_memory_drain(memory, &error), WARPMEM_NO_MEMORY, "explaining misses");
    REFUSED(warpmem_memory_kernel_begin(memory, NULL, &error), WARPMEM_NO_MEMORY, "run out");
    warpmem_memory_free(memory);
}
#endif

Test(library, errors_are_written_for_people)
{
    char buffer[2048], tiny[4] = "abc";
    struct warpmem_error error;
    struct warpmem_machine *machine;
    warpmem_machine_read("gpu:\n  size: 1\n", 15, "mine.yaml", NULL, &machine, &error);
    const char *text = warpmem_error_format(&error, buffer, sizeof buffer);
    cr_expect_eq(text, buffer);
    cr_expect(strncmp(text, "error: mine.yaml:", 17) == 0, "%s", text);
    cr_expect_eq(text[strlen(text) - 1], '\n');
    cr_expect(strlen(warpmem_error_format(&error, tiny, sizeof tiny)) < sizeof tiny);
    memset(&error, 'x', sizeof error); // no text ends
    cr_expect(strlen(warpmem_error_format(&error, buffer, sizeof buffer)) < sizeof buffer);
    cr_expect_str_eq(warpmem_error_format(&error, NULL, 7), "");
    cr_expect_str_eq(warpmem_error_format(NULL, buffer, sizeof buffer), "");
}
