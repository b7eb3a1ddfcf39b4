// Energy tables: rows, files of them, and CACTI's output.
#include "machine/cacti_file.h"
#include "machine/energy_rows.h"
#include "machine/machine.h"

#include <criterion/criterion.h>
#include <locale.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[64];

static void enter(void)
{
    snprintf(folder, sizeof folder, "/tmp/warpmem-energy-XXXXXX");
    cr_assert_not_null(mkdtemp(folder));
    cr_assert_eq(chdir(folder), 0);
}

static void leave(void)
{
    static const char *const names[] = {"table.yaml", "run.out", "sub/run.out", "sub/m.yaml",
                                        "sub/table.yaml"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        unlink(names[i]);
    rmdir("sub");
    cr_assert_eq(chdir("/"), 0);
    rmdir(folder);
}

TestSuite(energy_rows, .init = enter, .fini = leave);

static void write_file(const char *path, const char *text)
{
    FILE *file = fopen(path, "we");
    cr_assert_not_null(file);
    cr_assert_eq(fwrite(text, 1, strlen(text), file), strlen(text));
    fclose(file);
}

static void read_file(const char *path, struct wm_text *text)
{
    char buffer[4096];
    size_t count;
    FILE *file = fopen(path, "re");
    cr_assert_not_null(file, "%s", path);
    wm_text_init(text);
    while ((count = fread(buffer, 1, sizeof buffer, file)) > 0)
        wm_text_append(text, buffer, count);
    fclose(file);
}

static const struct {
    const char *text, *printed;
    struct wm_energy_row row;
} good[] = {
    {"l2 1MiB read 99.7pJ write 96.1pJ leakage 211.24mW area 1.25mm2",
     NULL,
     {"l2", 1, 1, 1 << 20, 99700000, 96100000, 0, 211240000, 1250000}},
    {"  l1   64KiB\tports 2 units 16 write 0.5nJ read 30pJ ",
     "l1 64KiB read 30pJ write 500pJ units 16 ports 2",
     {"l1", 2, 16, 64 << 10, 30000000, 500000000, 0, 0, 0}},
    {"cpu_l3 7MiB tag 10fJ read 1pJ write 2pJ leakage 1mW",
     "cpu_l3 7MiB read 1pJ write 2pJ tag 0.01pJ leakage 1mW",
     {"cpu_l3", 1, 1, 7 << 20, 1000000, 2000000, 10000, 1000000, 0}},
    {"dram 64B read 2944pJ write 2560pJ activate 3439pJ",
     NULL,
     {"dram", 1, 1, 64, UINT64_C(2944000000), UINT64_C(2560000000), UINT64_C(3439000000), 0, 0}},
    {"interconnect byte_mm 0.144pJ", NULL, {"interconnect", 1, 1, 0, 144000, 144000, 0, 0, 0}},
    {"dram 32B read 4480pJ write 4480pJ",
     NULL,
     {"dram", 1, 1, 32, UINT64_C(4480000000), UINT64_C(4480000000), 0, 0, 0}},
};

Test(energy_rows, are_read_and_printed_back)
{
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        struct wm_energy_table table = {0};
        struct wm_error error;
        struct wm_text text;
        cr_assert_eq(wm_energy_row_add(good[i].text, NULL, &table, &error), WM_OK, "%s",
                     error.message);
        cr_expect_eq(memcmp(&table.rows[0], &good[i].row, sizeof good[i].row), 0, "%s",
                     good[i].text);
        wm_text_init(&text);
        wm_energy_row_print(&table.rows[0], &text);
        cr_expect_str_eq(text.data, good[i].printed ? good[i].printed : good[i].text);
        wm_text_release(&text);
    }
}

static const struct {
    const char *text, *says;
} bad[] = {
    {"", "no row"},
    {"l2", "no row"},
    {"L2 1MiB read 1pJ write 1pJ", "\"L2\" is no name of a component"},
    {"a_name_of_twenty_four_ch 1MiB read 1pJ write 1pJ", "is no name of a component"},
    {"l2 1MiB", "without its read"},
    {"l2 1MiB read 1pJ", "without its write"},
    {"l2 1MiB read 1pJ write 1", "write of l2: \"1\" is not an energy"},
    {"l2 1MiB read 1pJ write 0pJ", "out of range"},
    {"l2 0B read 1pJ write 1pJ", "out of range"},
    {"l2 1MiB read 1pJ write 1J", "out of range"},
    {"l2 1MiB read 1pJ write 1pJ read 2pJ", "read of l2 is given twice"},
    {"l2 1MiB read 1pJ write 1pJ area", "area of l2 has no value"},
    {"l2 1MiB read 1pJ write 1pJ volume 1mm2", "has no \"volume\""},
    {"l2 1MiB read 1pJ write 1pJ byte_mm 1pJ", "has no \"byte_mm\""},
    {"l2 read 1pJ write 1pJ", "capacity of l2"},
    {"interconnect 1mm byte_mm 1pJ", "has no \"1mm\""},
    {"dram 32B read 1pJ write 1pJ leakage 1mW", "has no \"leakage\""},
    {"dram 32B read 1pJ write 1pJ tag 1pJ", "has no \"tag\""},
    {"l2 1MiB read 1pJ write 1pJ activate 1pJ", "has no \"activate\""},
    {"l2 1MiB read 1pJ write 1pJ tag 1J", "tag of l2: 1J is out of range"},
    {"l2 cacti", "no row"},
    {"l2 cacti a b", "takes a file"},
    {"dram cacti run.out", "takes a file"},
    {"l2 cacti gone.out", "cannot read the output of CACTI \"gone.out\""},
    {"l2 cacti .", "is no file"},
};

Test(energy_rows, what_is_wrong_is_said)
{
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        struct wm_energy_table table = {0};
        struct wm_error error;
        cr_expect_neq(wm_energy_row_add(bad[i].text, NULL, &table, &error), WM_OK, "%s",
                      bad[i].text);
        if (strncmp(bad[i].says, "no row", 6) == 0 && strcmp(bad[i].text, "l2 cacti") == 0)
            continue;
        cr_expect(strstr(error.message, bad[i].says), "%s: %s", bad[i].text, error.message);
        cr_expect_eq(table.count, 0);
    }
}

Test(energy_rows, the_thesis_table_is_all_there)
{
    struct wm_energy_table table = {0};
    struct wm_energy_cost cost;
    struct wm_error error;
    cr_assert_eq(wm_row_table_read(&wm_energy_row_table, "anssari-22nm", NULL, &table, &error),
                 WM_OK, "%s", error.message);
    cr_assert_eq(wm_energy_table_cost(&table, "l1", 1, 64 << 10, 16, &cost, NULL), WM_OK);
    cr_expect_eq(cost.write_aj, 44400000);
    cr_expect_eq(cost.leakage_nw, 170380000);
    cr_expect_eq(cost.area_um2, 5760000);
    cr_assert_eq(wm_energy_table_cost(&table, "l1", 2, 64 << 10, 16, &cost, NULL), WM_OK);
    cr_expect_eq(cost.write_aj, 44500000);
    cr_assert_eq(wm_energy_table_cost(&table, "l2", 1, 512 << 10, 1, &cost, NULL), WM_OK);
    cr_expect_eq(cost.read_aj, 78500000);
    cr_assert_eq(wm_energy_table_cost(&table, "dram", 1, 32, 1, &cost, NULL), WM_OK);
    cr_expect_eq(cost.read_aj, UINT64_C(4480000000));
    cr_expect_eq(wm_row_table_read(&wm_energy_row_table, "ansari-22nm", NULL, &table, &error),
                 WM_NOT_FOUND);
    cr_expect(strstr(error.hint, "did you mean anssari-22nm?"), "%s", error.hint);
}

// ---- CACTI
// ---------------------------------------------------------------------------------------

static const struct wm_energy_row l2_row = {.name = "l2", .units = 1, .ports = 1};

// Capacity, read and write in nJ, leakage in mW and area in mm2 as the samples say.
static const struct {
    const char *name;
    uint64_t capacity_bytes;
    double read, write, leakage, area;
} samples[] = {
    {"128k-8w-32b-22", 131072, 0.0319282, 0.0402414, 45.2884, 0.15675},
    {"1m-8w-32b-22", 1048576, 0.0794299, 0.0722029, 337.152, 1.30329},
    {"256k-8w-32b-22", 262144, 0.040215, 0.0453459, 88.5241, 0.289502},
    {"256k-8w-64b-32", 262144, 0.180152, 0.199839, 175.164, 0.796272},
    {"32k-8w-128b-22", 32768, 0.354529, 0.353795, 14.003, 0.826627},
    {"32k-8w-128b-32", 32768, 0.662666, 0.660191, 27.8894, 1.74625},
    {"512k-8w-32b-22", 524288, 0.0508509, 0.0562859, 176.464, 0.581307},
    {"64k-4w-128b-22", 65536, 0.156768, 0.161007, 22.9045, 0.398559},
    {"768k-16w-128b-22", 786432, 0.802345, 0.866756, 236.02, 2.31479},
    {"768k-16w-128b-32", 786432, 1.49274, 1.63398, 505.104, 4.89063},
    {"8m-32w-64b-32", 8388608, 1.06105, 1.09411, 5428.49, 17.8586},
    {"exponent", 1048576, 0.0794299, 0.0722029, 337.152, 1.30329},
    {"carriage-returns", 1048576, 0.0794299, 0.0722029, 337.152, 1.30329},
    {"swapped", 1048576, 0.0794299, 0.0722029, 337.152, 1.30329},
    {"many-banks", 1048576, 0.0794299, 0.0722029, 4 * 337.152, 1.30329},
};

static enum wm_status read_sample(const char *name, struct wm_energy_table *table,
                                  struct wm_error *error)
{
    char path[512];
    struct wm_text text;
    snprintf(path, sizeof path, "%s/cacti/%s", CORPUS_FOLDER, name);
    read_file(path, &text);
    enum wm_status status =
        wm_cacti_read_text(text.data ? text.data : "", text.length, name, &l2_row, table, error);
    wm_text_release(&text);
    return status;
}

Test(energy_rows, cacti_samples)
{
    setlocale(LC_ALL, "de_DE.UTF-8"); // where there is one, its decimal comma changes nothing
    for (size_t i = 0; i < sizeof samples / sizeof samples[0]; i++) {
        struct wm_energy_table table = {0};
        struct wm_error error;
        cr_assert_eq(read_sample(samples[i].name, &table, &error), WM_OK, "%s: %s", samples[i].name,
                     error.message);
        cr_assert_eq(table.count, 1);
        const struct wm_energy_row *row = &table.rows[0];
        cr_expect_eq(row->capacity_bytes, samples[i].capacity_bytes);
        cr_expect_float_eq((double)row->read_aj, samples[i].read * 1e9, 0.5, "%s", samples[i].name);
        cr_expect_float_eq((double)row->write_aj, samples[i].write * 1e9, 0.5, "%s",
                           samples[i].name);
        cr_expect_float_eq((double)row->leakage_nw, samples[i].leakage * 1e6, 0.5, "%s",
                           samples[i].name);
        cr_expect_float_eq((double)row->area_um2, samples[i].area * 1e6, 0.5, "%s",
                           samples[i].name);
    }
    setlocale(LC_ALL, "C");
}

Test(energy_rows, each_run_of_cacti_is_a_row)
{
    struct wm_energy_table table = {0};
    cr_assert_eq(read_sample("two-runs", &table, NULL), WM_OK);
    cr_assert_eq(table.count, 2);
    cr_expect_eq(table.rows[1].capacity_bytes, 524288);
}

static const struct {
    const char *name, *place, *says;
} damaged[] = {
    {"empty", "empty:1", "it is empty"},
    {"no-headings", "no-headings:1:1", "no column \"Capacity (bytes)\""},
    {"headings-alone", "headings-alone:3", "headings and no row"},
    {"cut", "cut:2:61", "ends before or in its \"Dynamic write energy (nJ)\""},
    {"same-run-twice", "same-run-twice:3:1", "has l2 of 1MiB twice"},
    {"not-available", "not-available:2:48", "\"Dynamic read energy (nJ)\" is \"N/A\": no number"},
    {"negative", "negative:2:48", "out of range"},
    {"infinite", "infinite:2:48", "out of range"},
    {"broken-capacity", "broken-capacity:2:5", "no whole number"},
    {"long-cell", "long-cell:2:5", "no number"},
    {"zero", "zero", "a byte that is zero"},
};

Test(energy_rows, damaged_output_of_cacti_is_refused_with_its_place)
{
    for (size_t i = 0; i < sizeof damaged / sizeof damaged[0]; i++) {
        struct wm_energy_table table = {0};
        struct wm_error error;
        cr_expect_eq(read_sample(damaged[i].name, &table, &error), WM_INVALID, "%s",
                     damaged[i].name);
        cr_expect_str_eq(error.place, damaged[i].place, "%s: %s", damaged[i].name, error.place);
        cr_expect(strstr(error.message, damaged[i].says), "%s: %s", damaged[i].name, error.message);
    }
}

// ---- Files
// ---------------------------------------------------------------------------------------

// A file that a machine file names lies in its folder, and one that a table names in the table's.
Test(energy_rows, files_are_relative_to_who_names_them)
{
    struct wm_machine machine, again;
    struct wm_error error;
    struct wm_text sample, text;
    char path[512];
    snprintf(path, sizeof path, "%s/cacti/1m-8w-32b-22", CORPUS_FOLDER);
    read_file(path, &sample);
    cr_assert_eq(mkdir("sub", 0755), 0);
    write_file("sub/run.out", sample.data);
    write_file("sub/table.yaml", "- l2 cacti run.out\n- interconnect byte_mm 1pJ\n");
    const char *const settings[] = {"gpu.energy.table=sub/table.yaml"};
    cr_assert_eq(wm_machine_load("gtx480", settings, 1, &machine, &error), WM_INVALID);
    cr_expect_str_eq(error.place, "--set gpu.energy.table=sub/table.yaml");
    cr_expect(strstr(error.message, "l2 has 768KiB, and the energy table has it of 1MiB alone"),
              "%s", error.message);
    const char *const fits[] = {"gpu.energy.table=[l2 cacti sub/run.out]", "gpu.l2.present=false"};
    cr_assert_eq(wm_machine_load("gtx480", fits, 2, &machine, &error), WM_OK, "%s", error.message);
    cr_expect_eq(machine.energy.table.count, 1);
    wm_text_init(&text);
    wm_machine_print(&machine, &text);
    unlink("sub/run.out"); // the effective description needs it no more
    cr_assert_eq(wm_machine_read(text.data, text.length, "sub/m.yaml", NULL, 0, &again, &error),
                 WM_OK, "%s", error.message);
    // As text: rows have padding between their fields.
    struct wm_text printed;
    wm_text_init(&printed);
    wm_machine_print(&again, &printed);
    cr_expect_str_eq(printed.data, text.data);
    wm_text_release(&printed);
    wm_text_release(&text);
    wm_text_release(&sample);
}

static const struct {
    const char *text, *place, *says;
} wrong_files[] = {
    {"- l2 1MiB read 1pJ write 1pJ\n- l2 1MB read 1pJ\n", "table.yaml:2:3", "without its write"},
    {"l2: 1MiB\n", "table.yaml:1:1", "a list of rows and nothing else"},
    {"- l2 1MiB read 1pJ write 1pJ\n- [a]\n", "table.yaml:2:3", "a list of rows"},
    {"- &x l2 1MiB read 1pJ write 1pJ\n", "table.yaml:1:3",
     "the anchor or alias \"x\" has no place in an energy table"},
    {"- l2 1MiB read 1pJ write 1pJ\n---\n- a\n", "table.yaml:2:1", "a second document"},
    {"\t- l2\n", "table.yaml:1:1", "not well-formed YAML"},
    {"", "table.yaml:1:1", "a list of rows"},
};

Test(energy_rows, wrong_files_are_refused_with_their_place)
{
    for (size_t i = 0; i < sizeof wrong_files / sizeof wrong_files[0]; i++) {
        struct wm_energy_table table = {0};
        struct wm_error error;
        wm_error_clear(&error);
        write_file("table.yaml", wrong_files[i].text);
        cr_expect_eq(wm_row_table_read(&wm_energy_row_table, "table.yaml", NULL, &table, &error),
                     WM_INVALID, "%zu", i);
        cr_expect_str_eq(error.place, wrong_files[i].place, "%zu: %s", i, error.place);
        cr_expect(strstr(error.message, wrong_files[i].says), "%zu: %s", i, error.message);
    }
}
