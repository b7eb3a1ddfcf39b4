// Where reports go: whole or not at all, beside what is there; numbered when there are several.
#include "study/run_report/report_file.h"

#include <criterion/criterion.h>
#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[64], path[96];

static void make_folder(void)
{
    snprintf(folder, sizeof folder, "/tmp/warpmem-report-XXXXXX");
    cr_assert_not_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/out.txt", folder);
}

// What is left in the folder, and how many files there were.
static uint32_t empty_folder(void)
{
    uint32_t count = 0;
    DIR *open = opendir(folder);
    cr_assert_not_null(open);
    for (const struct dirent *entry; (entry = readdir(open)) != NULL;) {
        char name[512];
        snprintf(name, sizeof name, "%s/%s", folder, entry->d_name);
        count += unlink(name) == 0;
    }
    closedir(open);
    cr_assert_eq(rmdir(folder), 0);
    return count;
}

static void check_content(const char *expected)
{
    char content[64];
    FILE *file = fopen(path, "r");
    cr_assert_not_null(file);
    size_t length = fread(content, 1, sizeof content - 1, file);
    fclose(file);
    content[length] = '\0';
    cr_assert_str_eq(content, expected);
}

static enum wm_status write_line(const char *to, const char *line, struct wm_error *error)
{
    struct wm_text text;
    wm_text_init(&text);
    wm_text_add(&text, line);
    enum wm_status status = wm_report_file_write(to, &text, error);
    wm_text_release(&text);
    return status;
}

Test(report_file, a_text_is_written_over_the_old_one)
{
    make_folder();
    cr_expect_eq(write_line(path, "a longer first line\n", NULL), WM_OK);
    cr_expect_eq(write_line(path, "second\n", NULL), WM_OK);
    check_content("second\n");
    struct stat status;
    cr_expect_eq(stat(path, &status), 0);
    mode_t mask = umask(0);
    umask(mask);
    cr_expect_eq(status.st_mode & 0777, 0666 & ~mask, "as any new file");
    cr_expect_eq(empty_folder(), 1, "nothing else is left");
}

Test(report_file, what_fails_leaves_the_old_one_alone)
{
    struct wm_report_file file;
    struct wm_error error;
    make_folder();
    cr_expect_eq(write_line(path, "old\n", NULL), WM_OK);
    cr_assert_eq(wm_report_file_open(&file, path, &error), WM_OK);
    fputs("half of the new", file.stream);
    cr_expect_eq(wm_report_file_close(&file, false, &error), WM_NO_MEMORY);
    check_content("old\n");
    cr_expect_eq(empty_folder(), 1);
}

Test(report_file, a_full_device_and_a_missing_folder_are_said)
{
    struct wm_error error;
    cr_expect_eq(write_line("/dev/full", "line\n", &error), WM_IO);
    cr_expect_str_eq(error.message, "cannot write \"/dev/full\": No space left on device");
    cr_expect_eq(write_line("/no/such/folder/x", "line\n", &error), WM_IO);
    cr_expect_str_eq(error.message,
                     "cannot write \"/no/such/folder/x\": No such file or directory");
}

Test(report_file, a_device_is_written_and_stays_a_device)
{
    struct stat status;
    cr_expect_eq(write_line("/dev/null", "line\n", NULL), WM_OK);
    cr_expect_eq(stat("/dev/null", &status), 0);
    cr_expect(S_ISCHR(status.st_mode));
}

Test(report_file, the_number_stands_before_the_ending)
{
    static const struct {
        const char *path;
        uint32_t number;
        const char *numbered;
    } cases[] = {
        {"out.json", 1, "out.json"},
        {"out.json", 2, "out.2.json"},
        {"a.b/out.tar.gz", 13, "a.b/out.tar.13.gz"},
        {"a.b/out", 2, "a.b/out.2"},
        {".hidden", 2, ".hidden.2"},
        {"./.hidden", 3, "./.hidden.3"},
        {"out.", 2, "out.2."},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char buffer[64];
        cr_expect_str_eq(
            wm_report_file_numbered(cases[i].path, cases[i].number, buffer, sizeof buffer),
            cases[i].numbered);
    }
}
