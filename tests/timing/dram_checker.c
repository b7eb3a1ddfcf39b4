#include "dram_checker.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// A bank's automatic precharge takes effect at a cycle of its own, before other commands of that:
// it is no command of the bus.
enum { AUTO = 1, ACT = 2, PRE = 4, PREA = 8, RD = 16, WR = 32, RDA = 64, WRA = 128 };
enum { REF = 256, REFB = 512 };
enum { READS = RD | RDA, WRITES = WR | WRA, CLOSING = PRE | PREA | AUTO };

enum scope { BANK, GROUP, RANK, OTHER_RANK };

struct event {
    uint64_t cycle;
    unsigned command;
    uint32_t rank, group, bank, row, column;
};

struct rule {
    const char *name;
    unsigned from, to;
    enum scope scope;
    uint64_t cycles;
};

void wm_dram_history_note(void *context, const struct wm_dram_issue *issue)
{
    struct wm_dram_history *history = context;
    if (history->count < WM_CHECKER_MOST_COMMANDS)
        history->issues[history->count++] = *issue;
}

static uint64_t larger(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static size_t rules_of(const struct wm_dram_channel_spec *spec, struct rule *rules)
{
    const struct wm_dram_timing *t = &spec->timing;
    uint64_t burst = spec->organisation.burst_length / spec->organisation.transfers_a_cycle;
    uint64_t turn = t->rtw ? t->rtw : t->cl + burst + 2 > t->cwl ? t->cl + burst + 2 - t->cwl : 1;
    uint64_t back = t->cwl + burst + t->rtrs > t->cl ? t->cwl + burst + t->rtrs - t->cl : 1;
    uint64_t between = t->ccd_r ? larger(burst, t->ccd_r) : burst + t->rtrs;
    const struct rule all[] = {
        {"tRCDRD", ACT, READS, BANK, t->rcd_read},
        {"tRCDWR", ACT, WRITES, BANK, t->rcd_write},
        {"tRAS", ACT, CLOSING, BANK, t->ras},
        {"tRC", ACT, ACT | REF | REFB, BANK, t->rc},
        {"tRP", CLOSING, ACT | REF | REFB, BANK, t->rp},
        {"tRTP", READS, CLOSING, BANK, t->rtp},
        {"tWR", WRITES, CLOSING, BANK, t->cwl + burst + t->wr},
        {"tRRD_L", ACT | REFB, ACT | REFB, GROUP, t->rrd_l},
        {"tRRD_S", ACT | REFB, ACT | REFB, RANK, t->rrd_s},
        {"tPPD", PRE | PREA, PRE | PREA, RANK, t->ppd},
        {"tRFC", REF, ACT | REF, RANK, t->rfc},
        {"tRFCb", REFB, ACT | REFB, BANK, t->rfc_bank},
        {"tRREFD", REFB, ACT | REFB, RANK, t->rrefd},
        {"tCCD_L", READS, READS, GROUP, larger(burst, t->ccd_l)},
        {"tCCD_L", WRITES, WRITES, GROUP, larger(burst, t->ccd_l)},
        {"tCCD_S", READS, READS, RANK, larger(burst, t->ccd_s)},
        {"tCCD_S", WRITES, WRITES, RANK, larger(burst, t->ccd_s)},
        {"tCCD_R", READS, READS, OTHER_RANK, between},
        {"tCCD_R", WRITES, WRITES, OTHER_RANK, between},
        {"tRTW", READS, WRITES, RANK, turn},
        {"tRTW", READS, WRITES, OTHER_RANK, turn},
        {"tWTR_L", WRITES, READS, GROUP, t->cwl + burst + t->wtr_l},
        {"tWTR_S", WRITES, READS, RANK, t->cwl + burst + t->wtr_s},
        {"write to read, other rank", WRITES, READS, OTHER_RANK, back},
    };
    memcpy(rules, all, sizeof all);
    return sizeof all / sizeof all[0];
}

static bool is_whole_rank(unsigned command)
{
    return command & (PREA | REF);
}

static bool in_scope(const struct event *a, const struct event *b, enum scope scope)
{
    if (scope == OTHER_RANK)
        return a->rank != b->rank;
    if (a->rank != b->rank)
        return false;
    bool whole = is_whole_rank(a->command) || is_whole_rank(b->command);
    if (scope == RANK || whole)
        return true;
    return a->group == b->group && (scope == GROUP || a->bank == b->bank);
}

static int by_cycle(const void *a, const void *b)
{
    const struct event *x = a, *y = b;
    return x->cycle != y->cycle ? (x->cycle > y->cycle) - (x->cycle < y->cycle)
                                : (x->command > y->command) - (x->command < y->command);
}

// The commands, and automatic precharges as events of their own, in the order of their cycles.
static size_t events_of(const struct wm_dram_history *history,
                        const struct wm_dram_channel_spec *spec, struct event *events)
{
    static const unsigned commands[WM_DRAM_COMMANDS] = {
        [WM_DRAM_ACTIVATE] = ACT,
        [WM_DRAM_PRECHARGE] = PRE,
        [WM_DRAM_PRECHARGE_ALL] = PREA,
        [WM_DRAM_READ] = RD,
        [WM_DRAM_WRITE] = WR,
        [WM_DRAM_READ_PRECHARGE] = RDA,
        [WM_DRAM_WRITE_PRECHARGE] = WRA,
        [WM_DRAM_REFRESH_ALL] = REF,
        [WM_DRAM_REFRESH_BANK] = REFB,
    };
    uint64_t burst = spec->organisation.burst_length / spec->organisation.transfers_a_cycle;
    size_t count = 0;
    for (size_t i = 0; i < history->count; i++) {
        const struct wm_dram_issue *issue = &history->issues[i];
        struct event event = {issue->cycle, commands[issue->command],
                              issue->rank,  issue->bank_group,
                              issue->bank,  issue->row,
                              issue->column};
        events[count++] = event;
        if (!(event.command & (RDA | WRA)))
            continue;
        // As soon as a precharge could go: after this and all before it of the row.
        uint64_t at = 0;
        for (size_t j = i + 1; j-- > 0;) {
            const struct wm_dram_issue *past = &history->issues[j];
            if (past->rank != event.rank || past->bank_group != event.group ||
                past->bank != event.bank)
                continue;
            unsigned command = commands[past->command];
            if (command & READS)
                at = larger(at, past->cycle + spec->timing.rtp);
            if (command & WRITES)
                at = larger(at, past->cycle + spec->timing.cwl + burst + spec->timing.wr);
            if (command & ACT) {
                at = larger(at, past->cycle + spec->timing.ras);
                break;
            }
        }
        event.command = AUTO;
        event.cycle = at;
        events[count++] = event;
    }
    qsort(events, count, sizeof *events, by_cycle);
    return count;
}

#define WRONG(...) return snprintf(what, size, __VA_ARGS__), false

static bool check_pairs(const struct event *events, size_t count, const struct rule *rules,
                        size_t rule_count, char *what, size_t size)
{
    uint64_t longest = 0;
    for (size_t r = 0; r < rule_count; r++)
        longest = larger(longest, rules[r].cycles);
    for (size_t i = 0; i < count; i++)
        for (size_t j = i; j-- > 0 && events[j].cycle + longest > events[i].cycle;)
            for (size_t r = 0; r < rule_count; r++)
                if ((events[j].command & rules[r].from) && (events[i].command & rules[r].to) &&
                    in_scope(&events[j], &events[i], rules[r].scope) &&
                    events[i].cycle < events[j].cycle + rules[r].cycles)
                    WRONG("%s: %" PRIu64 " to %" PRIu64 ", less than %" PRIu64, rules[r].name,
                          events[j].cycle, events[i].cycle, rules[r].cycles);
    return true;
}

// Of any `most` + 1 activations of a rank, the last is at least `window` after the first.
static bool check_window(const struct event *events, size_t count, uint32_t ranks, size_t most,
                         uint64_t window, char *what, size_t size)
{
    for (uint32_t rank = 0; rank < ranks; rank++) {
        uint64_t last[32] = {0};
        size_t seen = 0;
        for (size_t i = 0; i < count; i++) {
            if (events[i].rank != rank || !(events[i].command & (ACT | REFB)))
                continue;
            if (seen >= most && events[i].cycle < last[seen % most] + window)
                WRONG("%zu activations from %" PRIu64 " to %" PRIu64, most + 1, last[seen % most],
                      events[i].cycle);
            last[seen++ % most] = events[i].cycle;
        }
    }
    return true;
}

static bool check_rows(const struct event *events, size_t count,
                       const struct wm_dram_channel_spec *spec, char *what, size_t size)
{
    static bool open[WM_DRAM_MAX_BANKS];
    static uint32_t rows[WM_DRAM_MAX_BANKS];
    uint32_t banks = spec->organisation.banks, rank_banks = banks * spec->organisation.bank_groups;
    memset(open, 0, sizeof open);
    for (size_t i = 0; i < count; i++) {
        const struct event *event = &events[i];
        uint32_t bank = event->rank * rank_banks + event->group * banks + event->bank;
        uint32_t end = is_whole_rank(event->command) ? bank + rank_banks : bank + 1;
        if ((event->command & (ACT | REFB)) && open[bank])
            WRONG("%" PRIu64 ": a row is opened in, or a refresh of, an open bank", event->cycle);
        if ((event->command & (READS | WRITES)) && (!open[bank] || rows[bank] != event->row))
            WRONG("%" PRIu64 ": a read or write of a row that is not open", event->cycle);
        if ((event->command & (PRE | AUTO)) && !open[bank])
            WRONG("%" PRIu64 ": a precharge of a closed bank", event->cycle);
        for (; bank < end; bank++) {
            if ((event->command & REF) && open[bank])
                WRONG("%" PRIu64 ": a refresh with an open bank", event->cycle);
            if (event->command & CLOSING)
                open[bank] = false;
            if (event->command & ACT)
                open[bank] = true, rows[bank] = event->row;
        }
    }
    return true;
}

// One command a cycle on each bus; data of one read or write at a time.
static bool check_buses(const struct wm_dram_history *history,
                        const struct wm_dram_channel_spec *spec, char *what, size_t size)
{
    uint64_t burst = spec->organisation.burst_length / spec->organisation.transfers_a_cycle;
    uint64_t free[2] = {0}, data_free = 0;
    for (size_t i = 0; i < history->count; i++) {
        const struct wm_dram_issue *issue = &history->issues[i];
        bool is_read = issue->command == WM_DRAM_READ || issue->command == WM_DRAM_READ_PRECHARGE;
        bool is_column =
            is_read || issue->command == WM_DRAM_WRITE || issue->command == WM_DRAM_WRITE_PRECHARGE;
        int bus = is_column && spec->controller.two_command_buses;
        if (issue->cycle < free[bus])
            WRONG("%" PRIu64 ": two commands in one cycle", issue->cycle);
        free[bus] = issue->cycle + 1;
        if (!is_column)
            continue;
        uint64_t data = issue->cycle + (is_read ? spec->timing.cl : spec->timing.cwl);
        if (data < data_free)
            WRONG("%" PRIu64 ": its data meets another's", issue->cycle);
        data_free = data + burst;
    }
    return true;
}

// Refreshes come once for each time they are due, not before, and not much after.
static bool check_refreshes(const struct event *events, size_t count,
                            const struct wm_dram_channel_spec *spec, uint64_t until, char *what,
                            size_t size)
{
    enum { PATIENCE = 4000 };
    bool is_all = spec->controller.refresh == WM_DRAM_REFRESH_ALL_BANK;
    uint32_t ranks = spec->organisation.ranks;
    uint32_t banks = spec->organisation.banks * spec->organisation.bank_groups;
    uint64_t interval = is_all ? spec->timing.refi : spec->timing.refi_bank;
    if (spec->controller.refresh == WM_DRAM_REFRESH_NONE)
        interval = UINT64_MAX / 64;
    for (uint32_t rank = 0; rank < ranks; rank++) {
        uint64_t due = interval * (rank + 1) / ranks, done = 0;
        for (size_t i = 0; i < count; i++) {
            if (events[i].rank != rank || !(events[i].command & (REF | REFB)))
                continue;
            uint32_t bank = events[i].group * spec->organisation.banks + events[i].bank;
            if (events[i].cycle < due || events[i].cycle > due + PATIENCE)
                WRONG("%" PRIu64 ": a refresh that was due at %" PRIu64, events[i].cycle, due);
            if (!is_all && bank != done % banks)
                WRONG("%" PRIu64 ": a refresh of bank %u, out of turn", events[i].cycle, bank);
            done++;
            due += interval;
        }
        if (due + PATIENCE < until)
            WRONG("no refresh of rank %u that was due at %" PRIu64, rank, due);
    }
    return true;
}

bool wm_dram_history_check(const struct wm_dram_history *history,
                           const struct wm_dram_channel_spec *spec, uint64_t until, char *what,
                           size_t size)
{
    static struct event events[WM_CHECKER_MOST_COMMANDS * 2];
    struct rule rules[64];
    size_t count = events_of(history, spec, events), rule_count = rules_of(spec, rules);
    if (history->count == WM_CHECKER_MOST_COMMANDS)
        WRONG("more commands than the checker keeps");
    return check_pairs(events, count, rules, rule_count, what, size) &&
           check_window(events, count, spec->organisation.ranks, 4, spec->timing.faw, what, size) &&
           check_window(events, count, spec->organisation.ranks, 32, spec->timing.aw32, what,
                        size) &&
           check_rows(events, count, spec, what, size) && check_buses(history, spec, what, size) &&
           check_refreshes(events, count, spec, until, what, size);
}
