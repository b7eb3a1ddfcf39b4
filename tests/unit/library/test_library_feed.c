// What is fed through the library is counted as the memory system counts it when it is driven by
// hand: every component, on machines that differ in what they have.
#include "library_fixture.h"
#include "sm/coalescer/coalescer.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <threads.h>

// v100: sectored L1; gtx480: write-evict and no sectors; gtx680: global accesses go around L1;
// hd7970: 64 lanes and lines of 64 bytes.
static const char *const machines[] = {"v100", "gtx480", "gtx680", "hd7970"};
enum { MACHINES = sizeof machines / sizeof machines[0], ACCESSES = 12000 };

struct by_hand {
    struct wm_machine machine;
    struct wm_memory *memory;
    struct wm_instruction_counters counters_by_pc[64];
    struct wm_instruction_misses explained[64];
    bool explain;
};

static struct by_hand *by_hand_new(const char *name, bool explain)
{
    struct by_hand *hand = calloc(1, sizeof *hand);
    struct wm_error error;
    cr_assert_eq(wm_machine_load(name, NULL, 0, &hand->machine, &error), WM_OK);
    cr_assert_eq(wm_memory_new(&hand->machine.memory, "gpu0", &hand->memory, &error), WM_OK);
    hand->explain = explain;
    if (explain)
        cr_assert_eq(wm_memory_explain(hand->memory, &error), WM_OK);
    return hand;
}

static void by_hand_free(struct by_hand *hand)
{
    wm_memory_free(hand->memory);
    free(hand);
}

// The rule of docs/machine-files.md, gpu.l1.local_only, in words of its own.
static bool around(const struct by_hand *hand, enum warpmem_space space, enum wm_cache_hint hint)
{
    if (!hand->machine.sm.global_around_l1 || space != WARPMEM_GLOBAL)
        return false;
    return hint != WM_HINT_READ_ONLY && hint != WM_HINT_VOLATILE;
}

// R10 of docs/memory-system.md: what the texture cache of the machine serves.
static bool is_texture_load(const struct by_hand *hand, enum wm_access_kind kind,
                            enum warpmem_space space, enum wm_cache_hint hint)
{
    return hand->machine.memory.levels[WM_LEVEL_SIDE + WM_SIDE_CACHE_TEXTURE].cache.present &&
           kind == WM_ACCESS_LOAD &&
           (space == WARPMEM_TEXTURE || (space == WARPMEM_GLOBAL && hint == WM_HINT_READ_ONLY));
}

// Byte by byte of the line that the access names: a request for each line of the cache.
static void by_hand_side_cache(struct by_hand *hand, enum wm_side_cache_kind kind,
                               const struct warpmem_access *access)
{
    uint64_t line = hand->machine.memory.levels[WM_LEVEL_SIDE + kind].cache.line_bytes;
    struct wm_request request = {.sm = access->sm,
                                 .warp = access->warp,
                                 .pc = access->pc,
                                 .block = access->block,
                                 .instruction_counters = &hand->counters_by_pc[access->pc],
                                 .explained = hand->explain ? &hand->explained[access->pc] : NULL};
    for (uint64_t at = access->address; at < access->address + 1024; at += line) {
        request.address = at;
        request.bytes = access->bytes ? access->bytes + (at - access->address) / 32 : NULL;
        request.sectors = 0;
        for (uint64_t byte = at; byte < at + line; byte += 32)
            if (access->sectors >> ((byte - access->address) / 32) & 1)
                request.sectors |= UINT32_C(1) << ((byte - at) / 32);
        if (request.sectors != 0)
            wm_memory_side_load(hand->memory, kind, &request);
    }
}

static void by_hand_access(struct by_hand *hand, const struct warpmem_access *access)
{
    if (is_texture_load(hand, access->kind, access->space, access->hint)) {
        by_hand_side_cache(hand, WM_SIDE_CACHE_TEXTURE, access);
        return;
    }
    bool is_around = around(hand, access->space, access->hint);
    const struct wm_request request = {
        .address = access->address,
        .sectors = access->sectors,
        .full_sectors = access->full_sectors,
        .kind = access->kind,
        .hint = is_around ? WM_HINT_L2_ONLY : access->hint,
        .around_l1 = is_around,
        .sm = access->sm,
        .warp = access->warp,
        .pc = access->pc,
        .block = access->block,
        .bytes = access->bytes,
        .instruction_counters = &hand->counters_by_pc[access->pc],
        .explained = hand->explain ? &hand->explained[access->pc] : NULL,
    };
    wm_memory_access(hand->memory, &request);
}

static void feed_lines(const char *name, bool explain)
{
    struct warpmem_memory *memory = library_memory(name, explain);
    struct by_hand *hand = by_hand_new(name, explain);
    struct wm_random random;
    wm_random_init(&random, 7, name);
    for (int i = 0; i < ACCESSES; i++) {
        uint32_t bytes[32];
        struct warpmem_access access =
            library_random_access(&random, hand->machine.sm.count,
                                  hand->machine.memory.levels[WM_LEVEL_L1].cache.line_bytes);
        for (int sector = 0; sector < 32; sector++)
            bytes[sector] = (uint32_t)wm_random_u64(&random);
        access.bytes = i % 2 ? bytes : NULL;
        cr_assert_eq(warpmem_memory_access(memory, &access, NULL), WARPMEM_OK);
        by_hand_access(hand, &access);
        if (i == ACCESSES / 2) {
            const struct warpmem_kernel kernel = {.grid = {4, 2, 1}};
            cr_assert_eq(warpmem_memory_kernel_begin(memory, &kernel, NULL), WARPMEM_OK);
            wm_memory_kernel_end(hand->memory);
            wm_memory_explain_grid(hand->memory, 0, kernel.grid);
            wm_memory_kernel_begin(hand->memory);
            cr_assert_eq(warpmem_memory_host_write(memory, 4000, 70000, NULL), WARPMEM_OK);
            wm_memory_host_write(hand->memory, 4000, 70000);
            cr_assert_eq(warpmem_memory_host_read(memory, 1 << 20, 1 << 20, NULL), WARPMEM_OK);
            wm_memory_host_read(hand->memory, 1 << 20, 1 << 20);
        }
    }
    cr_assert_eq(warpmem_memory_drain(memory, NULL), WARPMEM_OK);
    wm_memory_kernel_end(hand->memory);
    wm_memory_write_back_all(hand->memory);
    cr_assert_gt(library_same_counters(memory, hand->memory, false), 20);
    by_hand_free(hand);
    warpmem_memory_free(memory);
}

Test(library_feed, lines)
{
    for (int m = 0; m < MACHINES; m++) {
        feed_lines(machines[m], false);
        feed_lines(machines[m], true);
    }
}

// Lanes that follow each other, share words, read one, or lie anywhere; some are off.
static void random_lanes(struct wm_random *random, uint32_t lanes,
                         struct warpmem_warp_access *access, uint64_t *addresses)
{
    uint32_t bytes = 1u << wm_random_below(random, 6);
    uint64_t base = wm_random_below(random, 1 << 16) * 32, pattern = wm_random_below(random, 4);
    for (uint32_t lane = 0; lane < lanes; lane++) {
        uint64_t element = pattern == 0   ? lane
                           : pattern == 1 ? lane / 4
                           : pattern == 2 ? 7
                                          : wm_random_below(random, 4096);
        addresses[lane] = base + element * bytes;
    }
    uint64_t all = wm_all_lanes(lanes);
    access->bytes_per_lane = bytes;
    access->active = all & wm_random_u64(random);
    if (access->active == 0 || wm_random_below(random, 2))
        access->active = all;
    access->addresses = addresses;
}

// R10: what the scalar cache of the machine serves, all its lanes reading the same bytes.
static bool is_scalar_load(const struct by_hand *hand, const struct warpmem_warp_access *access)
{
    if (!hand->machine.memory.levels[WM_LEVEL_SIDE + WM_SIDE_CACHE_SCALAR].cache.present ||
        access->kind != WM_ACCESS_LOAD || access->space != WARPMEM_GLOBAL ||
        access->hint == WM_HINT_VOLATILE || access->hint == WM_HINT_L2_ONLY)
        return false;
    for (uint32_t one = 0; one < 64; one++)
        for (uint32_t other = 0; other < 64; other++)
            if ((access->active >> one & 1) && (access->active >> other & 1) &&
                access->addresses[one] != access->addresses[other])
                return false;
    return true;
}

// Which bytes of one line the lanes name.
static void bytes_of_line(const struct warpmem_warp_access *access, uint64_t line,
                          uint32_t line_bytes, uint32_t bytes[32])
{
    memset(bytes, 0, 32 * sizeof *bytes);
    for (uint32_t lane = 0; lane < 64; lane++)
        for (uint32_t i = 0; (access->active >> lane & 1) && i < access->bytes_per_lane; i++) {
            uint64_t within = access->addresses[lane] + i - line;
            if (within < line_bytes)
                bytes[within / 32] |= UINT32_C(1) << (within % 32);
        }
}

static void by_hand_warp(struct by_hand *hand, const struct warpmem_warp_access *access)
{
    const struct wm_warp_access own = {
        .kind = access->kind,
        .hint = access->hint,
        .pc = access->pc,
        .bytes_per_lane = access->bytes_per_lane,
        .lanes = hand->machine.sm.warp_width,
        .active = access->active,
        .addresses = access->addresses,
    };
    struct wm_line_request lines[WM_MAX_LINE_REQUESTS];
    uint32_t line_bytes = hand->machine.memory.levels[WM_LEVEL_L1].cache.line_bytes;
    bool scalar = is_scalar_load(hand, access);
    if (scalar)
        line_bytes =
            hand->machine.memory.levels[WM_LEVEL_SIDE + WM_SIDE_CACHE_SCALAR].cache.line_bytes;
    else if (is_texture_load(hand, access->kind, access->space, access->hint))
        line_bytes =
            hand->machine.memory.levels[WM_LEVEL_SIDE + WM_SIDE_CACHE_TEXTURE].cache.line_bytes;
    uint32_t count = wm_coalesce(&own, line_bytes, lines);
    // R6: what a streaming L1 holds goes first.
    bool first[WM_MAX_LINE_REQUESTS];
    bool streaming = hand->machine.memory.levels[WM_LEVEL_L1].allocation == WM_ALLOCATE_STREAMING;
    for (uint32_t i = 0; i < count; i++)
        first[i] = !streaming || access->kind != WM_ACCESS_LOAD ||
                   wm_memory_l1_holds(hand->memory, access->sm, lines[i].line_address);
    for (uint32_t at = 0; at < 2 * count; at++) {
        uint32_t i = at % count;
        if (first[i] != (at < count))
            continue;
        uint32_t bytes[32];
        bytes_of_line(access, lines[i].line_address, line_bytes, bytes);
        const struct warpmem_access one = {
            .bytes = hand->explain ? bytes : NULL,
            .address = lines[i].line_address,
            .sectors = lines[i].sectors,
            .full_sectors = lines[i].full_sectors,
            .kind = access->kind,
            .space = access->space,
            .hint = access->hint,
            .sm = access->sm,
            .warp = access->warp,
            .pc = access->pc,
            .block = access->block,
        };
        if (scalar)
            by_hand_side_cache(hand, WM_SIDE_CACHE_SCALAR, &one);
        else
            by_hand_access(hand, &one);
    }
}

Test(library_feed, warps)
{
    for (int m = 0; m < 2 * MACHINES; m++) {
        const char *name = machines[m / 2];
        bool explain = m % 2;
        struct warpmem_memory *memory = library_memory(name, explain);
        struct by_hand *hand = by_hand_new(name, explain);
        struct wm_random random;
        wm_random_init(&random, 11, name);
        for (int i = 0; i < ACCESSES / 4; i++) {
            uint64_t addresses[64];
            struct warpmem_access who = library_random_access(&random, 4, 128);
            struct warpmem_warp_access access = {who.kind, who.space, who.hint, who.sm,
                                                 who.warp, who.pc,    who.block};
            random_lanes(&random, hand->machine.sm.warp_width, &access, addresses);
            cr_assert_eq(warpmem_memory_warp_access(memory, &access, NULL), WARPMEM_OK);
            by_hand_warp(hand, &access);
        }
        cr_assert_gt(library_same_counters(memory, hand->memory, true), 20);
        by_hand_free(hand);
        warpmem_memory_free(memory);
    }
}

Test(library_feed, streams)
{
    enum { COUNT = 50000 };
    for (int m = 0; m < MACHINES; m++) {
        struct warpmem_memory *memory = library_memory(machines[m], false);
        struct by_hand *hand = by_hand_new(machines[m], false);
        uint64_t *references = calloc(COUNT, sizeof *references);
        uint32_t line_bytes = hand->machine.memory.levels[WM_LEVEL_L1].cache.line_bytes;
        struct wm_random random;
        wm_random_init(&random, 13, machines[m]);
        for (int i = 0; i < COUNT; i++) {
            uint64_t address = wm_random_below(&random, 1 << 20);
            bool store = wm_random_below(&random, 4) == 0;
            references[i] = address | (store ? WARPMEM_STREAM_STORE : 0);
            const struct warpmem_access one = {
                .address = address / line_bytes * line_bytes,
                .sectors = 1u << (address % line_bytes / 32),
                .kind = store ? WM_ACCESS_STORE : WM_ACCESS_LOAD,
                .sm = 1,
            };
            by_hand_access(hand, &one);
        }
        cr_assert_eq(warpmem_memory_stream(memory, 1, references, COUNT, NULL), WARPMEM_OK);
        cr_assert_eq(warpmem_memory_stream(memory, 1, NULL, 0, NULL), WARPMEM_OK);
        cr_assert_gt(library_same_counters(memory, hand->memory, false), 10);
        free(references);
        by_hand_free(hand);
        warpmem_memory_free(memory);
    }
}

Test(library_feed, constants)
{
    struct warpmem_memory *memory = library_memory("v100", false);
    struct warpmem_facts facts;
    struct warpmem_machine *machine = library_machine("v100");
    cr_assert_eq(warpmem_machine_facts(machine, &facts, NULL), WARPMEM_OK);
    warpmem_machine_free(machine);
    cr_assert_gt(facts.constant_line_bytes, 0);
    uint64_t addresses[32], hits, misses;
    for (int lane = 0; lane < 32; lane++)
        addresses[lane] = 4096;
    const struct warpmem_warp_access warp = {.space = WARPMEM_CONSTANT,
                                             .bytes_per_lane = 4,
                                             .active = UINT32_MAX,
                                             .addresses = addresses};
    const struct warpmem_access line = {.space = WARPMEM_CONSTANT, .address = 4096, .sectors = 1};
    cr_assert_eq(warpmem_memory_warp_access(memory, &warp, NULL), WARPMEM_OK);
    cr_assert_eq(warpmem_memory_access(memory, &line, NULL), WARPMEM_OK);
    cr_assert_eq(warpmem_memory_value(memory, "constant", "misses", &misses, NULL), WARPMEM_OK);
    cr_assert_eq(warpmem_memory_value(memory, "constant", "hits", &hits, NULL), WARPMEM_OK);
    cr_expect_geq(misses, 1);
    cr_expect_eq(hits, 1);
    warpmem_memory_free(memory);
}

// Banks: 32 lanes on words of one bank take 32 passes. Nothing goes to memory.
Test(library_feed, shared_memory)
{
    struct warpmem_memory *memory = library_memory("v100", true);
    uint64_t addresses[32], passes, accesses;
    for (int lane = 0; lane < 32; lane++)
        addresses[lane] = (uint64_t)lane * 128;
    const struct warpmem_warp_access access = {.space = WARPMEM_SHARED,
                                               .sm = 5,
                                               .bytes_per_lane = 4,
                                               .active = UINT32_MAX,
                                               .addresses = addresses};
    cr_assert_eq(warpmem_memory_warp_access(memory, &access, NULL), WARPMEM_OK);
    cr_assert_eq(warpmem_memory_value(memory, "gpu0.sm[5].shared", "passes", &passes, NULL),
                 WARPMEM_OK);
    cr_assert_eq(warpmem_memory_value(memory, "l1", "accesses", &accesses, NULL), WARPMEM_OK);
    cr_expect_eq(passes, 32);
    cr_expect_eq(accesses, 0);
    warpmem_memory_free(memory);
}

// Two threads, each with a memory system of the same machine, count as one alone does.
struct thread_work {
    struct warpmem_machine *machine;
    uint64_t hits;
};

static int work(void *context)
{
    struct thread_work *own = context;
    struct warpmem_memory *memory;
    struct wm_random random;
    if (warpmem_memory_new(own->machine, NULL, &memory, NULL) != WARPMEM_OK)
        return 1;
    wm_random_init(&random, 17, "thread");
    for (int i = 0; i < ACCESSES; i++) {
        struct warpmem_access access = library_random_access(&random, 4, 128);
        if (warpmem_memory_access(memory, &access, NULL) != WARPMEM_OK)
            return 1;
    }
    int status = warpmem_memory_value(memory, "l1", "hits", &own->hits, NULL) != WARPMEM_OK;
    warpmem_memory_free(memory);
    return status;
}

Test(library_feed, threads)
{
    struct thread_work works[3];
    thrd_t threads[2];
    struct warpmem_machine *machine = library_machine("v100");
    for (int i = 0; i < 3; i++)
        works[i] = (struct thread_work){.machine = machine};
    for (int i = 0; i < 2; i++)
        cr_assert_eq(thrd_create(&threads[i], work, &works[i]), thrd_success);
    cr_assert_eq(work(&works[2]), 0);
    for (int i = 0; i < 2; i++) {
        int result = 1;
        thrd_join(threads[i], &result);
        cr_assert_eq(result, 0);
        cr_expect_eq(works[i].hits, works[2].hits);
    }
    cr_expect_gt(works[2].hits, 0);
    warpmem_machine_free(machine);
}
