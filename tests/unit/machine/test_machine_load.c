#include "../../rounds.h"
#include "machine/machine.h"
#include "machine/preset.h"

#include <criterion/criterion.h>
#include <sys/stat.h>
#include <unistd.h>

static enum wm_status load(const char *name, const char *const *settings, uint32_t count,
                           struct wm_machine *machine, struct wm_error *error)
{
    wm_error_clear(error);
    return wm_machine_load(name, settings, count, machine, error);
}

Test(load, settings_change_only_their_key)
{
    static const char *const settings[] = {"gpu.l1.size=48KiB", "gpu.l1.ways=6",
                                           "gpu.l1.set_index=modulo"};
    struct wm_machine plain, changed;
    struct wm_error error;
    cr_assert_eq(load("gtx480", NULL, 0, &plain, &error), WM_OK);
    cr_assert_eq(load("gtx480", settings, 3, &changed, &error), WM_OK, "%s", error.message);
    cr_expect_eq(changed.memory.levels[WM_LEVEL_L1].cache.size_bytes, 49152);
    cr_expect_eq(changed.memory.levels[WM_LEVEL_L1].cache.ways, 6);
    cr_expect_neq(changed.memory.levels[WM_LEVEL_L1].cache.set_index,
                  plain.memory.levels[WM_LEVEL_L1].cache.set_index);
    changed.memory.levels[WM_LEVEL_L1].cache = plain.memory.levels[WM_LEVEL_L1].cache;
    cr_expect_eq(memcmp(&changed, &plain, sizeof plain), 0);
}

Test(load, the_later_setting_wins)
{
    static const char *const settings[] = {"gpu.sm.count=4", "gpu.sm.count=7"};
    struct wm_machine machine;
    struct wm_error error;
    cr_assert_eq(load("v100", settings, 2, &machine, &error), WM_OK);
    cr_expect_eq(machine.sm.count, 7);
    cr_expect_eq(machine.memory.sm_count, 7);
}

Test(load, a_setting_is_checked_against_the_rest_of_the_machine)
{
    static const char *const settings[] = {"gpu.l2.line=512B", "gpu.l2.interleave=512B",
                                           "gpu.l1.line=64B"};
    struct wm_machine machine;
    struct wm_error error;
    // Lines of 512 bytes alone would be longer than the 256 consecutive bytes of a slice.
    cr_expect_eq(load("gtx480", settings, 1, &machine, &error), WM_INVALID);
    cr_expect_str_eq(error.place, "--set gpu.l2.line=512B");
    cr_expect_eq(load("gtx480", settings, 2, &machine, &error), WM_OK, "%s", error.message);
    // And the setting that came last is blamed, though the file gives the sector.
    cr_expect_eq(load("gtx480", settings, 3, &machine, &error), WM_INVALID);
    cr_expect_str_eq(error.place, "--set gpu.l1.line=64B");
}

Test(load, no_error_wanted_is_allowed)
{
    static const char *const settings[] = {"gpu.l1.siz=48KiB"};
    struct wm_machine machine;
    cr_expect_eq(wm_machine_load("v100", settings, 1, &machine, NULL), WM_INVALID);
    cr_expect_eq(wm_machine_load("v101", NULL, 0, &machine, NULL), WM_NOT_FOUND);
    cr_expect_eq(wm_machine_load("v100", NULL, 0, &machine, NULL), WM_OK);
    cr_expect_eq(wm_machine_read("", 0, "x", NULL, 0, &machine, NULL), WM_INVALID);
}

Test(load, an_l1_of_several_sms_is_not_a_part_of_an_sms_own_array)
{
    static const char *const settings[] = {"gpu.l1.sms_each=2", "gpu.sm.unified=0B"};
    struct wm_machine machine;
    struct wm_error error;
    cr_expect_eq(load("v100", settings, 1, &machine, &error), WM_INVALID);
    cr_expect_str_eq(error.place, "--set gpu.l1.sms_each=2");
    cr_expect(strstr(error.hint, "gpu.sm.unified to 0B") != NULL, "%s", error.hint);
    cr_expect_eq(load("v100", settings, 2, &machine, &error), WM_OK, "%s", error.message);
    cr_expect_eq(machine.memory.levels[WM_LEVEL_L1].units_each, 2);
    cr_expect_eq(load("gtx480", settings, 1, &machine, &error), WM_OK, "%s", error.message);
}

// A description that is cut anywhere is either refused with a place in the file, or was cut in
// nothing but its last comments.
Test(load, a_cut_file_is_refused_with_its_place)
{
    struct wm_machine whole, cut;
    struct wm_text text;
    wm_text_init(&text);
    cr_assert_eq(wm_machine_load("gtx480", NULL, 0, &whole, NULL), WM_OK);
    wm_machine_print(&whole, &text);
    size_t accepted = 0;
    for (size_t length = 0; length < text.length; length += TEST_SHARE) {
        struct wm_error error;
        enum wm_status status =
            wm_machine_read(text.data, length, "cut.yaml", NULL, 0, &cut, &error);
        if (status == WM_OK) {
            accepted++;
            continue;
        }
        unsigned line = 0, column = 0;
        cr_assert_eq(sscanf(error.place, "cut.yaml:%u:%u", &line, &column), 2, "%zu: %s: %s",
                     length, error.place, error.message);
        cr_assert(line >= 1 && column >= 1 && error.hint[0], "%zu: %s", length, error.message);
    }
    // Of the last line only the key and the unit are needed: the rest is its comment.
    cr_expect(accepted > 0 && accepted < 120 / TEST_SHARE, "%zu cuts are accepted", accepted);
    wm_text_release(&text);
}

Test(load, presets_come_from_the_variable_and_files_do_not)
{
    char folder[] = "presets-XXXXXX", path[64];
    cr_assert_not_null(mkdtemp(folder));
    struct wm_machine machine;
    struct wm_error error;
    cr_assert_eq(load("v100", NULL, 0, &machine, &error), WM_OK);
    struct wm_text text;
    wm_text_init(&text);
    wm_machine_print(&machine, &text);
    snprintf(path, sizeof path, "%s/other.yaml", folder);
    FILE *file = fopen(path, "we");
    fwrite(text.data, 1, text.length, file);
    fclose(file);
    cr_expect_eq(load(path, NULL, 0, &machine, &error), WM_OK);
    cr_expect_eq(load("other", NULL, 0, &machine, &error), WM_NOT_FOUND);
    setenv("WARPMEM_MACHINES", folder, 1);
    cr_expect_eq(load("other", NULL, 0, &machine, &error), WM_OK);
    cr_expect_eq(load("v100", NULL, 0, &machine, &error), WM_NOT_FOUND);
    // Without the variable, the build tree that this test lies in leads to the presets.
    unsetenv("WARPMEM_MACHINES");
    cr_expect_eq(load("gtx480", NULL, 0, &machine, &error), WM_OK, "%s", error.message);
    unlink(path);
    rmdir(folder);
    wm_text_release(&text);
}

// Who names a size for L1 on the command line means that size, also where the file divides an
// array.
Test(machine_load, a_setting_of_l1_size_ends_the_division_of_a_unified_array)
{
    struct wm_machine machine;
    struct wm_error error;
    const char *const size[] = {"gpu.l1.size=48KiB"};
    cr_assert_eq(wm_machine_load("v100", NULL, 0, &machine, &error), WM_OK);
    cr_assert_neq(machine.sm.unified_bytes, 0);
    cr_assert_eq(wm_machine_load("v100", size, 1, &machine, &error), WM_OK, "%s", error.message);
    cr_assert_eq(machine.sm.unified_bytes, 0);
    cr_assert_eq(machine.memory.levels[WM_LEVEL_L1].cache.size_bytes, 48 * 1024);
    const char *const both[] = {"gpu.l1.size=48KiB", "gpu.sm.unified=128KiB"};
    cr_assert_eq(wm_machine_load("v100", both, 2, &machine, &error), WM_INVALID);
}
