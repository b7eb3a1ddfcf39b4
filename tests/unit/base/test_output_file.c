// How an output is written: beside its place, through links, in place; and what is left of a
// failure.
#include "base/files/output_file.h"

#include <criterion/criterion.h>
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[64], path[96];
static int here = -1;

static void make_folder(void)
{
    snprintf(folder, sizeof folder, "/tmp/warpmem-output-XXXXXX");
    cr_assert_not_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/out", folder);
    here = open(folder, O_RDONLY | O_DIRECTORY);
}

// How many files there were.
static uint32_t empty_folder(void)
{
    uint32_t count = 0;
    DIR *open = fdopendir(here);
    for (const struct dirent *entry; (entry = readdir(open)) != NULL;)
        count += unlinkat(dirfd(open), entry->d_name, 0) == 0;
    closedir(open);
    cr_assert_eq(rmdir(folder), 0);
    return count;
}

static bool contains(const char *name, const char *expected)
{
    char content[64] = "";
    int file = openat(here, name, O_RDONLY);
    ssize_t length = read(file, content, sizeof content - 1);
    close(file);
    return length >= 0 && strcmp(content, expected) == 0;
}

Test(output_file, a_file_appears_when_it_is_whole)
{
    struct wm_output_file file;
    make_folder();
    cr_assert_eq(wm_output_open(&file, path, WM_OUTPUT_ATOMIC, NULL), WM_OK);
    cr_expect(wm_output_write(&file, "all", 3));
    cr_expect_neq(access(path, F_OK), 0);
    cr_expect_eq(wm_output_close(&file, true, NULL), WM_OK);
    cr_expect(contains("out", "all"));
    cr_assert_eq(wm_output_open(&file, path, WM_OUTPUT_ATOMIC, NULL), WM_OK);
    cr_expect(wm_output_write(&file, "other", 5));
    cr_expect_eq(wm_output_close(&file, false, NULL), WM_OK);
    cr_expect(contains("out", "all"), "what is not wanted leaves the old one alone");
    cr_expect_eq(empty_folder(), 1);
}

Test(output_file, one_that_grows_is_there_from_the_beginning)
{
    struct wm_output_file file;
    make_folder();
    cr_assert_eq(wm_output_open(&file, path, WM_OUTPUT_INCREMENTAL, NULL), WM_OK);
    cr_expect(wm_output_write(&file, "half", 4));
    cr_expect(contains("out", "half"));
    cr_expect_eq(wm_output_close(&file, true, NULL), WM_OK);
    cr_expect(contains("out", "half"));
    cr_assert_eq(wm_output_open(&file, path, WM_OUTPUT_INCREMENTAL, NULL), WM_OK);
    cr_expect_eq(wm_output_close(&file, false, NULL), WM_OK);
    cr_expect_eq(empty_folder(), 0);
}

Test(output_file, links_stay_and_permissions_too)
{
    struct wm_output_file file;
    struct stat status;
    char link[128];
    make_folder();
    cr_assert_eq(symlinkat("second", here, "first"), 0);
    cr_assert_eq(symlinkat("out", here, "second"), 0);
    close(openat(here, "out", O_CREAT | O_WRONLY, 0640));
    snprintf(link, sizeof link, "%s/first", folder);
    cr_assert_eq(wm_output_open(&file, link, WM_OUTPUT_ATOMIC, NULL), WM_OK);
    cr_expect(wm_output_write(&file, "new", 3));
    cr_expect_eq(wm_output_close(&file, true, NULL), WM_OK);
    cr_expect(contains("out", "new"));
    cr_expect_eq(fstatat(here, "first", &status, AT_SYMLINK_NOFOLLOW), 0);
    cr_expect(S_ISLNK(status.st_mode));
    cr_expect_eq(fstatat(here, "out", &status, AT_SYMLINK_NOFOLLOW), 0);
    cr_expect_eq(status.st_mode & 07777, 0640);
    // In a circle.
    cr_assert_eq(unlinkat(here, "out", 0), 0);
    cr_assert_eq(symlinkat("first", here, "out"), 0);
    struct wm_error error;
    cr_expect_eq(wm_output_open(&file, link, WM_OUTPUT_ATOMIC, &error), WM_IO);
    cr_expect_not_null(strstr(error.message, "symbolic links"));
    cr_expect_eq(empty_folder(), 3);
}

Test(output_file, a_limit_on_size_is_an_error_and_no_signal)
{
    struct wm_output_file file;
    struct wm_error error;
    const struct rlimit limit = {1000, 1000};
    static const char much[4096];
    make_folder();
    cr_assert_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
    for (int grows = 0; grows < 2; grows++) {
        cr_assert_eq(
            wm_output_open(&file, path, grows ? WM_OUTPUT_INCREMENTAL : WM_OUTPUT_ATOMIC, NULL),
            WM_OK);
        cr_expect_not(wm_output_write(&file, much, sizeof much));
        cr_expect_neq(access(path, F_OK), 0, "gone at once");
        cr_expect_not(wm_output_write(&file, much, 1), "once failed, always failed");
        cr_expect_eq(wm_output_status(&file, NULL), WM_IO);
        cr_expect_eq(wm_output_close(&file, true, &error), WM_IO);
        cr_expect_not_null(strstr(error.message, "out\": File too large"));
        cr_expect_not_null(strstr(error.hint, "limited to 1000 bytes"));
    }
    sigset_t pending;
    sigpending(&pending);
    cr_expect_not(sigismember(&pending, SIGXFSZ));
    cr_expect_eq(empty_folder(), 0);
}

Test(output_file, descriptors_are_written_where_they_are)
{
    struct wm_output_file file;
    struct wm_error error;
    char name[64], content[8] = "";
    int ends[2];
    cr_assert_eq(pipe(ends), 0);
    static const char *const forms[] = {"/dev/fd/%d", "/proc/self/fd/%d"};
    for (size_t i = 0; i < 2; i++) {
        snprintf(name, sizeof name, forms[i], ends[1]);
        cr_expect(wm_output_is_in_place(name));
        cr_assert_eq(wm_output_open(&file, name, WM_OUTPUT_ATOMIC, NULL), WM_OK);
        cr_expect(wm_output_write(&file, "two", 3));
        cr_expect_eq(wm_output_close(&file, true, NULL), WM_OK);
        cr_expect_eq(read(ends[0], content, 7), 3);
        cr_expect_str_eq(content, "two");
    }
    // Without a reader: an error, and no signal.
    close(ends[0]);
    cr_assert_eq(wm_output_open(&file, name, WM_OUTPUT_INCREMENTAL, NULL), WM_OK);
    cr_expect_not(wm_output_write(&file, "two", 3));
    cr_expect_eq(wm_output_close(&file, true, &error), WM_IO);
    cr_expect_not_null(strstr(error.message, "Broken pipe"));
    close(ends[1]);
    cr_expect_eq(wm_output_open(&file, name, WM_OUTPUT_ATOMIC, &error), WM_IO);
    cr_expect_not_null(strstr(error.message, "Bad file descriptor"));
    cr_expect(wm_output_is_in_place("-"));
    cr_expect_not(wm_output_is_in_place("./-"));
}

Test(output_file, what_can_never_be_written_is_found_before)
{
    static const struct {
        const char *path, *reason, *hint;
    } cases[] = {
        {"/", "Is a directory", "name a file in that folder"},
        {"/tmp/", "Is a directory", "name a file in that folder"},
        {"/no/such/folder/x", "No such file or directory", "make its folder first"},
        {"/dev/null/x", "Not a directory", ""},
        {"", "No such file or directory", "make its folder first"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct wm_output_place place;
        struct wm_error error;
        cr_expect_eq(wm_output_place_find(&place, cases[i].path, &error), WM_IO);
        cr_expect_not_null(strstr(error.message, cases[i].reason), "%s", error.message);
        cr_expect_str_eq(error.hint, cases[i].hint);
        wm_output_place_release(&place);
    }
}
