// Energy: totals by hand.
#include "energy_rows.h"
#include "mem/coherence/counters.h"
#include "mem/dram/channel.h"
#include "mem/energy/energy_model.h"
#include "mem/energy/events.h"
#include "mem/system/memory_state.h"
#include "mem/tracker/sharing_tracker.h"

#include <string.h>

// What a test's energy is made of.
struct priced {
    struct wm_energy_spec spec;
    struct wm_memory_spec memory;
    struct wm_energy_model model;
    struct wm_energy_counts counts;
    struct wm_energy_result result;
    char wrong[WM_ENERGY_NAME_BYTES]; // what an error is about
    struct wm_error error;
};

// Two SMs with 64 KiB L1s of 128-byte lines, 128 KiB of L2 in two slices; round numbers.
static struct priced round_machine(void)
{
    struct priced it = {.error = {.status = WM_OK}};
    it.memory = (struct wm_memory_spec){
        .sm_count = 2,
        .levels[WM_LEVEL_L1].cache = {.present = true,
                                      .size_bytes = 64 * KIB,
                                      .line_bytes = 128,
                                      .sector_bytes = 128},
        .levels[WM_LEVEL_L2].cache = {.present = true,
                                      .size_bytes = 128 * KIB,
                                      .line_bytes = 32,
                                      .sector_bytes = 32},
        .levels[WM_LEVEL_L2].slices = 2,
        .dram = {.channels = 1, .access_bytes = 32},
    };
    it.spec = (struct wm_energy_spec){.distance_um = 10000, .header_bytes = 8};
    add_row(&it.spec.table, (struct wm_energy_row){.name = "l1",
                                                   .capacity_bytes = 64 * KIB,
                                                   .read_aj = 3 * PJ,
                                                   .write_aj = 5 * PJ,
                                                   .leakage_nw = 7 * MW,
                                                   .area_um2 = MM2});
    add_row(&it.spec.table, (struct wm_energy_row){.name = "l2",
                                                   .capacity_bytes = 128 * KIB,
                                                   .read_aj = 11 * PJ,
                                                   .write_aj = 13 * PJ,
                                                   .leakage_nw = 17 * MW,
                                                   .area_um2 = 2 * MM2});
    add_row(&it.spec.table, (struct wm_energy_row){
                                .name = "interconnect", .read_aj = PJ / 10, .write_aj = PJ / 10});
    add_row(&it.spec.table,
            (struct wm_energy_row){
                .name = "dram", .capacity_bytes = 32, .read_aj = 100 * PJ, .write_aj = 200 * PJ});
    return it;
}

static enum wm_status model_of(struct priced *it, uint64_t unified_bytes)
{
    return wm_energy_model_init(&it->model, &it->spec, &it->memory, unified_bytes, it->wrong,
                                &it->error);
}

static void make(struct priced *it)
{
    cr_assert_eq(model_of(it, 0), WM_OK, "%s", it->error.message);
}

static void count(struct priced *it, const struct wm_counter_set *set, const void *counters)
{
    wm_energy_count(&it->model, &it->counts, "", set, counters);
}

static void price(struct priced *it)
{
    wm_energy_price(&it->model, &it->counts, &it->result);
}

static const struct wm_energy_line *line_of(const struct wm_energy_result *result, const char *name)
{
    for (uint32_t i = 0; i < result->line_count; i++)
        if (strcmp(result->lines[i].name, name) == 0)
            return &result->lines[i];
    return NULL;
}

static const struct wm_energy_part *part_of(const struct wm_energy_model *model, const char *name)
{
    for (uint32_t i = 0; i < model->part_count; i++)
        if (strcmp(model->parts[i].name, name) == 0)
            return &model->parts[i];
    return NULL;
}

// 10 loads, 2 of them round L1; 4 stores, 1 round it; 6 sectors of fills are two of 128 bytes; one
// line written back: 9 reads of 3 pJ, 5 writes of 5 pJ.
Test(energy_model, counters_times_table)
{
    const struct wm_cache_counters l1 = {.load_accesses = 10,
                                         .load_accesses_bypassed = 2,
                                         .store_accesses = 4,
                                         .store_accesses_bypassed = 1,
                                         .fills = 6,
                                         .write_backs = 1};
    const struct wm_cache_counters l2 = {.load_accesses = 20,
                                         .store_accesses = 5,
                                         .atomic_accesses = 3,
                                         .writeback_accesses = 2,
                                         .fills = 9,
                                         .write_backs = 4,
                                         .bytes_from_above = 300,
                                         .bytes_to_above = 700};
    const struct wm_dram_counters dram = {
        .reads = 6, .writes = 3, .bytes_read = 1, .read_bursts = 7, .write_bursts = 4};
    struct priced it = round_machine();
    make(&it);
    for (int slice = 0; slice < 2; slice++)
        count(&it, &wm_l2_counter_set, &l2);
    count(&it, &wm_l1_counter_set, &l1);
    count(&it, &wm_dram_counter_set, &dram);
    price(&it);

    const struct wm_energy_line *line = line_of(&it.result, "l1");
    cr_expect_eq(line->reads, 9);
    cr_expect_eq(line->writes, 5);
    cr_expect_eq(line->dynamic_fj, (9 * 3 + 5 * 5) * 1000);
    cr_expect_eq(line->units, 2);
    line = line_of(&it.result, "l2");
    cr_expect_eq(line->reads, 2 * (20 + 3 + 4));
    cr_expect_eq(line->writes, 2 * (5 + 3 + 2 + 9));
    cr_expect_eq(line->dynamic_fj, (54 * 11 + 38 * 13) * 1000);
    line = line_of(&it.result, "interconnect"); // 0.1 pJ a byte and mm, 10 mm: 1 pJ a byte
    cr_expect_eq(line->reads, 2000);
    cr_expect_eq(line->writes, 8 * 2 * (2 * 20 + 2 * 3 + 5 + 2));
    cr_expect_eq(line->dynamic_fj, (2000 + 848) * 1000);
    line = line_of(&it.result, "dram");
    cr_expect_eq(line->dynamic_fj, (7 * 100 + 4 * 200) * 1000);
    cr_expect_eq(it.result.dynamic_fj, (52 + 1088 + 2848 + 1500) * 1000);
    cr_expect_eq(it.result.leakage_nw, (2 * 7 + 17) * MW);
    cr_expect_eq(it.result.area_um2, 4 * MM2);
    cr_expect_eq(it.result.leakage_fj, 0, "no time is known");
    cr_expect_eq(it.result.uncounted.count, 0);
}

// More than can be said is the most that can be, and no small number.
Test(energy_model, sums_do_not_wrap)
{
    const struct wm_dram_counters dram = {.read_bursts = UINT64_C(1) << 62, .write_bursts = 1};
    struct priced it = round_machine();
    it.spec.time_ps = UINT64_C(3600000000000000);
    for (uint64_t i = 0; i < it.spec.table.count; i++) {
        it.spec.table.rows[i].read_aj = WM_ENERGY_MOST_AJ;
        it.spec.table.rows[i].leakage_nw = WM_ENERGY_MOST_NW;
    }
    make(&it);
    count(&it, &wm_dram_counter_set, &dram);
    price(&it);
    cr_expect_eq(line_of(&it.result, "dram")->dynamic_fj, UINT64_MAX);
    cr_expect_eq(it.result.dynamic_fj, UINT64_MAX);
    cr_expect_eq(it.result.leakage_fj, UINT64_MAX);
}

// 31 mW for 2 us are 62 nJ.
Test(energy_model, leakage_takes_a_time)
{
    struct priced it = round_machine();
    it.spec.time_ps = 2000000;
    make(&it);
    price(&it);
    cr_expect_eq(it.result.leakage_fj, 62000000);
    cr_expect_eq(it.result.dynamic_fj, 0);
}

Test(energy_model, a_machine_without_l2_has_dram_behind_the_interconnect)
{
    const struct wm_dram_counters dram = {
        .reads = 6, .writes = 3, .bytes_read = 100, .bytes_written = 50};
    struct priced it = round_machine();
    it.memory.levels[WM_LEVEL_L2].cache.present = false;
    make(&it);
    count(&it, &wm_dram_counter_set, &dram);
    price(&it);
    const struct wm_energy_line *line = line_of(&it.result, "interconnect");
    cr_expect_eq(line->reads, 150);
    cr_expect_eq(line->writes, 8 * (2 * 6 + 3));
    cr_expect_null(line_of(&it.result, "l2"));
}

Test(energy_model, what_the_table_lacks_is_named)
{
    struct priced it = round_machine();
    it.memory.levels[WM_LEVEL_SIDE + WM_SIDE_CACHE_TEXTURE].cache.present = true;
    it.memory.tlb.present = true;
    it.memory.levels[WM_LEVEL_L1].victim_lines = 4;
    make(&it);
    cr_assert_eq(it.model.uncounted.count, 3);
    cr_expect_str_eq(it.model.uncounted.names[0], "texture");
    cr_expect_str_eq(it.model.uncounted.names[1], "victim");
    cr_expect_str_eq(it.model.uncounted.names[2], "tlb");
}

Test(energy_model, l2_as_a_whole_or_by_the_slice)
{
    struct priced it = round_machine();
    it.spec.l2_unit = WM_ENERGY_L2_SLICE;
    cr_expect_eq(model_of(&it, 0), WM_INVALID);
    cr_expect_str_eq(it.wrong, "l2");
    cr_expect(strstr(it.error.message, "64KiB"), "%s", it.error.message);
    it.memory.levels[WM_LEVEL_L2].cache.size_bytes = 256 * KIB;
    cr_assert_eq(model_of(&it, 0), WM_OK);
    cr_expect_eq(part_of(&it.model, "l2")->cost.leakage_nw, 2 * 17 * MW);
}

// The array is what is built, however much of it L1 has.
Test(energy_model, an_l1_of_a_unified_array_is_that_array)
{
    struct priced it = round_machine();
    it.memory.levels[WM_LEVEL_L1].cache.size_bytes = 16 * KIB;
    cr_assert_eq(model_of(&it, 64 * KIB), WM_OK);
    cr_expect_eq(part_of(&it.model, "l1")->capacity_bytes, 64 * KIB);
    cr_expect_eq(model_of(&it, 0), WM_INVALID);
    cr_expect_str_eq(it.wrong, "l1");
}

// The round machine with two trackers of 4 entries of 2 bytes, and atomic buffers of one sector.
static struct priced tracked_machine(void)
{
    struct priced it = round_machine();
    it.memory.levels[WM_LEVEL_L1].tracker =
        (struct wm_tracker_spec){.present = true, .sms_each = 1, .sets = 2, .ways = 2};
    it.memory.levels[WM_LEVEL_L2].atomic_buffer_lines = 1;
    it.spec.tracker_entry_bytes = 2;
    add_row(&it.spec.table, (struct wm_energy_row){.name = "tracker",
                                                   .capacity_bytes = 8,
                                                   .read_aj = 1 * PJ,
                                                   .write_aj = 2 * PJ,
                                                   .leakage_nw = 5 * MW});
    add_row(&it.spec.table, (struct wm_energy_row){.name = "atomic_buffer",
                                                   .capacity_bytes = 32,
                                                   .read_aj = 1 * PJ,
                                                   .write_aj = 1 * PJ});
    add_row(&it.spec.table, (struct wm_energy_row){.name = "l1",
                                                   .ports = 2,
                                                   .capacity_bytes = 64 * KIB,
                                                   .read_aj = 4 * PJ,
                                                   .write_aj = 6 * PJ});
    return it;
}

Test(energy_model, trackers_and_what_other_l1s_supply)
{
    const struct wm_cache_counters l1 = {.load_accesses = 10, .evictions = 5};
    const struct wm_tracker_counters tracker = {.lookups = 9,
                                                .hits = 4,
                                                .misses = 5,
                                                .remote_bytes = 512,
                                                .sharers_added = 6,
                                                .sharers_removed = 3,
                                                .cleared = 2};
    struct priced it = tracked_machine();
    make(&it);
    count(&it, &wm_l1_counter_set, &l1);
    count(&it, &wm_tracker_counter_set, &tracker);
    price(&it);
    const struct wm_energy_line *line = line_of(&it.result, "l1");
    cr_expect_eq(line->reads, 10 + 4);
    cr_expect_eq(line->cost.read_aj, 4 * PJ, "the row of two ports");
    line = line_of(&it.result, "tracker");
    cr_expect_eq(line->units, 2);
    cr_expect_eq(line->cost.leakage_nw, 10 * MW);
    cr_expect_eq(line->dynamic_fj, (9 * 1 + 11 * 2) * 1000);
    line = line_of(&it.result, "interconnect");
    cr_expect_eq(line->reads, 512);
    cr_expect_eq(line->writes, 8 * (3 * 4 + 5));
}

// Three operations, two of which missed and moved a sector each way: to the slice they are one
// write-back and two loads more, and no messages; those are the operations'.
Test(energy_model, what_a_slice_and_its_atomic_buffer_exchange_stays_there)
{
    const struct wm_cache_counters l2 = {
        .load_accesses = 2 + 7, .writeback_accesses = 1, .bytes_from_above = 96};
    const struct wm_atomic_buffer_counters buffer = {
        .operations = 3, .hits = 1, .misses = 2, .write_backs = 1};
    struct priced it = tracked_machine();
    make(&it);
    count(&it, &wm_atomic_buffer_counter_set, &buffer);
    count(&it, &wm_l2_counter_set, &l2);
    price(&it);
    const struct wm_energy_line *line = line_of(&it.result, "atomic_buffer");
    cr_expect_eq(line->reads, 4);
    cr_expect_eq(line->writes, 5);
    cr_expect_eq(line->units, 2);
    line = line_of(&it.result, "l2");
    cr_expect_eq(line->reads, 9);
    cr_expect_eq(line->writes, 1);
    line = line_of(&it.result, "interconnect");
    cr_expect_eq(line->reads, 96);
    cr_expect_eq(line->writes, 8 * (2 * 3 + 2 * 7));
}

// A last-level cache of the machine's own below L2, whose atomics it then does, and a table with a
// row of it; a row of what neither this machine nor a usual one has is a mistake.
Test(energy_model, levels_of_any_name_have_rows)
{
    enum { LLC = WM_LEVELS_NAMED };
    struct priced it = round_machine();
    it.memory.levels[LLC] = (struct wm_level_spec){
        .name = "llc",
        .cache = {.present = true, .size_bytes = 256 * KIB, .line_bytes = 64, .sector_bytes = 64},
        .slices = 4};
    it.memory.levels[WM_LEVEL_L2].below = WM_BELOW(LLC);
    add_row(&it.spec.table, (struct wm_energy_row){.name = "llc",
                                                   .capacity_bytes = 256 * KIB,
                                                   .read_aj = 20 * PJ,
                                                   .write_aj = 30 * PJ});
    make(&it);
    const struct wm_counter_set own = {"llc", "LLC slice", wm_l2_counter_set.declarations,
                                       wm_l2_counter_set.count};
    const struct wm_cache_counters llc = {.load_accesses = 5, .atomic_accesses = 2, .fills = 8};
    const struct wm_cache_counters l2 = {.load_accesses = 7, .atomic_accesses = 2};
    count(&it, &own, &llc);
    count(&it, &wm_l2_counter_set, &l2);
    price(&it);
    const struct wm_energy_line *line = line_of(&it.result, "llc");
    cr_expect_eq(line->reads, 5 + 2);
    cr_expect_eq(line->writes, 2 + 4, "fills of two sectors");
    cr_expect_eq(line->units, 1);
    cr_expect_eq(line->dynamic_fj, (7 * 20 + 6 * 30) * 1000);
    cr_expect_eq(line_of(&it.result, "l2")->reads, 7, "its atomics are done below");
    cr_expect_str_eq(it.result.lines[2].name, "llc", "from the units down");
    add_row(&it.spec.table, (struct wm_energy_row){.name = "l3", .capacity_bytes = KIB});
    cr_expect_eq(model_of(&it, 0), WM_INVALID);
    cr_expect_str_eq(it.wrong, "l3");
    cr_expect(strstr(it.error.message, "rows of \"l3\""), "%s", it.error.message);
    cr_expect(strstr(it.error.hint, "llc"), "%s", it.error.hint);
}

// Two SMs with a coherent L1 each below an L3 of the GPU, a core with a coherent L1 below an L3 of
// the CPU, which meet in a directory at memory: tags of 1, 2 and 3 pJ, an entry of 4 bytes of each
// of the 1024 and 2048 lines of the L3s.
static struct priced coherent_machine(void)
{
    enum { GPU_L3 = WM_LEVELS_NAMED, CPU_L1, CPU_L3 };
    struct priced it = round_machine();
    struct wm_level_spec *levels = it.memory.levels;
    static const char *const names[] = {"l3", "l1", "l3"};
    it.memory.core_count = 1;
    for (uint32_t i = GPU_L3; i <= CPU_L3; i++) {
        levels[i] = (struct wm_level_spec){.coherence = WM_LEVEL_MESI,
                                           .cache = {.present = true,
                                                     .size_bytes = 128 * KIB,
                                                     .line_bytes = 128,
                                                     .sector_bytes = 128},
                                           .slices = 2,
                                           .below = WM_BELOW_MEMORY};
        snprintf(levels[i].name, sizeof levels[i].name, "%s", names[i - GPU_L3]);
    }
    levels[WM_LEVEL_L1].coherence = WM_LEVEL_MESI;
    levels[WM_LEVEL_L1].below = WM_BELOW(GPU_L3);
    levels[WM_LEVEL_L2].cache.present = false;
    levels[CPU_L1].cache.size_bytes = 64 * KIB;
    levels[CPU_L1].slices = 0;
    levels[CPU_L1].below = WM_BELOW(CPU_L3);
    levels[CPU_L1].place = levels[CPU_L3].place = WM_PLACE_CPU;
    levels[CPU_L3].cache.size_bytes = 256 * KIB;
    it.spec.directory_entry_bytes = 4;
    static const struct {
        const char *name;
        uint64_t bytes, read_pj, write_pj, tag_pj;
    } rows[] = {{"cpu_l1", 64 * KIB, 3, 5, 1},
                {"l3", 128 * KIB, 20, 30, 2},
                {"cpu_l3", 256 * KIB, 40, 50, 3},
                {"directory", 12 * KIB, 7, 9, 0},
                {"llc", 512 * KIB, 60, 70, 4}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct wm_energy_row row = {.capacity_bytes = rows[i].bytes,
                                    .read_aj = rows[i].read_pj * PJ,
                                    .write_aj = rows[i].write_pj * PJ,
                                    .beside_aj = rows[i].tag_pj * PJ};
        snprintf(row.name, sizeof row.name, "%s", rows[i].name);
        add_row(&it.spec.table, row);
    }
    it.spec.table.rows[0].beside_aj = PJ; // the L1s'
    return it;
}

static void count_coherence(struct priced *it, const char *path,
                            struct wm_coherence_counters counters)
{
    wm_energy_count(&it->model, &it->counts, path, &wm_coherence_counter_set,
                    (const uint64_t *)&counters);
}

// Each probe looks up tags, where it finds the line; a forwarded line is read, too. Upgrades and
// clean lines that are given up look up the tags of their home, and an entry of the directory.
Test(energy_model, probes_and_what_moves_no_data_look_up_tags)
{
    struct priced it = coherent_machine();
    make(&it);
    count_coherence(&it, "gpu0.sm[1].l1.coherence",
                    (struct wm_coherence_counters){.invalidations = 2,
                                                   .back_invalidations = 3,
                                                   .downgrades = 4,
                                                   .forwards = 5,
                                                   .upgrades = 6,
                                                   .clean_puts = 7,
                                                   .put_m = 100,
                                                   .read_requests = 100,
                                                   .write_requests = 100});
    count_coherence(&it, "cpu0.core[0].l1.coherence",
                    (struct wm_coherence_counters){.invalidations = 10, .upgrades = 20});
    count_coherence(&it, "gpu0.l3[1].coherence",
                    (struct wm_coherence_counters){.forwards = 11, .upgrades = 100});
    count_coherence(&it, "cpu0.l3[0].coherence",
                    (struct wm_coherence_counters){.downgrades = 12, .clean_puts = 100});
    count(&it, &wm_directory_counter_set,
          &(struct wm_directory_counters){.read_requests = 30,
                                          .write_requests = 40,
                                          .upgrades = 5, // of write_requests
                                          .clean_puts = 2,
                                          .put_m = 1,
                                          .forwards = 11,
                                          .invalidations = 100});
    price(&it);
    static const struct {
        const char *name;
        uint64_t reads, writes, beside, pj;
    } expected[] = {{"l1", 5, 0, 2 + 3 + 4, 5 * 3 + 9 * 1},
                    {"l3", 11, 0, 6 + 7, 11 * 20 + 13 * 2},
                    {"cpu_l1", 0, 0, 10, 10 * 1},
                    {"cpu_l3", 0, 0, 12 + 20, 32 * 3},
                    {"directory", 73, 73, 0, 73 * (7 + 9)}};
    for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++) {
        const struct wm_energy_line *line = line_of(&it.result, expected[i].name);
        cr_assert_not_null(line, "%s", expected[i].name);
        cr_expect_eq(line->reads, expected[i].reads, "%s", line->name);
        cr_expect_eq(line->writes, expected[i].writes, "%s", line->name);
        cr_expect_eq(line->beside, expected[i].beside, "%s", line->name);
        cr_expect_eq(line->dynamic_fj, expected[i].pj * 1000, "%s", line->name);
    }
    cr_expect_eq(line_of(&it.result, "directory")->capacity_bytes, 12 * KIB);
    cr_expect_null(line_of(&it.result, "llc"), "another machine's");
}

// A locked read-modify-write is one in the first coherent level, which is L1.
Test(energy_model, atomics_are_done_where_coherence_begins)
{
    const struct wm_cache_counters l1 = {.load_accesses = 5, .atomic_accesses = 2};
    struct priced it = coherent_machine();
    make(&it);
    count(&it, &wm_l1_counter_set, &l1);
    price(&it);
    cr_expect_eq(line_of(&it.result, "l1")->reads, 7);
    cr_expect_eq(line_of(&it.result, "l1")->writes, 2);
}

// Openings of rows are counted by channels, which only time has.
Test(energy_model, rows_that_dram_opens)
{
    const struct wm_dram_counters dram = {.read_bursts = 3};
    const struct wm_dram_channel_counters channel = {.activates = 2, .row_hits = 1};
    struct priced it = round_machine();
    it.spec.table.rows[it.spec.table.count - 1].beside_aj = 1000 * PJ;
    make(&it);
    count(&it, &wm_dram_counter_set, &dram);
    count(&it, &wm_dram_channel_counter_set, &channel);
    price(&it);
    cr_expect_eq(line_of(&it.result, "dram")->beside, 2);
    cr_expect_eq(line_of(&it.result, "dram")->dynamic_fj, (3 * 100 + 2 * 1000) * 1000);
}

// A name that no component counts under would be an event that never happens.
Test(energy_model, every_event_is_counted_by_somebody)
{
    static const struct wm_counter_set *const sets[WM_ENERGY_COUNTED][5] = {
        [WM_ENERGY_OWN] = {&wm_l1_counter_set, &wm_tracker_counter_set,
                           &wm_atomic_buffer_counter_set, &wm_dram_counter_set,
                           &wm_directory_counter_set},
        [WM_ENERGY_BELOW_LINK] = {&wm_l2_counter_set, &wm_dram_counter_set},
        [WM_ENERGY_OF_SHARERS] = {&wm_l1_counter_set},
        [WM_ENERGY_OF_TRACKERS] = {&wm_tracker_counter_set},
        [WM_ENERGY_OF_BUFFERS] = {&wm_atomic_buffer_counter_set},
        [WM_ENERGY_OF_COHERENCE] = {&wm_coherence_counter_set},
        [WM_ENERGY_OF_CHILDREN] = {&wm_coherence_counter_set},
        [WM_ENERGY_OF_CHANNELS] = {&wm_dram_channel_counter_set},
    };
    for (size_t i = 0; i < wm_energy_event_count; i++) {
        const struct wm_energy_event *event = &wm_energy_events[i];
        bool found = false;
        for (size_t s = 0; s < 5; s++) {
            const struct wm_counter_set *set = sets[event->counted][s];
            found = found || (set != NULL && wm_counter_index(set, event->counter) < set->count);
        }
        cr_expect(found, "%s", event->counter);
    }
}
