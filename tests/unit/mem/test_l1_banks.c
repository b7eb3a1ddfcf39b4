// The banks of an L1: which pieces of a line lie in one, both sides of the cycle in which a bank is
// free again, what fills do to look-ups, and random requests against a model that counts cycles.
#include "base/access/access.h"
#include "base/numbers/random.h"
#include "mem/timed/unit.h"
#include "small_memory.h"

#include <criterion/criterion.h>
#include <string.h>

enum { LINE = 128, LATENCY = 10 };

static void new_banks(struct wm_l1_banks *banks, uint32_t count, uint32_t width)
{
    struct wm_error error;
    const struct wm_bank_spec spec = {.count = count, .width_bytes = width};
    cr_assert_eq(wm_l1_banks_init(banks, &spec, &error), WM_OK);
}

// How many cycles a request for those sectors of a line takes banks that are all free.
static uint32_t passes(uint32_t count, uint32_t width, uint64_t address, uint32_t sectors)
{
    struct wm_l1_banks banks;
    new_banks(&banks, count, width);
    uint32_t taken = wm_l1_banks_take(&banks, address, sectors, 100);
    wm_l1_banks_release(&banks);
    return taken;
}

Test(l1_banks, pieces_of_one_bank_are_served_one_a_cycle)
{
    cr_expect_eq(passes(0, 32, 0, 0xf), 1, "no banks, no conflicts");
    cr_expect_eq(passes(4, 32, 0, 0xf), 1, "each sector in a bank of its own");
    cr_expect_eq(passes(2, 32, 0, 0xf), 2);
    cr_expect_eq(passes(2, 32, 0, 0x5), 2, "sectors 0 and 2 meet");
    cr_expect_eq(passes(2, 32, 0, 0x6), 1, "1 and 2 do not");
    cr_expect_eq(passes(1, 32, 0, 0xf), 4);
    cr_expect_eq(passes(3, 32, 0, 0xf), 2, "0 and 3 meet");
    cr_expect_eq(passes(1, 128, 0, 0xf), 1, "a line is one piece");
    cr_expect_eq(passes(1, 64, 0, 0xf), 2);
    cr_expect_eq(passes(1, 64, 0, 0x9), 2);
    cr_expect_eq(passes(1, 64, 0, 0xc), 1, "two sectors of one piece");
    cr_expect_eq(passes(32, 4, 0, 0xf), 1, "a line is 32 words");
    cr_expect_eq(passes(16, 4, 0, 0xf), 2);
    cr_expect_eq(passes(16, 4, 0, 0x5), 2, "16 words apart");
    cr_expect_eq(passes(16, 4, 0, 0x3), 1);
    cr_expect_eq(passes(4, 4, 0, 0x1), 2, "8 words of one sector in 4 banks");
    cr_expect_eq(passes(2, 256, LINE, 0xf), 1, "two lines are one piece");
}

Test(l1_banks, a_bank_is_free_in_the_next_cycle_and_not_before)
{
    struct wm_l1_banks banks;
    new_banks(&banks, 4, 32);
    cr_assert_eq(wm_l1_banks_take(&banks, 0, 0x1, 10), 1);
    cr_expect_eq(wm_l1_banks_ready(&banks, LINE, 0x1, 10), 11, "sector 0 of any line");
    cr_expect_eq(wm_l1_banks_ready(&banks, LINE, 0x1, 11), 11);
    cr_expect_eq(wm_l1_banks_ready(&banks, LINE, 0x2, 10), 10, "the other banks are free");
    cr_expect_eq(wm_l1_banks_ready(&banks, LINE, 0x3, 10), 11, "all that it needs at once");
    wm_l1_banks_release(&banks);
}

// --- With look-ups ---

struct bench {
    struct wm_memory *memory;
    struct wm_timed_level l1;
    struct wm_timed_unit unit;
    struct wm_timed_topology topology;
    struct wm_instruction_counters instruction_counters;
    uint32_t told;
};

static void new_bench(struct bench *bench, struct wm_bank_spec banks)
{
    struct wm_memory_spec spec =
        small_memory(1, small_cache(8, 4, LINE, 32), small_cache(64, 4, LINE, 32), 1);
    struct wm_error error;
    spec.levels[WM_LEVEL_L1].banks = banks;
    spec.levels[WM_LEVEL_L1].timing = (struct wm_cache_timing){
        .latency = LATENCY, .mshr_entries = 1, .mshr_merges = 8, .queue = 8};
    spec.interconnect = (struct wm_interconnect_spec){.flit_bytes = 40, .sectors = 32};
    *bench = (struct bench){.memory = small_memory_new(&spec)};
    cr_assert_eq(wm_timed_level_init(&bench->l1, bench->memory, WM_LEVEL_L1, 0, &error), WM_OK);
    cr_assert_eq(wm_timed_topology_init(&bench->topology, &spec, &error), WM_OK);
    cr_assert_eq(wm_timed_unit_init(&bench->unit, bench->memory, &bench->topology, 0, &error),
                 WM_OK);
    bench->unit.l1 = &bench->l1;
}

static void release_bench(struct bench *bench)
{
    wm_timed_unit_release(&bench->unit);
    wm_timed_level_release(&bench->l1);
    wm_timed_topology_release(&bench->topology);
    wm_memory_free(bench->memory);
}

static enum wm_stall ask(struct bench *bench, uint64_t cycle, uint64_t address, uint32_t sectors,
                         enum wm_access_kind kind, enum wm_cache_hint hint)
{
    struct wm_request request = {.address = address,
                                 .sectors = sectors,
                                 .full_sectors = kind == WM_ACCESS_STORE ? sectors : 0,
                                 .kind = kind,
                                 .hint = hint,
                                 .lines = 1,
                                 .instruction_counters = &bench->instruction_counters};
    uint32_t waits;
    return wm_timed_unit_access(&bench->unit, cycle, &request, 7, &waits);
}

static enum wm_stall load(struct bench *bench, uint64_t cycle, uint64_t address, uint32_t sectors)
{
    return ask(bench, cycle, address, sectors, WM_ACCESS_LOAD, WM_HINT_DEFAULT);
}

static void tell(void *context, uint64_t token)
{
    struct bench *bench = context;
    cr_assert_eq(token, 7);
    bench->told++;
}

// The reply to the oldest packet that waits to leave.
static void answer(struct bench *bench, uint64_t cycle)
{
    struct wm_packet packet = *wm_packet_queue_head(&bench->unit.out.packets);
    wm_packet_queue_pop(&bench->unit.out.packets);
    wm_timed_unit_reply(&bench->unit, cycle, &packet, tell, bench);
}

Test(l1_banks, hits_misses_and_stores_take_banks)
{
    struct bench bench;
    new_bench(&bench, (struct wm_bank_spec){.count = 4, .width_bytes = 32});
    cr_assert_eq(load(&bench, 10, 0, 0x1), WM_STALL_NONE, "a miss");
    cr_assert_eq(load(&bench, 10, 0, 0x1), WM_STALL_BANK);
    cr_expect_eq(bench.unit.banks_ready, 11);
    cr_assert_eq(load(&bench, 11, 0, 0x1), WM_STALL_NONE, "in the cycle, not the one before");
    answer(&bench, 20);
    cr_expect_eq(bench.told, 2);
    cr_assert_eq(load(&bench, 20, 0, 0x1), WM_STALL_NONE, "a hit: fills have a port of their own");
    cr_assert_eq(ask(&bench, 20, 0, 0x1, WM_ACCESS_STORE, WM_HINT_DEFAULT), WM_STALL_BANK);
    cr_assert_eq(ask(&bench, 21, 0, 0x1, WM_ACCESS_STORE, WM_HINT_DEFAULT), WM_STALL_NONE);
    cr_assert_eq(load(&bench, 21, 0, 0x1), WM_STALL_BANK, "behind a store");
    cr_assert_eq(ask(&bench, 21, 0, 0x1, WM_ACCESS_LOAD, WM_HINT_L2_ONLY), WM_STALL_NONE,
                 "goes past L1");
    release_bench(&bench);
}

// Nothing has changed, banks included, when an access has to come again.
Test(l1_banks, what_waits_for_something_else_takes_none)
{
    struct bench bench;
    new_bench(&bench, (struct wm_bank_spec){.count = 4, .width_bytes = 32});
    cr_assert_eq(load(&bench, 10, 0, 0x1), WM_STALL_NONE);
    cr_assert_eq(load(&bench, 11, LINE, 0x1), WM_STALL_MSHR, "one entry");
    cr_assert_eq(load(&bench, 11, 0, 0x1), WM_STALL_NONE, "the bank is free");
    release_bench(&bench);
}

// A fill of two pieces of one bank keeps it for two cycles, whichever came first.
Test(l1_banks, fills_take_banks_where_the_machine_says_so)
{
    struct bench bench;
    new_bench(&bench, (struct wm_bank_spec){.count = 2, .width_bytes = 32, .take_fills = true});
    cr_assert_eq(load(&bench, 10, 0, 0x5), WM_STALL_NONE);
    cr_expect_eq(bench.unit.passes, 2, "sectors 0 and 2 of two banks");
    answer(&bench, 30);
    cr_assert_eq(load(&bench, 30, 0, 0x1), WM_STALL_BANK);
    cr_expect_eq(bench.unit.banks_ready, 32);
    cr_assert_eq(load(&bench, 31, 0, 0x1), WM_STALL_BANK);
    cr_assert_eq(load(&bench, 31, 0, 0x2), WM_STALL_NONE, "the other bank");
    answer(&bench, 32);
    cr_assert_eq(load(&bench, 32, 0, 0x1), WM_STALL_NONE, "the fill of sector 1 takes the other");
    cr_expect_eq(bench.unit.passes, 1);
    release_bench(&bench);
}

// --- Random ---

enum { STEPS = 30000, MOST_BANKS = 37 };

// By bank, a flag a cycle of the next ones: whether it serves a piece then.
struct model {
    uint32_t count, width;
    bool busy[MOST_BANKS][64];
};

static bool needs(const struct model *model, uint32_t bank, uint64_t address, uint32_t sectors,
                  uint32_t *pieces)
{
    uint64_t last = UINT64_MAX;
    *pieces = 0;
    for (uint64_t byte = 0; byte < LINE; byte++) {
        uint64_t piece = (address + byte) / model->width;
        if ((sectors >> byte / 32 & 1) == 0 || piece % model->count != bank || piece == last)
            continue;
        last = piece;
        ++*pieces;
    }
    return *pieces != 0;
}

static bool is_free(const struct model *model, uint64_t address, uint32_t sectors)
{
    uint32_t pieces;
    for (uint32_t bank = 0; bank < model->count; bank++)
        if (needs(model, bank, address, sectors, &pieces) && model->busy[bank][0])
            return false;
    return true;
}

static uint32_t serve(struct model *model, uint64_t address, uint32_t sectors)
{
    uint32_t most = 1, pieces;
    for (uint32_t bank = 0; bank < model->count; bank++) {
        uint32_t at = 0;
        for (needs(model, bank, address, sectors, &pieces); pieces != 0; at++)
            if (!model->busy[bank][at]) {
                model->busy[bank][at] = true;
                pieces--;
                most = at + 1 > most ? at + 1 : most;
            }
    }
    return most;
}

Test(l1_banks, random_requests_and_fills_as_a_model_counts)
{
    struct wm_random chance;
    uint32_t waited = 0;
    wm_random_init(&chance, 5, "l1 banks");
    for (uint32_t round = 0; round < 20; round++) {
        struct model model = {.count = 1 + (uint32_t)wm_random_below(&chance, MOST_BANKS),
                              .width = 4U << wm_random_below(&chance, 7)};
        struct wm_l1_banks banks;
        new_banks(&banks, model.count, model.width);
        for (uint64_t cycle = 0; cycle < STEPS / 20; cycle++) {
            for (uint32_t i = 0; i < 3; i++) {
                uint64_t address = wm_random_below(&chance, 16) * LINE;
                uint32_t sectors = 1 + (uint32_t)wm_random_below(&chance, 15);
                bool fill = wm_random_below(&chance, 8) == 0,
                     free = is_free(&model, address, sectors);
                cr_assert_eq(wm_l1_banks_ready(&banks, address, sectors, cycle) == cycle, free);
                waited += !free;
                if (fill ? model.count > 8 : free)
                    cr_assert_eq(wm_l1_banks_take(&banks, address, sectors, cycle),
                                 serve(&model, address, sectors));
            }
            for (uint32_t bank = 0; bank < model.count; bank++) {
                memmove(model.busy[bank], model.busy[bank] + 1, sizeof model.busy[bank] - 1);
                model.busy[bank][63] = false;
            }
        }
        wm_l1_banks_release(&banks);
    }
    cr_assert_gt(waited, STEPS / 4, "it was traffic");
}
