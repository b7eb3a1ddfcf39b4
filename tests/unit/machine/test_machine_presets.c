// What the presets add up to must be what the vendor's data sheets say of the products.
#include "machine/machine.h"
#include "machine/preset.h"
#include "machine/schema.h"

#include <criterion/criterion.h>
#include <ctype.h>
#include <math.h>

struct data_sheet {
    const char *name, *title;
    uint32_t major, minor, sms, resident_warps, resident_threads, schedulers, channels;
    uint64_t l1_bytes, l2_bytes, memory_bytes, bandwidth, registers_bytes, shared_bytes;
};

static const struct data_sheet sheets[] = {
    // NVIDIA, GeForce GTX 480 specifications; Fermi white paper: 24,576 threads on 16 SMs.
    {"gtx480", "GeForce GTX 480", 2, 0, 15, 15 * 48, 15 * 1536, 15 * 2, 6, 15 * 16384, 786432,
     UINT64_C(1610612736), UINT64_C(177400000000), 15 * 131072, 15 * 49152},
    // NVIDIA, V100 white paper, table 1: 6144 KB of L2, 20480 KB of registers on 80 SMs (256 KB
    // each), up to 96 KB of shared memory an SM.
    {"v100", "Tesla V100-SXM2-16GB", 7, 0, 80, 80 * 64, 80 * 2048, 80 * 4, 32, 80 * 32768,
     UINT64_C(6144) * 1024, UINT64_C(17179869184), UINT64_C(900000000000), UINT64_C(20480) * 1024,
     80 * 98304},
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
        cr_expect_eq(m.sm.count * m.sm.max_warps, sheet->resident_warps);
        cr_expect_eq(m.sm.count * m.sm.max_threads, sheet->resident_threads);
        cr_expect_eq(m.sm.count * m.sm.schedulers, sheet->schedulers);
        cr_expect_eq(m.sm.count * m.memory.l1.size_bytes, sheet->l1_bytes);
        cr_expect_eq(m.memory.l2.size_bytes, sheet->l2_bytes);
        cr_expect_eq(m.device.memory_bytes, sheet->memory_bytes);
        cr_expect_eq(m.memory.dram.bandwidth_bytes_per_second, sheet->bandwidth);
        cr_expect_eq(m.memory.dram.channels, sheet->channels);
        cr_expect_eq((uint64_t)m.sm.count * m.sm.registers * 4, sheet->registers_bytes);
        cr_expect_eq(m.sm.count * m.sm.shared_bytes, sheet->shared_bytes);
        // The bus carries the bandwidth: clock, both edges, width; products are sold rounded.
        double bus = 2.0 * (double)m.device.memory_clock_hz * m.device.memory_bus_bits / 8;
        cr_expect(fabs(bus / (double)sheet->bandwidth - 1) < 0.003, "%s: bus %g", m.name, bus);
    }
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
    cr_assert_eq(count, sizeof sheets / sizeof sheets[0], "a preset without a data sheet here");
    for (size_t i = 0; i < count; i++) {
        cr_expect_str_eq(names[i], sheets[i].name);
        struct wm_machine machine = load(names[i]);
        cr_expect_str_eq(machine.name, names[i]);
    }
    wm_arena_release(&arena);
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
        while (fgets(line, sizeof line, file)) {
            if (strncmp(line, "#   ", 4) == 0 && isupper((unsigned char)line[4]) && line[5] == ' ')
                explained[strlen(explained)] = line[4];
            char *comment = strchr(line, '#'), *colon = strchr(line, ':');
            bool is_value = colon && (!comment || colon < comment) && colon[1] == ' ';
            if (!is_value || strncmp(line, "name:", 5) == 0)
                continue;
            values++;
            cr_assert_not_null(comment, "%s: no source: %s", path, line);
            bool assumed = strstr(comment, "assumption") != NULL;
            cr_expect(assumed || strchr(explained, comment[2]), "%s: unknown source: %s", path,
                      line);
        }
        fclose(file);
        cr_expect(values + 1 >= wm_machine_key_count - 2, "%s leaves values out", path);
    }
}
