// TLBs (docs/memory-system.md, R11): look-ups, walks and where these read, by hand; and at random
// against lists of pages in order of use.
#include "base/numbers/random.h"
#include "mem/replacement/entries.h"
#include "mem/system/memory_state.h"
#include "small_memory.h"

#include <criterion/criterion.h>
#include <string.h>

enum { KIB = 1024, MIB = 1024 * 1024 };

static struct wm_tlb_level_spec level(uint32_t entries, uint32_t ways)
{
    return (struct wm_tlb_level_spec){
        .entries = entries, .ways = ways, .replacement = &wm_replacement_lru};
}

static struct wm_memory_spec spec_of(uint32_t sm_count, uint64_t page_bytes)
{
    struct wm_memory_spec spec =
        small_memory(sm_count, small_cache(8, 4, 128, 32), small_cache(64, 4, 128, 32), 2);
    spec.tlb = (struct wm_tlb_spec){.present = true,
                                    .page_bytes = page_bytes,
                                    .sms_each = 1,
                                    .l1 = level(4, 4),
                                    .walk_levels = 4,
                                    .walks_use_l2 = true};
    return spec;
}

static void translate(struct wm_memory *memory, uint32_t sm, const uint64_t *addresses,
                      size_t count, struct wm_instruction_counters *instruction_counters)
{
    const struct wm_request who = {.sm = sm, .instruction_counters = instruction_counters};
    wm_memory_translate(memory, &who, addresses, count);
}

#define TRANSLATE(memory, sm, instruction_counters, ...)   \
    translate(memory, sm, (const uint64_t[]){__VA_ARGS__}, \
              sizeof((const uint64_t[]){__VA_ARGS__}) / sizeof(uint64_t), instruction_counters)

// The eight reads of two neighbouring pages' walks: the last level's two entries lie in one sector,
// and so do those above.
Test(tlb, one_look_up_for_each_page_of_an_instruction)
{
    struct wm_memory_spec spec = spec_of(2, 64 * KIB);
    struct wm_memory *memory = small_memory_new(&spec);
    const struct wm_tlb_counters *tlb = &memory->tlbs->l1[1].counters;
    struct wm_instruction_counters instruction_counters = {0};
    // Lines of pages 1, 0, 1, 0, 1.
    TRANSLATE(memory, 1, &instruction_counters, 0x10080, 0xff80, 0x1ff80, 0, 0x10000);
    cr_expect_eq(tlb->lookups, 2);
    cr_expect_eq(tlb->misses, 2);
    cr_expect_eq(tlb->walks, 2);
    cr_expect_eq(tlb->walk_reads, 8);
    cr_expect_eq(tlb->bytes, 8 * 32);
    cr_expect_eq(instruction_counters.tlb_walks, 2);
    cr_expect_eq(instruction_counters.levels[WM_LEVEL_L2].bytes, 8 * 32);
    cr_expect_eq(instruction_counters.levels[WM_LEVEL_L2].misses, 4);
    cr_expect_eq(instruction_counters.levels[WM_LEVEL_L2].hits, 4);
    cr_expect_eq(instruction_counters.memory_bytes, 4 * 32);
    cr_expect_eq(memory->levels[WM_LEVEL_L1].caches[1].counters.accesses, 0);
    TRANSLATE(memory, 1, &instruction_counters, 0x10080, 0xff80);
    cr_expect_eq(tlb->hits, 2);
    cr_expect_eq(memory->tlbs->l1[0].counters.lookups, 0);
    wm_memory_kernel_begin(memory);
    wm_memory_host_write(memory, 0, 1 << 20);
    TRANSLATE(memory, 1, &instruction_counters, 0);
    cr_expect_eq(tlb->hits, 3, "TLBs live as long as the run");
    wm_memory_free(memory);
}

Test(tlb, the_page_table_is_a_tree_of_512_entries_a_node)
{
    uint64_t page = (UINT64_C(5) << 27) + (UINT64_C(3) << 18) + (UINT64_C(7) << 9) + 11;
    uint64_t entries[4] = {page, page >> 9, page >> 18, page >> 27};
    for (uint32_t k = 0; k < 4; k++) {
        uint64_t address = wm_page_table_address(page, k);
        cr_expect_eq(address, WM_PAGE_TABLE_BASE + ((uint64_t)k << 56) + 8 * entries[k]);
        cr_expect_eq(address % 4096, 8 * (entries[k] % 512), "its place in its node");
    }
    // Pages of one node share the entry above, and no two levels share bytes.
    cr_expect_eq(wm_page_table_address(page, 1), wm_page_table_address(page ^ 1, 1));
    cr_expect_neq(wm_page_table_address(page, 1), wm_page_table_address(page ^ 512, 1));
    uint64_t last = (WM_PAGE_TABLE_BASE - 1) / 4096;
    cr_expect_lt(wm_page_table_address(last, 0) + 8, wm_page_table_address(0, 1));
}

Test(tlb, the_second_level_serves_all_sms)
{
    struct wm_memory_spec spec = spec_of(5, 2 * MIB);
    spec.tlb.sms_each = 2;
    spec.tlb.l2 = level(8, 2);
    spec.tlb.walk_levels = 3;
    spec.tlb.walks_use_l2 = false;
    struct wm_memory *memory = small_memory_new(&spec);
    const struct wm_tlbs *tlbs = memory->tlbs;
    struct wm_instruction_counters instruction_counters = {0};
    cr_assert_eq(tlbs->l1_count, 3);
    TRANSLATE(memory, 0, &instruction_counters, 5 * MIB);
    TRANSLATE(memory, 1, &instruction_counters, 4 * MIB); // the same page, its group's TLB
    TRANSLATE(memory, 4, &instruction_counters, 4 * MIB); // another group: from the second level
    cr_expect_eq(tlbs->l1[0].counters.lookups, 2);
    cr_expect_eq(tlbs->l1[0].counters.hits, 1);
    cr_expect_eq(tlbs->l1[2].counters.misses, 1);
    cr_expect_eq(tlbs->l2->counters.lookups, 2);
    cr_expect_eq(tlbs->l2->counters.hits, 1);
    cr_expect_eq(tlbs->l2->counters.walks, 1);
    cr_expect_eq(tlbs->l2->counters.walk_reads, 3);
    cr_expect_eq(tlbs->l1[0].counters.walks + tlbs->l1[2].counters.walks, 0);
    cr_expect_eq(instruction_counters.tlb_walks, 1);
    cr_expect_eq(instruction_counters.levels[WM_LEVEL_L2].bytes, 0,
                 "these walks are counted alone");
    size_t count;
    const struct wm_component_counters *components = wm_memory_components(memory, &count);
    cr_assert_eq(count, 5 + 3 + 1 + 2 + 2);
    cr_expect_str_eq(components[5 + 2].path, "gpu0.sm[4].tlb");
    cr_expect_str_eq(components[5 + 2].set->kind, "l1_tlb");
    cr_expect_str_eq(components[5 + 3].path, "gpu0.tlb");
    cr_expect_str_eq(components[5 + 3].set->kind, "l2_tlb");
    wm_memory_free(memory);
}

static void refused(const struct wm_memory_spec *spec, const char *message)
{
    struct wm_error error;
    struct wm_memory *memory;
    cr_assert_eq(wm_memory_new(spec, "gpu0", &memory, &error), WM_INVALID, "%s", message);
    cr_expect_not_null(strstr(error.message, message), "'%s' in '%s'", message, error.message);
}

Test(tlb, absent_counts_nothing_and_impossible_is_refused)
{
    struct wm_memory_spec spec = spec_of(1, 4 * KIB);
    struct wm_instruction_counters instruction_counters = {0};
    spec.tlb.present = false;
    struct wm_memory *memory = small_memory_new(&spec);
    TRANSLATE(memory, 0, &instruction_counters, 0, 4096);
    cr_expect_eq(instruction_counters.tlb_walks + instruction_counters.levels[WM_LEVEL_L2].bytes,
                 0);
    wm_memory_free(memory);
    struct wm_memory_spec bad;
#define REFUSED(field, value, message) \
    bad = spec_of(1, 4 * KIB);         \
    bad.tlb.field = value;             \
    refused(&bad, message)
    REFUSED(page_bytes, 2048, "tlb.page_bytes (2KiB)");
    REFUSED(page_bytes, 12288, "tlb.page_bytes (12KiB)");
    REFUSED(sms_each, 0, "tlb.sms_each (0)");
    REFUSED(walk_levels, 7, "tlb.walk_levels (7)");
    REFUSED(walk_levels, 0, "tlb.walk_levels (0)");
    REFUSED(l1.entries, 0, "tlb.l1.entries (0)");
    REFUSED(l1.ways, 3, "tlb.l1.entries (4) is not a whole number of sets of tlb.l1.ways (3)");
    REFUSED(l1.replacement, NULL, "tlb.l1 has no replacement");
    REFUSED(l2.entries, 4, "tlb.l2");
}

// --- At random ---

enum { MOST_SETS = 16, MOST_WAYS = 16, MOST_TLBS = 9 };

struct obvious {
    uint32_t sets, ways;
    uint64_t pages[MOST_SETS][MOST_WAYS]; // most recent first
    uint32_t held[MOST_SETS];
    uint64_t lookups, hits;
};

static bool obvious_look_up(struct obvious *tlb, uint64_t page)
{
    uint64_t *pages = tlb->pages[page % tlb->sets];
    uint32_t *held = &tlb->held[page % tlb->sets], at = 0;
    while (at < *held && pages[at] != page)
        at++;
    bool hit = at < *held;
    if (!hit) {
        *held += *held < tlb->ways;
        at = *held - 1;
    }
    memmove(pages + 1, pages, at * sizeof *pages);
    pages[0] = page;
    tlb->lookups++;
    tlb->hits += hit;
    return hit;
}

static struct obvious random_level(struct wm_random *random, struct wm_tlb_level_spec *spec)
{
    struct obvious tlb = {.sets = 1 + (uint32_t)wm_random_below(random, MOST_SETS),
                          .ways = 1 + (uint32_t)wm_random_below(random, MOST_WAYS)};
    *spec = level(tlb.sets * tlb.ways, tlb.ways);
    return tlb;
}

// An instruction's addresses: near each other, or anywhere in a few hundred pages.
static size_t random_addresses(struct wm_random *random, uint64_t page_bytes, uint64_t pages,
                               uint64_t *addresses)
{
    size_t count = 1 + wm_random_below(random, 32);
    uint64_t base = wm_random_below(random, pages) * page_bytes;
    bool near = wm_random_below(random, 2);
    for (size_t i = 0; i < count; i++)
        addresses[i] = near ? base + wm_random_below(random, 2 * page_bytes)
                            : wm_random_below(random, pages * page_bytes);
    return count;
}

static void random_machine(struct wm_random *random)
{
    uint32_t sms = 1 + (uint32_t)wm_random_below(random, 8);
    uint64_t page_bytes = UINT64_C(4096) << wm_random_below(random, 19);
    uint64_t pages = 1 + wm_random_below(random, 300);
    struct wm_memory_spec spec = spec_of(sms, page_bytes);
    struct obvious tlbs[MOST_TLBS];
    tlbs[0] = random_level(random, &spec.tlb.l1);
    for (uint32_t i = 1; i < MOST_TLBS - 1; i++)
        tlbs[i] = tlbs[0];
    struct obvious *second = &tlbs[MOST_TLBS - 1];
    *second = random_level(random, &spec.tlb.l2);
    bool two = wm_random_below(random, 2);
    if (!two)
        spec.tlb.l2.entries = 0;
    spec.tlb.sms_each = 1 + (uint32_t)wm_random_below(random, 4);
    spec.tlb.walk_levels = 1 + (uint32_t)wm_random_below(random, 6);
    spec.tlb.walks_use_l2 = wm_random_below(random, 2);
    struct wm_memory *memory = small_memory_new(&spec);
    struct wm_instruction_counters instruction_counters = {0};
    uint64_t walks = 0;
    for (int i = 0; i < 1500; i++) {
        uint64_t addresses[32];
        uint32_t sm = (uint32_t)wm_random_below(random, sms);
        size_t count = random_addresses(random, page_bytes, pages, addresses);
        translate(memory, sm, addresses, count, &instruction_counters);
        for (size_t a = 0; a < count; a++) {
            bool again = false;
            for (size_t b = 0; b < a; b++)
                again = again || addresses[b] / page_bytes == addresses[a] / page_bytes;
            if (again)
                continue;
            bool hit = obvious_look_up(&tlbs[sm / spec.tlb.sms_each], addresses[a] / page_bytes);
            if (!hit && two)
                hit = obvious_look_up(second, addresses[a] / page_bytes);
            walks += !hit;
        }
    }
    uint64_t counted = 0, bytes = 0, to_above = 0;
    for (uint32_t i = 0; i < memory->tlbs->l1_count; i++) {
        const struct wm_tlb_counters *c = &memory->tlbs->l1[i].counters;
        cr_assert_eq(c->lookups, tlbs[i].lookups, "group %u", i);
        cr_assert_eq(c->hits, tlbs[i].hits, "group %u", i);
        cr_assert_eq(c->hits + c->misses, c->lookups);
        counted += c->walks;
        bytes += c->bytes;
    }
    if (two) {
        cr_assert_eq(counted, 0);
        cr_assert_eq(memory->tlbs->l2->counters.lookups, second->lookups);
        cr_assert_eq(memory->tlbs->l2->counters.hits, second->hits);
        counted = memory->tlbs->l2->counters.walks;
        bytes = memory->tlbs->l2->counters.bytes;
    }
    for (uint32_t slice = 0; slice < spec.levels[WM_LEVEL_L2].slices; slice++)
        to_above += memory->levels[WM_LEVEL_L2].caches[slice].counters.bytes_to_above;
    cr_assert_eq(counted, walks);
    cr_assert_eq(instruction_counters.tlb_walks, walks);
    cr_assert_eq(bytes, 32 * walks * spec.tlb.walk_levels);
    cr_assert_eq(to_above, spec.tlb.walks_use_l2 ? bytes : 0);
    cr_assert_eq(instruction_counters.levels[WM_LEVEL_L2].bytes, to_above);
    wm_memory_free(memory);
}

Test(tlb, agrees_with_lists_of_pages_on_random_streams)
{
    struct wm_random random;
    wm_random_init(&random, 3, "tlb");
    for (int machine = 0; machine < 200; machine++)
        random_machine(&random);
}
