// Requests a second through one DRAM channel at full load: its queue is filled whenever there is
// room, burst after burst or at random places. Medians of several runs; the goals are those of the
// DRAM model alone.
#include "base/numbers/random.h"
#include "machine/dram_rows.h"
#include "mem/dram/channel.h"
#include "mem/dram_scheduler/entries.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { RUNS = 5, REQUESTS = 200000, PLACES = 1 << 16 };

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void count_done(void *context, const struct wm_dram_completion *done)
{
    *(uint64_t *)context += done->token;
}

static uint64_t places[PLACES]; // drawn before the time is taken

static uint64_t address_of(bool is_random, uint64_t index, uint64_t bytes)
{
    return (is_random ? places[index % PLACES] : index) * bytes;
}

// Millions of requests a second; every fourth is a write when `mixed`.
static double run(const struct wm_dram_channel_spec *spec, bool is_random, bool mixed,
                  uint64_t *cycles)
{
    struct wm_dram_channel *channel;
    uint64_t sum = 0, sent = 0, bytes = wm_dram_burst_bytes(&spec->organisation), cycle = 0;
    if (wm_dram_channel_new(spec, &channel, NULL) != WM_OK)
        exit(1);
    double start = seconds();
    while (sent < REQUESTS) {
        for (;;) {
            struct wm_dram_request request = {.address = address_of(is_random, sent, bytes),
                                              .token = sent};
            request.write = mixed && sent % 4 == 3;
            if (!wm_dram_channel_has_room(channel, request.write) ||
                !wm_dram_channel_add(channel, cycle, &request))
                break;
            sent++;
        }
        uint64_t next = wm_dram_channel_next(channel);
        wm_dram_channel_advance(channel, next, count_done, &sum);
        cycle = next + 1;
    }
    double rate = REQUESTS / (seconds() - start) / 1e6;
    *cycles = cycle;
    wm_dram_channel_free(channel);
    return rate;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void measure(const char *device, const char *queues, const char *pattern,
                    const struct wm_dram_channel_spec *spec, bool is_random, bool mixed)
{
    double rates[RUNS], goal = is_random ? 2 : 5;
    uint64_t cycles = 0;
    for (int i = 0; i < RUNS; i++)
        rates[i] = run(spec, is_random, mixed, &cycles);
    qsort(rates, RUNS, sizeof *rates, by_value);
    printf("%-10s %-9s %-13s %6.2f M requests/s (goal %.0f, %.2f times)  %6.2f cycles a request\n",
           device, queues, pattern, rates[RUNS / 2], goal, rates[RUNS / 2] / goal,
           (double)cycles / REQUESTS);
}

static void measure_device(const char *name, bool bank_queues)
{
    struct wm_dram_channel_spec spec = {0};
    struct wm_error error;
    if (wm_row_table_read(&wm_dram_row_table, name, NULL, &spec, &error) != WM_OK) {
        fprintf(stderr, "%s\n", error.message);
        exit(1);
    }
    spec.controller.read_queue = spec.controller.write_queue = 64;
    spec.controller.drain_high = 48;
    spec.controller.drain_low = 16;
    if (bank_queues) {
        spec.controller.queues = WM_DRAM_QUEUES_PER_BANK;
        spec.controller.bank_queue = 8;
        spec.controller.scheduler = &wm_dram_scheduler_bank_round_robin;
    }
    const char *queues = bank_queues ? "banks'" : "shared";
    measure(name, queues, "stream", &spec, false, false);
    measure(name, queues, "random", &spec, true, false);
    measure(name, queues, "random, mixed", &spec, true, true);
}

int main(void)
{
    static const char *const devices[] = {"ddr4-2400", "gddr5", "gddr6", "hbm2", "hbm3"};
    struct wm_random random;
    wm_random_init(&random, 1, "bench");
    for (size_t i = 0; i < PLACES; i++)
        places[i] = wm_random_below(&random, 1 << 24);
    for (size_t i = 0; i < sizeof devices / sizeof devices[0]; i++)
        measure_device(devices[i], false);
    measure_device("ddr4-2400", true);
    measure_device("gddr6", true);
    return 0;
}
