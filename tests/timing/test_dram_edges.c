// Every timing of a DRAM device from both sides of its edge: with that one long and all others
// short, the command it holds back is not there in the cycle before, and is there in the cycle.
#include "small_dram.h"

#include <criterion/criterion.h>
#include <stddef.h>

enum { LONG = 37, MOST_REQUESTS = 36 };

struct asked {
    struct small_place place;
    bool write;
    uint64_t at;
};

struct edge {
    const char *name;
    size_t offset; // of the long one in struct wm_dram_timing
    uint32_t value;
    struct asked asked[6];
    unsigned count;
    // The command that waits: the `index`-th of its kind, so many cycles after the `from_index`-th
    // of another.
    enum wm_dram_command from;
    unsigned from_index;
    enum wm_dram_command command;
    unsigned index;
    uint64_t cycles;
    enum wm_dram_page page;
    enum wm_dram_refresh refresh;
};

#define T(field) offsetof(struct wm_dram_timing, field)
#define AT(rank, group, bank, row, column)         \
    {                                              \
        {rank, group, bank, row, column}, false, 0 \
    }
#define WRITE(rank, group, bank, row, column)     \
    {                                             \
        {rank, group, bank, row, column}, true, 0 \
    }
#define LATER(rank, group, bank, row, column)      \
    {                                              \
        {rank, group, bank, row, column}, false, 1 \
    }
#define A WM_DRAM_ACTIVATE
#define P WM_DRAM_PRECHARGE
#define R WM_DRAM_READ
#define W WM_DRAM_WRITE

// The read latency is 4, the write latency 3, a burst 1.
static const struct edge edges[] = {
    {"tRCDRD", T(rcd_read), LONG, {AT(0, 0, 0, 1, 0)}, 1, A, 0, R, 0, LONG},
    {"tRCDWR", T(rcd_write), LONG, {WRITE(0, 0, 0, 1, 0)}, 1, A, 0, W, 0, LONG},
    {"tRP", T(rp), LONG, {AT(0, 0, 0, 1, 0), AT(0, 0, 0, 2, 0)}, 2, P, 0, A, 1, LONG},
    {"tRAS", T(ras), LONG, {AT(0, 0, 0, 1, 0), AT(0, 0, 0, 2, 0)}, 2, A, 0, P, 0, LONG},
    {"tRC", T(rc), LONG, {AT(0, 0, 0, 1, 0), AT(0, 0, 0, 2, 0)}, 2, A, 0, A, 1, LONG},
    {"tRRD_L", T(rrd_l), LONG, {AT(0, 0, 0, 1, 0), AT(0, 0, 1, 1, 0)}, 2, A, 0, A, 1, LONG},
    {"tRRD_L, other group",
     T(rrd_l),
     LONG,
     {AT(0, 0, 0, 1, 0), AT(0, 1, 1, 1, 0)},
     2,
     A,
     0,
     A,
     1,
     1},
    {"tRRD_S", T(rrd_s), LONG, {AT(0, 0, 0, 1, 0), AT(0, 1, 0, 1, 0)}, 2, A, 0, A, 1, LONG},
    {"tRRD_S, other rank",
     T(rrd_s),
     LONG,
     {AT(0, 0, 0, 1, 0), AT(1, 0, 0, 1, 0)},
     2,
     A,
     0,
     A,
     1,
     1},
    {"tFAW",
     T(faw),
     LONG,
     {AT(0, 0, 0, 1, 0), AT(0, 0, 1, 1, 0), AT(0, 0, 2, 1, 0), AT(0, 0, 3, 1, 0),
      AT(0, 1, 0, 1, 0)},
     5,
     A,
     0,
     A,
     4,
     LONG},
    {"tCCD_L", T(ccd_l), LONG, {AT(0, 0, 0, 1, 0), AT(0, 0, 0, 1, 1)}, 2, R, 0, R, 1, LONG},
    {"tCCD_L of writes",
     T(ccd_l),
     LONG,
     {WRITE(0, 0, 0, 1, 0), WRITE(0, 0, 0, 1, 1)},
     2,
     W,
     0,
     W,
     1,
     LONG},
    {"tCCD_S", T(ccd_s), LONG, {AT(0, 0, 0, 1, 0), AT(0, 1, 0, 1, 0)}, 2, R, 0, R, 1, LONG},
    {"tCCD_S of writes",
     T(ccd_s),
     LONG,
     {WRITE(0, 0, 0, 1, 0), WRITE(0, 1, 0, 1, 0)},
     2,
     W,
     0,
     W,
     1,
     LONG},
    {"tCCD_R", T(ccd_r), LONG, {AT(0, 0, 0, 1, 0), AT(1, 0, 0, 1, 0)}, 2, R, 0, R, 1, LONG},
    {"tRTRS", T(rtrs), LONG, {AT(0, 0, 0, 1, 0), AT(1, 0, 0, 1, 0)}, 2, R, 0, R, 1, LONG + 1},
    {"tRTRS of writes",
     T(rtrs),
     LONG,
     {WRITE(0, 0, 0, 1, 0), WRITE(1, 0, 0, 1, 0)},
     2,
     W,
     0,
     W,
     1,
     LONG + 1},
    {"tRTW", T(rtw), LONG, {AT(0, 0, 0, 1, 0), WRITE(0, 1, 0, 1, 0)}, 2, R, 0, W, 0, LONG},
    {"tRTW, other rank",
     T(rtw),
     LONG,
     {AT(0, 0, 0, 1, 0), WRITE(1, 1, 0, 1, 0)},
     2,
     R,
     0,
     W,
     0,
     LONG},
    {"tRTW that is not given",
     T(rtw),
     0,
     {AT(0, 0, 0, 1, 0), WRITE(0, 0, 0, 1, 1)},
     2,
     R,
     0,
     W,
     0,
     4},
    {"tWTR_L",
     T(wtr_l),
     LONG,
     {WRITE(0, 0, 0, 1, 0), LATER(0, 0, 1, 1, 0)},
     2,
     W,
     0,
     R,
     0,
     LONG + 4},
    {"tWTR_S",
     T(wtr_s),
     LONG,
     {WRITE(0, 0, 0, 1, 0), LATER(0, 1, 1, 1, 0)},
     2,
     W,
     0,
     R,
     0,
     LONG + 4},
    {"tRTRS, write to read",
     T(rtrs),
     LONG,
     {WRITE(0, 0, 0, 1, 0), LATER(1, 1, 1, 1, 0)},
     2,
     W,
     0,
     R,
     0,
     LONG},
    {"tRTP", T(rtp), LONG, {AT(0, 0, 0, 1, 0), AT(0, 0, 0, 2, 0)}, 2, R, 0, P, 0, LONG},
    {"tWR", T(wr), LONG, {WRITE(0, 0, 0, 1, 0), WRITE(0, 0, 0, 2, 0)}, 2, W, 0, P, 0, LONG + 4},
    {"tPPD",
     T(ppd),
     LONG,
     {AT(0, 0, 0, 1, 0), AT(0, 1, 0, 1, 0), AT(0, 0, 0, 2, 0), AT(0, 1, 0, 2, 0)},
     4,
     P,
     0,
     P,
     1,
     LONG},
    {"tRTP, automatic precharge",
     T(rtp),
     LONG,
     {AT(0, 0, 0, 1, 0), LATER(0, 0, 0, 2, 0)},
     2,
     WM_DRAM_READ_PRECHARGE,
     0,
     A,
     1,
     LONG + 1,
     .page = WM_DRAM_PAGE_CLOSED},
    {"tWR, automatic precharge",
     T(wr),
     LONG,
     {WRITE(0, 0, 0, 1, 0), WRITE(0, 0, 0, 2, 0)},
     2,
     WM_DRAM_WRITE_PRECHARGE,
     0,
     A,
     1,
     LONG + 5,
     .page = WM_DRAM_PAGE_CLOSED},
    {"tRAS, automatic precharge",
     T(ras),
     LONG,
     {AT(0, 0, 0, 1, 0), AT(0, 0, 0, 2, 0)},
     2,
     A,
     0,
     A,
     1,
     LONG + 1,
     .page = WM_DRAM_PAGE_CLOSED},
    {"tRP, automatic precharge",
     T(rp),
     LONG,
     {AT(0, 0, 0, 1, 0), AT(0, 0, 0, 2, 0)},
     2,
     WM_DRAM_READ_PRECHARGE,
     0,
     A,
     1,
     LONG + 1,
     .page = WM_DRAM_PAGE_CLOSED},
    // Rank 0 owes its first refresh at 100, half of refi; what comes then waits for it.
    {"tRFC",
     T(rfc),
     LONG,
     {{{0, 0, 0, 1, 0}, false, 100}},
     1,
     WM_DRAM_REFRESH_ALL,
     0,
     A,
     0,
     LONG,
     .refresh = WM_DRAM_REFRESH_ALL_BANK},
    {"tRP before a refresh",
     T(rp),
     LONG,
     {AT(0, 0, 0, 1, 0), {{0, 0, 0, 1, 1}, false, 100}},
     2,
     WM_DRAM_PRECHARGE_ALL,
     0,
     WM_DRAM_REFRESH_ALL,
     0,
     LONG,
     .refresh = WM_DRAM_REFRESH_ALL_BANK},
    {"tRAS before a refresh",
     T(ras),
     LONG,
     {{{0, 0, 0, 1, 0}, false, 99}, {{0, 0, 0, 1, 1}, false, 100}},
     2,
     A,
     0,
     WM_DRAM_PRECHARGE_ALL,
     0,
     LONG,
     .refresh = WM_DRAM_REFRESH_ALL_BANK},
    {"tRFCb",
     T(rfc_bank),
     LONG,
     {{{0, 0, 0, 1, 0}, false, 100}},
     1,
     WM_DRAM_REFRESH_BANK,
     0,
     A,
     0,
     LONG,
     .refresh = WM_DRAM_REFRESH_PER_BANK},
    {"tRREFD",
     T(rrefd),
     LONG,
     {{{0, 1, 1, 1, 0}, false, 101}},
     1,
     WM_DRAM_REFRESH_BANK,
     0,
     A,
     0,
     LONG,
     .refresh = WM_DRAM_REFRESH_PER_BANK},
    {"tRREFD, other rank",
     T(rrefd),
     LONG,
     {{{1, 1, 1, 1, 0}, false, 101}},
     1,
     WM_DRAM_REFRESH_BANK,
     0,
     A,
     0,
     1,
     .refresh = WM_DRAM_REFRESH_PER_BANK},
};

static struct wm_dram_channel_spec spec_of(const struct edge *edge)
{
    struct wm_dram_channel_spec spec = small_dram_spec();
    // So that no read or write stands in the way of a row command.
    spec.controller.two_command_buses = true;
    spec.controller.page = edge->page;
    spec.controller.refresh = edge->refresh;
    spec.timing.refi = spec.timing.refi_bank = 200;
    spec.timing.rfc = spec.timing.rfc_bank = 1;
    *(uint32_t *)((char *)&spec.timing + edge->offset) = edge->value;
    return spec;
}

static void add_all(struct small_dram *dram, const struct edge *edge)
{
    for (unsigned i = 0; i < edge->count; i++) {
        if (edge->asked[i].at > 0)
            small_dram_advance(dram, edge->asked[i].at - 1);
        small_dram_add(dram, edge->asked[i].at, &edge->asked[i].place, edge->asked[i].write, i);
    }
}

Test(dram_edges, each_timing_binds_to_the_cycle)
{
    static struct small_dram dram;
    for (size_t i = 0; i < sizeof edges / sizeof edges[0]; i++) {
        const struct edge *edge = &edges[i];
        struct wm_dram_channel_spec spec = spec_of(edge);
        small_dram_start(&dram, &spec);
        add_all(&dram, edge);
        // Up to the command that holds the other back, which is then known.
        uint64_t cycle = 0, from;
        while ((from = small_dram_cycle(&dram, edge->from, edge->from_index)) == UINT64_MAX) {
            cr_assert_lt(cycle, 1000, "%s: the first command never came", edge->name);
            small_dram_advance(&dram, cycle++);
        }
        small_dram_advance(&dram, from + edge->cycles - 1);
        cr_expect_eq(small_dram_count(&dram, edge->command), edge->index,
                     "%s: there in the cycle before", edge->name);
        cr_expect_eq(wm_dram_channel_next(dram.channel), from + edge->cycles,
                     "%s: it acts next at %lu, not %lu", edge->name,
                     (unsigned long)wm_dram_channel_next(dram.channel),
                     (unsigned long)(from + edge->cycles));
        small_dram_advance(&dram, from + edge->cycles);
        cr_expect_eq(small_dram_count(&dram, edge->command), edge->index + 1,
                     "%s: not there in the cycle", edge->name);
        small_dram_end(&dram);
    }
}

// The 33rd activation waits for the window of 32 (GDDR5).
Test(dram_edges, the_window_of_32_activations_binds)
{
    static struct small_dram dram;
    struct wm_dram_channel_spec spec = small_dram_spec();
    spec.timing.aw32 = 500;
    small_dram_start(&dram, &spec);
    for (uint32_t i = 0; i < 33; i++)
        small_dram_add(&dram, 0, &(struct small_place){0, i / 4 % 2, i % 4, i / 8, 0}, false, i);
    small_dram_advance(&dram, 499);
    cr_expect_eq(small_dram_count(&dram, WM_DRAM_ACTIVATE), 32);
    small_dram_advance(&dram, 500);
    cr_expect_eq(small_dram_count(&dram, WM_DRAM_ACTIVATE), 33);
    small_dram_end(&dram);
}

// A burst of four cycles binds when tCCD is shorter.
Test(dram_edges, a_burst_holds_the_data_bus)
{
    static struct small_dram dram;
    struct wm_dram_channel_spec spec = small_dram_spec();
    spec.organisation.burst_length = 8;
    spec.organisation.columns = 512; // as many bursts in a row
    small_dram_start(&dram, &spec);
    for (uint32_t i = 0; i < 3; i++) {
        struct wm_dram_request request = {i * 64, i, false};
        cr_assert(wm_dram_channel_add(dram.channel, 0, &request));
    }
    small_dram_advance(&dram, 100);
    cr_expect_eq(small_dram_cycle(&dram, WM_DRAM_READ, 0), 1);
    cr_expect_eq(small_dram_cycle(&dram, WM_DRAM_READ, 1), 5);
    cr_expect_eq(small_dram_cycle(&dram, WM_DRAM_READ, 2), 9);
    cr_expect_eq(dram.done[2], 9 + 4 + 4);
    small_dram_end(&dram);
}

// An activation and a read share a command bus, or have one each.
Test(dram_edges, two_command_buses_take_two_commands_a_cycle)
{
    static struct small_dram dram;
    for (int buses = 1; buses <= 2; buses++) {
        struct wm_dram_channel_spec spec = small_dram_spec();
        spec.controller.two_command_buses = buses == 2;
        small_dram_start(&dram, &spec);
        small_dram_add(&dram, 0, &(struct small_place){0, 0, 0, 1, 0}, false, 0);
        small_dram_add(&dram, 0, &(struct small_place){1, 0, 0, 1, 0}, false, 1);
        small_dram_advance(&dram, 50);
        cr_expect_eq(small_dram_cycle(&dram, WM_DRAM_READ, 0), 1);
        cr_expect_eq(small_dram_cycle(&dram, WM_DRAM_ACTIVATE, 1), buses == 2 ? 1 : 2);
        small_dram_end(&dram);
    }
}
