// Bypass lists: selectors, files of them, and what a description keeps.
#include "machine/machine.h"
#include "mem/replacement/entries.h"

#include <criterion/criterion.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[64];

static void enter(void)
{
    snprintf(folder, sizeof folder, "/tmp/warpmem-bypass-XXXXXX");
    cr_assert_not_null(mkdtemp(folder));
    cr_assert_eq(chdir(folder), 0);
}

// What the test wrote is flat.
static void leave(void)
{
    static const char *const names[] = {"list", "long", "bad", "pipe", "sub/list", "sub/m.yaml"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        unlink(names[i]);
    rmdir("sub");
    cr_assert_eq(chdir("/"), 0);
    rmdir(folder);
}

static void write_file(const char *path, const char *text)
{
    FILE *file = fopen(path, "we");
    cr_assert_not_null(file);
    cr_assert_eq(fwrite(text, 1, strlen(text), file), strlen(text));
    fclose(file);
}

static enum wm_status load(const char *setting, struct wm_machine *machine, struct wm_error *error)
{
    return wm_machine_load("v100", &setting, 1, machine, error);
}

TestSuite(bypass_list, .init = enter, .fini = leave);

Test(bypass_list, a_file_is_kept_as_its_list)
{
    struct wm_machine machine, again;
    struct wm_error error;
    struct wm_text text;
    write_file("list", "# of a profile\n gemm:pc3\t# the load of A\n\n_Z4gemmPf:ptx12\r\n*:line7");
    cr_assert_eq(load("gpu.l1.bypass_list=@list", &machine, &error), WM_OK, "%s", error.message);
    cr_expect_str_eq(machine.bypass_list, "gemm:pc3,_Z4gemmPf:ptx12,*:line7");
    unlink("list"); // the effective description needs it no more
    wm_text_init(&text);
    wm_machine_print(&machine, &text);
    cr_assert_eq(wm_machine_read(text.data, text.length, "m", NULL, 0, &again, &error), WM_OK, "%s",
                 error.message);
    cr_expect_arr_eq(&machine, &again, sizeof machine);
    wm_text_release(&text);
    write_file("list", "# nothing\n");
    cr_assert_eq(load("gpu.l1.bypass_list=@list", &machine, &error), WM_OK);
    cr_expect_str_eq(machine.bypass_list, "none");
}

// A machine file's is relative to it, a setting's to the working folder, a path from the root to
// nothing.
Test(bypass_list, where_a_file_is_looked_for)
{
    struct wm_machine machine;
    struct wm_error error;
    struct wm_text text;
    char path[sizeof folder + 64];
    cr_assert_eq(mkdir("sub", 0700), 0);
    write_file("sub/list", "inner:pc1\n");
    write_file("list", "outer:pc1\n");
    cr_assert_eq(load("gpu.l1.bypass_list=none", &machine, &error), WM_OK);
    wm_text_init(&text);
    wm_machine_print(&machine, &text);
    char *none = strstr(text.data, "\"none\" ");
    cr_assert_not_null(none);
    memcpy(none, "\"@list\"", 7);
    write_file("sub/m.yaml", text.data);
    wm_text_release(&text);
    cr_assert_eq(wm_machine_load("sub/m.yaml", NULL, 0, &machine, &error), WM_OK, "%s",
                 error.message);
    cr_expect_str_eq(machine.bypass_list, "inner:pc1");
    const char *setting = "gpu.l1.bypass_list=@list";
    cr_assert_eq(wm_machine_load("sub/m.yaml", &setting, 1, &machine, &error), WM_OK);
    cr_expect_str_eq(machine.bypass_list, "outer:pc1");
    snprintf(path, sizeof path, "gpu.l1.bypass_list=@%s/sub/list", folder);
    cr_assert_eq(load(path, &machine, &error), WM_OK);
    cr_expect_str_eq(machine.bypass_list, "inner:pc1");
    cr_expect_eq(wm_machine_setting_file(path), strchr(path, '@') + 1);
    cr_expect_null(wm_machine_setting_file("gpu.l1.bypass_list=k:pc1"));
    cr_expect_null(wm_machine_setting_file("device.title=@list"), "another key's text");
    cr_expect_null(wm_machine_setting_file("gpu.l1.bypass_list"));
}

Test(bypass_list, bad_lines_are_told_with_file_and_line)
{
    static const char *const lines[] = {"gemm",
                                        "gemm:pc",
                                        ":pc3",
                                        "gemm:pc3x",
                                        "gemm:pc3, k:pc4",
                                        "gemm:pc123456789",
                                        "gemm:column3",
                                        "none",
                                        "@list",
                                        "@gemm:pc3",
                                        "gemm:pc3 gemm:pc4",
                                        "a\tb:pc3",
                                        "gemm:hash=",
                                        "gemm:hash=0123",
                                        "gemm:hash=0123456789abcdefg",
                                        "gemm:hash=0123456789abcdeg",
                                        "gemm:hash=0123456789abcdef=ca"};
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        struct wm_machine machine;
        struct wm_error error;
        char text[128], quoted[64];
        snprintf(text, sizeof text, "# list\nk:pc1\n  %s # so\n", lines[i]);
        snprintf(quoted, sizeof quoted, "\"%s\" names no instruction", lines[i]);
        write_file("bad", text);
        cr_assert_eq(load("gpu.l1.bypass_list=@bad", &machine, &error), WM_INVALID, "%s", lines[i]);
        cr_expect_str_eq(error.place, "bad:3");
        cr_expect_str_eq(error.message, quoted);
        cr_expect(strstr(error.hint, "KERNEL:pcN"), "%s", error.hint);
        cr_expect(strstr(error.excerpt, "# so"), "%s", error.excerpt);
    }
}

Test(bypass_list, what_is_no_file)
{
    struct wm_machine machine;
    struct wm_error error;
    cr_expect_eq(load("gpu.l1.bypass_list=@gone", &machine, &error), WM_NOT_FOUND);
    cr_expect_str_eq(error.place, "--set gpu.l1.bypass_list=@gone");
    cr_expect_eq(load("gpu.l1.bypass_list=@.", &machine, &error), WM_INVALID);
    cr_expect_eq(load("gpu.l1.bypass_list=@", &machine, &error), WM_NOT_FOUND);
    cr_assert_eq(mkfifo("pipe", 0600), 0);
    cr_expect_eq(load("gpu.l1.bypass_list=@pipe", &machine, &error), WM_INVALID, "nor waited for");
    cr_expect(strstr(error.message, "is no file"), "%s", error.message);
    cr_expect_eq(load("device.title=@gone", &machine, &error), WM_OK, "other keys know no files");
}

// As many as fit, from a file and in place; one byte more is an error that names the limit.
Test(bypass_list, the_limit)
{
    struct wm_machine machine;
    struct wm_error error;
    struct wm_text file, setting;
    wm_text_init(&file);
    wm_text_init(&setting);
    wm_text_add(&setting, "gpu.l1.bypass_list=");
    for (int i = 0; i < 1024; i++) { // 15 bytes and a comma each
        wm_text_format(&file, "kerne_%04d:pc%d\n", i, 10 + i % 10);
        wm_text_format(&setting, "%skerne_%04d:pc%d", i ? "," : "", i, 10 + i % 10);
    }
    write_file("long", file.data);
    cr_assert_eq(load("gpu.l1.bypass_list=@long", &machine, &error), WM_OK, "%s", error.message);
    cr_expect_eq(strlen(machine.bypass_list), WM_BYPASS_LIST_BYTES - 2);
    char *kept = strdup(machine.bypass_list);
    cr_assert_eq(load(setting.data, &machine, &error), WM_OK, "%s", error.message);
    cr_expect_str_eq(machine.bypass_list, kept);
    // The longest there is must still load from its own description.
    struct wm_machine again;
    struct wm_text text;
    wm_text_init(&text);
    wm_machine_print(&machine, &text);
    cr_assert_eq(wm_machine_read(text.data, text.length, "m", NULL, 0, &again, &error), WM_OK, "%s",
                 error.message);
    cr_expect_str_eq(again.bypass_list, kept);
    wm_text_add(&file, "k:pc1\n");
    write_file("long", file.data);
    cr_expect_eq(load("gpu.l1.bypass_list=@long", &machine, &error), WM_INVALID);
    cr_expect_str_eq(error.place, "long:1025");
    cr_expect(strstr(error.message, "16384 bytes"), "%s", error.message);
    wm_text_add(&setting, ",k:pc1");
    cr_expect_eq(load(setting.data, &machine, &error), WM_INVALID);
    cr_expect(strstr(error.hint, "16384 bytes"), "%s", error.hint);
    free(kept);
    wm_text_release(&text);
    wm_text_release(&file);
    wm_text_release(&setting);
}

Test(bypass_list, selectors_name_kernels_and_places)
{
    struct wm_bypass_selector selector;
    static const struct {
        const char *list, *symbol;
        uint32_t pc, ptx_line, source_line;
        bool named;
    } cases[] = {
        {"gemm:pc3", "gemm", 3, 30, 300, true},   {"gemm:pc3", "gemm", 4, 3, 3, false},
        {"gemm:ptx30", "gemm", 3, 30, 300, true}, {"gemm:line300", "gemm", 3, 30, 300, true},
        {"gemm:pc3", "gem", 3, 30, 300, false},   {"gemm:pc3", "gemm2", 3, 30, 300, false},
        {"gemm:pc3", "_Z4gemmPf", 3, 0, 0, true}, {"gemm:pc3", "_Z5gemmaPf", 3, 0, 0, false},
        {"*:line9", "whatever", 1, 2, 9, true},   {"_Z4gemmPf:pc3", "_Z4gemmPf", 3, 0, 0, true},
        {"gemm:line0", "gemm", 0, 0, 0, false},   {"gemm:ptx0", "gemm", 0, 0, 0, false},
        {"gemm:pc0", "gemm", 0, 0, 0, true},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        cr_assert_eq(wm_bypass_list_check(cases[i].list, NULL), WM_OK);
        const char *rest = wm_bypass_list_next(cases[i].list, &selector);
        cr_assert_not_null(rest);
        bool named =
            wm_bypass_means_kernel(&selector, cases[i].symbol) &&
            wm_bypass_means_place(&selector, cases[i].pc, cases[i].ptx_line, cases[i].source_line);
        cr_expect_eq(named, cases[i].named, "%s in %s", cases[i].list, cases[i].symbol);
        cr_expect_null(wm_bypass_list_next(rest, &selector));
    }
    cr_expect_null(wm_bypass_list_next("none", &selector));
    cr_expect_null(wm_bypass_list_next("", &selector));
    const char *rest = wm_bypass_list_next("a:pc1 ,  b:line22", &selector);
    rest = wm_bypass_list_next(rest, &selector);
    cr_assert_not_null(rest);
    cr_expect_eq(selector.length, strlen("b:line22"));
    cr_expect_eq(strncmp(selector.text, "b:line22", selector.length), 0);
}

// What each selector of a list says of a kernel's instruction.
Test(bypass_list, operators_behind_selectors)
{
    static const struct {
        const char *list;
        enum wm_bypass_list_entry says;
    } cases[] = {{"gemm:ptx12", WM_BYPASS_LISTED_BYPASS},
                 {"gemm:ptx12=ca", WM_BYPASS_LISTED_CACHE},
                 {"*:pc3=cg", WM_BYPASS_LISTED_L2},
                 {" gemm:line7=ca ", WM_BYPASS_LISTED_CACHE}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct wm_bypass_selector selector;
        cr_assert_eq(wm_bypass_list_check(cases[i].list, NULL), WM_OK);
        cr_assert_not_null(wm_bypass_list_next(cases[i].list, &selector));
        cr_expect_eq(selector.says->listed, cases[i].says, "%s", cases[i].list);
    }
}

Test(bypass_list, priorities_behind_selectors)
{
    static const struct {
        const char *list;
        bool l2;
        enum wm_bypass_list_entry says;
        enum wm_eviction_priority priority;
    } cases[] = {{"k:pc1=L1::no_allocate", false, WM_BYPASS_LISTED_NO_ALLOCATE, WM_EVICT_NORMAL},
                 {"k:pc1=L1::evict_first", false, WM_BYPASS_LISTED_CACHE, WM_EVICT_FIRST},
                 {"k:ptx1=L1::evict_last ", false, WM_BYPASS_LISTED_CACHE, WM_EVICT_LAST},
                 {"k:line1=L1::evict_unchanged", false, WM_BYPASS_LISTED_CACHE, WM_EVICT_UNCHANGED},
                 {"k:pc1=L1::evict_normal", false, WM_BYPASS_LISTED_CACHE, WM_EVICT_NORMAL},
                 {"k:pc1=L2::evict_first", true, WM_BYPASS_LISTED_NOT, WM_EVICT_FIRST},
                 {"k:pc1=L2::evict_last", true, WM_BYPASS_LISTED_NOT, WM_EVICT_LAST},
                 {"k:pc1=L2::evict_normal", true, WM_BYPASS_LISTED_NOT, WM_EVICT_NORMAL}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct wm_bypass_selector selector;
        cr_assert_eq(wm_bypass_list_check(cases[i].list, NULL), WM_OK, "%s", cases[i].list);
        cr_assert_not_null(wm_bypass_list_next(cases[i].list, &selector));
        cr_expect_eq(selector.says->l2, cases[i].l2, "%s", cases[i].list);
        cr_expect_eq(selector.says->listed, cases[i].says, "%s", cases[i].list);
        cr_expect_eq(selector.says->priority, cases[i].priority, "%s", cases[i].list);
        cr_expect_not(selector.says->keeps, "%s", cases[i].list);
    }
}

Test(bypass_list, words_that_are_none)
{
    static const char *const lists[] = {"k:pc1=L1::evict", "k:pc1=L1::evict_first_",
                                        "k:pc1=L2::ca",    "k:pc1=",
                                        "k:pc1=CG",        "k:pc1=evict_first"};
    struct wm_error error;
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++) {
        cr_expect_eq(wm_bypass_list_check(lists[i], &error), WM_INVALID, "%s", lists[i]);
        cr_expect(strstr(error.message, "is no word for caches") != NULL, "%s", error.message);
        cr_expect(strstr(error.hint, "L2::evict_unchanged") != NULL, "%s", error.hint);
    }
    cr_expect_eq(wm_bypass_list_check("k:pc=cx", &error), WM_INVALID);
    cr_expect(strstr(error.message, "names no instruction") != NULL, "%s", error.message);
}

// A priority that the machine's caches would not look at is an error, as it would do nothing.
Test(bypass_list, priorities_need_a_replacement_that_obeys)
{
    struct wm_memory_spec memory = {0};
    struct wm_error error;
    memory.levels[WM_LEVEL_L1].cache.replacement = &wm_replacement_lru;
    memory.levels[WM_LEVEL_L2].cache.replacement = &wm_replacement_priority;
    cr_expect_eq(wm_bypass_list_check_for("k:pc1=L2::evict_last,k:pc1=L1::no_allocate,k:pc2=cg",
                                          &memory, &error),
                 WM_OK);
    cr_expect_eq(wm_bypass_list_check_for("k:pc1=ca,k:pc1=L1::evict_last", &memory, &error),
                 WM_INVALID);
    cr_expect(strstr(error.message, "gpu.l1.replacement obeys none") != NULL, "%s", error.message);
    cr_expect_str_eq(error.hint, "set gpu.l1.replacement=priority");
    memory.levels[WM_LEVEL_L2].cache.replacement = memory.levels[WM_LEVEL_L1].cache.replacement;
    memory.levels[WM_LEVEL_L1].cache.replacement = &wm_replacement_priority;
    cr_expect_eq(wm_bypass_list_check_for("k:pc1=L2::evict_first", &memory, &error), WM_INVALID);
    cr_expect_str_eq(error.hint, "set gpu.l2.replacement=priority");
}

// Two modules may have a kernel of one name: each has what follows its hash, and what no hash is
// before.
Test(bypass_list, hashes_tell_modules_apart)
{
    static const char list[] = "k:pc1,k:hash=00000000000000AA,k:pc2,other:pc9,k:pc3=ca,"
                               "k:hash=00000000000000bb,k:pc4,*:pc5";
    static const struct {
        const char *symbol;
        uint64_t hash;
        uint32_t numbers[8], places[8], count;
    } cases[] = {{"k", 0xaa, {1, 2, 3}, {0, 2, 4}, 3},
                 {"k", 0xbb, {1, 4, 5}, {0, 6, 7}, 3},
                 {"_Z1kPf", 0xbb, {1, 4, 5}, {0, 6, 7}, 3},
                 {"k", 0xcc, {1}, {0}, 1},
                 {"other", 0, {9, 5}, {3, 7}, 2}};
    cr_assert_eq(wm_bypass_list_check(list, NULL), WM_OK);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct wm_bypass_reader reader;
        struct wm_bypass_selector selector;
        uint32_t count = 0;
        wm_bypass_reader_init(&reader, list, cases[i].symbol, cases[i].hash);
        for (; wm_bypass_reader_next(&reader, &selector); count++) {
            cr_assert_lt(count, cases[i].count, "case %zu", i);
            cr_expect_eq(selector.number, cases[i].numbers[count], "case %zu", i);
            cr_expect_eq(reader.number, cases[i].places[count], "case %zu", i);
        }
        cr_expect_eq(count, cases[i].count, "case %zu", i);
        cr_expect_not(wm_bypass_reader_next(&reader, &selector));
    }
}

Test(bypass_list, another_program_is_refused)
{
    static const char list[] = "k:hash=00000000000000aa,k:pc2,k:hash=00000000000000bb,o:pc9";
    struct wm_error error;
    cr_expect(wm_bypass_names_ptx(list, "k"));
    cr_expect_not(wm_bypass_names_ptx(list, "o"));
    cr_expect_not(wm_bypass_names_ptx("none", "k"));
    cr_expect_eq(wm_bypass_check_ptx(list, "k", 0xaa, &error), WM_OK);
    cr_expect_eq(wm_bypass_check_ptx(list, "k", 0xbb, &error), WM_OK);
    cr_expect_eq(wm_bypass_check_ptx(list, "o", 0xcc, &error), WM_OK);
    cr_expect_eq(wm_bypass_check_ptx(list, "k", 0xcc, &error), WM_INVALID);
    cr_expect(strstr(error.message, "00000000000000cc") != NULL, "%s", error.message);
    cr_expect_str_eq(error.place, "kernel k");
    cr_expect_eq(wm_bypass_check_ptx(list, "k", 0, &error), WM_INVALID);
    cr_expect(strstr(error.message, "without PTX") != NULL, "%s", error.message);
}
