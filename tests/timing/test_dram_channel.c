// What a DRAM channel does with its requests, by docs/dram.md's rules: order, draining, refreshes,
// pages, queues, the forms without devices, and where an address lies.
#include "mem/dram/address_map.h"
#include "mem/dram_scheduler/entries.h"
#include "small_dram.h"

#include <criterion/criterion.h>
#include <string.h>

static struct small_dram dram;

static void start(const struct wm_dram_channel_spec *spec)
{
    small_dram_start(&dram, spec);
}

static void read_at(uint64_t cycle, uint32_t bank, uint32_t row, uint32_t column, uint64_t token)
{
    small_dram_add(&dram, cycle, &(struct small_place){0, 0, bank, row, column}, false, token);
}

static void write_at(uint64_t cycle, uint32_t bank, uint32_t row, uint32_t column, uint64_t token)
{
    small_dram_add(&dram, cycle, &(struct small_place){0, 0, bank, row, column}, true, token);
}

static const struct wm_dram_channel_counters *counters(void)
{
    return wm_dram_channel_counters_of(dram.channel);
}

// Row 1 of bank 0, row 2 of it, row 1 again: who is served second?
static uint64_t third_before_second(const struct wm_dram_scheduler_ops *scheduler, uint32_t hit_cap)
{
    struct wm_dram_channel_spec spec = small_dram_spec();
    spec.controller.scheduler = scheduler;
    spec.controller.hit_cap = hit_cap;
    spec.timing.ccd_s = spec.timing.ccd_l = 3;
    start(&spec);
    read_at(0, 0, 1, 0, 0);
    read_at(0, 0, 2, 0, 1);
    read_at(0, 0, 1, 1, 2);
    small_dram_advance(&dram, 200);
    small_dram_end(&dram);
    cr_assert_eq(dram.done_count, 3);
    return dram.done[2] < dram.done[1];
}

Test(dram_channel, schedulers_order_requests_as_they_say)
{
    cr_expect(third_before_second(&wm_dram_scheduler_fr_fcfs, 0));
    cr_expect(third_before_second(&wm_dram_scheduler_fr_fcfs, 2));
    cr_expect_not(third_before_second(&wm_dram_scheduler_fr_fcfs, 1));
    cr_expect_not(third_before_second(&wm_dram_scheduler_fcfs, 0));
    // A precharge is ready before the bus is: the younger hit sees its row closed.
    cr_expect_not(third_before_second(&wm_dram_scheduler_first_ready, 0));
    cr_expect(third_before_second(&wm_dram_scheduler_bank_round_robin, 0));
}

// The row may not be closed for long after it was opened, and a younger request to it could be
// served meanwhile. Past its cap fr-fcfs withholds it, banks in turn do not.
Test(dram_channel, a_cap_withholds_where_that_is_said)
{
    static const struct wm_dram_scheduler_ops *const schedulers[] = {
        &wm_dram_scheduler_fr_fcfs, &wm_dram_scheduler_bank_round_robin};
    for (size_t i = 0; i < 2; i++) {
        struct wm_dram_channel_spec spec = small_dram_spec();
        spec.controller.scheduler = schedulers[i];
        spec.controller.hit_cap = 1;
        spec.timing.ras = 60;
        start(&spec);
        read_at(0, 0, 1, 0, 0);
        read_at(0, 0, 2, 0, 1);
        read_at(0, 0, 1, 1, 2);
        small_dram_advance(&dram, 400);
        small_dram_end(&dram);
        cr_assert_eq(dram.done_count, 3);
        cr_expect_eq(dram.done[2] > dram.done[1], schedulers[i]->cap_withholds, "%s",
                     schedulers[i]->name);
        cr_expect_eq(dram.done[2] > dram.done[1], i == 0, "%s", schedulers[i]->name);
    }
}

// Fcfs opens no second bank while the first request waits; fr-fcfs does.
Test(dram_channel, fcfs_prepares_nothing)
{
    for (int ordered = 0; ordered < 2; ordered++) {
        struct wm_dram_channel_spec spec = small_dram_spec();
        spec.controller.scheduler = ordered ? &wm_dram_scheduler_fcfs : NULL;
        spec.timing.rcd_read = 20;
        start(&spec);
        read_at(0, 0, 1, 0, 0);
        read_at(0, 1, 1, 0, 1);
        small_dram_advance(&dram, 100);
        cr_expect_eq(small_dram_cycle(&dram, WM_DRAM_ACTIVATE, 1), ordered ? 21 : 1);
        small_dram_end(&dram);
    }
}

// Banks in turn: bank 3 before bank 1 though that request is older, for bank 2 was the last.
Test(dram_channel, banks_have_their_turns)
{
    struct wm_dram_channel_spec spec = small_dram_spec();
    spec.controller.scheduler = &wm_dram_scheduler_bank_round_robin;
    start(&spec);
    read_at(0, 2, 1, 0, 0);
    small_dram_advance(&dram, 5);
    read_at(6, 1, 1, 0, 1);
    read_at(6, 3, 1, 0, 2);
    small_dram_advance(&dram, 50);
    cr_expect_eq(dram.history.issues[2].bank, 3);
    small_dram_end(&dram);
}

Test(dram_channel, a_read_takes_what_its_commands_take)
{
    struct wm_dram_channel_spec spec = small_dram_spec();
    spec.timing.rcd_read = 10;
    spec.timing.rp = 20;
    spec.timing.rtp = 2;
    spec.controller.latency = 100;
    start(&spec);
    read_at(0, 0, 1, 0, 0);
    small_dram_advance(&dram, 199);
    read_at(200, 0, 1, 1, 1);
    small_dram_advance(&dram, 399);
    read_at(400, 0, 2, 0, 2);
    small_dram_advance(&dram, 1000);
    cr_expect_eq(dram.done[0], 10 + 4 + 1 + 100);
    cr_expect_eq(dram.done[1], 200 + 4 + 1 + 100);
    cr_expect_eq(dram.done[2], 400 + 20 + 10 + 4 + 1 + 100);
    cr_expect_eq(counters()->row_misses, 1);
    cr_expect_eq(counters()->row_hits, 1);
    cr_expect_eq(counters()->row_conflicts, 1);
    cr_expect_eq(counters()->read_cycles, 115 + 105 + 135);
    cr_expect_eq(counters()->bus_cycles, 3);
    cr_expect_eq(counters()->bytes_read, 48);
    small_dram_end(&dram);
}

// Writes wait until drain_high of them do, then go until drain_low are left; reads wait meanwhile.
Test(dram_channel, writes_drain_between_the_marks)
{
    struct wm_dram_channel_spec spec = small_dram_spec();
    spec.controller.drain_high = 4;
    spec.controller.drain_low = 1;
    spec.timing.ccd_s = spec.timing.ccd_l = 10;
    start(&spec);
    for (uint32_t i = 0; i < 12; i++)
        read_at(0, 0, 1, i, i);
    for (uint32_t i = 0; i < 3; i++)
        write_at(0, 0, 1, 20 + i, 20 + i);
    small_dram_advance(&dram, 35);
    cr_expect_eq(small_dram_count(&dram, WM_DRAM_READ), 4);
    cr_expect_eq(small_dram_count(&dram, WM_DRAM_WRITE), 0, "below the mark");
    write_at(36, 0, 1, 23, 23);
    small_dram_advance(&dram, 75);
    cr_expect_eq(small_dram_count(&dram, WM_DRAM_WRITE), 3, "down to the mark");
    small_dram_advance(&dram, 200);
    cr_expect_eq(dram.done_count, 16);
    cr_expect_gt(small_dram_cycle(&dram, WM_DRAM_WRITE, 3),
                 small_dram_cycle(&dram, WM_DRAM_READ, 11), "the last write waits for all reads");
    cr_expect_eq(counters()->turnarounds, 3);
    small_dram_end(&dram);
}

Test(dram_channel, a_write_that_waits_serves_reads_and_takes_writes)
{
    struct wm_dram_channel_spec spec = small_dram_spec();
    spec.timing.rcd_read = spec.timing.rcd_write = 50;
    start(&spec);
    write_at(0, 0, 1, 7, 0);
    small_dram_advance(&dram, 4);
    read_at(5, 0, 1, 7, 1);
    write_at(5, 0, 1, 7, 2);
    read_at(5, 0, 1, 8, 3);
    cr_expect_eq(wm_dram_channel_waiting(dram.channel), 4);
    cr_expect_eq(wm_dram_channel_next(dram.channel), 5);
    small_dram_advance(&dram, 5);
    cr_expect_eq(dram.done[1], 6);
    cr_expect_eq(dram.done[2], 6);
    small_dram_advance(&dram, 300);
    cr_expect_eq(dram.done_count, 4);
    cr_expect_eq(small_dram_count(&dram, WM_DRAM_WRITE), 1);
    cr_expect_eq(counters()->forwarded_reads, 1);
    cr_expect_eq(counters()->merged_writes, 1);
    small_dram_end(&dram);
}

Test(dram_channel, a_full_queue_refuses)
{
    struct wm_dram_channel_spec spec = small_dram_spec();
    spec.controller.read_queue = 2;
    start(&spec);
    read_at(0, 0, 1, 0, 0);
    read_at(0, 0, 1, 1, 1);
    struct wm_dram_request request = {.address = 0x10000, .token = 2};
    cr_expect_not(wm_dram_channel_has_room(dram.channel, false));
    cr_expect(wm_dram_channel_has_room(dram.channel, true));
    cr_expect_not(wm_dram_channel_add(dram.channel, 0, &request));
    cr_expect_eq(counters()->refusals, 1);
    small_dram_advance(&dram, 1); // the first read is issued
    cr_expect(wm_dram_channel_add(dram.channel, 2, &request));
    small_dram_end(&dram);
}

// A bank's queue of one: its second request stays where it came in, and another bank's goes by.
Test(dram_channel, requests_move_on_to_their_banks)
{
    struct wm_dram_channel_spec spec = small_dram_spec();
    spec.controller.queues = WM_DRAM_QUEUES_PER_BANK;
    spec.controller.bank_queue = 1;
    spec.controller.read_queue = 3;
    spec.timing.rcd_read = 20;
    start(&spec);
    read_at(0, 0, 1, 0, 0);
    read_at(0, 0, 1, 1, 1);
    read_at(0, 1, 1, 0, 2);
    cr_expect_not(wm_dram_channel_has_room(dram.channel, false));
    small_dram_advance(&dram, 1);
    cr_expect(wm_dram_channel_has_room(dram.channel, false));
    small_dram_advance(&dram, 100);
    // Moved at 0, 1 and, when the first was served, 21; chosen from the cycle after.
    cr_expect_eq(small_dram_cycle(&dram, WM_DRAM_ACTIVATE, 0), 1);
    cr_expect_eq(small_dram_cycle(&dram, WM_DRAM_ACTIVATE, 1), 2);
    cr_expect_eq(small_dram_cycle(&dram, WM_DRAM_READ, 0), 21);
    cr_expect_eq(small_dram_cycle(&dram, WM_DRAM_READ, 1), 22);
    cr_expect_eq(small_dram_cycle(&dram, WM_DRAM_READ, 2), 23);
    small_dram_end(&dram);
}

Test(dram_channel, ranks_are_refreshed_in_their_time)
{
    struct wm_dram_channel_spec spec = small_dram_spec();
    spec.controller.refresh = WM_DRAM_REFRESH_ALL_BANK;
    spec.timing.refi = 1000;
    spec.timing.rfc = 100;
    start(&spec);
    small_dram_advance(&dram, 499);
    cr_expect_eq(dram.history.count, 0);
    small_dram_advance(&dram, 3999);
    for (uint64_t i = 0; i < 7; i++) {
        cr_expect_eq(dram.history.issues[i].cycle, 500 * (i + 1));
        cr_expect_eq(dram.history.issues[i].rank, i % 2);
    }
    cr_expect_eq(dram.history.count, 7);
    cr_expect_eq(wm_dram_channel_next(dram.channel), UINT64_MAX, "nobody waits");
    small_dram_end(&dram);
}

// A long time without requests is counted at once, and comes to the same.
Test(dram_channel, idle_time_is_made_up_for)
{
    uint64_t refreshes[2], done[2];
    for (int logged = 0; logged < 2; logged++) {
        struct wm_dram_channel_spec spec = small_dram_spec();
        spec.controller.refresh = WM_DRAM_REFRESH_ALL_BANK;
        spec.timing.refi = 1000;
        spec.timing.rfc = 100;
        start(&spec);
        if (!logged)
            wm_dram_channel_log(dram.channel, NULL, NULL);
        read_at(0, 0, 1, 0, 0);
        small_dram_advance(&dram, 10);
        read_at(10000500, 0, 1, 0, 1); // just when rank 0 owes one
        small_dram_advance(&dram, 10001000);
        refreshes[logged] = counters()->refreshes;
        done[logged] = dram.done[1];
        small_dram_end(&dram);
    }
    cr_expect_eq(refreshes[0], 20002);
    cr_expect_eq(refreshes[1], 20002);
    cr_expect_eq(done[0], done[1]);
    cr_expect_eq(done[0], 10000500 + 100 + 1 + 5);
}

Test(dram_channel, pages_close_as_their_policy_says)
{
    static const enum wm_dram_page pages[] = {WM_DRAM_PAGE_OPEN, WM_DRAM_PAGE_CLOSED,
                                              WM_DRAM_PAGE_TIMEOUT};
    for (int i = 0; i < 3; i++) {
        struct wm_dram_channel_spec spec = small_dram_spec();
        spec.controller.page = pages[i];
        spec.controller.page_timeout = 30;
        start(&spec);
        read_at(0, 0, 1, 0, 0);
        read_at(0, 0, 1, 1, 1);
        small_dram_advance(&dram, 31);
        cr_expect_eq(counters()->precharges, pages[i] == WM_DRAM_PAGE_CLOSED);
        small_dram_advance(&dram, 32); // the last read was at 2
        cr_expect_eq(counters()->precharges, pages[i] != WM_DRAM_PAGE_OPEN);
        cr_expect_eq(small_dram_count(&dram, WM_DRAM_READ_PRECHARGE),
                     pages[i] == WM_DRAM_PAGE_CLOSED, "the last of the two closes it");
        small_dram_end(&dram);
    }
}

Test(dram_channel, a_fixed_latency_is_fixed)
{
    struct wm_dram_channel_spec spec = small_dram_spec();
    spec.form = WM_DRAM_FIXED;
    spec.controller.latency = 50;
    spec.controller.read_queue = 4;
    start(&spec);
    for (uint64_t i = 0; i < 4; i++)
        read_at(3, 0, 1, 0, i);
    cr_expect_not(wm_dram_channel_has_room(dram.channel, false));
    cr_expect_eq(wm_dram_channel_next(dram.channel), 3);
    small_dram_advance(&dram, 3);
    for (uint64_t i = 0; i < 4; i++)
        cr_expect_eq(dram.done[i], 53);
    cr_expect_eq(counters()->read_cycles, 200);
    cr_expect_eq(wm_dram_channel_next(dram.channel), UINT64_MAX);
    small_dram_end(&dram);
}

// 16 bytes at 6.4 GB a second take 2.5 cycles of 1 ns.
Test(dram_channel, a_bandwidth_is_kept_to_fractions_of_a_cycle)
{
    struct wm_dram_channel_spec spec = small_dram_spec();
    spec.form = WM_DRAM_BANDWIDTH;
    spec.bytes_per_second = 6400000000;
    spec.controller.latency = 10;
    start(&spec);
    for (uint64_t i = 0; i < 4; i++)
        read_at(0, 0, 1, 0, i);
    small_dram_advance(&dram, 4);
    cr_expect_eq(dram.done_count, 2, "the second transfer starts in cycle 2, the third in 5");
    small_dram_advance(&dram, 100);
    cr_expect_eq(dram.done[0], 13);
    cr_expect_eq(dram.done[1], 15);
    cr_expect_eq(dram.done[2], 18);
    cr_expect_eq(dram.done[3], 20);
    cr_expect_eq(counters()->bus_cycles, 10);
    small_dram_end(&dram);
}

Test(dram_channel, reset_makes_it_new)
{
    static struct wm_dram_history first;
    struct wm_dram_channel_spec spec = small_dram_spec();
    spec.controller.refresh = WM_DRAM_REFRESH_PER_BANK;
    spec.timing.refi_bank = 70;
    spec.timing.rfc_bank = 20;
    start(&spec);
    for (int run = 0; run < 2; run++) {
        dram.history.count = 0;
        for (uint32_t i = 0; i < 60; i++)
            small_dram_add(&dram, 0, &(struct small_place){i % 2, i % 2, i % 4, i * 7 % 5, i},
                           i % 3 == 0, i);
        small_dram_advance(&dram, 150 + (uint64_t)run); // some still wait
        if (run == 0)
            first = dram.history;
        wm_dram_channel_reset(dram.channel);
        cr_expect_eq(counters()->reads, 0);
        cr_expect_eq(wm_dram_channel_waiting(dram.channel), 0);
    }
    cr_expect_gt(first.count, 50);
    cr_expect_eq(memcmp(first.issues, dram.history.issues, first.count * sizeof *first.issues), 0);
    small_dram_end(&dram);
}

static struct wm_dram_place place_of(const char *mapping, uint64_t burst)
{
    struct wm_dram_channel_spec spec = small_dram_spec();
    struct wm_dram_map map;
    memset(spec.controller.mapping, 0, sizeof spec.controller.mapping);
    memcpy(spec.controller.mapping, mapping, strlen(mapping));
    cr_assert_eq(wm_dram_map_init(&map, &spec, NULL), WM_OK, "%s", mapping);
    return wm_dram_map_place(&map, burst * 16 + 5);
}

// Rank 1 bit, bank group 1, bank 2, row 8, column 6: 64 bursts.
static const struct {
    const char *mapping;
    uint64_t burst;
    uint32_t rank, group, bank, row, column;
} mapped[] = {
    {"ro-ra-bg-ba-co", 0x1ffff, 1, 1, 3, 127, 63},
    {"ro-ra-bg-ba-co", 1, 0, 0, 0, 0, 1},
    {"ro-ra-bg-ba-co", 64, 0, 0, 1, 0, 0},
    {"ro-ra-bg-ba-co", 256, 0, 1, 0, 0, 0},
    {"ro-ra-bg-ba-co", 512, 1, 0, 0, 0, 0},
    {"ro-ra-bg-ba-co", 1024, 0, 0, 0, 1, 0},
    {"ro-ra-bg-ba-co", 1024 << 8, 0, 0, 0, 256, 0},
    {"co-ro-ba-bg-ra", 1, 1, 0, 0, 0, 0},
    {"co-ro-ba-bg-ra", 2, 0, 1, 0, 0, 0},
    {"co-ro-ba-bg-ra", 16, 0, 0, 0, 1, 0},
    {"co-ro-ba-bg-ra", 4096, 0, 0, 0, 0, 1},
    {"ro-ba-ra-co4-bg-co", 3, 0, 0, 0, 0, 3},
    {"ro-ba-ra-co4-bg-co", 4, 0, 1, 0, 0, 0},
    {"ro-ba-ra-co4-bg-co", 8, 0, 0, 0, 0, 4},
    {"ro-ba-ra-co4-bg-co", 128, 1, 0, 0, 0, 0},
    {"", 1, 0, 1, 0, 0, 0},
    {"ro-ra-bg-ba-co-xor", 1024 * 5, 0, 1, 2, 5, 0}, // row 101: group 1, bank 10
    {"ro-ra-bg-ba-co-xor", 1024 * 5 + 256 + 128, 0, 0, 0, 5, 0},
};

Test(dram_channel, addresses_lie_where_the_mapping_says)
{
    for (size_t i = 0; i < sizeof mapped / sizeof mapped[0]; i++) {
        struct wm_dram_place place = place_of(mapped[i].mapping, mapped[i].burst);
        cr_expect_eq(place.field[WM_DRAM_RANK], mapped[i].rank, "%zu", i);
        cr_expect_eq(place.field[WM_DRAM_BANK_GROUP], mapped[i].group, "%zu", i);
        cr_expect_eq(place.field[WM_DRAM_BANK], mapped[i].bank, "%zu", i);
        cr_expect_eq(place.field[WM_DRAM_ROW], mapped[i].row, "%zu", i);
        cr_expect_eq(place.field[WM_DRAM_COLUMN], mapped[i].column, "%zu", i);
    }
}

// A bank has to be opened, used and closed between its refreshes. Of the small device an access
// takes 1 + 3 + 1 + 1 cycles until its bank may close, for a write, and 1 to close; a refresh 1.
static bool serves_between_refreshes(enum wm_dram_refresh refresh, uint32_t interval,
                                     uint32_t rcd_read)
{
    struct wm_dram_channel_spec spec = small_dram_spec();
    struct wm_dram_channel *channel;
    struct wm_error error;
    spec.controller.refresh = refresh;
    spec.timing.refi = spec.timing.refi_bank = interval;
    spec.timing.rcd_read = rcd_read;
    spec.timing.wr = spec.timing.rfc = spec.timing.rfc_bank = 1;
    if (wm_dram_channel_new(&spec, &channel, &error) != WM_OK) {
        cr_assert(strstr(error.message, "leaves no time"), "%s", error.message);
        return false;
    }
    wm_dram_channel_free(channel);
    small_dram_start(&dram, &spec);
    for (uint32_t i = 0; i < 16; i++)
        small_dram_add(&dram, 0, &(struct small_place){.rank = i % 2, .bank = i / 2 % 4, .row = i},
                       i % 3 == 0, i);
    small_dram_advance(&dram, 20000);
    cr_expect_eq(wm_dram_channel_waiting(dram.channel), 0, "every %u cycles", interval);
    small_dram_end(&dram);
    return true;
}

Test(dram_channel, refreshes_leave_time_for_an_access)
{
    cr_expect_not(serves_between_refreshes(WM_DRAM_REFRESH_ALL_BANK, 8, 1));
    cr_expect(serves_between_refreshes(WM_DRAM_REFRESH_ALL_BANK, 9, 1));
    cr_expect_not(serves_between_refreshes(WM_DRAM_REFRESH_PER_BANK, 7, 1));
    cr_expect(serves_between_refreshes(WM_DRAM_REFRESH_PER_BANK, 8, 1));
    // 54 + 1 cycles until a bank that is read may close.
    cr_expect_not(serves_between_refreshes(WM_DRAM_REFRESH_ALL_BANK, 57, 54));
    cr_expect(serves_between_refreshes(WM_DRAM_REFRESH_ALL_BANK, 58, 54));
    cr_expect_not(serves_between_refreshes(WM_DRAM_REFRESH_PER_BANK, 14, 54), "nobody was served");
    cr_expect_not(serves_between_refreshes(WM_DRAM_REFRESH_PER_BANK, 56, 54));
    cr_expect(serves_between_refreshes(WM_DRAM_REFRESH_PER_BANK, 57, 54));
}
