// What a replay counts in L1 and L2, against two caches written as plainly as they can be: for
// cores, by way of Dinero's lines; for warps, by way of recordings written here. Random streams and
// structured ones, on machines of random geometry.
#include "../../oracle/simple_caches.h"
#include "../../rounds.h"
#include "base/numbers/random.h"
#include "engine/replay/many_machines.h"
#include "machine/machine.h"
#include "source/cores/core_import.h"
#include "trace/recording_writer.h"

#include <criterion/criterion.h>
#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

enum {
    REFERENCES = TEST_ROUNDS(6000),
    WARP_ACCESSES = TEST_ROUNDS(1500),
    LANES = 32,
    GEOMETRIES = 12
};

// --- Machines ---

struct geometry {
    uint64_t line_bytes, l1_sets, l1_ways, l2_sets, l2_ways;
    uint64_t code_sets, code_ways; // 0: no instruction cache
    bool demand_first;
};

static struct geometry draw_geometry(struct wm_random *random)
{
    return (struct geometry){
        .line_bytes = UINT64_C(32) << wm_random_below(random, 3),
        .l1_sets = UINT64_C(1) << wm_random_below(random, 6),
        .l1_ways = 1 + wm_random_below(random, 8),
        .l2_sets = UINT64_C(8) << wm_random_below(random, 5),
        .l2_ways = 1 + wm_random_below(random, 16),
        .demand_first = wm_random_below(random, 2) != 0,
    };
}

static void load_machine(const struct geometry *geometry, uint32_t lanes,
                         struct wm_machine *machine)
{
    char texts[13][64];
    const char *settings[24] = {"gpu.sm.count=1", "gpu.l1.write=back", "gpu.l1.write_allocate=true",
                                "gpu.l1.flush_at_kernel=false"};
    uint32_t count = 4, text = 0;
#define SET(...)                                             \
    do {                                                     \
        snprintf(texts[text], sizeof texts[0], __VA_ARGS__); \
        settings[count++] = texts[text++];                   \
    } while (0)
    SET("gpu.l1.line=%" PRIu64 "B", geometry->line_bytes);
    SET("gpu.l1.sector=%" PRIu64 "B", geometry->line_bytes);
    SET("gpu.l1.size=%" PRIu64 "B", geometry->line_bytes * geometry->l1_sets * geometry->l1_ways);
    SET("gpu.l1.ways=%" PRIu64, geometry->l1_ways);
    SET("gpu.l2.line=%" PRIu64 "B", geometry->line_bytes);
    SET("gpu.l2.sector=%" PRIu64 "B", geometry->line_bytes);
    SET("gpu.l2.size=%" PRIu64 "B", geometry->line_bytes * geometry->l2_sets * geometry->l2_ways);
    SET("gpu.l2.ways=%" PRIu64, geometry->l2_ways);
    SET("gpu.l2.interleave=%dB", 1024);
    SET("gpu.l2.demand_before_writeback=%s", geometry->demand_first ? "true" : "false");
    SET("gpu.instruction.present=%s", geometry->code_sets > 0 ? "true" : "false");
    if (geometry->code_sets > 0) {
        uint64_t bytes = geometry->line_bytes * geometry->code_sets * geometry->code_ways;
        SET("gpu.instruction.size=%" PRIu64 "B", bytes);
        SET("gpu.instruction.ways=%" PRIu64, geometry->code_ways);
        settings[count++] = geometry->line_bytes == 32   ? "gpu.instruction.line=32B"
                            : geometry->line_bytes == 64 ? "gpu.instruction.line=64B"
                                                         : "gpu.instruction.line=128B";
    }
#undef SET
    if (lanes == LANES) {
        settings[count++] = "gpu.sm.warp_width=32";
        settings[count++] = "gpu.sm.max_threads=32";
        settings[count++] = "gpu.sm.max_threads_per_block=32";
        // The simple caches know nothing of stores that cover a sector whole.
        settings[count++] = "gpu.l1.write_fetch=always";
    }
    struct wm_error error;
    char buffer[2048];
    cr_assert_eq(wm_machine_load("cpu-core2", settings, count, machine, &error), WM_OK, "%s",
                 wm_error_format(&error, buffer, sizeof buffer));
}

// --- Comparing ---

static uint64_t counter(const struct wm_results *results, const char *kind, const char *name)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < results->component_count; i++) {
        const struct wm_component_result *component = &results->components[i];
        if (strcmp(component->set->kind, kind) != 0)
            continue;
        size_t index = wm_counter_index(component->set, name);
        cr_assert_lt(index, component->set->count);
        sum += component->values[index];
    }
    return sum;
}

static void compare_counts(const struct wm_results *results, const struct simple_caches *simple,
                           const char *what)
{
    const struct {
        const char *kind, *name;
        uint64_t expected;
    } counts[] = {
        {"l1", "accesses", simple->l1.accesses},
        {"l1", "accesses_missed", simple->l1.misses},
        {"l1", "store_accesses", simple->stores},
        {"l1", "write_backs", simple->l1.write_backs},
        {"instruction_cache", "accesses", simple->instruction.accesses},
        {"instruction_cache", "accesses_missed", simple->instruction.misses},
        {"l2", "accesses_missed", simple->l2_demand_misses},
        {"l2", "writeback_accesses_missed", simple->l2_arrival_misses},
        {"l2", "write_backs", simple->l2.write_backs},
    };
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++)
        cr_expect_eq(counter(results, counts[i].kind, counts[i].name), counts[i].expected,
                     "%s: %s %s: %" PRIu64 ", expected %" PRIu64, what, counts[i].kind,
                     counts[i].name, counter(results, counts[i].kind, counts[i].name),
                     counts[i].expected);
}

// Once alone, and once as one of two that one reading feeds.
static void compare(const char *path, const struct geometry *geometry, uint32_t lanes,
                    const struct simple_caches *simple, const char *what)
{
    static struct wm_machine machine;
    struct wm_recording recording;
    struct wm_error error;
    const struct wm_session_options options = {.memory = true};
    load_machine(geometry, lanes, &machine);
    cr_assert_eq(wm_recording_open(&recording, path, &error), WM_OK, "%s", error.message);
    for (uint32_t count = 1; count <= 2; count++) {
        struct wm_replay_variant variants[2] = {{.machine = &machine}, {.machine = &machine}};
        cr_assert_eq(wm_replay_many(&recording, variants, count, count, &options, &error), WM_OK,
                     "%s", error.message);
        for (uint32_t i = 0; i < count; i++) {
            compare_counts(variants[i].results, simple, what);
            wm_results_free(variants[i].results);
        }
    }
    wm_recording_close(&recording);
}

// A trace of one core, which goes.
static void compare_imported(const char *trace, const struct geometry *geometry,
                             const struct simple_caches *simple, const char *what)
{
    char recording[160];
    snprintf(recording, sizeof recording, "%s.wmt", trace);
    const struct wm_core_import import = {
        .paths = &trace, .count = 1, .output = recording, .writer = "test"};
    struct wm_error error;
    cr_assert_eq(wm_core_import(&import, NULL, &error), WM_OK, "%s", error.message);
    compare(recording, geometry, 1, simple, what);
    unlink(trace);
    unlink(recording);
}

static void begin_simple(const struct geometry *geometry, struct simple_caches *simple)
{
    simple_caches_init(simple, geometry->line_bytes, geometry->l1_sets, geometry->l1_ways,
                       geometry->l2_sets, geometry->l2_ways, geometry->demand_first);
}

// --- Streams ---

enum stream { RANDOM, HOT, STRIDED, LOOP, TILED, STREAMS };
static const char *const stream_names[] = {"random", "hot", "strided", "loop", "tiled"};

// The place of reference `n`.
static uint64_t place(enum stream stream, struct wm_random *random, uint64_t n)
{
    switch (stream) {
    case RANDOM: return wm_random_below(random, 1 << 18);
    case HOT: return wm_random_below(random, UINT64_C(1) << (4 + wm_random_below(random, 14)));
    case STRIDED: return n * 132;
    case LOOP: return n * 36 % 20000;
    case TILED: return n / 512 % 4 * 16384 + n % 16 * 1024 + n / 16 % 32 * 4; // columns, then rows
    case STREAMS: break;
    }
    return 0;
}

// --- Cores ---

static void run_core(enum stream stream, struct wm_random *random, const char *folder)
{
    char trace[128];
    struct geometry geometry = draw_geometry(random);
    struct simple_caches simple;
    snprintf(trace, sizeof trace, "%s/stream.din", folder);
    begin_simple(&geometry, &simple);
    FILE *file = fopen(trace, "we");
    cr_assert_not_null(file);
    for (uint64_t n = 0; n < REFERENCES; n++) {
        uint64_t address = place(stream, random, n);
        bool store = wm_random_below(random, 3) == 0;
        uint64_t bytes = 1 + wm_random_below(random, 16);
        // Classic lines are of the aligned word; extended ones may lie over the end of a line.
        if (wm_random_below(random, 2) == 0) {
            fprintf(file, "%d %" PRIx64 "\n", store, address);
            address &= ~UINT64_C(3);
            bytes = 4;
        } else {
            fprintf(file, "%c %" PRIx64 " %" PRIx64 "\n", store ? 'w' : 'r', address, bytes);
        }
        simple_caches_access(&simple, address, store);
        if (address / geometry.line_bytes != (address + bytes - 1) / geometry.line_bytes)
            simple_caches_access(&simple, address + bytes - 1, store);
    }
    cr_assert_eq(fclose(file), 0);
    compare_imported(trace, &geometry, &simple, stream_names[stream]);
    simple_caches_release(&simple);
}

// --- Code ---

// What lackey would print of a program that jumps about: each instruction is fetched before its
// accesses go to L1, unless it lies in the line that was fetched last.
static void run_code(enum stream stream, struct wm_random *random, const char *folder)
{
    char trace[128];
    struct geometry geometry = draw_geometry(random);
    struct simple_caches simple;
    geometry.code_sets = UINT64_C(1) << wm_random_below(random, 4);
    geometry.code_ways = 1 + wm_random_below(random, 4);
    snprintf(trace, sizeof trace, "%s/code.lackey", folder);
    begin_simple(&geometry, &simple);
    simple_caches_add_instruction(&simple, geometry.code_sets, geometry.code_ways);
    FILE *file = fopen(trace, "we");
    cr_assert_not_null(file);
    uint64_t pc = 0, held = UINT64_MAX;
    for (uint64_t n = 0; n < REFERENCES; n++) {
        // Lengths belong to places, so that each instruction is always as long.
        uint64_t bytes = 1 + pc * UINT64_C(0x9E3779B97F4A7C15) % 15;
        fprintf(file, "I  %" PRIx64 ",%" PRIu64 "\n", pc, bytes);
        for (uint64_t line = pc / geometry.line_bytes;
             line <= (pc + bytes - 1) / geometry.line_bytes; line++) {
            if (line != held)
                simple_caches_fetch(&simple, line * geometry.line_bytes);
            held = line;
        }
        for (uint64_t accesses = wm_random_below(random, 6); accesses > 2; accesses--) {
            uint64_t address = place(stream, random, n) & ~UINT64_C(7);
            bool store = wm_random_below(random, 3) == 0;
            fprintf(file, " %c %" PRIx64 ",8\n", store ? 'S' : 'L', address);
            simple_caches_access(&simple, address, store);
        }
        pc = wm_random_below(random, 9) == 0 ? wm_random_below(random, 1 << 13) : pc + bytes;
    }
    cr_assert_eq(fclose(file), 0);
    compare_imported(trace, &geometry, &simple, stream_names[stream]);
    simple_caches_release(&simple);
}

// --- Warps ---

// What a warp's instruction asks L1 for: each line that its lanes touch, in order of the first
// lane, once.
static void access_simply(struct simple_caches *simple, const struct wm_warp_access *access)
{
    uint64_t lines[2 * LANES];
    uint32_t count = 0;
    for (uint32_t lane = 0; lane < LANES; lane++) {
        if ((access->active >> lane & 1) == 0)
            continue;
        for (int end = 0; end < 2; end++) {
            uint64_t address = access->addresses[lane] + (end ? access->bytes_per_lane - 1 : 0);
            uint64_t line = address / simple->l1.line_bytes;
            uint32_t i = 0;
            while (i < count && lines[i] != line)
                i++;
            if (i == count)
                lines[count++] = line;
        }
    }
    for (uint32_t i = 0; i < count; i++)
        simple_caches_access(simple, lines[i] * simple->l1.line_bytes,
                             access->kind == WM_ACCESS_STORE);
}

static void draw_access(enum stream stream, struct wm_random *random, uint64_t n,
                        uint64_t addresses[LANES], struct wm_warp_access *access)
{
    *access = (struct wm_warp_access){
        .kind = n % 2 == 0 ? WM_ACCESS_LOAD : WM_ACCESS_STORE,
        .space = WM_SPACE_GLOBAL,
        .pc = (uint32_t)(n % 2),
        .bytes_per_lane = UINT32_C(1) << wm_random_below(random, 5),
        .lanes = LANES,
        .active =
            wm_random_below(random, 3) == 0 ? 1 + wm_random_below(random, UINT32_MAX) : UINT32_MAX,
        .addresses = addresses,
    };
    uint64_t base = place(stream, random, n) & ~UINT64_C(15);
    uint64_t stride = stream == STRIDED ? 64 : access->bytes_per_lane;
    for (uint64_t lane = 0; lane < LANES; lane++)
        addresses[lane] = stream == RANDOM || stream == HOT
                              ? place(stream, random, n + lane) & ~UINT64_C(15)
                              : base + lane * stride;
}

static void write_warp(struct wm_recording_writer *writer, enum stream stream,
                       struct wm_random *random, struct simple_caches *simple)
{
    struct wm_recording_block *block = wm_recording_block_begin(writer, 0);
    cr_assert_not_null(block);
    for (uint64_t n = 0; n < WARP_ACCESSES; n++) {
        uint64_t addresses[LANES];
        struct wm_warp_access access;
        draw_access(stream, random, n, addresses, &access);
        wm_warp_encoder_access(&block->warps[0], access.pc, &access, 0);
        const struct wm_trace_item item = {
            .first_pc = access.pc,
            .count = 1,
            .active = UINT32_MAX,
            .accesses = WM_TRACE_ONE_EACH,
            .event = n + 1 == WARP_ACCESSES ? WM_TRACE_EXIT : WM_TRACE_NO_EVENT,
            .lanes = n + 1 == WARP_ACCESSES ? UINT32_MAX : 0,
        };
        wm_warp_encoder_item(&block->warps[0], &item);
        if (wm_recording_block_is_chunk(writer, block))
            wm_recording_block_trim(writer, block);
        access_simply(simple, &access);
    }
    wm_recording_block_end(writer, block);
}

static void run_warps(enum stream stream, struct wm_random *random, const char *folder)
{
    char path[128];
    struct geometry geometry = draw_geometry(random);
    struct simple_caches simple;
    struct wm_recording_writer *writer;
    struct wm_error error;
    snprintf(path, sizeof path, "%s/warp.wmt", folder);
    begin_simple(&geometry, &simple);
    const struct wm_recording_header header = {
        .writer = "test", .source = "test", .machine = "", .machine_yaml = "", .lanes = LANES};
    cr_assert_eq(wm_recording_writer_new(path, &header, &writer, &error), WM_OK);
    struct wm_recorded_instruction instructions[] = {
        {.text = "load", .exists = true, .is_memory = true, .kind = WM_ACCESS_LOAD},
        {.text = "store", .exists = true, .is_memory = true, .kind = WM_ACCESS_STORE}};
    const struct wm_recorded_code code = {
        .name = "streams", .module = "test", .instruction_count = 2, .instructions = instructions};
    wm_recording_write_code(writer, &code);
    struct wm_recorded_launch launch = {.grid = {1, 1, 1}, .block = {LANES, 1, 1}};
    wm_recording_launch_begin(writer, &launch, 2);
    write_warp(writer, stream, random, &simple);
    wm_recording_launch_end(writer, true);
    cr_assert_eq(wm_recording_writer_finish(writer, &error), WM_OK);
    compare(path, &geometry, LANES, &simple, stream_names[stream]);
    simple_caches_release(&simple);
    unlink(path);
}

static void run_all(void (*run)(enum stream stream, struct wm_random *random, const char *folder))
{
    char folder[] = "/tmp/replay-counts-XXXXXX";
    cr_assert_not_null(mkdtemp(folder));
    struct wm_random random;
    for (int i = 0; i < GEOMETRIES; i++)
        for (enum stream stream = 0; stream < STREAMS; stream++) {
            wm_random_init(&random, (uint64_t)i, stream_names[stream]);
            run(stream, &random, folder);
        }
    rmdir(folder);
}

Test(replay_counts, cores_miss_as_simple_caches_do)
{
    run_all(run_core);
}

Test(replay_counts, code_misses_as_a_simple_cache_does)
{
    run_all(run_code);
}

Test(replay_counts, warps_miss_as_simple_caches_do)
{
    run_all(run_warps);
}
