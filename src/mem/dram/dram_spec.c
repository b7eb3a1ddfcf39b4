#include "mem/dram/address_map.h"
#include "mem/dram_scheduler/dram_scheduler.h"

#include <inttypes.h>
#include <stddef.h>
#include <string.h>

uint32_t wm_dram_burst_bytes(const struct wm_dram_organisation *organisation)
{
    return organisation->channel_bits / 8 * organisation->burst_length;
}

uint32_t wm_dram_burst_cycles(const struct wm_dram_organisation *organisation)
{
    return organisation->burst_length / organisation->transfers_a_cycle;
}

double wm_dram_channel_peak(const struct wm_dram_channel_spec *spec)
{
    if (spec->form != WM_DRAM_TIMED)
        return (double)spec->bytes_per_second;
    return 1e12 * wm_dram_burst_bytes(&spec->organisation) /
           wm_dram_burst_cycles(&spec->organisation) / spec->timing.clock_ps;
}

uint64_t wm_dram_channel_bytes(const struct wm_dram_organisation *organisation)
{
    return (uint64_t)organisation->channel_bits / 8 * organisation->columns * organisation->rows *
           organisation->banks * organisation->bank_groups * organisation->ranks;
}

static bool is_power(uint32_t value)
{
    return value != 0 && (value & (value - 1)) == 0;
}

static enum wm_status outside(struct wm_error *error, const char *field, uint64_t value,
                              uint64_t low, uint64_t high)
{
    wm_fail(error, WM_INVALID, "dram %s is %" PRIu64, field, value);
    return wm_error_hint(error, "give %" PRIu64 " to %" PRIu64, low, high);
}

struct limit {
    const char *name;
    size_t offset;
    uint32_t low, high;
    bool power_of_two;
};

static enum wm_status check_limits(const void *base, const struct limit *limits, size_t count,
                                   struct wm_error *error)
{
    for (size_t i = 0; i < count; i++) {
        uint32_t value;
        memcpy(&value, (const char *)base + limits[i].offset, sizeof value);
        if (value < limits[i].low || value > limits[i].high)
            return outside(error, limits[i].name, value, limits[i].low, limits[i].high);
        if (limits[i].power_of_two && !is_power(value)) {
            wm_fail(error, WM_INVALID, "dram %s is %" PRIu32, limits[i].name, value);
            return wm_error_hint(error, "give a power of two");
        }
    }
    return WM_OK;
}

static enum wm_status check_organisation(const struct wm_dram_organisation *organisation,
                                         struct wm_error *error)
{
    static const struct limit limits[] = {
        {"channel_bits", offsetof(struct wm_dram_organisation, channel_bits), 8, 1024, true},
        {"ranks", offsetof(struct wm_dram_organisation, ranks), 1, WM_DRAM_MAX_RANKS, true},
        {"bank_groups", offsetof(struct wm_dram_organisation, bank_groups), 1, 16, true},
        {"banks", offsetof(struct wm_dram_organisation, banks), 1, 64, true},
        {"rows", offsetof(struct wm_dram_organisation, rows), 1, 1U << 28, false},
        {"columns", offsetof(struct wm_dram_organisation, columns), 1, 1U << 20, true},
        {"burst_length", offsetof(struct wm_dram_organisation, burst_length), 1, 64, true},
        {"transfers_a_cycle", offsetof(struct wm_dram_organisation, transfers_a_cycle), 1, 64,
         true},
    };
    WM_TRY(check_limits(organisation, limits, sizeof limits / sizeof limits[0], error));
    uint32_t banks = organisation->ranks * organisation->bank_groups * organisation->banks;
    if (banks > WM_DRAM_MAX_BANKS)
        return outside(error, "number of banks of all ranks", banks, 1, WM_DRAM_MAX_BANKS);
    if (organisation->burst_length < organisation->transfers_a_cycle)
        return outside(error, "transfers_a_cycle", organisation->transfers_a_cycle, 1,
                       organisation->burst_length);
    if (organisation->columns < organisation->burst_length)
        return outside(error, "columns", organisation->columns, organisation->burst_length,
                       1U << 20);
    return WM_OK;
}

static enum wm_status check_timing(const struct wm_dram_timing *timing, bool is_timed,
                                   struct wm_error *error)
{
    enum { MOST_CYCLES = 1 << 20 };
    const uint32_t *values = (const uint32_t *)timing;
    if (timing->clock_ps == 0 || timing->clock_ps > 1000000)
        return outside(error, "clock_ps", timing->clock_ps, 1, 1000000);
    for (size_t i = 0; is_timed && i < sizeof *timing / sizeof *values; i++)
        if (values[i] > MOST_CYCLES) {
            wm_fail(error, WM_INVALID, "a dram timing is %" PRIu32 " cycles", values[i]);
            return wm_error_hint(error, "give at most %d cycles", MOST_CYCLES);
        }
    if (is_timed && timing->cl == 0)
        return outside(error, "cl", 0, 1, MOST_CYCLES);
    return WM_OK;
}

static uint32_t larger(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

// From a row's opening, with an access to it, until its bank may be opened again.
static uint64_t cycles_of_access(const struct wm_dram_channel_spec *spec)
{
    const struct wm_dram_timing *timing = &spec->timing;
    uint32_t burst = wm_dram_burst_cycles(&spec->organisation);
    uint32_t read = timing->rcd_read + timing->rtp;
    uint32_t written = timing->rcd_write + timing->cwl + burst + timing->wr;
    return (uint64_t)larger(timing->ras, larger(read, written)) + timing->rp;
}

// A bank has to be opened, used and closed between two refreshes of it, or rows are opened and
// closed for ever and no request is served. Those of single banks go one after the other, and each
// may have to wait for an access.
static enum wm_status check_refresh(const struct wm_dram_channel_spec *spec, struct wm_error *error)
{
    const struct wm_dram_timing *timing = &spec->timing;
    uint64_t access = cycles_of_access(spec), interval = timing->refi, needed = 0;
    uint32_t banks = spec->organisation.bank_groups * spec->organisation.banks;
    if (spec->controller.refresh == WM_DRAM_REFRESH_NONE)
        return WM_OK;
    if (spec->controller.refresh == WM_DRAM_REFRESH_ALL_BANK) {
        needed = timing->rfc + access;
    } else {
        interval = timing->refi_bank;
        needed = (timing->rfc_bank + access) / banks;
        needed = needed > access ? needed : access;
        needed = needed > timing->rrefd ? needed : timing->rrefd;
    }
    if (interval > needed)
        return WM_OK;
    wm_fail(error, WM_INVALID,
            "dram refresh every %" PRIu64
            " cycles leaves no time: it and an access between take %" PRIu64,
            interval, needed);
    return wm_error_hint(error, "make %s longer, or the refresh none",
                         spec->controller.refresh == WM_DRAM_REFRESH_ALL_BANK ? "refi"
                                                                              : "refi_bank");
}

// What the channel's files rely on.
static enum wm_status check_queues(const struct wm_dram_channel_spec *spec, struct wm_error *error)
{
    enum { MOST_COMMANDS = 1 << 15 };
    const struct wm_dram_controller *controller = &spec->controller;
    const struct wm_dram_organisation *organisation = &spec->organisation;
    uint32_t banks = organisation->ranks * organisation->bank_groups * organisation->banks;
    if (controller->queues == WM_DRAM_QUEUES_PER_BANK &&
        (controller->bank_queue == 0 || controller->bank_queue > MOST_COMMANDS / banks))
        return outside(error, "bank_queue", controller->bank_queue, 1, MOST_COMMANDS / banks);
    bool activated_first = controller->scheduler && controller->scheduler->activated_first;
    if (activated_first ||
        !(controller->refresh_after_activated || controller->activated_leave_queue))
        return WM_OK;
    wm_fail(error, WM_INVALID,
            "dram scheduler \"%s\" has no place for requests whose row was opened",
            controller->scheduler ? controller->scheduler->name : "fr-fcfs");
    return wm_error_hint(error, "take first-ready, or neither refresh_after_activated nor "
                                "activated_leave_queue");
}

static enum wm_status check_controller(const struct wm_dram_channel_spec *spec,
                                       struct wm_error *error)
{
    static const struct limit limits[] = {
        {"read_queue", offsetof(struct wm_dram_controller, read_queue), 1, WM_DRAM_MAX_QUEUE,
         false},
        {"write_queue", offsetof(struct wm_dram_controller, write_queue), 1, WM_DRAM_MAX_QUEUE,
         false},
        {"latency", offsetof(struct wm_dram_controller, latency), 0, 1 << 20, false},
        {"page_timeout", offsetof(struct wm_dram_controller, page_timeout), 0, 1 << 20, false},
    };
    const struct wm_dram_controller *controller = &spec->controller;
    WM_TRY(check_limits(controller, limits, sizeof limits / sizeof limits[0], error));
    WM_TRY(check_queues(spec, error));
    if (controller->drain_high == 0 || controller->drain_high > controller->write_queue)
        return outside(error, "drain_high", controller->drain_high, 1, controller->write_queue);
    if (controller->drain_low >= controller->drain_high)
        return outside(error, "drain_low", controller->drain_low, 0, controller->drain_high - 1);
    return check_refresh(spec, error);
}

enum wm_status wm_dram_spec_check(const struct wm_dram_channel_spec *spec, struct wm_error *error)
{
    struct wm_dram_map map;
    bool is_timed = spec->form == WM_DRAM_TIMED;
    wm_error_clear(error);
    WM_TRY(check_organisation(&spec->organisation, error));
    WM_TRY(check_timing(&spec->timing, is_timed, error));
    if (is_timed) {
        WM_TRY(check_controller(spec, error));
        return wm_dram_map_init(&map, spec, error);
    }
    if (spec->controller.read_queue == 0 || spec->controller.read_queue > WM_DRAM_MAX_QUEUE)
        return outside(error, "read_queue", spec->controller.read_queue, 1, WM_DRAM_MAX_QUEUE);
    if (spec->form == WM_DRAM_BANDWIDTH && spec->bytes_per_second == 0) {
        wm_fail(error, WM_INVALID, "dram bandwidth is 0");
        return wm_error_hint(error, "give the channel's bytes per second");
    }
    return WM_OK;
}
