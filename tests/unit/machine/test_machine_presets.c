// What the presets add up to must be what the vendor's data sheets say of the products.
#include "machine/machine.h"
#include "machine/preset.h"
#include "machine/schema.h"

#include <criterion/criterion.h>
#include <ctype.h>
#include <glob.h>
#include <math.h>

// Figures of one SM are those of the CUDA programming guide's table of technical specifications,
// everything else of the product's data sheet or white paper, in the units that those print.
struct data_sheet {
    const char *name, *title;
    uint32_t major, minor, sms, warps_per_sm, threads_per_sm, schedulers_per_sm, channels;
    uint32_t l1_kib_per_sm, shared_kib_per_sm, registers_kib_per_sm, l2_kib;
    uint64_t memory_mib;
    double gigabytes_per_second;
    double bus_over_sold; // how much more the bus carries than the product is sold with
};

static const struct data_sheet sheets[] = {
    // A100 white paper, table 4: 108 SMs, 40960 KB of L2, 27648 KB of registers, 1555 GB/s.
    {"a100", "NVIDIA A100-SXM4-40GB", 8, 0, 108, 64, 2048, 4, 40, 28, 164, 256, 40960, 40 << 10,
     1555, 0},
    // No product: Table 4.1 of the thesis; memory as of a Tesla K40 (board specification).
    {"anssari", "Anssari's GPU", 3, 5, 16, 64, 2048, 4, 8, 64, 16, 256, 1024, 12 << 10, 288, 0},
    // Datasheet of the E6000 sequence: 2 cores, 4 MB of L2, 2.4 GHz, a bus of 1066 MHz; Intel Core
    // microarchitecture: 32 KB of L1 data cache a core.
    {"cpu-core2", "Intel Core 2 Duo E6600", 1, 0, 2, 1, 1, 1, 1, 32, 0, 4, 4096, 4 << 10, 8.53, 0},
    // No product: Multi2Sim 4.2 without files: 16 sets of 2 and 64 sets of 4 lines of 64 bytes.
    {"cpu-multi2sim", "Multi2Sim's x86 core", 1, 0, 1, 1, 1, 1, 1, 2, 0, 4, 16, 4 << 10, 264, 0},
    // No product: Table 2 of the paper; memory as of a GeForce GTX 480.
    {"dacache-2015", "the Fermi of the DaCache study", 2, 0, 30, 48, 1536, 2, 6, 32, 48, 128, 768,
     1536, 177.4, 0},
    // GeForce GTX 480 specifications; Fermi white paper: 24,576 threads on 16 SMs.
    {"gtx480", "GeForce GTX 480", 2, 0, 15, 48, 1536, 2, 6, 16, 48, 128, 768, 1536, 177.4, 0},
    // GeForce GTX 680 specifications and white paper: 8 SMX, 512 KB of L2.
    {"gtx680", "GeForce GTX 680", 3, 0, 8, 64, 2048, 4, 4, 16, 48, 256, 512, 2048, 192.2, 0},
    // H100 white paper: 132 SMs, 50 MB of L2; data sheet: 3.35 TB/s.
    {"h100", "NVIDIA H100 80GB HBM3", 9, 0, 132, 64, 2048, 4, 80, 28, 228, 256, 51200, 80 << 10,
     3350, 0},
    // H200 data sheet: 141 GB, 4.8 TB/s. Its memory clock times its bus is 4.917 TB/s.
    {"h200", "NVIDIA H200", 9, 0, 132, 64, 2048, 4, 96, 28, 228, 256, 61440, 141 << 10, 4800,
     0.0243},
    // Choo et al., table 1: 32 compute units of 40 wavefronts, 768 KB of L2 in six units, 4 GB; a
    // link that takes 64 bytes a cycle from each of six memories, which its bus of 256 bits is far
    // from. GCN white paper: 64 KB of local data share, 8 MB of registers.
    {"hd7970", "Radeon HD 7970", 3, 0, 32, 40, 2560, 4, 6, 16, 64, 256, 768, 4096, 355.2, -0.5045},
    // No product: Table I of the paper; memory as of a GeForce GTX 680.
    {"liang-2015", "the GTX 680 of the bypass study", 3, 0, 8, 64, 2048, 4, 4, 16, 48, 256, 512,
     2048, 192.2, 0},
    // GeForce RTX 2060 specifications; Turing white paper: 96 KB of L1 and shared memory an SM.
    {"rtx2060", "GeForce RTX 2060", 7, 5, 30, 32, 1024, 4, 12, 32, 64, 256, 3072, 6144, 336, 0},
    // GeForce RTX 3070 specifications; GA102 white paper, appendix: 4096 KB of L2.
    {"rtx3070", "NVIDIA GeForce RTX 3070", 8, 6, 46, 48, 1536, 4, 16, 28, 100, 256, 4096, 8192, 448,
     0},
    // TITAN X specifications: 3584 cores, 12 GB, 480 GB/s.
    {"titanx-pascal", "TITAN X (Pascal)", 6, 1, 28, 64, 2048, 4, 12, 48, 96, 256, 3072, 12 << 10,
     480, 0},
    // V100 white paper, table 1: 6144 KB of L2, 20480 KB of registers on 80 SMs, up to 96 KB of
    // shared memory an SM.
    {"v100", "Tesla V100-SXM2-16GB", 7, 0, 80, 64, 2048, 4, 32, 32, 96, 256, 6144, 16 << 10, 900,
     0},
};

static struct wm_machine load(const char *name)
{
    struct wm_machine machine;
    struct wm_error error;
    char buffer[2048];
    cr_assert_eq(wm_machine_load(name, NULL, 0, &machine, &error), WM_OK, "%s",
                 wm_error_format(&error, buffer, sizeof buffer));
    return machine;
}

Test(presets, add_up_to_the_data_sheet)
{
    for (size_t i = 0; i < sizeof sheets / sizeof sheets[0]; i++) {
        const struct data_sheet *sheet = &sheets[i];
        struct wm_machine m = load(sheet->name);
        cr_expect_str_eq(m.name, sheet->name);
        cr_expect_str_eq(m.device.title, sheet->title);
        cr_expect_eq(m.device.compute_major, sheet->major);
        cr_expect_eq(m.device.compute_minor, sheet->minor);
        cr_expect_eq(m.sm.count, sheet->sms);
        cr_expect_eq(m.sm.count * m.sm.max_warps, sheet->sms * sheet->warps_per_sm);
        cr_expect_eq(m.sm.count * m.sm.max_threads, sheet->sms * sheet->threads_per_sm);
        cr_expect_eq(m.sm.count * m.sm.schedulers, sheet->sms * sheet->schedulers_per_sm);
        cr_expect_eq(m.memory.levels[WM_LEVEL_L1].cache.size_bytes,
                     (uint64_t)sheet->l1_kib_per_sm * 1024, "%s", m.name);
        cr_expect_eq(m.memory.levels[WM_LEVEL_L2].cache.size_bytes, (uint64_t)sheet->l2_kib * 1024,
                     "%s", m.name);
        cr_expect_eq(m.device.memory_bytes, sheet->memory_mib << 20);
        cr_expect_eq(m.memory.dram.channels, sheet->channels);
        cr_expect_eq(m.sm.registers * 4, sheet->registers_kib_per_sm * 1024);
        cr_expect_eq(m.sm.shared_bytes, (uint64_t)sheet->shared_kib_per_sm * 1024);
        double sold = sheet->gigabytes_per_second * 1e9;
        cr_expect(fabs((double)m.memory.dram.bandwidth_bytes_per_second - sold) < 1e3, "%s",
                  m.name);
        // The bus carries the bandwidth: clock, both edges, width; products are sold rounded.
        double bus = 2.0 * (double)m.device.memory_clock_hz * m.device.memory_bus_bits / 8;
        cr_expect(fabs(bus / sold - 1 - sheet->bus_over_sold) < 0.003, "%s: bus %g", m.name, bus);
    }
}

// L1 and shared memory of one array, as the white papers give it, and L1 with the smallest
// carve-out: the programming guide lists 32 KiB as Turing's and none as the others'.
static const struct {
    const char *name;
    uint32_t unified_kib, largest_l1_kib, carveouts, reserved;
} arrays[] = {
    {"v100", 128, 128, 6, 0},     {"rtx2060", 96, 64, 2, 0},    {"rtx3070", 128, 128, 6, 1024},
    {"a100", 192, 192, 8, 1024},  {"h100", 256, 256, 10, 1024}, {"h200", 256, 256, 10, 1024},
    {"liang-2015", 64, 48, 3, 0},
};

Test(presets, unified_arrays)
{
    size_t unified = 0;
    for (size_t i = 0; i < sizeof sheets / sizeof sheets[0]; i++)
        unified += load(sheets[i].name).sm.unified_bytes != 0;
    cr_expect_eq(unified, sizeof arrays / sizeof arrays[0]);
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++) {
        struct wm_machine m = load(arrays[i].name);
        cr_expect_eq(m.sm.unified_bytes, arrays[i].unified_kib * 1024);
        cr_expect_eq(m.sm.unified_bytes - m.sm.carveouts.bytes[0], arrays[i].largest_l1_kib * 1024,
                     "%s", m.name);
        cr_expect_eq(m.sm.carveouts.count, arrays[i].carveouts, "%s", m.name);
        cr_expect_eq(m.sm.shared_reserved_bytes, arrays[i].reserved);
        cr_expect_eq(m.sm.shared_bytes_per_block + m.sm.shared_reserved_bytes, m.sm.shared_bytes);
    }
}

// Results a cycle of one SM (programming guide, "Arithmetic Instructions": additions of integers,
// of 32 and of 64 bits, and reciprocals), of which each scheduler has its share; Tahiti's from its
// white paper.
static const struct {
    const char *name;
    uint32_t integer, single, real_double, special;
} rates[] = {
    {"gtx480", 32, 32, 4, 4},           {"gtx680", 160, 192, 8, 32},
    {"titanx-pascal", 128, 128, 4, 32}, {"v100", 64, 64, 32, 16},
    {"rtx2060", 64, 64, 2, 16},         {"a100", 64, 64, 32, 16},
    {"rtx3070", 64, 128, 2, 16},        {"h100", 64, 128, 64, 16},
    {"h200", 64, 128, 64, 16},          {"anssari", 160, 192, 64, 32},
    {"hd7970", 64, 64, 16, 16},         {"dacache-2015", 32, 32, 4, 4},
    {"liang-2015", 160, 192, 8, 32},
};

Test(presets, issue_as_fast_as_the_vendor_says)
{
    for (size_t i = 0; i < sizeof rates / sizeof rates[0]; i++) {
        struct wm_machine m = load(rates[i].name);
        const struct wm_unit_spec *units = m.sm.units;
        uint32_t lanes = m.sm.warp_width * m.sm.schedulers;
        cr_expect_eq(units[WM_UNIT_INTEGER].interval, (lanes - 1) / rates[i].integer + 1, "%s",
                     m.name);
        cr_expect_eq(units[WM_UNIT_SINGLE].interval, (lanes - 1) / rates[i].single + 1, "%s",
                     m.name);
        cr_expect_eq(units[WM_UNIT_DOUBLE].interval, (lanes - 1) / rates[i].real_double + 1, "%s",
                     m.name);
        cr_expect_eq(units[WM_UNIT_SPECIAL].interval, (lanes - 1) / rates[i].special + 1, "%s",
                     m.name);
    }
}

// Nothing is read before it is there, and only memory's latency is not the unit's own.
Test(presets, issue_with_latencies)
{
    for (size_t i = 0; i < sizeof sheets / sizeof sheets[0]; i++) {
        struct wm_machine m = load(sheets[i].name);
        cr_expect_geq(m.sm.issue_width, 1);
        cr_expect_geq(m.sm.shared_latency, 1);
        cr_expect_geq(m.sm.barrier_latency, 1);
        for (int unit = 0; unit < WM_UNITS; unit++) {
            cr_expect_geq(m.sm.units[unit].interval, 1, "%s: %d", m.name, unit);
            cr_expect_eq(m.sm.units[unit].latency == 0, unit == WM_UNIT_MEMORY, "%s: %d", m.name,
                         unit);
        }
    }
}

// Kepler's GK104 and Pascal's GP102 keep global memory out of L1 (programming guide, compute
// capability 3.x; Pascal tuning guide).
Test(presets, local_only_l1)
{
    for (size_t i = 0; i < sizeof sheets / sizeof sheets[0]; i++) {
        struct wm_machine m = load(sheets[i].name);
        bool local_only = strcmp(m.name, "gtx680") == 0 || strcmp(m.name, "titanx-pascal") == 0;
        cr_expect_eq(m.sm.global_around_l1, local_only, "%s", m.name);
    }
}

// The side caches: GF100's and GK104's texture caches (programming guide), Tahiti's scalar caches
// (white paper).
Test(presets, caches_beside_l1)
{
    for (size_t i = 0; i < sizeof sheets / sizeof sheets[0]; i++) {
        struct wm_machine m = load(sheets[i].name);
        const struct wm_level_spec *beside = &m.memory.levels[WM_LEVEL_SIDE];
        bool amd = strcmp(m.name, "hd7970") == 0, cpu = m.sm.warp_width == 1;
        bool drawn = strcmp(m.name, "anssari") == 0;     // the thesis has none of them
        bool fetches = strcmp(m.name, "cpu-core2") == 0; // cpu-multi2sim's L1 is for both
        bool fermi = m.device.compute_major == 2;
        bool kepler = m.device.compute_major == 3 && m.device.compute_minor == 0 && !amd;
        uint64_t texture_kib = fermi ? 12 : kepler ? 48 : 0;
        cr_expect_eq(beside[WM_SIDE_CACHE_CONSTANT].cache.present, !amd && !cpu && !drawn, "%s",
                     m.name);
        cr_expect_eq(beside[WM_SIDE_CACHE_SCALAR].cache.present, amd, "%s", m.name);
        cr_expect_eq(beside[WM_SIDE_CACHE_INSTRUCTION].cache.present, amd || fetches, "%s", m.name);
        cr_expect_eq(beside[WM_SIDE_CACHE_TEXTURE].cache.present, texture_kib != 0, "%s", m.name);
        if (texture_kib != 0)
            cr_expect_eq(beside[WM_SIDE_CACHE_TEXTURE].cache.size_bytes, texture_kib * 1024);
        if (amd) {
            cr_expect_eq(beside[WM_SIDE_CACHE_SCALAR].cache.size_bytes, 64 * 4 * 64);
            cr_expect_eq(beside[WM_SIDE_CACHE_SCALAR].cache.line_bytes, 64);
            cr_expect_eq(beside[WM_SIDE_CACHE_SCALAR].units_each, 4);
            cr_expect_eq(beside[WM_SIDE_CACHE_INSTRUCTION].cache.size_bytes, 32768);
            cr_expect_eq(beside[WM_SIDE_CACHE_INSTRUCTION].units_each, 4);
        }
        if (fetches) {
            cr_expect_eq(beside[WM_SIDE_CACHE_INSTRUCTION].cache.size_bytes, 32768);
            cr_expect_eq(beside[WM_SIDE_CACHE_INSTRUCTION].cache.ways, 8);
            cr_expect_eq(beside[WM_SIDE_CACHE_INSTRUCTION].cache.line_bytes, 64);
            cr_expect_eq(beside[WM_SIDE_CACHE_INSTRUCTION].units_each, 1);
        }
    }
}

// A CPU's caches as its vendor or its simulator gives them: 64-byte lines throughout.
static const struct {
    const char *name;
    uint32_t l1_ways, l2_ways;
} cpus[] = {{"cpu-core2", 8, 16}, {"cpu-multi2sim", 2, 4}};

Test(presets, cpu_caches)
{
    size_t next = 0;
    for (size_t i = 0; i < sizeof sheets / sizeof sheets[0]; i++) {
        struct wm_machine m = load(sheets[i].name);
        cr_expect_eq(m.sm.warp_width == 1, strncmp(m.name, "cpu-", 4) == 0, "%s", m.name);
        if (m.sm.warp_width != 1)
            continue;
        cr_assert(next < sizeof cpus / sizeof cpus[0]);
        cr_expect_str_eq(m.name, cpus[next].name);
        cr_expect_eq(m.memory.levels[WM_LEVEL_L1].cache.ways, cpus[next].l1_ways);
        cr_expect_eq(m.memory.levels[WM_LEVEL_L2].cache.ways, cpus[next].l2_ways);
        next++;
        const struct wm_cache_spec *caches[] = {&m.memory.levels[WM_LEVEL_L1].cache,
                                                &m.memory.levels[WM_LEVEL_L2].cache};
        for (size_t c = 0; c < 2; c++) {
            cr_expect_eq(caches[c]->line_bytes, 64);
            cr_expect_eq(caches[c]->sector_bytes, 64);
            cr_expect_eq(caches[c]->write_policy, WM_WRITE_BACK);
            cr_expect(caches[c]->write_allocate);
        }
    }
    cr_expect_eq(next, sizeof cpus / sizeof cpus[0]);
}

// The paper of liang-2015 has three splits of one array, of which its compiler takes the first for
// all kernels, and global loads in L1; what it does not speak of is the product's.
Test(presets, liang_2015_is_a_gtx680_with_fermis_l1)
{
    struct wm_machine paper = load("liang-2015"), product = load("gtx680"), fermi = load("gtx480");
    cr_expect_eq(paper.device.clock_hz, 1006000000);
    cr_expect_eq(paper.sm.default_carveout_bytes, paper.sm.carveouts.bytes[2]);
    cr_expect_eq(paper.sm.max_blocks, 16);
    cr_expect_eq(paper.memory.levels[WM_LEVEL_L1].cache.write_policy, WM_WRITE_THROUGH_EVICT);
    cr_expect_not(paper.memory.levels[WM_LEVEL_L1].cache.write_allocate);
    cr_expect_eq(paper.memory.levels[WM_LEVEL_L1].cache.line_bytes, 128);
    cr_expect_eq(paper.memory.levels[WM_LEVEL_L2].cache.sector_bytes, 32);
    cr_expect_eq(paper.memory.levels[WM_LEVEL_L1].cache.ways,
                 fermi.memory.levels[WM_LEVEL_L1].cache.ways);
    cr_expect_eq(memcmp(paper.sm.units, product.sm.units, sizeof paper.sm.units), 0);
    cr_expect_eq(paper.memory.levels[WM_LEVEL_L2].cache.ways,
                 product.memory.levels[WM_LEVEL_L2].cache.ways);
    cr_expect_eq(paper.memory.dram.bandwidth_bytes_per_second,
                 product.memory.dram.bandwidth_bytes_per_second);
}

Test(presets, derived_fields_are_filled)
{
    struct wm_machine v100 = load("v100");
    cr_expect_eq(v100.memory.sm_count, 80);
    cr_expect_eq(v100.sm.coalescer_line_bytes, 128);
}

Test(presets, are_all_known_and_named_like_their_files)
{
    struct wm_arena arena;
    const char *const *names;
    size_t count;
    wm_arena_init(&arena);
    cr_assert_eq(wm_preset_names(&arena, &names, &count, NULL), WM_OK);
    size_t found = 0;
    for (size_t i = 0; i < count; i++) {
        bool has_sheet =
            found < sizeof sheets / sizeof sheets[0] && strcmp(names[i], sheets[found].name) == 0;
        cr_expect(has_sheet, "machines/%s.yaml has no row in sheets, in the order of names",
                  names[i]);
        found += has_sheet;
        struct wm_machine machine = load(names[i]);
        cr_expect_str_eq(machine.name, names[i]);
    }
    cr_expect_eq(found, sizeof sheets / sizeof sheets[0], "a data sheet of no machine, or twice");
    wm_arena_release(&arena);
}

// The parts that a preset may leave out altogether.
static const char *const optional_groups[] = {"constant", "texture", "scalar", "instruction",
                                              "tlb",      "tracker", "energy", "interconnect"};

// Whether `name`, which ends at `end`, is one of theirs.
static bool is_optional(const char *name, char end)
{
    for (size_t i = 0; i < sizeof optional_groups / sizeof optional_groups[0]; i++) {
        size_t length = strlen(optional_groups[i]);
        if (strncmp(name, optional_groups[i], length) == 0 && name[length] == end)
            return true;
    }
    return false;
}

static size_t required_keys(void)
{
    size_t count, required = 0;
    const struct wm_machine_key *keys = wm_machine_keys(&count);
    for (size_t i = 0; i < count; i++)
        required += strncmp(keys[i].path, "gpu.", 4) != 0 || !is_optional(keys[i].path + 4, '.');
    return required;
}

// Every value in a preset carries its source: a letter that the head of the file explains, or the
// word "assumption".
Test(presets, every_number_has_its_source)
{
    for (size_t i = 0; i < sizeof sheets / sizeof sheets[0]; i++) {
        char path[4096], line[512], explained[27] = "";
        cr_assert_eq(wm_preset_path(sheets[i].name, path, sizeof path, NULL), WM_OK);
        FILE *file = fopen(path, "re");
        cr_assert_not_null(file);
        size_t values = 0;
        bool optional = false;
        while (fgets(line, sizeof line, file)) {
            if (strncmp(line, "  ", 2) == 0 && islower((unsigned char)line[2]))
                optional = is_optional(line + 2, ':');
            if (strncmp(line, "#   ", 4) == 0 && isupper((unsigned char)line[4]) && line[5] == ' ')
                explained[strlen(explained)] = line[4];
            char *comment = strchr(line, '#'), *colon = strchr(line, ':');
            bool is_value = colon && (!comment || colon < comment) && colon[1] == ' ';
            if (!is_value || strncmp(line, "name:", 5) == 0)
                continue;
            values += !optional;
            cr_assert_not_null(comment, "%s: no source: %s", path, line);
            bool assumed = strstr(comment, "assumption") != NULL;
            cr_expect(assumed || strchr(explained, comment[2]), "%s: unknown source: %s", path,
                      line);
        }
        fclose(file);
        // Both "present", "local_only", what only unified arrays and Ampere's blocks have; and the
        // questions of a study rather than of a machine: bypassing, what stores fetch, victim
        // caches, turns, active warps, which loads L2 takes, atomic buffers; and of DRAM in time,
        // what vendors keep to themselves, banks of L1 too; what states other simulators;
        // how many kernels run at a time, and what later devices alone have of L2; and where L1 and
        // L2 stand among levels (per, below, serves), a CPU, several GPUs and what
        // joins them, prefetchers, and of caches that are shared, what is in flight and locked; and
        // what is known by measurements alone: banks by lanes, the time that blocks take to begin,
        // hashes, a limit on dirty lines, what copies leave in L2, how its halves are apart,
        // whether atomics of a request go sector by sector, and what ptxas makes of PTX; and who
        // keeps caches coherent, how far these are from each other, and what CPU cores do in time.
        cr_expect(values + 1 >= required_keys() - 104, "%s leaves values out", path);
    }
}

// The machines of docs/machine-files.md that show what files can describe: each is called as its
// file, can be, and says of each of its values where it is from, or that it is an example.
Test(presets, examples_can_be_and_say_what_is_an_example)
{
    char pattern[4096], line[512];
    glob_t found;
    snprintf(pattern, sizeof pattern, "%s/examples/*.yaml", getenv("WARPMEM_MACHINES"));
    cr_assert_eq(glob(pattern, 0, NULL, &found), 0);
    cr_assert_geq(found.gl_pathc, 10);
    for (size_t i = 0; i < found.gl_pathc; i++) {
        const char *path = found.gl_pathv[i];
        struct wm_machine machine;
        struct wm_error error;
        cr_assert_eq(wm_machine_load(path, NULL, 0, &machine, &error), WM_OK, "%s: %s", error.place,
                     error.message);
        cr_expect_eq(strncmp(strrchr(path, '/') + 1, machine.name, strlen(machine.name)), 0, "%s",
                     path);
        FILE *file = fopen(path, "re");
        cr_assert_not_null(file);
        while (fgets(line, sizeof line, file)) {
            const char *comment = strchr(line, '#'), *colon = strchr(line, ':');
            bool is_value = colon && (!comment || colon < comment) && colon[1] == ' ';
            bool is_words = strncmp(line, "name:", 5) == 0 || strncmp(line, "  title:", 8) == 0;
            cr_expect(!is_value || is_words || comment, "%s: no source: %s", path, line);
        }
        fclose(file);
    }
    globfree(&found);
}
