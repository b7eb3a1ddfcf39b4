#include "base/files/resource_folders.h"

#include <criterion/criterion.h>
#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

static const struct wm_companion sources = {
    .what = "the sources", .variable = "WM_TEST_FOLDER", .installed = "nowhere", .source = "src"};
static const struct wm_companion rooms = {
    .what = "the rooms", .variable = "WM_TEST_FOLDER", .installed = "nowhere", .built = "src"};
static const struct wm_companion none = {.what = "the moon",
                                         .variable = "WM_TEST_FOLDER",
                                         .installed = "share/the-moon-is-not-installed",
                                         .source = "the-moon"};

Test(resource_folders, is_the_folder_of_the_running_program)
{
    char folder[PATH_MAX], program[PATH_MAX];
    cr_assert_eq(wm_own_folder(folder, sizeof folder, NULL), WM_OK);
    ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    cr_assert(length > 0);
    program[length] = '\0';
    *strrchr(program, '/') = '\0';
    cr_expect_str_eq(folder, program);
    cr_expect_eq(wm_own_folder(folder, 3, NULL), WM_IO, "a buffer that is too small");
}

Test(resource_folders, build_tree_leads_to_sources_and_to_itself)
{
    char path[PATH_MAX], file[PATH_MAX + 32];
    unsetenv("WM_TEST_FOLDER");
    cr_assert_eq(wm_resource_folder_find(&sources, path, sizeof path, NULL), WM_OK);
    snprintf(file, sizeof file, "%s/base/files/resource_folders.h", path);
    cr_expect_eq(access(file, R_OK), 0, "%s", file);
    cr_assert_eq(wm_resource_folder_find(&rooms, path, sizeof path, NULL), WM_OK);
    snprintf(file, sizeof file, "%s/base/libwm_base.a", path);
    cr_expect_eq(access(file, R_OK), 0, "%s", file);
}

Test(resource_folders, the_variable_rules_and_must_be_right)
{
    char path[PATH_MAX];
    struct wm_error error;
    setenv("WM_TEST_FOLDER", "/", 1);
    cr_assert_eq(wm_resource_folder_find(&sources, path, sizeof path, &error), WM_OK);
    cr_expect_str_eq(path, "/");
    setenv("WM_TEST_FOLDER", "/proc/self/exe", 1);
    cr_expect_eq(wm_resource_folder_find(&sources, path, sizeof path, &error), WM_NOT_FOUND);
    cr_expect(strstr(error.message, "\"/proc/self/exe\" is no folder"), "%s", error.message);
    cr_expect(strstr(error.hint, "WM_TEST_FOLDER"), "%s", error.hint);
    setenv("WM_TEST_FOLDER", "", 1);
    cr_expect_eq(wm_resource_folder_find(&sources, path, sizeof path, &error), WM_OK,
                 "empty is unset");
}

Test(resource_folders, what_is_nowhere_is_said_to_be)
{
    char path[PATH_MAX];
    struct wm_error error;
    unsetenv("WM_TEST_FOLDER");
    cr_expect_eq(wm_resource_folder_find(&none, path, sizeof path, &error), WM_NOT_FOUND);
    cr_expect(strstr(error.message, "the moon was not found"), "%s", error.message);
    cr_expect(strstr(error.hint, "WM_TEST_FOLDER"), "%s", error.hint);
}
