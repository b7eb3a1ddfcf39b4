// What loads say of caches is rewritten, and nothing else of the text.
#include "base/random.h"
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
            choices[(*count)++] = (struct wm_ptx_cache_choice){statement, WM_PTX_none};
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
