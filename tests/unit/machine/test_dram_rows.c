// Tables of DRAM devices, and the keys of gpu.dram: rows, files, presets, and the description of a
// channel that comes of them.
#include "machine/dram_rows.h"
#include "machine/machine_dram.h"
#include "machine/preset.h"
#include "mem/dram_scheduler/entries.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#define SMALL                                                                       \
    "[clock 1ns, channel_bits 64, banks 4, rows 1024, columns 64, burst_length 8, " \
    "transfers_a_cycle 2, cl 9, cwl 7, rcd_read 9, rcd_write 9, rp 9, ras 20"

static struct wm_dram_channel_spec device_of(const char *text)
{
    struct wm_dram_channel_spec device = {0};
    struct wm_error error = {0};
    cr_assert_eq(wm_row_table_read(&wm_dram_row_table, text, NULL, &device, &error), WM_OK, "%s",
                 error.message);
    return device;
}

Test(dram_rows, what_is_left_out_follows)
{
    struct wm_dram_channel_spec device = device_of(SMALL ", rrd_s 4, ccd_s 5, wtr_s 6]");
    cr_expect_eq(device.organisation.ranks, 1);
    cr_expect_eq(device.organisation.bank_groups, 1);
    cr_expect_eq(device.timing.rc, 29);
    cr_expect_eq(device.timing.rrd_l, 4);
    cr_expect_eq(device.timing.ccd_l, 5);
    cr_expect_eq(device.timing.wtr_l, 6);
    cr_expect_eq(device.timing.faw, 0);
    cr_expect_eq(device.controller.refresh, WM_DRAM_REFRESH_NONE);
    cr_expect_not(device.controller.two_command_buses);
}

Test(dram_rows, times_are_rounded_up_to_cycles)
{
    struct wm_dram_channel_spec device = device_of(SMALL ", faw 16ns, wr 16.001ns, rtp 300ps]");
    cr_expect_eq(device.timing.faw, 16);
    cr_expect_eq(device.timing.wr, 17);
    cr_expect_eq(device.timing.rtp, 1);
}

static const struct {
    const char *rows, *message;
} bad[] = {
    {SMALL ", cl 9]", "cl of a DRAM device is given twice"},
    {SMALL ", clx 9]", "a DRAM device has no \"clx\""},
    {SMALL ", faw 0]", "faw of a DRAM device: \"0\""},
    {SMALL ", faw]", "is no row of a DRAM device"},
    {SMALL ", faw 1 2]", "is no row of a DRAM device"},
    {SMALL ", faw 5pJ]", "faw of a DRAM device: "},
    {SMALL ", faw 4294967296]", "faw of a DRAM device: \"4294967296\""},
    {SMALL ", faw 4294967295]", "a dram timing is 4294967295 cycles"},
    {SMALL ", command_buses 3]", "command_buses of a DRAM device: \"3\""},
    {SMALL ", refresh all-bank]", "dram refresh every 0 cycles"},
    {SMALL ", refi 100, rfc 71, refresh all-bank]", "dram refresh every 100 cycles leaves no time"},
    {SMALL ", ranks 3]", "dram ranks is 3"},
    {SMALL ", ranks 32]", "dram ranks is 32"},
    {SMALL ", mapping ro-ba]", "\"co\" does not place all its bits"},
    {SMALL ", mapping ro-ba-co-xx]", "\"xx\" is none of the fields"},
    {SMALL ", mapping ro-ba-co-co]", "\"co\" comes twice without a width"},
    {SMALL ", mapping ro-ba-co-ba9]", "\"ba9\" is wider than what is left of its field"},
    {SMALL ", mapping ro-xor-ba-co]", "\"xor\" is none of the fields"},
    {"[cl 9ns]", "is a time, and the clock not known yet"},
    {"[clock 1ns]", "the DRAM device is without its channel_bits"},
    {"[clock 1ns", "does not end in a bracket"},
    {"ddr9", "there is no DRAM device \"ddr9\""},
};

Test(dram_rows, what_is_wrong_is_said)
{
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        struct wm_dram_channel_spec device = {0};
        struct wm_error error = {0};
        cr_expect_neq(wm_row_table_read(&wm_dram_row_table, bad[i].rows, NULL, &device, &error),
                      WM_OK, "%s", bad[i].rows);
        cr_expect(strstr(error.message, bad[i].message), "\"%s\" instead of \"%s\"", error.message,
                  bad[i].message);
        cr_expect(error.hint[0], "%s: no hint", bad[i].message);
    }
}

Test(dram_rows, an_error_in_a_file_has_its_line)
{
    static const char text[] = "# head\n- clock 1ns\n- cl zero\n";
    struct wm_dram_channel_spec device = {0};
    struct wm_error error;
    cr_assert_eq(wm_row_table_read_text(&wm_dram_row_table, text, strlen(text), "mine.yaml",
                                        &device, &error),
                 WM_INVALID);
    cr_expect_str_eq(error.place, "mine.yaml:3:3");
}

// What vendors and standards say a channel moves at most, in MB a second, and holds, in MiB.
static const struct {
    const char *name;
    uint64_t megabytes, mebibytes;
    uint32_t burst_bytes;
} devices[] = {
    {"ddr3-1600", 12800, 4096, 64}, {"ddr4-2400", 19200, 8192, 64}, {"gddr5", 24000, 1024, 32},
    {"gddr6", 28000, 512, 32},      {"hbm2", 28000, 1024, 32},      {"hbm2e", 38900, 1024, 32},
    {"hbm3", 41900, 1024, 32},      {"hbm3e", 51200, 1024, 32},
};

Test(dram_rows, devices_that_come_with_warpmem_print_back_and_move_what_is_sold)
{
    for (size_t i = 0; i < sizeof devices / sizeof devices[0]; i++) {
        struct wm_dram_channel_spec device = device_of(devices[i].name), again = {0};
        uint64_t cycles = wm_dram_burst_cycles(&device.organisation);
        uint64_t megabytes = (uint64_t)wm_dram_burst_bytes(&device.organisation) * 1000000 /
                             (cycles * device.timing.clock_ps);
        struct wm_text text;
        cr_expect_str_eq(device.name, devices[i].name);
        cr_expect_eq(wm_dram_burst_bytes(&device.organisation), devices[i].burst_bytes);
        cr_expect(megabytes > devices[i].megabytes * 99 / 100 &&
                      megabytes < devices[i].megabytes * 101 / 100,
                  "%s moves %lu MB/s", devices[i].name, (unsigned long)megabytes);
        cr_expect_eq(wm_dram_channel_bytes(&device.organisation) >> 20, devices[i].mebibytes, "%s",
                     devices[i].name);
        wm_text_init(&text);
        wm_row_table_print(&wm_dram_row_table, &device, &text);
        cr_assert_eq(wm_row_table_read(&wm_dram_row_table, text.data, NULL, &again, NULL), WM_OK);
        cr_expect_eq(memcmp(&device, &again, sizeof again), 0);
        wm_text_release(&text);
    }
}

// Every row of a table that comes with warpmem says where it is from: a letter that the head of
// its file explains, an assumption, or what NVIDIA's own tool prints.
Test(dram_rows, every_number_has_its_source)
{
    for (size_t i = 0; i < sizeof devices / sizeof devices[0]; i++) {
        char path[4096], line[512], explained[27] = "";
        bool found = false;
        cr_assert_eq(wm_table_preset_path("dram", devices[i].name, path, sizeof path, &found, NULL),
                     WM_OK);
        FILE *file = fopen(path, "re");
        cr_assert(found && file != NULL);
        while (fgets(line, sizeof line, file)) {
            if (strncmp(line, "#   ", 4) == 0 && line[5] == ' ')
                explained[strlen(explained)] = line[4];
            const char *comment = strstr(line, " # ");
            if (line[0] != '-' || strncmp(line, "- name", 6) == 0)
                continue;
            cr_assert_not_null(comment, "%s: %s", path, line);
            bool letter = strchr(explained, comment[3]) && strchr(":,; \n", comment[4]);
            cr_expect(letter || strstr(comment, "assumption") || strstr(comment, "deviceQuery"),
                      "%s: %s", path, line);
        }
        fclose(file);
    }
}

static struct wm_machine machine_of(const char *name, const char *const *settings, uint32_t count)
{
    struct wm_machine machine;
    struct wm_error error = {0};
    cr_assert_eq(wm_machine_load(name, settings, count, &machine, &error), WM_OK, "%s",
                 error.message);
    return machine;
}

Test(dram_rows, keys_reach_the_channel)
{
    static const char *const settings[] = {"gpu.dram.device=ddr4-2400",
                                           "gpu.dram.scheduler=bank-round-robin",
                                           "gpu.dram.hit_cap=4",
                                           "gpu.dram.page=timeout",
                                           "gpu.dram.page_timeout=77",
                                           "gpu.dram.read_queue=20",
                                           "gpu.dram.write_queue=40",
                                           "gpu.dram.bank_queue=8",
                                           "gpu.dram.drain_high=50",
                                           "gpu.dram.drain_low=10",
                                           "gpu.dram.mapping=ro-ba-co-bg-xor",
                                           "gpu.dram.latency=10ns"};
    struct wm_machine machine = machine_of("v100", settings, sizeof settings / sizeof settings[0]);
    struct wm_dram_channel_spec spec;
    cr_assert_eq(wm_machine_dram_channel(&machine, &spec, NULL), WM_OK);
    cr_expect_eq(spec.form, WM_DRAM_TIMED);
    cr_expect_str_eq(spec.name, "ddr4-2400");
    cr_expect_eq(spec.timing.cl, 17);
    const struct wm_dram_controller *controller = &spec.controller;
    cr_expect_eq(controller->scheduler, &wm_dram_scheduler_bank_round_robin);
    cr_expect_eq(controller->hit_cap, 4);
    cr_expect_eq(controller->page, WM_DRAM_PAGE_TIMEOUT);
    cr_expect_eq(controller->page_timeout, 77);
    cr_expect_eq(controller->queues, WM_DRAM_QUEUES_PER_BANK);
    cr_expect_eq(controller->read_queue, 20);
    cr_expect_eq(controller->write_queue, 40);
    cr_expect_eq(controller->bank_queue, 8);
    cr_expect_eq(controller->drain_high, 20);
    cr_expect_eq(controller->drain_low, 4);
    cr_expect_str_eq(controller->mapping, "ro-ba-co-bg-xor");
    cr_expect_eq(controller->refresh, WM_DRAM_REFRESH_ALL_BANK);
    cr_expect_eq(controller->latency, 13, "10 ns of 833 ps each");
}

Test(dram_rows, a_machine_without_a_device_has_a_bandwidth)
{
    static const char *const settings[] = {"gpu.dram.device=none", "gpu.dram.latency=100ns"};
    struct wm_machine machine = machine_of("v100", settings, 2);
    struct wm_dram_channel_spec spec;
    cr_assert_eq(wm_machine_dram_channel(&machine, &spec, NULL), WM_OK);
    cr_expect_eq(spec.form, WM_DRAM_BANDWIDTH);
    cr_expect_eq(wm_dram_burst_bytes(&spec.organisation), 32);
    cr_expect_eq(spec.timing.clock_ps, 1140);
    cr_expect_eq(spec.bytes_per_second, UINT64_C(28125000000));
    cr_expect_eq(spec.controller.latency, 88);
}

Test(dram_rows, every_machine_has_a_channel)
{
    struct wm_arena arena;
    const char *const *names;
    size_t count;
    wm_arena_init(&arena);
    cr_assert_eq(wm_preset_names(&arena, &names, &count, NULL), WM_OK);
    for (size_t i = 0; i < count; i++) {
        struct wm_machine machine = machine_of(names[i], NULL, 0);
        struct wm_dram_channel_spec spec;
        cr_expect_eq(wm_machine_dram_channel(&machine, &spec, NULL), WM_OK, "%s", names[i]);
        if (spec.form == WM_DRAM_TIMED)
            cr_expect_eq(wm_dram_burst_bytes(&spec.organisation), machine.memory.dram.access_bytes,
                         "%s: a burst is not an access", names[i]);
    }
    wm_arena_release(&arena);
}
