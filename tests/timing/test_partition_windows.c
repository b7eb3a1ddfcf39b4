// A memory partition gives the same replies and credits in the same cycles whether it is run cycle
// by cycle or in windows of any other length: what it passes over within a window was nothing.
#include "../unit/mem/small_memory.h"
#include "base/numbers/random.h"
#include "mem/system/memory_state.h"
#include "mem/timed/partition/partition.h"
#include "small_dram.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

enum { SMS = 5, SLICES = 4, CHANNELS = 2, PACKETS = 1500, LATENCY = 7, LINES = 96, END = 400000 };

// What a machine is like for a partition.
struct kind {
    const char *name;
    enum wm_topology topology;
    uint64_t l2_hz, network_hz;
    bool timed;                              // its DRAM has devices
    uint32_t entries, merges, queue, buffer; // of L2, and of replies that a butterfly has room for
    uint32_t gap;                            // cycles between requests, at most
};

struct reply {
    uint64_t when, token;
};

struct outcome {
    struct reply replies[PACKETS];
    struct wm_crossbar_credit credits[PACKETS];
    uint32_t reply_count, credit_count;
    struct wm_timed_cache_counters timed[SLICES];
    struct wm_cache_counters caches[SLICES];
    struct wm_dram_channel_counters channel;
    uint64_t acted;
};

static struct wm_packet packets[PACKETS];

static struct wm_memory *new_memory(const struct kind *kind)
{
    struct wm_memory_spec spec =
        small_memory(SMS, small_cache(4, 2, 128, 32), small_cache(8 * SLICES, 2, 128, 32), SLICES);
    spec.dram.channels = CHANNELS;
    spec.levels[WM_LEVEL_L2].timing = (struct wm_cache_timing){.clock_hz = kind->l2_hz,
                                                               .latency = 9,
                                                               .mshr_entries = kind->entries,
                                                               .mshr_merges = kind->merges,
                                                               .queue = kind->queue};
    spec.interconnect = (struct wm_interconnect_spec){.topology = kind->topology,
                                                      .radix = 8,
                                                      .clock_hz = kind->network_hz,
                                                      .latency = LATENCY,
                                                      .flit_bytes = 32,
                                                      .buffer = kind->buffer,
                                                      .sectors = 4};
    return small_memory_new(&spec);
}

static struct wm_dram_channel_spec channel_of(const struct kind *kind)
{
    if (!kind->timed)
        return (struct wm_dram_channel_spec){.form = WM_DRAM_BANDWIDTH,
                                             .organisation = small_dram_spec().organisation,
                                             .timing.clock_ps = 1300,
                                             .controller = {.read_queue = 6, .latency = 20},
                                             .bytes_per_second = UINT64_C(5000000000)};
    struct wm_dram_channel_spec spec = small_dram_spec();
    spec.controller.read_queue = spec.controller.write_queue = 6;
    spec.controller.drain_high = 4;
    spec.controller.refresh = WM_DRAM_REFRESH_ALL_BANK;
    spec.timing.refi = 300;
    spec.timing.rfc = 40;
    spec.timing.rcd_read = spec.timing.rcd_write = spec.timing.rp = 9;
    return spec;
}

// Requests for the first partition's slices, as they come in.
static void make_packets(const struct wm_memory *memory, uint32_t gap, uint64_t seed)
{
    static const uint8_t clients[] = {WM_CACHE_LOAD, WM_CACHE_LOAD, WM_CACHE_STORE,
                                      WM_CACHE_ATOMIC};
    struct wm_random chance;
    uint64_t when = 10, index_line;
    wm_random_init(&chance, seed, "partition");
    for (uint32_t i = 0; i < PACKETS; i++) {
        struct wm_packet *packet = &packets[i];
        when += wm_random_below(&chance, gap);
        *packet = (struct wm_packet){.when = when,
                                     .token = i,
                                     .sectors = 1 + (uint32_t)wm_random_below(&chance, 15),
                                     .sm = (uint16_t)wm_random_below(&chance, SMS),
                                     .client = clients[wm_random_below(&chance, 4)],
                                     .to = WM_LEVEL_L2,
                                     .from = WM_OF_UNIT,
                                     .replies = true};
        do {
            packet->address = wm_random_below(&chance, LINES) * 128;
            packet->receiver = (uint16_t)wm_level_slice(
                &memory->levels[WM_LEVEL_L2],
                packet->address >> memory->levels[WM_LEVEL_L2].line_shift, &index_line);
        } while (packet->receiver % CHANNELS != 0);
        bool store = packet->client == WM_CACHE_STORE;
        packet->full_sectors = store ? packet->sectors & (uint32_t)wm_random_below(&chance, 16) : 0;
        packet->flits = wm_packet_flits(
            32, packet->client == WM_CACHE_LOAD ? 0 : wm_sector_bytes(packet->sectors));
    }
}

// What the slices sent, and their credits. The network's room for replies comes back some time
// after they have come.
static void collect(struct wm_partition *partition, const struct kind *kind,
                    struct outcome *outcome)
{
    for (uint32_t n = 0; n < partition->slice_count; n++) {
        struct wm_crossbar_output *output = &partition->slices[n].output;
        struct wm_crossbar_input *input = &partition->slices[n].input;
        for (uint32_t i = 0; i < output->sent_count; i++) {
            outcome->replies[outcome->reply_count++] =
                (struct reply){output->sent[i].when, output->sent[i].token};
            if (kind->topology == WM_BUTTERFLY)
                wm_crossbar_credit(output, 0, output->sent[i].when + LATENCY + 5);
        }
        for (uint32_t i = 0; i < input->credit_count; i++)
            outcome->credits[outcome->credit_count++] = input->credits[i];
        output->sent_count = input->credit_count = 0;
    }
}

static int in_order(const void *a, const void *b)
{
    const struct reply *one = a, *other = b;
    if (one->when != other->when)
        return one->when < other->when ? -1 : 1;
    return one->token < other->token ? -1 : one->token > other->token;
}

static int credits_in_order(const void *a, const void *b)
{
    const struct wm_crossbar_credit *one = a, *other = b;
    if (one->when != other->when)
        return one->when < other->when ? -1 : 1;
    uint64_t x = (uint64_t)one->receiver << 32 | one->sender;
    uint64_t y = (uint64_t)other->receiver << 32 | other->sender;
    return x < y ? -1 : x > y;
}

static struct outcome *new_outcome(void)
{
    struct outcome *outcome = calloc(1, sizeof *outcome);
    cr_assert_not_null(outcome);
    return outcome;
}

// In windows of `length` cycles; of 1 to LATENCY ones by chance where it is 0.
static struct outcome *run(const struct kind *kind, uint32_t length)
{
    struct wm_dram_channel_spec channel = channel_of(kind);
    struct wm_memory *memory = new_memory(kind);
    struct outcome *outcome = new_outcome();
    struct wm_instruction_counters instruction_counters = {0};
    struct wm_timed_topology topology;
    struct wm_partition *partition;
    struct wm_error error;
    struct wm_random chance;
    uint32_t added = 0;
    wm_random_init(&chance, 1, "windows");
    cr_assert_eq(wm_timed_topology_init(&topology, &memory->spec, &error), WM_OK);
    cr_assert_eq(
        wm_partition_new(memory, &topology, 0, &channel, UINT64_C(1000000000), &partition, &error),
        WM_OK, "%s", error.message);
    partition->island.counters_by_pc = &instruction_counters;
    for (uint64_t now = 0; now < END && outcome->reply_count < PACKETS;) {
        uint64_t end = now + (length != 0 ? length : 1 + wm_random_below(&chance, LATENCY));
        // What comes within it was sent before it.
        for (; added < PACKETS && packets[added].when < end; added++) {
            uint32_t number = packets[added].receiver / CHANNELS;
            uint32_t sender = kind->topology == WM_BUTTERFLY ? 0 : packets[added].sm;
            cr_assert(
                wm_crossbar_input_add(&partition->slices[number].input, sender, &packets[added]));
        }
        cr_assert(wm_partition_run(partition, end));
        collect(partition, kind, outcome);
        now = end;
    }
    for (uint32_t n = 0; n < partition->slice_count; n++) {
        outcome->timed[n] = partition->slices[n].node.level.timed.counters;
        outcome->caches[n] = partition->slices[n].node.level.timed.cache->counters;
    }
    outcome->acted = wm_partition_last_active(partition);
    qsort(outcome->replies, outcome->reply_count, sizeof *outcome->replies, in_order);
    qsort(outcome->credits, outcome->credit_count, sizeof *outcome->credits, credits_in_order);
    wm_partition_free(partition);
    wm_timed_topology_release(&topology);
    wm_memory_free(memory);
    return outcome;
}

static void compare(const struct kind *kind, uint32_t length, const struct outcome *found,
                    const struct outcome *wanted)
{
    cr_assert_eq(found->reply_count, PACKETS, "%s, windows of %u: %u replies", kind->name, length,
                 found->reply_count);
    for (uint32_t i = 0; i < PACKETS; i++)
        cr_assert(found->replies[i].when == wanted->replies[i].when &&
                      found->replies[i].token == wanted->replies[i].token,
                  "%s, windows of %u: reply %u of %llu in %llu, not of %llu in %llu", kind->name,
                  length, i, (unsigned long long)found->replies[i].token,
                  (unsigned long long)found->replies[i].when,
                  (unsigned long long)wanted->replies[i].token,
                  (unsigned long long)wanted->replies[i].when);
    cr_assert_eq(memcmp(found->credits, wanted->credits, sizeof found->credits), 0,
                 "%s, windows of %u: credits", kind->name, length);
    cr_assert_eq(memcmp(found->caches, wanted->caches, sizeof found->caches), 0,
                 "%s, windows of %u: what slices count", kind->name, length);
    cr_assert_eq(memcmp(found->timed, wanted->timed, sizeof found->timed), 0,
                 "%s, windows of %u: stalls", kind->name, length);
}

static const struct kind kinds[] = {
    {"roomy", WM_CROSSBAR, 0, 0, true, 32, 8, 32, 0, 12},
    {"full", WM_CROSSBAR, 0, 0, true, 2, 2, 1, 0, 3},
    {"without devices", WM_CROSSBAR, 0, 0, false, 4, 2, 3, 0, 8},
    {"behind a butterfly", WM_BUTTERFLY, 0, 0, true, 4, 2, 2, 1, 10},
    {"slow", WM_CROSSBAR, 700000000, 0, true, 4, 2, 2, 0, 14},
    {"fast", WM_CROSSBAR, 0, 333000000, true, 4, 2, 2, 0, 6},
    {"odd, behind a butterfly", WM_BUTTERFLY, 1013000000, 977000000, false, 3, 3, 2, 2, 12},
};

Test(partition_windows, any_length_gives_the_same, .timeout = 120)
{
    static const uint32_t lengths[] = {2, LATENCY - 2, LATENCY, 0};
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        struct wm_memory *memory = new_memory(&kinds[i]);
        make_packets(memory, kinds[i].gap, i);
        wm_memory_free(memory);
        struct outcome *each = run(&kinds[i], 1);
        cr_assert_eq(each->reply_count, PACKETS, "%s: %u replies", kinds[i].name,
                     each->reply_count);
        for (size_t j = 0; j < sizeof lengths / sizeof lengths[0]; j++) {
            struct outcome *windows = run(&kinds[i], lengths[j]);
            compare(&kinds[i], lengths[j], windows, each);
            free(windows);
        }
        free(each);
    }
}
