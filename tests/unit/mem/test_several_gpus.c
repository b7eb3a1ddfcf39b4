// Several GPUs with memories of their own: whose memory an address is, what crosses which link, and
// that a GPU which uses its own memory alone counts what a machine with one GPU counts.
#include "base/access/gpu_addresses.h"
#include "base/numbers/random.h"
#include "mem/system/memory_components.h"
#include "mem/system/memory_state.h"
#include "small_memory.h"

#include <criterion/criterion.h>
#include <string.h>

enum { SMS = 4, GPUS = 3, SLICES = 3 };

// The first block of 256 bytes of a GPU's memory is on slice and channel 2 of 3 (2^37 modulo 3).
#define AT(gpu, offset) (WM_DEVICE_BASE + (gpu)*WM_GPU_ADDRESSES + (offset))

static struct wm_memory_spec spec_of(uint32_t gpus)
{
    struct wm_memory_spec spec =
        small_memory(SMS, small_cache(8, 4, 128, 32), small_cache(96, 8, 128, 32), SLICES);
    set_writes(&spec.levels[WM_LEVEL_L1].cache, &write_choices[3]); // through, without lines
    spec.levels[WM_LEVEL_L1].flush_at_kernel = true;
    spec.gpus = gpus;
    spec.peer_link.bandwidth_bytes_per_second = 1;
    return spec;
}

static void access(struct wm_memory *memory, uint32_t sm, enum wm_access_kind kind,
                   uint64_t address, uint32_t sectors)
{
    struct wm_request request = {.address = address,
                                 .sectors = sectors,
                                 .full_sectors = kind == WM_ACCESS_STORE ? sectors : 0,
                                 .kind = kind,
                                 .sm = sm};
    wm_memory_access(memory, &request);
}

// The counter of one component.
static uint64_t counter(const struct wm_memory *memory, const char *path, const char *name)
{
    size_t count;
    const struct wm_component_counters *components = wm_memory_components(memory, &count);
    for (size_t i = 0; i < count; i++)
        if (strcmp(components[i].path, path) == 0)
            return components[i].values[wm_counter_index(components[i].set, name)];
    cr_assert_fail("there is no %s", path);
    return 0;
}

Test(several_gpus, components_are_named_by_their_gpu)
{
    struct wm_memory_spec spec = spec_of(2);
    spec.levels[WM_LEVEL_L1].units_each = 2;
    struct wm_memory *memory = small_memory_new(&spec);
    static const char *const paths[] = {
        "gpu0.sm[0].l1", "gpu0.sm[2].l1",  "gpu1.sm[0].l1", "gpu1.sm[2].l1", "gpu0.l2[0]",
        "gpu0.l2[1]",    "gpu0.l2[2]",     "gpu1.l2[0]",    "gpu1.l2[1]",    "gpu1.l2[2]",
        "gpu0.dram[0]",  "gpu0.dram[1]",   "gpu0.dram[2]",  "gpu1.dram[0]",  "gpu1.dram[1]",
        "gpu1.dram[2]",  "gpu0.link.gpu1", "gpu1.link.gpu0"};
    size_t count;
    const struct wm_component_counters *components = wm_memory_components(memory, &count);
    cr_assert_eq(count, sizeof paths / sizeof paths[0]);
    for (size_t i = 0; i < count; i++)
        cr_expect_str_eq(components[i].path, paths[i]);
    wm_memory_free(memory);
}

// SM 1 of GPU 0 and memory of GPU 2: a miss crosses, a hit in L1 does not, and the home's L2 keeps
// what it fetched for all.
Test(several_gpus, a_load_of_another_gpus_memory_crosses_the_link_and_is_kept_at_home)
{
    struct wm_memory_spec spec = spec_of(GPUS);
    struct wm_memory *memory = small_memory_new(&spec);
    access(memory, 1, WM_ACCESS_LOAD, AT(2, 0), 0xf);
    access(memory, 1, WM_ACCESS_LOAD, AT(2, 0), 0x3);
    cr_expect_eq(counter(memory, "gpu0.link.gpu2", "requests"), 1);
    cr_expect_eq(counter(memory, "gpu2.link.gpu0", "bytes_read"), 128);
    cr_expect_eq(counter(memory, "gpu0.link.gpu2", "bytes_written"), 0);
    cr_expect_eq(counter(memory, "gpu0.link.gpu2", "bytes_read"), 0);
    cr_expect_eq(counter(memory, "gpu2.l2[2]", "load_accesses"), 1);
    cr_expect_eq(counter(memory, "gpu2.dram[2]", "bytes_read"), 128);
    cr_expect_eq(counter(memory, "gpu0.l2[2]", "load_accesses"), 0);
    access(memory, 1 * SMS + 3, WM_ACCESS_LOAD, AT(2, 0), 0xf); // from GPU 1
    access(memory, 2 * SMS + 3, WM_ACCESS_LOAD, AT(2, 0), 0xf); // from its own
    cr_expect_eq(counter(memory, "gpu2.link.gpu1", "bytes_read"), 128);
    cr_expect_eq(counter(memory, "gpu1.link.gpu2", "requests"), 1);
    cr_expect_eq(counter(memory, "gpu2.l2[2]", "load_hits"), 2 * 4);
    cr_expect_eq(counter(memory, "gpu2.dram[2]", "bytes_read"), 128);
    wm_memory_free(memory);
}

// A level of all units is one of each GPU, and before that one's memory: as L2 with or without
// saying so, and with a level of its own name below. Where units' accesses begin it is the unit's
// GPU's, and has lines of any home, as an L1 of each SM.
Test(several_gpus, levels_of_all_are_at_home_below_the_one_that_accesses_begin_at)
{
    for (uint32_t all = 0; all < 4; all++) {
        struct wm_memory_spec spec = spec_of(2);
        struct wm_level_spec *l2 = &spec.levels[WM_LEVEL_L2], *own = &spec.levels[WM_LEVELS_NAMED];
        l2->units_each = all != 0 ? WM_UNITS_ALL : 0;
        if (all == 2) {
            *own = *l2;
            snprintf(own->name, sizeof own->name, "l3");
            l2->below = WM_BELOW(WM_LEVELS_NAMED);
        }
        if (all == 3)
            spec.levels[WM_LEVEL_L1].units_each = WM_UNITS_ALL;
        struct wm_memory *memory = small_memory_new(&spec);
        access(memory, 1, WM_ACCESS_LOAD, AT(1, 0), 0xf);
        access(memory, 1, WM_ACCESS_LOAD, AT(1, 0), 0xf);
        cr_expect_eq(counter(memory, "gpu0.link.gpu1", "requests"), 1, "%u", all);
        cr_expect_eq(counter(memory, "gpu1.link.gpu0", "bytes_read"), 128, "%u", all);
        cr_expect_eq(counter(memory, all == 3 ? "gpu0.l1" : "gpu0.sm[1].l1", "load_hits"), 4, "%u",
                     all);
        cr_expect_eq(counter(memory, "gpu1.l2[2]", "load_accesses"), 1, "%u", all);
        wm_memory_free(memory);
    }
}

Test(several_gpus, stores_and_atomics_cross_with_what_they_bring_and_take)
{
    struct wm_memory_spec spec = spec_of(2);
    struct wm_memory *memory = small_memory_new(&spec);
    access(memory, 0, WM_ACCESS_STORE, AT(1, 256), 0xf); // L1 writes through
    cr_expect_eq(counter(memory, "gpu0.link.gpu1", "bytes_written"), 128);
    cr_expect_eq(counter(memory, "gpu1.l2[0]", "store_accesses"), 1);
    access(memory, 0, WM_ACCESS_ATOMIC, AT(1, 512), 0x1); // returns the old value
    cr_expect_eq(counter(memory, "gpu0.link.gpu1", "bytes_written"), 128 + 32);
    cr_expect_eq(counter(memory, "gpu1.link.gpu0", "bytes_read"), 32);
    access(memory, 0, WM_ACCESS_REDUCTION, AT(1, 512), 0x1); // does not
    cr_expect_eq(counter(memory, "gpu0.link.gpu1", "bytes_written"), 128 + 64);
    cr_expect_eq(counter(memory, "gpu1.link.gpu0", "bytes_read"), 32);
    cr_expect_eq(counter(memory, "gpu0.link.gpu1", "requests"), 3);
    cr_expect_eq(counter(memory, "gpu1.l2[1]", "atomic_accesses"), 2);
    // L2 wrote back at home, what it displaces goes nowhere else.
    wm_memory_write_back_all(memory);
    cr_expect_eq(counter(memory, "gpu1.dram[0]", "bytes_written"), 128);
    cr_expect_eq(counter(memory, "gpu0.dram[0]", "bytes_written"), 0);
    cr_expect_eq(counter(memory, "gpu1.link.gpu0", "requests"), 0);
    wm_memory_free(memory);
}

// An L1 that writes back holds another GPU's dirty line: it goes over the link, whoever displaces
// it, and whether the host requests it.
Test(several_gpus, a_dirty_line_of_another_gpus_memory_is_written_back_over_the_link)
{
    struct wm_memory_spec spec = spec_of(2);
    set_writes(&spec.levels[WM_LEVEL_L1].cache, &write_choices[0]);
    struct wm_memory *memory = small_memory_new(&spec);
    access(memory, SMS, WM_ACCESS_STORE, AT(0, 0), 0xf);
    access(memory, SMS, WM_ACCESS_STORE, AT(0, 8 * 128), 0xf);
    cr_expect_eq(counter(memory, "gpu1.link.gpu0", "bytes_written"), 0);
    for (uint64_t i = 1; i <= 3; i++) // of its own memory, in the same set of 4 ways
        access(memory, SMS, WM_ACCESS_LOAD, AT(1, i * 8 * 128), 0x1);
    cr_expect_eq(counter(memory, "gpu1.link.gpu0", "bytes_written"), 128);
    wm_memory_host_read(memory, AT(0, 8 * 128), 128);
    cr_expect_eq(counter(memory, "gpu1.link.gpu0", "bytes_written"), 256);
    cr_expect_eq(counter(memory, "gpu1.link.gpu0", "requests"), 2);
    wm_memory_free(memory);
}

Test(several_gpus, without_l2_requests_go_over_the_link_to_channels)
{
    struct wm_memory_spec spec = spec_of(2);
    spec.levels[WM_LEVEL_L2].cache.present = false;
    struct wm_memory *memory = small_memory_new(&spec);
    access(memory, 0, WM_ACCESS_LOAD, AT(1, 256), 0xf);
    access(memory, 0, WM_ACCESS_ATOMIC, AT(1, 512), 0x1);
    cr_expect_eq(counter(memory, "gpu1.link.gpu0", "bytes_read"), 128 + 32);
    cr_expect_eq(counter(memory, "gpu0.link.gpu1", "bytes_written"), 32);
    cr_expect_eq(counter(memory, "gpu1.dram[0]", "bytes_read"), 128);
    cr_expect_eq(counter(memory, "gpu1.dram[1]", "bytes_written"), 32);
    wm_memory_free(memory);
}

// Local memory, code and the host's memory are no GPU's: each uses its own L2 and channels for
// them.
Test(several_gpus, what_is_in_no_gpus_memory_stays_on_the_gpu_that_uses_it)
{
    struct wm_memory_spec spec = spec_of(2);
    struct wm_memory *memory = small_memory_new(&spec);
    const uint64_t local = UINT64_C(0x300000000000), host = UINT64_C(0x7f0000000000);
    access(memory, SMS, WM_ACCESS_LOAD, local, 0x1);
    access(memory, SMS, WM_ACCESS_LOAD, host, 0x1);
    access(memory, 0, WM_ACCESS_LOAD, host, 0x1);
    uint64_t first = 0, second = 0;
    for (uint32_t i = 0; i < SLICES; i++) {
        first += memory->levels[WM_LEVEL_L2].caches[i].counters.load_accesses;
        second += memory->levels[WM_LEVEL_L2].caches[SLICES + i].counters.load_accesses;
    }
    cr_expect_eq(first, 1);
    cr_expect_eq(second, 2);
    cr_expect_eq(counter(memory, "gpu1.link.gpu0", "requests"), 0);
    wm_memory_free(memory);
}

Test(several_gpus, copies_are_counted_on_the_link_of_their_direction)
{
    struct wm_memory_spec spec = spec_of(GPUS);
    struct wm_memory *memory = small_memory_new(&spec);
    wm_memory_peer_copy(memory, AT(2, 64), AT(0, 4096), 1000);
    wm_memory_peer_copy(memory, AT(0, 64), AT(2, 4096), 24);
    wm_memory_peer_copy(memory, AT(1, 64), AT(1, 4096), 1 << 20);              // within one
    wm_memory_peer_copy(memory, AT(1, 64), UINT64_C(0x7f0000000000), 1 << 20); // the host's
    cr_expect_eq(counter(memory, "gpu0.link.gpu2", "bytes_copied"), 1000);
    cr_expect_eq(counter(memory, "gpu2.link.gpu0", "bytes_copied"), 24);
    cr_expect_eq(counter(memory, "gpu0.link.gpu1", "bytes_copied"), 0);
    cr_expect_eq(counter(memory, "gpu1.link.gpu0", "bytes_copied"), 0);
    wm_memory_free(memory);
}

// A kernel's start and an L1 of another size are of one GPU.
Test(several_gpus, a_kernel_begins_on_one_gpu_and_leaves_the_others_caches_alone)
{
    struct wm_memory_spec spec = spec_of(2);
    struct wm_memory *memory = small_memory_new(&spec);
    for (uint32_t sm = 0; sm < 2 * SMS; sm += SMS)
        access(memory, sm, WM_ACCESS_LOAD, AT(sm / SMS, 0), 0x1);
    wm_memory_kernel_begin_on(memory, 1);
    for (uint32_t sm = 0; sm < 2 * SMS; sm += SMS)
        access(memory, sm, WM_ACCESS_LOAD, AT(sm / SMS, 0), 0x1);
    cr_expect_eq(counter(memory, "gpu0.sm[0].l1", "load_hits"), 1);
    cr_expect_eq(counter(memory, "gpu1.sm[0].l1", "load_hits"), 0);
    struct wm_error error;
    cr_assert_eq(wm_memory_resize_l1_on(memory, 0, 8192, 8, &error), WM_OK);
    for (uint32_t sm = 0; sm < 2 * SMS; sm += SMS)
        access(memory, sm, WM_ACCESS_LOAD, AT(sm / SMS, 0), 0x1);
    cr_expect_eq(counter(memory, "gpu0.sm[0].l1", "load_hits"), 1);
    cr_expect_eq(counter(memory, "gpu1.sm[0].l1", "load_hits"), 1);
    cr_expect_eq(memory->levels[WM_LEVEL_L1].caches[0].ways, 8);
    cr_expect_eq(memory->levels[WM_LEVEL_L1].caches[SMS].ways, 4);
    wm_memory_free(memory);
}

// The counters of the components whose path begins with `prefix`, added up by the rest of it.
static uint64_t sum_of(const struct wm_memory *memory, const char *prefix, const char *kind,
                       size_t index)
{
    size_t count;
    uint64_t sum = 0;
    const struct wm_component_counters *components = wm_memory_components(memory, &count);
    for (size_t i = 0; i < count; i++)
        if (strncmp(components[i].path, prefix, strlen(prefix)) == 0 &&
            strcmp(components[i].set->kind, kind) == 0)
            sum = sum * 31 + components[i].values[index];
    return sum;
}

static void expect_alike(const struct wm_memory *one, const struct wm_memory *many,
                         const char *prefix, const char *kind)
{
    size_t count;
    const struct wm_component_counters *components = wm_memory_components(one, &count);
    for (size_t i = 0; i < count; i++)
        for (size_t c = 0;
             strcmp(components[i].set->kind, kind) == 0 && c < components[i].set->count; c++)
            cr_expect_eq(sum_of(one, "gpu0.", kind, c), sum_of(many, prefix, kind, c), "%s %s %s",
                         prefix, kind, components[i].set->declarations[c].name);
}

// Each of three GPUs runs its own stream in its own memory, in turn; a machine with one GPU runs
// the same. Not even where lines go in a cache of hashed sets or in one of three slices differs.
Test(several_gpus, gpus_that_use_their_own_memory_count_as_one_gpu_does)
{
    for (uint32_t round = 0; round < 8; round++) {
        struct wm_memory_spec single = spec_of(1), several = spec_of(GPUS);
        struct wm_memory_spec *specs[] = {&single, &several};
        for (int i = 0; i < 2; i++) {
            specs[i]->levels[WM_LEVEL_L1].units_each = 1 + round % 2;
            set_writes(&specs[i]->levels[WM_LEVEL_L1].cache, &write_choices[round % WRITE_CHOICES]);
            specs[i]->levels[WM_LEVEL_L2].atomic_buffer_lines = round % 3;
            specs[i]->levels[WM_LEVEL_L1].victim_lines = round % 4 == 3 ? 2 : 0;
        }
        struct wm_memory *ones[GPUS], *many = small_memory_new(&several);
        for (int g = 0; g < GPUS; g++)
            ones[g] = small_memory_new(&single);
        struct wm_random random;
        wm_random_init(&random, round, "several GPUs");
        for (int i = 0; i < 30000; i++) {
            uint32_t gpu = (uint32_t)wm_random_below(&random, GPUS);
            uint32_t sm = (uint32_t)wm_random_below(&random, SMS);
            enum wm_access_kind kind = (enum wm_access_kind)wm_random_below(&random, 4);
            uint64_t offset = wm_random_below(&random, 3000) * 128;
            uint32_t sectors = 1 + (uint32_t)wm_random_below(&random, 15);
            access(ones[gpu], sm, kind, AT(0, offset), sectors);
            access(many, gpu * SMS + sm, kind, AT(gpu, offset), sectors);
            if (i % 7001 == 0) {
                wm_memory_kernel_begin(ones[gpu]);
                wm_memory_kernel_begin_on(many, gpu);
            }
            if (i % 5003 == 0) {
                wm_memory_host_write(ones[gpu], AT(0, 1000), 70000);
                wm_memory_host_write(many, AT(gpu, 1000), 70000);
                wm_memory_host_read(ones[gpu], AT(0, 90000), 70000);
                wm_memory_host_read(many, AT(gpu, 90000), 70000);
            }
        }
        static const char *const prefixes[GPUS] = {"gpu0.", "gpu1.", "gpu2."};
        static const char *const kinds[] = {"l1", "l2", "dram", "victim", "atomic_buffer"};
        for (int g = 0; g < GPUS; g++) {
            for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++)
                expect_alike(ones[g], many, prefixes[g], kinds[k]);
            wm_memory_free(ones[g]);
        }
        for (size_t c = 0; c < wm_peer_link_counter_set.count; c++)
            for (int g = 0; g < GPUS; g++)
                cr_expect_eq(sum_of(many, prefixes[g], "peer_link", c), 0);
        wm_memory_free(many);
    }
}

// What crosses the links is what the L1s exchange with other GPUs' L2s, and bytes are conserved.
Test(several_gpus, links_carry_what_l1s_exchange_with_other_gpus)
{
    struct wm_memory_spec spec = spec_of(GPUS);
    struct wm_memory *memory = small_memory_new(&spec);
    struct wm_random random;
    wm_random_init(&random, 1, "several GPUs, all memories");
    for (int i = 0; i < 50000; i++)
        access(memory, (uint32_t)wm_random_below(&random, (uint64_t)GPUS * SMS),
               (enum wm_access_kind)wm_random_below(&random, 4),
               AT(wm_random_below(&random, GPUS), wm_random_below(&random, 2000) * 128),
               1 + (uint32_t)wm_random_below(&random, 15));
    for (uint32_t gpu = 0; gpu < GPUS; gpu++) {
        uint64_t from_l1s = 0, at_l2s = 0, sent = 0, received = 0, read = 0, replied = 0,
                 to_l1s = 0, from_l2s = 0;
        for (uint32_t i = 0; i < SMS; i++) {
            const struct wm_cache_counters *l1 =
                &memory->levels[WM_LEVEL_L1].caches[gpu * SMS + i].counters;
            from_l1s += l1->bytes_to_below;
            to_l1s += l1->bytes_from_below;
        }
        for (uint32_t i = 0; i < SLICES; i++) {
            const struct wm_cache_counters *l2 =
                &memory->levels[WM_LEVEL_L2].caches[gpu * SLICES + i].counters;
            at_l2s += l2->bytes_from_above;
            from_l2s += l2->bytes_to_above;
        }
        for (uint32_t other = 0; other < GPUS; other++) {
            sent += memory->peer_links[gpu * GPUS + other].bytes_written;
            received += memory->peer_links[other * GPUS + gpu].bytes_written;
            replied += memory->peer_links[gpu * GPUS + other].bytes_read;
            read += memory->peer_links[other * GPUS + gpu].bytes_read;
        }
        cr_expect_gt(sent, 0);
        cr_expect_eq(at_l2s, from_l1s - sent + received);
        cr_expect_eq(from_l2s, to_l1s - read + replied);
    }
    wm_memory_free(memory);
}

Test(several_gpus, trackers_and_tlbs_are_of_one_gpu)
{
    struct wm_memory_spec spec = spec_of(2);
    spec.levels[WM_LEVEL_L1].cache.sector_bytes = 128;
    spec.levels[WM_LEVEL_L1].tracker = (struct wm_tracker_spec){
        .present = true, .sms_each = 1024, .sets = 16, .ways = 4, .banks = 1, .sharers = 8};
    spec.tlb = (struct wm_tlb_spec){.present = true,
                                    .page_bytes = 4096,
                                    .sms_each = 1,
                                    .l1 = {.entries = 4, .ways = 4},
                                    .l2 = {.entries = 8, .ways = 8},
                                    .walk_levels = 2,
                                    .walks_use_l2 = true};
    spec.tlb.l1.replacement = spec.tlb.l2.replacement = spec.levels[WM_LEVEL_L1].cache.replacement;
    struct wm_memory *memory = small_memory_new(&spec);
    const uint64_t address = AT(1, 0);
    for (uint32_t sm = 0; sm < 2 * SMS; sm += 2) { // 0 and 2 of each
        struct wm_request who = {.sm = sm};
        (void)wm_memory_translate(memory, &who, &address, 1);
        access(memory, sm, WM_ACCESS_LOAD, address, 0xf);
    }
    cr_expect_eq(counter(memory, "gpu0.tracker[0].bank[0]", "hits"), 1);
    cr_expect_eq(counter(memory, "gpu1.tracker[0].bank[0]", "hits"), 1);
    cr_expect_eq(counter(memory, "gpu0.tlb", "walks"), 1);
    cr_expect_eq(counter(memory, "gpu1.tlb", "walks"), 1);
    cr_expect_eq(counter(memory, "gpu1.tlb", "hits"), 1);
    // One line crossed, for the first; the page table is each GPU's own.
    cr_expect_eq(counter(memory, "gpu1.link.gpu0", "bytes_read"), 128);
    cr_expect_eq(counter(memory, "gpu0.link.gpu1", "requests"), 1);
    wm_memory_free(memory);
}

static void expect_refused(const struct wm_memory_spec *spec, const char *part)
{
    struct wm_memory *memory;
    struct wm_error error;
    cr_assert_eq(wm_memory_new(spec, "gpu0", &memory, &error), WM_INVALID);
    cr_expect(strstr(error.message, part) != NULL, "%s", error.message);
}

// With another level below L2, like it.
static struct wm_memory_spec spec_with_level(const char *name)
{
    struct wm_memory_spec spec = spec_of(2);
    spec.levels[WM_LEVELS_NAMED] = spec.levels[WM_LEVEL_L2];
    snprintf(spec.levels[WM_LEVELS_NAMED].name, WM_LEVEL_NAME_BYTES, "%s", name);
    spec.levels[WM_LEVEL_L2].below = WM_BELOW(WM_LEVELS_NAMED);
    return spec;
}

Test(several_gpus, what_gpus_would_share_is_refused)
{
    struct wm_memory_spec spec = spec_of(WM_MOST_GPUS + 1);
    expect_refused(&spec, "gpus");
    spec = spec_of(2);
    spec.levels[WM_LEVEL_L1].units_each = 3;
    expect_refused(&spec, "does not divide");
    spec.levels[WM_LEVEL_L1].tracker = (struct wm_tracker_spec){
        .present = true, .sms_each = 1024, .sets = 16, .ways = 4, .banks = 1, .sharers = 8};
    spec.levels[WM_LEVEL_L1].cache.sector_bytes = 128;
    expect_refused(&spec, "does not divide");
    spec = spec_with_level("last");
    spec.levels[WM_LEVELS_NAMED].units_each = SMS;
    expect_refused(&spec, "is above \"last\", which is not");
    spec = spec_of(2);
    spec.levels[WM_LEVEL_L2].inclusion = WM_INCLUSIVE;
    expect_refused(&spec, "non-inclusive");
    spec = spec_with_level("llc");
    spec.levels[WM_LEVELS_NAMED].place = WM_PLACE_MACHINE;
    expect_refused(&spec, "\"llc\" is outside of gpu");
    spec = spec_of(2);
    spec.core_count = 1;
    expect_refused(&spec, "CPU cores");
}
