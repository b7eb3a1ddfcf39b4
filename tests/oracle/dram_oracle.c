// Reads on one DRAM channel, against what DRAMsim3 and Ramulator 2.1 answered to the same
// (dram_counts.h): mean latency and bandwidth within 2 % when the channel keeps up, within 5 % when
// it is saturated. Deviations are numbered in DEVIATIONS.md.
//
// The streams are burst after burst from 0, and bursts drawn by splitmix64 from seed 1, the low
// bits. One is offered in every cycle that is a multiple of the gap; one that is refused is offered
// again the next time.
//
// usage: dram_oracle [CONFIGURATION stream|random GAP]   prints each request, for a closer look
#include "dram_configurations.h"
#include "dram_counts.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// More follow, as in the simulators' runs: the last ones counted met as much traffic as others.
enum { OFFERED = WM_ORACLE_DRAM_REQUESTS + 2000 };

struct replayed {
    uint64_t taken[OFFERED], done[OFFERED];
    uint64_t latency_sum, last_done;
};

static uint64_t split_mix(uint64_t *state)
{
    uint64_t word = *state += UINT64_C(0x9e3779b97f4a7c15);
    word = (word ^ word >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    word = (word ^ word >> 27) * UINT64_C(0x94d049bb133111eb);
    return word ^ word >> 31;
}

static void note_done(void *context, const struct wm_dram_completion *done)
{
    struct replayed *replayed = context;
    replayed->done[done->token] = done->cycle;
    if (done->token >= WM_ORACLE_DRAM_REQUESTS)
        return;
    replayed->latency_sum += done->cycle - replayed->taken[done->token];
    if (done->cycle > replayed->last_done)
        replayed->last_done = done->cycle;
}

// Random bursts lie in the first GiB.
static uint64_t next_address(const struct wm_dram_channel_spec *spec, bool is_random,
                             uint64_t index, uint64_t *state)
{
    uint64_t bytes = wm_dram_burst_bytes(&spec->organisation);
    uint64_t burst = is_random ? split_mix(state) : index;
    return burst * bytes & ((UINT64_C(1) << 30) - 1);
}

static void replay(const struct wm_dram_channel_spec *spec, bool is_random, uint32_t gap,
                   struct replayed *replayed)
{
    struct wm_dram_channel *channel;
    struct wm_error error;
    if (wm_dram_channel_new(spec, &channel, &error) != WM_OK) {
        fprintf(stderr, "%s: %s\n", spec->name, error.message);
        exit(1);
    }
    uint64_t state = 1, cycle = 0;
    *replayed = (struct replayed){0};
    for (uint64_t i = 0; i < OFFERED; cycle += gap, i++) {
        struct wm_dram_request request = {
            .address = next_address(spec, is_random, i, &state),
            .token = i,
        };
        for (;; cycle += gap) {
            if (cycle > 0)
                wm_dram_channel_advance(channel, cycle - 1, note_done, replayed);
            replayed->taken[i] = cycle;
            if (wm_dram_channel_add(channel, cycle, &request))
                break;
        }
    }
    wm_dram_channel_advance(channel, cycle + 1000000, note_done, replayed);
    wm_dram_channel_free(channel);
}

static double deviation(uint64_t ours, uint64_t theirs)
{
    return 100.0 * ((double)ours / (double)theirs - 1);
}

static bool is_within(const struct wm_dram_count_row *row, double percent)
{
    double limit = row->gap >= 20 ? 2 : 5;
    return percent <= limit && percent >= -limit;
}

static bool compare(const struct wm_dram_count_row *row, struct replayed *replayed)
{
    replay(wm_oracle_dram_spec(row->configuration), row->is_random, row->gap, replayed);
    double latency = deviation(replayed->latency_sum, row->latency_sum);
    double time = deviation(replayed->last_done, row->last_done);
    bool fine = is_within(row, latency) && is_within(row, time);
    printf("%-16s %-6s gap %3u  latency %8.2f, theirs %8.2f (%+6.2f %%)  cycles a request %7.3f, "
           "theirs %7.3f (%+6.2f %%)%s\n",
           row->configuration, row->is_random ? "random" : "stream", row->gap,
           (double)replayed->latency_sum / WM_ORACLE_DRAM_REQUESTS,
           (double)row->latency_sum / WM_ORACLE_DRAM_REQUESTS, latency,
           (double)replayed->last_done / WM_ORACLE_DRAM_REQUESTS,
           (double)row->last_done / WM_ORACLE_DRAM_REQUESTS, time, fine ? "" : "  TOO FAR");
    return fine;
}

int main(int argc, char **argv)
{
    static struct replayed replayed;
    size_t rows = sizeof wm_dram_count_rows / sizeof wm_dram_count_rows[0], far = 0;
    if (argc == 4) {
        const struct wm_dram_channel_spec *spec = wm_oracle_dram_spec(argv[1]);
        if (spec == NULL)
            return 2;
        replay(spec, strcmp(argv[2], "random") == 0, (uint32_t)strtoul(argv[3], NULL, 10),
               &replayed);
        for (int i = 0; i < WM_ORACLE_DRAM_REQUESTS; i++)
            printf("%d,%" PRIu64 ",%" PRIu64 "\n", i, replayed.taken[i], replayed.done[i]);
        return 0;
    }
    for (size_t i = 0; i < rows; i++)
        far += !compare(&wm_dram_count_rows[i], &replayed);
    printf("%zu of %zu streams agree\n", rows - far, rows);
    return far != 0;
}
