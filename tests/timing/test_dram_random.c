// Random traffic on random devices under every scheduler, page policy, queue structure and refresh:
// every command obeys every constraint (dram_checker.h), and every request is served once, by a
// read or write of its own place.
#include "base/numbers/random.h"
#include "dram_checker.h"
#include "mem/dram_scheduler/dram_scheduler.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

enum { REQUESTS = 1500, ROUNDS = 160 };

static struct wm_random chance;

static uint32_t between(uint32_t low, uint32_t high)
{
    return low + (uint32_t)wm_random_below(&chance, high - low + 1);
}

static struct wm_dram_timing random_timing(void)
{
    struct wm_dram_timing timing = {
        .clock_ps = 1000,
        .cl = between(2, 30),
        .cwl = between(1, 20),
        .rcd_read = between(1, 25),
        .rcd_write = between(1, 25),
        .rp = between(1, 25),
        .ras = between(1, 60),
        .rrd_s = between(0, 8),
        .ccd_s = between(0, 5),
        .ccd_r = between(0, 1) * between(1, 9),
        .faw = between(0, 50),
        .aw32 = between(0, 1) * between(100, 400),
        .wr = between(0, 25),
        .wtr_s = between(0, 8),
        .rtw = 0,
        .rtp = between(1, 12),
        .rtrs = between(0, 3),
        .ppd = between(0, 5),
        .rfc = between(1, 300),
        .refi = between(600, 3000),
        .rfc_bank = between(1, 150),
        .refi_bank = between(200, 700),
        .rrefd = between(0, 20),
    };
    timing.rc = timing.ras + timing.rp + between(0, 5);
    timing.rrd_l = timing.rrd_s + between(0, 4);
    timing.ccd_l = timing.ccd_s + between(0, 4);
    timing.wtr_l = timing.wtr_s + between(0, 6);
    return timing;
}

static struct wm_dram_channel_spec random_spec(int round)
{
    static const char *const mappings[] = {"", "ro-ba-ra-bg-co", "ro-co-ra-ba-bg",
                                           "ro-ba-co1-bg-co-ra-xor", "co-ro-ra-bg1-ba-bg"};
    struct wm_dram_channel_spec spec = {.form = WM_DRAM_TIMED, .timing = random_timing()};
    struct wm_dram_organisation *organisation = &spec.organisation;
    organisation->channel_bits = 64;
    organisation->ranks = 1U << between(0, 2);
    organisation->bank_groups = 1U << between(1, 2);
    organisation->banks = 1U << between(0, 2);
    organisation->rows = 1U << between(2, 6);
    organisation->columns = 8U << between(1, 4);
    organisation->burst_length = 8;
    organisation->transfers_a_cycle = 1U << between(1, 3);
    struct wm_dram_controller *controller = &spec.controller;
    size_t schedulers;
    const struct wm_dram_scheduler_ops *const *table = wm_dram_scheduler_table(&schedulers);
    controller->scheduler = table[(size_t)round % schedulers];
    controller->queues = (enum wm_dram_queues)between(0, 1);
    controller->read_queue = between(1, 40);
    controller->write_queue = between(1, 40);
    controller->bank_queue = between(1, 8);
    controller->drain_high = between(1, controller->write_queue);
    controller->drain_low = between(0, controller->drain_high - 1);
    controller->hit_cap = between(0, 1) * between(1, 6);
    controller->page = (enum wm_dram_page)between(0, 2);
    controller->page_timeout = between(0, 80);
    controller->refresh = (enum wm_dram_refresh)between(0, 2);
    controller->refresh_precharges_singly = between(0, 1);
    controller->refresh_stops_channel = between(0, 1);
    controller->refresh_after_activated = controller->scheduler->activated_first && between(0, 1);
    controller->activated_leave_queue = controller->scheduler->activated_first && between(0, 1);
    controller->two_command_buses = between(0, 1);
    controller->latency = between(0, 1) * between(1, 30);
    const char *mapping = mappings[between(0, 4)];
    memcpy(controller->mapping, mapping, strlen(mapping) + 1);
    return spec;
}

struct served {
    uint64_t added[REQUESTS], done[REQUESTS];
    uint32_t times[REQUESTS], count;
    uint64_t previous;
};

static void note_done(void *context, const struct wm_dram_completion *done)
{
    struct served *served = context;
    served->times[done->token]++;
    served->done[done->token] = done->cycle;
    served->count++;
}

static struct wm_dram_history history;
static struct served served;

// Bursts of requests with pauses, from few rows or from all of the channel.
static uint64_t drive(struct wm_dram_channel *channel, const struct wm_dram_channel_spec *spec)
{
    uint64_t cycle = 0, bytes = wm_dram_channel_bytes(&spec->organisation), near = 0;
    uint32_t writes = between(0, 100), locality = between(0, 100), pause = between(0, 60);
    for (uint64_t i = 0; i < REQUESTS; i++) {
        struct wm_dram_request request = {.token = i, .write = between(1, 100) <= writes};
        near = between(1, 100) <= locality ? near + 64 : wm_random_below(&chance, bytes);
        request.address = near % bytes;
        cycle += between(0, 9) == 0 ? between(0, pause * 10) : between(0, pause) / 10;
        for (;; cycle++) {
            if (cycle > 0)
                wm_dram_channel_advance(channel, cycle - 1, note_done, &served);
            if (wm_dram_channel_add(channel, cycle, &request))
                break;
        }
        served.added[i] = cycle;
    }
    for (uint64_t next; (next = wm_dram_channel_next(channel)) != UINT64_MAX; cycle = next)
        wm_dram_channel_advance(channel, next, note_done, &served);
    return cycle;
}

static void check_served(const struct wm_dram_channel *channel,
                         const struct wm_dram_channel_spec *spec, int round)
{
    const struct wm_dram_channel_counters *counters = wm_dram_channel_counters_of(channel);
    uint64_t columns = 0, activates = 0, refreshes = 0;
    cr_assert_eq(served.count, REQUESTS, "round %d: %u served", round, served.count);
    for (size_t i = 0; i < REQUESTS; i++) {
        cr_assert_eq(served.times[i], 1, "round %d: request %zu", round, i);
        cr_assert_gt(served.done[i], served.added[i], "round %d: request %zu", round, i);
    }
    for (size_t i = 0; i < history.count; i++) {
        enum wm_dram_command command = history.issues[i].command;
        columns += command == WM_DRAM_READ || command == WM_DRAM_WRITE ||
                   command == WM_DRAM_READ_PRECHARGE || command == WM_DRAM_WRITE_PRECHARGE;
        activates += command == WM_DRAM_ACTIVATE;
        refreshes += command == WM_DRAM_REFRESH_ALL || command == WM_DRAM_REFRESH_BANK;
    }
    cr_expect_eq(columns + counters->forwarded_reads + counters->merged_writes, REQUESTS);
    cr_expect_eq(counters->reads + counters->writes, REQUESTS);
    cr_expect_eq(counters->row_hits + counters->row_misses + counters->row_conflicts, columns);
    cr_expect_eq(counters->activates, activates);
    cr_expect_eq(counters->refreshes, refreshes);
    cr_expect_eq(counters->bus_cycles, columns * wm_dram_burst_cycles(&spec->organisation));
    cr_expect_eq(counters->bytes_read + counters->bytes_written, columns * 64);
    cr_expect_eq(wm_dram_channel_waiting(channel), 0);
}

Test(dram_random, every_command_obeys_every_constraint)
{
    char what[256];
    wm_random_init(&chance, 1, "dram");
    for (int round = 0; round < ROUNDS; round++) {
        struct wm_dram_channel_spec spec = random_spec(round);
        struct wm_dram_channel *channel;
        struct wm_error error = {0};
        if (wm_dram_channel_new(&spec, &channel, &error) != WM_OK) {
            cr_assert(strstr(error.message, "leaves no time") ||
                          strstr(error.message, "is wider than"),
                      "round %d: %s", round, error.message);
            continue;
        }
        history.count = 0;
        served = (struct served){0};
        wm_dram_channel_log(channel, wm_dram_history_note, &history);
        uint64_t until = drive(channel, &spec);
        cr_assert(wm_dram_history_check(&history, &spec, until, what, sizeof what),
                  "round %d, %s: %s", round, spec.controller.scheduler->name, what);
        check_served(channel, &spec, round);
        wm_dram_channel_free(channel);
    }
}

// Cycle by cycle, or from event to event: the same commands.
Test(dram_random, looking_at_every_cycle_changes_nothing)
{
    static struct wm_dram_history stepped;
    for (int round = 0; round < 24; round++) {
        wm_random_init(&chance, (uint64_t)round, "dram");
        struct wm_dram_channel_spec spec = random_spec(round);
        struct wm_dram_channel *skipping, *stepping;
        if (wm_dram_channel_new(&spec, &skipping, NULL) != WM_OK)
            continue;
        cr_assert_eq(wm_dram_channel_new(&spec, &stepping, NULL), WM_OK);
        history.count = stepped.count = 0;
        wm_dram_channel_log(skipping, wm_dram_history_note, &history);
        wm_dram_channel_log(stepping, wm_dram_history_note, &stepped);
        uint64_t bytes = wm_dram_channel_bytes(&spec.organisation), cycle = 0;
        for (int i = 0; i < 500; i++) {
            struct wm_dram_request request = {.address = wm_random_below(&chance, bytes),
                                              .write = between(0, 2) == 0};
            uint64_t later = cycle + between(0, 40);
            for (; cycle < later; cycle++)
                wm_dram_channel_advance(stepping, cycle, NULL, NULL);
            for (uint64_t next; (next = wm_dram_channel_next(skipping)) < later;)
                wm_dram_channel_advance(skipping, next, NULL, NULL);
            bool taken = wm_dram_channel_add(skipping, cycle, &request);
            cr_assert_eq(wm_dram_channel_add(stepping, cycle, &request), taken);
        }
        for (uint64_t end = cycle + 20000; cycle < end; cycle++)
            wm_dram_channel_advance(stepping, cycle, NULL, NULL);
        wm_dram_channel_advance(skipping, cycle - 1, NULL, NULL);
        cr_assert_eq(history.count, stepped.count, "round %d", round);
        for (size_t i = 0; i < history.count; i++) {
            cr_assert_eq(history.issues[i].cycle, stepped.issues[i].cycle, "round %d, %zu", round,
                         i);
            cr_assert_eq(history.issues[i].command, stepped.issues[i].command);
        }
        wm_dram_channel_free(skipping);
        wm_dram_channel_free(stepping);
    }
}
