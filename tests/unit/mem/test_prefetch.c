// Prefetchers of a level: Jouppi's stream buffers by hand next to an L1 and next to L2, what makes
// their lines stale, and random accesses against a plain model of them.
#include "base/numbers/random.h"
#include "mem/prefetch/entries.h"
#include "mem/replacement/entries.h"
#include "mem/system/memory_state.h"
#include "small_memory.h"

#include <criterion/criterion.h>
#include <string.h>

enum { LINE = 128 };

// A direct-mapped L1 of four lines above an L2; stream buffers next to the level `at`.
static struct wm_memory_spec spec_of(uint32_t at, uint64_t buffers, uint64_t lines)
{
    struct wm_memory_spec spec =
        small_memory(2, small_cache(4, 1, LINE, LINE), small_cache(64, 8, LINE, LINE), 1);
    spec.levels[at].prefetch = &wm_prefetch_stream_buffer;
    spec.levels[at].prefetch_values = (struct wm_entry_values){{buffers, lines}, 3};
    return spec;
}

static void request(struct wm_memory *memory, enum wm_access_kind kind, uint64_t line)
{
    struct wm_request r = {.address = line * LINE, .sectors = 15, .full_sectors = 15, .kind = kind};
    wm_memory_access(memory, &r);
}

static const struct wm_prefetcher_counters *counters_of(const struct wm_memory *memory,
                                                        uint32_t level)
{
    return &memory->levels[level].prefetchers.counters[0];
}

Test(prefetch, a_stream_comes_from_the_buffer)
{
    struct wm_memory_spec spec = spec_of(WM_LEVEL_L1, 1, 4);
    struct wm_memory *memory = small_memory_new(&spec);
    for (uint64_t line = 0; line < 100; line++)
        request(memory, WM_ACCESS_LOAD, line);
    const struct wm_prefetcher_counters *it = counters_of(memory, WM_LEVEL_L1);
    const struct wm_cache_counters *l1 = &memory->levels[WM_LEVEL_L1].caches[0].counters;
    cr_expect_eq(l1->load_misses, 400, "the cache itself misses all");
    cr_expect_eq(it->misses, 100);
    cr_expect_eq(it->supplied, 99, "all but the first");
    cr_expect_eq(it->prefetches, 4 + 99);
    cr_expect_eq(it->bytes_prefetched, 103 * LINE);
    cr_expect_eq(l1->bytes_from_below, 104 * LINE, "and the first line itself");
    cr_expect_eq(memory->levels[WM_LEVEL_L2].caches[0].counters.bytes_to_above, 104 * LINE);
    wm_memory_free(memory);
}

// Two streams by turns empty a single buffer each time; two buffers serve both (section 4.2).
Test(prefetch, each_stream_wants_a_buffer)
{
    for (uint64_t buffers = 1; buffers <= 2; buffers++) {
        struct wm_memory_spec spec = spec_of(WM_LEVEL_L1, buffers, 3);
        struct wm_memory *memory = small_memory_new(&spec);
        for (uint64_t line = 0; line < 50; line++) {
            request(memory, WM_ACCESS_LOAD, line);
            request(memory, WM_ACCESS_LOAD, 1000 + line);
        }
        cr_expect_eq(counters_of(memory, WM_LEVEL_L1)->supplied, buffers == 1 ? 0 : 98);
        wm_memory_free(memory);
    }
}

// Only the head is compared: a line that is skipped costs the buffer.
Test(prefetch, the_head_alone_is_compared)
{
    struct wm_memory_spec spec = spec_of(WM_LEVEL_L1, 1, 4);
    struct wm_memory *memory = small_memory_new(&spec);
    for (uint64_t line = 0; line < 20; line += 2)
        request(memory, WM_ACCESS_LOAD, line);
    cr_expect_eq(counters_of(memory, WM_LEVEL_L1)->supplied, 0);
    cr_expect_eq(counters_of(memory, WM_LEVEL_L1)->prefetches, 40);
    wm_memory_free(memory);
}

Test(prefetch, any_level_may_have_one)
{
    struct wm_memory_spec spec = spec_of(WM_LEVEL_L2, 1, 4);
    struct wm_memory *memory = small_memory_new(&spec);
    for (uint64_t line = 0; line < 100; line++)
        request(memory, WM_ACCESS_LOAD, line);
    cr_expect_eq(counters_of(memory, WM_LEVEL_L2)->supplied, 99);
    cr_expect_eq(memory->dram[0].bytes_read, 104 * LINE);
    size_t count;
    const struct wm_component_counters *listed = wm_memory_components(memory, &count);
    bool found = false;
    for (size_t i = 0; i < count; i++)
        found |= strcmp(listed[i].path, "gpu0.l2[0].prefetcher") == 0;
    cr_expect(found);
    wm_memory_free(memory);
}

// What is written since it was prefetched is fetched again, whoever writes it.
Test(prefetch, stale_lines_are_not_supplied)
{
    struct wm_memory_spec spec = spec_of(WM_LEVEL_L1, 1, 4);
    spec.levels[WM_LEVEL_L1].cache.write_policy = WM_WRITE_THROUGH_UPDATE;
    spec.levels[WM_LEVEL_L1].cache.write_allocate = false;
    spec.levels[WM_LEVEL_L1].flush_at_kernel = true;
    struct wm_memory *memory = small_memory_new(&spec);
    const struct wm_prefetcher_counters *it = counters_of(memory, WM_LEVEL_L1);
    request(memory, WM_ACCESS_LOAD, 0); // 1 to 4 are prefetched
    request(memory, WM_ACCESS_STORE, 1);
    request(memory, WM_ACCESS_ATOMIC, 2);
    wm_memory_host_write(memory, 3 * LINE + 5, 1);
    cr_expect_eq(it->dropped, 3);
    for (uint64_t line = 1; line < 5; line++)
        request(memory, WM_ACCESS_LOAD, line);
    cr_expect_eq(it->supplied, 1, "line 4");
    wm_memory_kernel_begin(memory);
    request(memory, WM_ACCESS_LOAD, 5);
    cr_expect_eq(it->supplied, 1, "emptied with its cache");
    wm_memory_free(memory);
}

Test(prefetch, what_leaves_an_inclusive_level_leaves_the_buffer)
{
    struct wm_memory_spec spec = spec_of(WM_LEVEL_L1, 1, 4);
    spec.levels[WM_LEVEL_L2].cache = small_cache(1, 8, LINE, LINE);
    spec.levels[WM_LEVEL_L2].inclusion = WM_INCLUSIVE;
    struct wm_memory *memory = small_memory_new(&spec);
    request(memory, WM_ACCESS_LOAD, 0); // 0 to 4 are in L2
    for (uint64_t line = 100; line < 108; line++) {
        struct wm_request other = {
            .address = line * LINE, .sectors = 15, .kind = WM_ACCESS_LOAD, .sm = 1};
        wm_memory_access(memory, &other);
    }
    request(memory, WM_ACCESS_LOAD, 1);
    cr_expect_eq(counters_of(memory, WM_LEVEL_L1)->supplied, 0);
    cr_expect_geq(counters_of(memory, WM_LEVEL_L1)->dropped, 4);
    wm_memory_free(memory);
}

// --- The next lines, and strides ---

static struct wm_memory *memory_with(const struct wm_prefetch_ops *ops,
                                     struct wm_entry_values values)
{
    struct wm_memory_spec spec = spec_of(WM_LEVEL_L1, 1, 1);
    spec.levels[WM_LEVEL_L1].prefetch = ops;
    spec.levels[WM_LEVEL_L1].prefetch_values = values;
    return small_memory_new(&spec);
}

// Smith, section 2.1: on a miss, and tagged. Of 12 lines the first is missed by both; prefetch on
// misses brings two more then, so that each third is missed.
Test(prefetch, next_lines_on_misses_and_tagged)
{
    for (uint64_t tagged = 0; tagged <= 1; tagged++) {
        struct wm_memory *memory =
            memory_with(&wm_prefetch_next_line, (struct wm_entry_values){{2, tagged, 16}, 7});
        const struct wm_prefetcher_counters *it = counters_of(memory, WM_LEVEL_L1);
        for (uint64_t line = 0; line < 12; line++)
            request(memory, WM_ACCESS_LOAD, line);
        cr_expect_eq(it->misses, 12);
        cr_expect_eq(it->supplied, tagged ? 11 : 8);
        cr_expect_eq(it->prefetches, tagged ? 13 : 8, "each line is requested once");
        wm_memory_free(memory);
    }
}

// Of the lines that wait the first makes room: after 17 misses far apart, the line behind the
// first is forgotten, the one behind the second is not.
Test(prefetch, next_lines_that_wait_longest_are_forgotten)
{
    struct wm_memory *memory =
        memory_with(&wm_prefetch_next_line, (struct wm_entry_values){{1, 1, 16}, 7});
    for (uint64_t i = 0; i < 17; i++)
        request(memory, WM_ACCESS_LOAD, 10 * i);
    request(memory, WM_ACCESS_LOAD, 11);
    cr_expect_eq(counters_of(memory, WM_LEVEL_L1)->supplied, 1);
    request(memory, WM_ACCESS_LOAD, 1);
    cr_expect_eq(counters_of(memory, WM_LEVEL_L1)->supplied, 1);
    wm_memory_free(memory);
}

static void load_by(struct wm_memory *memory, uint32_t pc, uint32_t warp, uint64_t line)
{
    struct wm_request r = {
        .address = line * LINE, .sectors = 15, .kind = WM_ACCESS_LOAD, .pc = pc, .warp = warp};
    wm_memory_access(memory, &r);
}

// Chen and Baer, figure 4, with a stride of 3 lines, 1 line ahead: the second line says the stride
// (transient, and its line is requested), the third is right (steady). One other line makes a
// steady stride initial, and a prefetch goes on by the old stride; a second one makes another.
Test(prefetch, a_stride_is_learned_and_unlearned)
{
    struct wm_memory *memory =
        memory_with(&wm_prefetch_stride, (struct wm_entry_values){{8, 1, 16}, 7});
    const struct wm_prefetcher_counters *it = counters_of(memory, WM_LEVEL_L1);
    load_by(memory, 5, 0, 100);
    cr_expect_eq(it->prefetches, 0);
    load_by(memory, 5, 0, 103);
    cr_expect_eq(it->prefetches, 1);
    load_by(memory, 5, 0, 106);
    load_by(memory, 5, 0, 109);
    cr_expect_eq(it->supplied, 2);
    cr_expect_eq(it->prefetches, 3);
    load_by(memory, 5, 0, 200); // initial: 203 by the stride that was steady
    cr_expect_eq(it->prefetches, 4);
    load_by(memory, 5, 0, 203);
    cr_expect_eq(it->supplied, 3);
    cr_expect_eq(it->prefetches, 5);
    load_by(memory, 5, 0, 300); // initial again, 303
    load_by(memory, 5, 0, 310); // transient, 320
    load_by(memory, 5, 0, 400); // no prediction
    cr_expect_eq(it->prefetches, 7);
    load_by(memory, 5, 0, 490); // right: transient, and 580 is requested
    cr_expect_eq(it->prefetches, 8);
    load_by(memory, 5, 0, 700); // no prediction
    cr_expect_eq(it->prefetches, 8);
    load_by(memory, 5, 0, 580);
    cr_expect_eq(it->supplied, 4);
    wm_memory_free(memory);
}

// Each instruction has a stride of its own, each warp of it too, and instructions whose places in
// the table are one displace each other.
Test(prefetch, strides_are_of_an_instruction_and_a_warp)
{
    struct wm_memory *memory =
        memory_with(&wm_prefetch_stride, (struct wm_entry_values){{8, 1, 64}, 7});
    const struct wm_prefetcher_counters *it = counters_of(memory, WM_LEVEL_L1);
    for (uint64_t i = 0; i < 6; i++) {
        load_by(memory, 1, 0, 1000 + 2 * i);
        load_by(memory, 2, 0, 2000 + 5 * i);
        load_by(memory, 2, 4, 3000 - 7 * i);
    }
    cr_expect_eq(it->supplied, 3 * 4);
    for (uint64_t i = 0; i < 6; i++) {
        load_by(memory, 3, 0, 5000 + 2 * i);
        load_by(memory, 11, 0, 6000 + 2 * i);
        load_by(memory, 4, 0, 7000 + 4 * i); // the warps together would have a stride of 2
        load_by(memory, 4, 8, 7002 + 4 * i);
    }
    cr_expect_eq(it->supplied, 3 * 4);
    wm_memory_free(memory);
}

// --- Against a plain model: a direct-mapped cache and queues written as lists of lines ---

struct model {
    uint64_t tags[4], queues[3][4]; // the head is 0; ~0: nothing
    uint64_t used[3], clock, supplied, prefetches, misses;
};

static void model_load(struct model *model, uint64_t line)
{
    if (model->tags[line % 4] == line)
        return;
    model->tags[line % 4] = line;
    model->misses++;
    int oldest = 0;
    for (int q = 0; q < 3; q++) {
        oldest = model->used[q] < model->used[oldest] ? q : oldest;
        if (model->queues[q][0] != line)
            continue;
        model->used[q] = ++model->clock;
        model->supplied++;
        model->prefetches++;
        uint64_t next = model->queues[q][3] + 1;
        memmove(&model->queues[q][0], &model->queues[q][1], 3 * sizeof next);
        model->queues[q][3] = next;
        return;
    }
    model->used[oldest] = ++model->clock;
    for (uint64_t i = 0; i < 4; i++)
        model->queues[oldest][i] = line + 1 + i;
    model->prefetches += 4;
}

Test(prefetch, counts_as_the_plain_model)
{
    struct wm_memory_spec spec = spec_of(WM_LEVEL_L1, 3, 4);
    struct wm_memory *memory = small_memory_new(&spec);
    struct model model;
    memset(&model, 0xff, sizeof model);
    memset(model.used, 0, sizeof model.used);
    model.clock = model.supplied = model.prefetches = model.misses = 0;
    struct wm_random random;
    wm_random_init(&random, 3, "streams");
    uint64_t streams[4] = {0, 100, 200, 300};
    for (int i = 0; i < 20000; i++) {
        uint64_t which = wm_random_below(&random, 4);
        if (wm_random_below(&random, 12) == 0)
            streams[which] = wm_random_below(&random, 400);
        request(memory, WM_ACCESS_LOAD, streams[which]);
        model_load(&model, streams[which]);
        streams[which]++;
    }
    const struct wm_prefetcher_counters *it = counters_of(memory, WM_LEVEL_L1);
    cr_expect_eq(it->misses, model.misses);
    cr_expect_eq(it->supplied, model.supplied);
    cr_expect_eq(it->prefetches, model.prefetches);
    cr_expect_gt(it->supplied, 1000);
    wm_memory_free(memory);
}
