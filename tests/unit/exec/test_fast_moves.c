// Which way a load or store goes is decided when it is decoded: one for all lanes at once, but for
// the forms that are listed here as exceptions. test_moves.c shows that the fast ways do not
// refuse.
#include "base/text/text.h"
#include "exec/interpreter.h"
#include "exec/operations/local_ops.h"
#include "exec/operations/memory_ops.h"

#include <criterion/criterion.h>

static const struct moved {
    const char *type, *values;
} moved[] = {
    {".u8", "%h2"},
    {".s8", "%r2"},
    {".s8", "%h2"},
    {".b8", "%r2"},
    {".u16", "%h2"},
    {".s16", "%r2"},
    {".b16", "%h2"},
    {".u32", "%r2"},
    {".s32", "%d2"},
    {".u32", "%d2"},
    {".f32", "%f2"},
    {".u64", "%d2"},
    {".f64", "%g2"},
    {".v2.u8", "{%h2, %h3}"},
    {".v4.u8", "{%h2, %h3, %h4, %h5}"},
    {".v4.s8", "{%r2, %r3, %r4, %r5}"},
    {".v2.u16", "{%h2, %h3}"},
    {".v4.u16", "{%h2, %h3, %h4, %h5}"},
    {".v2.f32", "{%f2, %f3}"},
    {".v4.f32", "{%f2, %f3, %f4, %f5}"},
    {".v4.u32", "{%r2, %r3, %r4, %r5}"},
    {".v2.f64", "{%g2, %g3}"},
    {".v2.u64", "{%d2, %d3}"},
};

// The handler of the one instruction before the exit of a kernel that is nothing else.
static wm_op_handler *handler_of(const char *instruction, uint32_t width)
{
    struct wm_text text;
    struct wm_error error = {0};
    struct wm_ptx_module *module;
    struct wm_device_memory *memory;
    struct wm_program *program;
    const struct wm_kernel *kernel;
    struct wm_program_options options = {.warp_width = width, .isa = wm_host_best_isa()};
    wm_text_init(&text);
    wm_text_format(&text,
                   ".version 8.0\n.target sm_80\n.address_size 64\n.const .align 16 .b8 c[64];\n"
                   ".visible .entry k(.param .align 16 .b8 p[64])\n{\n.reg .b16 %%h<8>;\n"
                   ".reg .b32 %%r<8>;\n.reg .b64 %%d<8>;\n.reg .f32 %%f<8>;\n.reg .f64 %%g<8>;\n"
                   ".local .align 16 .b8 l[64];\n%s\nret;\n}\n",
                   instruction);
    cr_assert_eq(wm_ptx_parse(text.data, text.length, "k", &module, &error), WM_OK, "%s: %s",
                 instruction, error.message);
    cr_assert_eq(wm_device_memory_new(1 << 20, &memory, &error), WM_OK, "%s", error.message);
    cr_assert_eq(wm_program_load(module, memory, &options, &program, &error), WM_OK, "%s: %s",
                 instruction, error.message);
    cr_assert_eq(wm_program_kernel(program, "k", &kernel, &error), WM_OK, "%s: %s", instruction,
                 error.message);
    const struct wm_decoded_kernel *decoded = (const struct wm_decoded_kernel *)kernel;
    cr_assert_geq(decoded->op_count, 2u);
    wm_op_handler *run = decoded->ops[0].run;
    wm_program_free(program);
    wm_device_memory_free(memory);
    wm_text_release(&text);
    return run;
}

static bool is_fast(wm_op_handler *run)
{
    return run == wm_run_move_global || run == wm_run_move_shared || run == wm_run_move_vector ||
           run == wm_run_move_local || run == wm_run_kernel_param || run == wm_run_kernel_params;
}

static void check(const char *operation, const char *space, const char *address, uint32_t width)
{
    for (size_t i = 0; i < sizeof moved / sizeof *moved; i++) {
        char instruction[128];
        // A register wider than what is stored is cut off, which only compilers for tests write.
        if (strcmp(operation, "st") == 0 && strstr(moved[i].values, "%d") &&
            strstr(moved[i].type, "32"))
            continue;
        if (strcmp(operation, "ld") == 0)
            snprintf(instruction, sizeof instruction, "ld%s%s %s, [%s];", space, moved[i].type,
                     moved[i].values, address);
        else
            snprintf(instruction, sizeof instruction, "st%s%s [%s], %s;", space, moved[i].type,
                     address, moved[i].values);
        // Words of local memory go to registers of 64 bits lane by lane.
        bool exception = strcmp(space, ".local") == 0 && strstr(moved[i].type, "32") &&
                         strstr(moved[i].values, "%d");
        cr_expect_eq(is_fast(handler_of(instruction, width)), !exception, "%s", instruction);
    }
}

Test(fast_moves, each_space)
{
    static const struct {
        const char *operation, *space, *address;
    } ways[] = {
        {"ld", ".global", "%d1"}, {"st", ".global", "%d1+16"},
        {"ld", ".shared", "%r1"}, {"st", ".shared", "%r1"},
        {"ld", ".shared", "%d1"}, {"st", ".shared", "%d1+16"},
        {"ld", ".const", "%d1"},  {"ld", ".const", "c+16"},
        {"ld", "", "%d1"},        {"st", "", "%d1"},
        {"ld", ".local", "%d1"},  {"st", ".local", "%d1"},
        {"ld", ".local", "l+16"}, {"st", ".local", "l+16"},
        {"ld", ".param", "p+16"}, {"ld", ".volatile.global", "%d1"},
    };
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++)
        check(ways[i].operation, ways[i].space, ways[i].address, 32);
}

Test(fast_moves, wavefronts_of_64)
{
    check("ld", ".global", "%d1", 64);
    check("st", ".shared", "%r1", 64);
    cr_expect_not(is_fast(handler_of("ld.local.u32 %r2, [%d1];", 64)));
}

Test(fast_moves, what_has_none)
{
    cr_expect_not(is_fast(handler_of("atom.global.add.u32 %r2, [%d1], %r3;", 32)));
    cr_expect_not(is_fast(handler_of("ld.global.u8 %d2, [%d1];", 32)));
    cr_expect_not(is_fast(handler_of("ld.global.v4.f32 {%f2, _, %f4, %f5}, [%d1];", 32)));
}
