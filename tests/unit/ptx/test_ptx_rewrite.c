// What loads say of caches is rewritten, and nothing else of the text.
#include "base/numbers/random.h"
#include "ptx/rewrite.h"

#include <criterion/criterion.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct wm_ptx_module *parse(const char *text)
{
    struct wm_ptx_module *module;
    struct wm_error error;
    char buffer[1024];
    wm_error_clear(&error);
    cr_assert_eq(wm_ptx_parse(text, strlen(text), "test.ptx", &module, &error), WM_OK, "%s",
                 wm_error_format(&error, buffer, sizeof buffer));
    return module;
}

// All loads that may be chosen, with that modifier each.
static struct wm_ptx_cache_choice *choose(const struct wm_ptx_module *module, uint32_t *count)
{
    struct wm_ptx_cache_choice *choices = NULL;
    *count = 0;
    for (uint32_t i = 0; i < module->item_count; i++) {
        if (module->items[i].kind != WM_PTX_ITEM_FUNCTION)
            continue;
        const struct wm_ptx_function *function = module->items[i].function;
        for (uint32_t s = 0; s < function->statement_count; s++) {
            const struct wm_ptx_statement *statement = &function->statements[s];
            if (statement->kind != WM_PTX_STATEMENT_INSTRUCTION ||
                !wm_ptx_may_choose_cache(statement->instruction, NULL))
                continue;
            choices = realloc(choices, (*count + 1) * sizeof *choices);
            choices[(*count)++] = (struct wm_ptx_cache_choice){
                .load = statement, .modifier = WM_PTX_none, .function = function};
        }
    }
    return choices;
}

static char *rewrite(const struct wm_ptx_module *module, const struct wm_ptx_cache_choice *choices,
                     uint32_t count)
{
    struct wm_text text;
    struct wm_error error;
    wm_text_init(&text);
    cr_assert_eq(wm_ptx_rewrite_caches(module, choices, count, &text, &error), WM_OK, "%s",
                 error.message);
    return wm_text_take(&text);
}

#define HEADER                                                                             \
    ".version 7.8\n.target sm_70\n.address_size 64\n.visible .entry k(.param .u64 p)\n{\n" \
    ".reg .b64 %%rd<4>;\n.reg .b32 %%r<4>;\n.reg .f32 %%f<8>;\n.reg .pred %%p<2>;\n"

static void expect(const char *before, enum wm_ptx_modifier modifier, const char *after)
{
    char text[1024], wanted[1024];
    snprintf(text, sizeof text, HEADER "%s\nret;\n}\n", before);
    snprintf(wanted, sizeof wanted, HEADER "%s\nret;\n}\n", after);
    struct wm_ptx_module *module = parse(text);
    uint32_t count;
    struct wm_ptx_cache_choice *choices = choose(module, &count);
    for (uint32_t i = 0; i < count; i++)
        choices[i].modifier = modifier;
    char *result = rewrite(module, choices, count);
    cr_expect_str_eq(result, wanted);
    wm_ptx_module_free(parse(result));
    free(result);
    free(choices);
    wm_ptx_module_free(module);
}

Test(ptx_rewrite, the_operator_stands_behind_the_state_space)
{
    expect("ld.global.f32 %f1, [%rd1];", WM_PTX_cg, "ld.global.cg.f32 %f1, [%rd1];");
    expect("ld.global.f32 %f1, [%rd1];", WM_PTX_ca, "ld.global.ca.f32 %f1, [%rd1];");
    expect("ld.f32 %f1, [%rd1];", WM_PTX_cg, "ld.cg.f32 %f1, [%rd1];");
    expect("ld.weak.global.f32 %f1, [%rd1];", WM_PTX_cg, "ld.weak.global.cg.f32 %f1, [%rd1];");
    expect("ld.global.nc.f32 %f1, [%rd1];", WM_PTX_cg, "ld.global.cg.nc.f32 %f1, [%rd1];");
    expect("ld.global.v4.f32 {%f1, %f2, %f3, %f4}, [%rd1+16];", WM_PTX_cg,
           "ld.global.cg.v4.f32 {%f1, %f2, %f3, %f4}, [%rd1+16];");
}

Test(ptx_rewrite, the_operator_that_was_there_goes)
{
    expect("ld.global.cg.f32 %f1, [%rd1];", WM_PTX_ca, "ld.global.ca.f32 %f1, [%rd1];");
    expect("ld.global.ca.f32 %f1, [%rd1];", WM_PTX_none, "ld.global.f32 %f1, [%rd1];");
    expect("ld.global.cg.nc.v2.u32 {%r1, %r2}, [%rd1];", WM_PTX_none,
           "ld.global.nc.v2.u32 {%r1, %r2}, [%rd1];");
}

Test(ptx_rewrite, a_priority_stands_where_the_isa_wants_it)
{
    expect("ld.global.f32 %f1, [%rd1];", WM_PTX_L1_no_allocate,
           "ld.global.L1::no_allocate.f32 %f1, [%rd1];");
    expect("ld.global.nc.f32 %f1, [%rd1];", WM_PTX_L1_evict_first,
           "ld.global.nc.L1::evict_first.f32 %f1, [%rd1];");
    expect("ld.global.cg.f32 %f1, [%rd1];", WM_PTX_L1_evict_last,
           "ld.global.L1::evict_last.f32 %f1, [%rd1];");
}

// ---- Policies for L2, and versions
// -----------------------------------------------------------------

static void expect_policies(const char *before, enum wm_ptx_modifier l1,
                            const enum wm_ptx_modifier *l2, const char *after)
{
    char text[2048], wanted[2048];
    static const char head[] = ".version 7.8\n.target sm_80\n.address_size 64\n";
    snprintf(text, sizeof text, "%s%s", head, before);
    snprintf(wanted, sizeof wanted, "%s%s", head, after);
    struct wm_ptx_module *module = parse(text);
    uint32_t count;
    struct wm_ptx_cache_choice *choices = choose(module, &count);
    for (uint32_t i = 0; i < count; i++) {
        choices[i].modifier = l1;
        choices[i].l2 = l2[i];
    }
    char *result = rewrite(module, choices, count);
    cr_expect_str_eq(result, wanted);
    wm_ptx_module_free(parse(result));
    free(result);
    free(choices);
    wm_ptx_module_free(module);
}

Test(ptx_rewrite, a_policy_is_made_once_where_the_body_begins)
{
    static const enum wm_ptx_modifier three[] = {WM_PTX_L2_evict_last, WM_PTX_none,
                                                 WM_PTX_L2_evict_last};
    expect_policies(
        ".visible .entry k()\n{\n{\n.reg .b64 %rd<4>;\n.reg .f32 %f<8>;\n.reg .pred %p;\n"
        "ld.global.f32 %f1, [%rd1];\n@%p ld.global.nc.v2.f32 {%f1, %f2}, [%rd1+8];\n"
        "ld.global.cg.f32 %f3 , [ %rd1 ] ;\n}\nret;\n}\n",
        WM_PTX_L1_evict_first, three,
        ".visible .entry k()\n{\n.reg .b64 %warpmem_evict_last_1; "
        "createpolicy.fractional.L2::evict_last.b64 %warpmem_evict_last_1; {\n"
        ".reg .b64 %rd<4>;\n.reg .f32 %f<8>;\n.reg .pred %p;\n"
        "ld.global.L1::evict_first.L2::cache_hint.f32 %f1, [%rd1], %warpmem_evict_last_1;\n"
        "@%p ld.global.nc.L1::evict_first.v2.f32 {%f1, %f2}, [%rd1+8];\n"
        "ld.global.L1::evict_first.L2::cache_hint.f32 %f3 , [ %rd1 ] , %warpmem_evict_last_1;\n"
        "}\nret;\n}\n");
}

Test(ptx_rewrite, each_function_makes_its_own_policies)
{
    static const enum wm_ptx_modifier three[] = {WM_PTX_L2_evict_last, WM_PTX_L2_evict_first,
                                                 WM_PTX_L2_evict_first};
    expect_policies(
        ".func f(.reg .b64 %a)\n{\n.reg .f32 %f<9>;\n// %warpmem_evict_first_1\n"
        "ld.global.f32 %f1, [%a];\nld.f32 %f2, [%a];\nret;\n}\n"
        ".func g(.reg .b64 %a)\n{ .reg .f32 %f<9>;\nld.global.f32 %f1, [%a];\nret;\n}\n",
        WM_PTX_ca, three,
        ".func f(.reg .b64 %a)\n{\n.reg .b64 %warpmem_evict_first_2; "
        "createpolicy.fractional.L2::evict_first.b64 %warpmem_evict_first_2; "
        ".reg .b64 %warpmem_evict_last_1; "
        "createpolicy.fractional.L2::evict_last.b64 %warpmem_evict_last_1; "
        ".reg .f32 %f<9>;\n// %warpmem_evict_first_1\n"
        "ld.global.ca.L2::cache_hint.f32 %f1, [%a], %warpmem_evict_last_1;\n"
        "ld.ca.L2::cache_hint.f32 %f2, [%a], %warpmem_evict_first_2;\nret;\n}\n"
        ".func g(.reg .b64 %a)\n{ .reg .b64 %warpmem_evict_first_3; "
        "createpolicy.fractional.L2::evict_first.b64 %warpmem_evict_first_3; "
        ".reg .f32 %f<9>;\nld.global.ca.L2::cache_hint.f32 %f1, [%a], %warpmem_evict_first_3;\n"
        "ret;\n}\n");
}

static void expect_version(const char *version, const char *target, enum wm_ptx_modifier modifier,
                           const char *wanted)
{
    char text[512], head[64];
    snprintf(text, sizeof text,
             "// one\n .version\t%s // two\n.target %s\n.address_size 64\n.entry k()\n{\n"
             ".reg .b64 %%a;\n.reg .f32 %%f<9>;\nld.global.f32 %%f1, [%%a];\nret;\n}\n",
             version, target);
    snprintf(head, sizeof head, "// one\n .version\t%s // two\n.target %s\n", wanted, target);
    struct wm_ptx_module *module = parse(text);
    uint32_t count;
    struct wm_ptx_cache_choice *choices = choose(module, &count);
    cr_assert_eq(count, 1);
    choices[0].modifier = modifier;
    char *result = rewrite(module, choices, count);
    cr_expect_eq(strncmp(result, head, strlen(head)), 0, "%s", result);
    free(result);
    free(choices);
    wm_ptx_module_free(module);
}

Test(ptx_rewrite, a_version_rises_where_it_has_to)
{
    expect_version("6.5", "sm_70", WM_PTX_L1_evict_last, "7.4");
    expect_version("7.3", "sm_80", WM_PTX_L1_no_allocate, "7.4");
    expect_version("7.4", "sm_80", WM_PTX_L1_evict_last, "7.4");
    expect_version("9.0", "sm_80", WM_PTX_L1_evict_last, "9.0");
    expect_version("6.5", "sm_70", WM_PTX_cg, "6.5");
    expect_version("7.0", "sm_70", WM_PTX_none, "7.0");
}

Test(ptx_rewrite, what_a_text_may_say)
{
    static const struct {
        const char *version, *target;
        bool l1, l2;
    } cases[] = {{"6.4", "sm_70", false, false}, {"6.5", "sm_70", true, false},
                 {"7.1", "sm_80", true, true},   {"7.8", "sm_61", false, false},
                 {"8.0", "sm_75", true, false},  {"9.0", "sm_90a", true, true}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char text[128];
        snprintf(text, sizeof text, ".version %s\n.target %s\n.address_size 64\n", cases[i].version,
                 cases[i].target);
        struct wm_ptx_module *module = parse(text);
        cr_expect_eq(wm_ptx_may_prioritise(module, false), cases[i].l1, "%s", text);
        cr_expect_eq(wm_ptx_may_prioritise(module, true), cases[i].l2, "%s", text);
        wm_ptx_module_free(module);
    }
}

// Guards, several statements in a line, comments, blanks and line ends stay.
Test(ptx_rewrite, everything_else_stays)
{
    expect("@%p1 ld.global.f32 %f1, [%rd1]; // ld.global.f32", WM_PTX_cg,
           "@%p1 ld.global.cg.f32 %f1, [%rd1]; // ld.global.f32");
    expect("@!%p1 ld.global.f32 %f1, [%rd1];\tld.global.f32 %f2, [%rd2];", WM_PTX_cg,
           "@!%p1 ld.global.cg.f32 %f1, [%rd1];\tld.global.cg.f32 %f2, [%rd2];");
    expect("/* ld.global.u32 */ ld /* a */ .global\n  .ca .f32 %f1 ,\t[ %rd1 + 4 ] ;\r", WM_PTX_cg,
           "/* ld.global.u32 */ ld /* a */ .global.cg\n   .f32 %f1 ,\t[ %rd1 + 4 ] ;\r");
}

Test(ptx_rewrite, what_is_bound_says_why)
{
    static const struct {
        const char *text, *why;
    } cases[] = {
        {"ld.volatile.global.f32 %f1, [%rd1];", "is volatile"},
        {"ld.relaxed.gpu.global.f32 %f1, [%rd1];", "is ordered with other threads' accesses"},
        {"ld.acquire.sys.global.f32 %f1, [%rd1];", "is ordered with other threads' accesses"},
        {"ld.global.cs.f32 %f1, [%rd1];", "names a cache operator other than .ca and .cg"},
        {"ld.global.cv.f32 %f1, [%rd1];", "names a cache operator other than .ca and .cg"},
        {"ld.global.L1::no_allocate.f32 %f1, [%rd1];", "names an eviction priority"},
        {"ld.shared.f32 %f1, [%r1];", "is not of global memory"},
        {"ld.param.u64 %rd1, [p];", "is not of global memory"},
        {"st.global.f32 [%rd1], %f1;", "is no ld"},
        {"ld.global.f32 %f1, [%rd1];", NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char text[1024];
        snprintf(text, sizeof text, HEADER "%s\nret;\n}\n", cases[i].text);
        struct wm_ptx_module *module = parse(text);
        const struct wm_ptx_function *function = module->items[0].function;
        const char *why = "nothing found";
        for (uint32_t s = 0; s < function->statement_count; s++)
            if (function->statements[s].line == 10)
                wm_ptx_may_choose_cache(function->statements[s].instruction, &why);
        if (cases[i].why == NULL)
            cr_expect_null(why);
        else
            cr_expect_str_eq(why, cases[i].why);
        wm_ptx_module_free(module);
    }
}

// Every sample: whatever is chosen, the text has the same modules but for that; and to choose what
// was there gives the text back to the byte.
static void go_there_and_back(const char *path, struct wm_random *random)
{
    static const enum wm_ptx_modifier modifiers[] = {WM_PTX_none, WM_PTX_ca, WM_PTX_cg,
                                                     WM_PTX_L1_no_allocate};
    FILE *file = fopen(path, "re");
    cr_assert_not_null(file);
    static char text[1 << 20];
    size_t length = fread(text, 1, sizeof text - 1, file);
    fclose(file);
    text[length] = '\0';
    struct wm_ptx_module *module;
    struct wm_error error;
    wm_error_clear(&error);
    if (wm_ptx_parse(text, length, path, &module, &error) != WM_OK)
        return;
    uint32_t count, again;
    struct wm_ptx_cache_choice *choices = choose(module, &count);
    for (uint32_t i = 0; i < count; i++)
        choices[i].modifier = modifiers[wm_random_below(random, 3)];
    char *result = rewrite(module, choices, count);
    struct wm_ptx_module *changed = parse(result);
    struct wm_ptx_cache_choice *back = choose(changed, &again);
    cr_assert_eq(again, count, "%s", path);
    for (uint32_t i = 0; i < count; i++) {
        cr_expect_eq(back[i].load->instruction->cache == WM_PTX_cg,
                     choices[i].modifier == WM_PTX_cg, "%s", path);
        back[i].modifier = wm_ptx_has(choices[i].load->instruction, WM_PTX_cg)   ? WM_PTX_cg
                           : wm_ptx_has(choices[i].load->instruction, WM_PTX_ca) ? WM_PTX_ca
                                                                                 : WM_PTX_none;
    }
    char *original = rewrite(changed, back, count);
    cr_expect_str_eq(original, module->source, "%s", path);
    free(original);
    free(back);
    wm_ptx_module_free(changed);
    free(result);
    free(choices);
    wm_ptx_module_free(module);
}

Test(ptx_rewrite, samples_come_back_to_the_byte)
{
    DIR *folder = opendir(PTX_SAMPLES);
    cr_assert_not_null(folder);
    struct wm_random random;
    wm_random_init(&random, 1, "rewrite");
    uint32_t count = 0;
    for (struct dirent *entry; (entry = readdir(folder)) != NULL;) {
        size_t length = strlen(entry->d_name);
        if (length < 4 || strcmp(entry->d_name + length - 4, ".ptx") != 0)
            continue;
        char path[4096];
        snprintf(path, sizeof path, "%s/%s", PTX_SAMPLES, entry->d_name);
        go_there_and_back(path, &random);
        count++;
    }
    closedir(folder);
    cr_expect_gt(count, 5);
}
