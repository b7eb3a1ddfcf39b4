// What is written of decisions, for a program made by hand: a function of two kernels that decide
// differently, a load that never ran, two loads in one line, two modules.
#include "bypass/output.h"

#include "base/numbers/hash.h"
#include "machine/bypass_list.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char first_text[] =
    ".version 8.0\n.target sm_75\n.address_size 64\n"             // 1 to 3
    ".func shared_by_both(.reg .b64 %rd1)\n{\n.reg .f32 %f<9>;\n" // 4 to 6
    "ld.global.f32 %f1, [%rd1];\nret;\n}\n"                       // 7 to 9
    ".visible .entry often()\n{\n.reg .b64 %rd<9>;\n.reg .f32 %f<9>;\n"
    "ld.global.cg.f32 %f1, [%rd1]; ld.global.f32 %f2, [%rd1];\n" // 14
    "ld.global.ca.f32 %f3, [%rd1];\nret;\n}\n"                   // 15
    ".visible .entry seldom()\n{\n.reg .b64 %rd<9>;\n.reg .f32 %f<9>;\n"
    "ld.global.cg.f32 %f1, [%rd1];\nret;\n}\n"; // 22
static const char second_text[] =
    ".version 8.0\n.target sm_75\n.address_size 64\n.visible .entry third()\n{\n"
    ".reg .b64 %rd<9>;\n.reg .f32 %f<9>;\nld.global.f32 %f1, [%rd1];\nret;\n}\n"; // 8

enum { KERNELS = 3, MOST_LOADS = 4 };

static struct wm_profiled_kernel profiled[KERNELS];
static struct wm_load_record profiled_loads[KERNELS][MOST_LOADS];
static struct wm_bypass_load loads[KERNELS][MOST_LOADS];
static bool cached[KERNELS][MOST_LOADS];
static struct wm_bypass_kernel kernels[KERNELS];
static struct wm_ptx_module *modules[2];
static struct wm_bypass_program program = {
    .kernels = kernels, .kernel_count = KERNELS, .modules = modules, .module_count = 2};
static char folder[64];

static const struct wm_ptx_statement *load_at(const struct wm_ptx_module *module, uint32_t line,
                                              uint32_t number)
{
    for (uint32_t i = 0; i < module->item_count; i++) {
        if (module->items[i].kind != WM_PTX_ITEM_FUNCTION)
            continue;
        const struct wm_ptx_function *function = module->items[i].function;
        for (uint32_t s = 0; s < function->statement_count; s++)
            if (function->statements[s].line == line && number-- == 0)
                return &function->statements[s];
    }
    cr_assert(false, "no load in line %u", line);
    return NULL;
}

static const struct wm_ptx_function *function_of(const struct wm_ptx_module *module,
                                                 const struct wm_ptx_statement *statement)
{
    for (uint32_t i = 0; i < module->item_count; i++) {
        const struct wm_ptx_function *function = module->items[i].function;
        if (module->items[i].kind == WM_PTX_ITEM_FUNCTION && statement >= function->statements &&
            statement < function->statements + function->statement_count)
            return function;
    }
    return NULL;
}

static void add_load(uint32_t kernel, uint32_t line, uint32_t number, uint64_t executions,
                     bool uses_l1)
{
    struct wm_bypass_kernel *to = &kernels[kernel];
    uint32_t i = profiled[kernel].load_count;
    profiled_loads[kernel][i] = (struct wm_load_record){
        .pc = line * 10 + number, .ptx_line = line, .executions = executions};
    loads[kernel][i] = (struct wm_bypass_load){.number = i + 1,
                                               .statement = load_at(to->module, line, number),
                                               .profiled = &profiled_loads[kernel][i],
                                               .text = "ld.global.f32\n%f1, [%rd1]",
                                               .source_file = i == 0 ? "app.cu" : NULL,
                                               .source_line = 12};
    cached[kernel][i] = uses_l1;
    profiled[kernel].load_count = i + 1;
}

static void add_kernel(uint32_t kernel, const char *name, uint32_t module, const char *text)
{
    profiled[kernel] = (struct wm_profiled_kernel){
        .name = name, .module = "app.ptx", .loads = profiled_loads[kernel]};
    kernels[kernel] = (struct wm_bypass_kernel){.profiled = &profiled[kernel],
                                                .module = modules[module],
                                                .ptx_hash = wm_hash_bytes(text, strlen(text)),
                                                .loads = loads[kernel]};
    kernels[kernel].views[program.source].solutions[WM_BYPASS_HEURISTIC].cached = cached[kernel];
}

static void build(void)
{
    static const char *const texts[] = {first_text, second_text};
    struct wm_error error;
    for (int i = 0; i < 2; i++)
        cr_assert_eq(wm_ptx_parse(texts[i], strlen(texts[i]), "app.ptx", &modules[i], &error),
                     WM_OK, "%s %s", error.place, error.message);
    add_kernel(0, "seldom", 0, first_text);
    add_kernel(1, "often", 0, first_text);
    add_kernel(2, "third", 1, second_text);
    add_load(0, 7, 0, 10, true);
    add_load(0, 22, 0, 10, true);
    add_load(1, 7, 0, 11, false);
    add_load(1, 14, 0, 5, true);
    add_load(1, 14, 1, 5, false);
    add_load(1, 15, 0, 0, false);
    add_load(2, 8, 0, 1, false);
    snprintf(folder, sizeof folder, "/tmp/warpmem-output-XXXXXX");
    cr_assert_not_null(mkdtemp(folder));
    cr_assert_eq(chdir(folder), 0);
}

static void clear(void)
{
    static const char *const names[] = {"app.ptx", "app.2.ptx", "decisions"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        unlink(names[i]);
    cr_assert_eq(chdir("/"), 0);
    cr_expect_eq(rmdir(folder), 0, "nothing else is left");
    wm_ptx_module_free(modules[0]);
    wm_ptx_module_free(modules[1]);
}

TestSuite(bypass_output, .init = build, .fini = clear);

static void read_file(const char *path, struct wm_text *text)
{
    char buffer[4096];
    FILE *file = fopen(path, "re");
    cr_assert_not_null(file, "%s", path);
    wm_text_init(text);
    for (size_t got; (got = fread(buffer, 1, sizeof buffer, file)) > 0;)
        wm_text_append(text, buffer, got);
    fclose(file);
}

// Takes the place of `from`, which is there once.
static void replace(struct wm_text *text, const char *from, const char *to)
{
    struct wm_text made;
    wm_text_init(&made);
    char *at = strstr(text->data, from);
    cr_assert_not_null(at, "%s", from);
    wm_text_append(&made, text->data, (size_t)(at - text->data));
    wm_text_add(&made, to);
    wm_text_add(&made, at + strlen(from));
    wm_text_release(text);
    *text = made;
}

Test(bypass_output, who_executes_most_decides_a_shared_load)
{
    struct wm_text wanted, text;
    struct wm_error error;
    wm_text_init(&text);
    wm_text_init(&wanted);
    wm_text_add(&wanted, first_text);
    replace(&wanted, "\nld.global.f32 %f1, [%rd1];", "\nld.global.cg.f32 %f1, [%rd1];");
    replace(&wanted, "ld.global.cg.f32 %f1, [%rd1]; ld.global.f32 %f2",
            "ld.global.ca.f32 %f1, [%rd1]; ld.global.cg.f32 %f2");
    char *last = strstr(wanted.data, "seldom");
    memcpy(strstr(last, ".cg"), ".ca", 3);
    cr_assert_eq(wm_bypass_rewrite_module(&program, WM_BYPASS_HEURISTIC, modules[0], &text, &error),
                 WM_OK, "%s", error.message);
    cr_expect_str_eq(text.data, wanted.data);
    // Of equals the first one.
    profiled_loads[1][0].executions = 10;
    text.length = 0;
    cr_assert_eq(wm_bypass_rewrite_module(&program, WM_BYPASS_HEURISTIC, modules[0], &text, &error),
                 WM_OK);
    cr_expect(strstr(text.data, "%f<9>;\nld.global.ca.f32 %f1, [%rd1];\nret;\n}\n.visible") !=
              NULL);
    wm_text_release(&text);
    wm_text_release(&wanted);
}

Test(bypass_output, each_module_has_a_file)
{
    struct wm_error error;
    uint32_t count;
    cr_assert_eq(wm_bypass_write_ptx(&program, WM_BYPASS_HEURISTIC, "app.ptx", &count, &error),
                 WM_OK, "%s", error.message);
    cr_expect_eq(count, 2);
    struct wm_text first, second;
    read_file("app.ptx", &first);
    read_file("app.2.ptx", &second);
    cr_expect(strstr(first.data, ".entry often") != NULL);
    cr_expect(strstr(second.data, "ld.global.cg.f32 %f1, [%rd1];\nret;") != NULL, "%s",
              second.data);
    wm_text_release(&first);
    wm_text_release(&second);
    cr_expect_eq(wm_bypass_write_ptx(&program, WM_BYPASS_HEURISTIC, "none/app.ptx", &count, &error),
                 WM_IO);
    cr_expect_eq(count, 0);
}

Test(bypass_output, names_of_files)
{
    static const struct {
        const char *path;
        uint32_t number;
        const char *name;
    } cases[] = {{"app.ptx", 1, "app.ptx"},   {"app.ptx", 2, "app.2.ptx"},
                 {"a.b/app", 3, "a.b/app.3"}, {"a.b/app.ptx", 12, "a.b/app.12.ptx"},
                 {"a/.ptx", 2, "a/.ptx.2"},   {"-", 1, "-"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct wm_text name;
        wm_text_init(&name);
        wm_bypass_ptx_path(cases[i].path, cases[i].number, &name);
        cr_expect_str_eq(name.data, cases[i].name);
        wm_text_release(&name);
    }
}

// The file reads as a list that says of each kernel what was decided.
Test(bypass_output, decisions_are_a_bypass_list)
{
    struct wm_error error;
    struct wm_text text, list, wanted;
    cr_assert_eq(
        wm_bypass_write_decisions(&program, WM_BYPASS_HEURISTIC, "gtx480", "decisions", &error),
        WM_OK, "%s", error.message);
    read_file("decisions", &text);
    cr_expect(strstr(text.data, "Machine: gtx480; solver: heuristic.") != NULL, "%s", text.data);
    cr_expect(strstr(text.data, "# seldom:ptx7 uses L1   app.cu:12  ld.global.f32 %f1, [%rd1]\n") !=
                  NULL,
              "%s", text.data);
    cr_expect(strstr(text.data, "# often:ptx15 never ran") != NULL, "%s", text.data);
    wm_text_init(&list);
    wm_text_init(&wanted);
    cr_assert_eq(wm_bypass_list_read_text(text.data, text.length, "decisions", &list, &error),
                 WM_OK, "%s %s", error.place, error.message);
    unsigned long long first = wm_hash_bytes(first_text, strlen(first_text));
    wm_text_format(&wanted,
                   "seldom:hash=%016llx,seldom:ptx22=ca,often:hash=%016llx,often:ptx7=cg,"
                   "often:pc140=ca,often:pc141=cg,third:hash=%016llx,third:ptx8=cg",
                   first, first,
                   (unsigned long long)wm_hash_bytes(second_text, strlen(second_text)));
    cr_expect_str_eq(list.data, wanted.data);
    wm_text_release(&text);
    wm_text_release(&list);
    wm_text_release(&wanted);
}

// With hints, loads say these instead of what the solver decided: in the text and in the list.
Test(bypass_output, hints_take_the_place_of_the_solution)
{
    static const struct wm_load_hint often[MOST_LOADS] = {
        {WM_LOAD_L1_EVICT_LAST, WM_LOAD_L2_NORMAL},
        {WM_LOAD_CA, WM_LOAD_L2_EVICT_FIRST},
        {WM_LOAD_L1_NO_ALLOCATE, WM_LOAD_L2_EVICT_LAST},
        {WM_LOAD_CG, WM_LOAD_L2_NORMAL}};
    static const char *const settings[] = {"gpu.l1.bypass=per-pc", "gpu.l1.replacement=priority"};
    struct wm_error error;
    struct wm_text text, list;
    kernels[1].hints = often;
    program.settings = settings;
    program.setting_count = 2;
    for (uint32_t i = 0; i < profiled[1].load_count; i++)
        loads[1][i].function = function_of(modules[0], loads[1][i].statement);
    for (uint32_t i = 0; i < profiled[0].load_count; i++)
        loads[0][i].function = function_of(modules[0], loads[0][i].statement);
    wm_text_init(&text);
    cr_assert_eq(wm_bypass_rewrite_module(&program, WM_BYPASS_HEURISTIC, modules[0], &text, &error),
                 WM_OK, "%s", error.message);
    cr_expect(strstr(text.data, "\nld.global.L1::evict_last.f32 %f1, [%rd1];\n") != NULL, "%s",
              text.data);
    cr_expect(strstr(text.data, "\nld.global.ca.L2::cache_hint.f32 %f1, [%rd1], "
                                "%warpmem_evict_first_1; "
                                "ld.global.L1::no_allocate.L2::cache_hint.f32 %f2, [%rd1], "
                                "%warpmem_evict_last_1;\nld.global.ca.f32 %f3") != NULL,
              "%s", text.data);
    cr_expect(strncmp(text.data, ".version 8.0\n", 13) == 0);
    wm_text_release(&text);
    cr_assert_eq(
        wm_bypass_write_decisions(&program, WM_BYPASS_HEURISTIC, "a100", "decisions", &error),
        WM_OK, "%s", error.message);
    read_file("decisions", &text);
    cr_expect(strstr(text.data, "--set gpu.l1.bypass=per-pc --set gpu.l1.replacement=priority\n") !=
                  NULL,
              "%s", text.data);
    wm_text_init(&list);
    cr_assert_eq(wm_bypass_list_read_text(text.data, text.length, "decisions", &list, &error),
                 WM_OK, "%s %s", error.place, error.message);
    cr_expect(strstr(list.data, ",often:ptx7=L1::evict_last,often:pc140=ca,"
                                "often:pc140=L2::evict_first,often:pc141=L1::no_allocate,"
                                "often:pc141=L2::evict_last,third:hash=") != NULL,
              "%s", list.data);
    wm_text_release(&text);
    wm_text_release(&list);
    kernels[1].hints = NULL;
    program.settings = NULL;
    program.setting_count = 0;
}

// What gpu.l1.bypass_list cannot hold is not written.
Test(bypass_output, too_many_decisions)
{
    struct wm_error error;
    char *name = malloc(WM_BYPASS_LIST_BYTES);
    memset(name, 'k', WM_BYPASS_LIST_BYTES - 1);
    name[WM_BYPASS_LIST_BYTES - 1] = '\0';
    profiled[2].name = name;
    cr_expect_eq(
        wm_bypass_write_decisions(&program, WM_BYPASS_HEURISTIC, "gtx480", "decisions", &error),
        WM_LIMIT);
    cr_expect(strstr(error.message, "16384") != NULL, "%s", error.message);
    cr_expect_neq(access("decisions", F_OK), 0);
    free(name);
}

Test(bypass_output, programs_that_are_none)
{
    struct wm_error error;
    cr_expect_eq(wm_bypass_write_program(&program, WM_BYPASS_HEURISTIC, "/proc/self/exe", "app.ptx",
                                         NULL, &error),
                 WM_NOT_FOUND);
    cr_expect_str_eq(error.place, "/proc/self/exe");
    cr_expect(strstr(error.message, "no embedded device code") != NULL, "%s", error.message);
    cr_expect_eq(
        wm_bypass_write_program(&program, WM_BYPASS_HEURISTIC, "gone", "app.ptx", NULL, &error),
        WM_IO);
    cr_expect_neq(access("app.ptx", F_OK), 0, "nothing is written");
}
