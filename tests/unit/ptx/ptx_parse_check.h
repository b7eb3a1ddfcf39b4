// Shared by the tests of src/ptx: parse or fail the test with the error as people read it.
#ifndef PTX_PARSE_CHECK_H
#define PTX_PARSE_CHECK_H

#include "ptx/ptx.h"

#include <criterion/criterion.h>

#define PTX_HEADER ".version 9.0\n.target sm_75\n.address_size 64\n"
// A kernel with a few registers of each kind around some statements.
#define PTX_BODY(statements)                                          \
    PTX_HEADER ".visible .entry f(.param .u64 a, .param .u32 n)\n{\n" \
               ".reg .pred %p<8>;\n.reg .b16 %rs<8>;\n.reg .b32 "     \
               "%r<32>;\n.reg .b64 %rd<32>;\n"                        \
               ".reg .f32 %f<32>;\n.reg .f64 %fd<32>;\n" statements "\n}\n"

static inline struct wm_ptx_module *parse_or_fail(const char *text)
{
    struct wm_ptx_module *module;
    struct wm_error error;
    char shown[2048];
    enum wm_status status = wm_ptx_parse(text, strlen(text), "t.ptx", &module, &error);
    cr_assert_eq(status, WM_OK, "%s", wm_error_format(&error, shown, sizeof shown));
    return module;
}

// Prints the module, parses the print, and requires equality.
static inline void check_round_trip(const struct wm_ptx_module *module)
{
    struct wm_text text, difference;
    wm_text_init(&text);
    wm_text_init(&difference);
    wm_ptx_print(module, &text);
    cr_assert_not(text.failed);
    struct wm_ptx_module *again = parse_or_fail(text.data);
    cr_assert(wm_ptx_module_equal(module, again, &difference), "%s in\n%s", difference.data,
              text.data);
    wm_ptx_module_free(again);
    wm_text_release(&text);
    wm_text_release(&difference);
}

static inline const struct wm_ptx_function *only_function(const struct wm_ptx_module *module)
{
    for (uint32_t i = 0; i < module->item_count; i++)
        if (module->items[i].kind == WM_PTX_ITEM_FUNCTION && module->items[i].function->defined)
            return module->items[i].function;
    cr_assert_fail("no function");
    return NULL;
}

// The n-th instruction of a function.
static inline const struct wm_ptx_instruction *instruction_at(
    const struct wm_ptx_function *function, uint32_t n)
{
    for (uint32_t i = 0; i < function->statement_count; i++)
        if (function->statements[i].kind == WM_PTX_STATEMENT_INSTRUCTION && n-- == 0)
            return function->statements[i].instruction;
    cr_assert_fail("no such instruction");
    return NULL;
}

#endif
