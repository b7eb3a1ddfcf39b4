// Where instructions are in the source, of inlined functions too (PTX ISA, ".loc").
#include "exec_harness.h"

static struct harness harness;

static void finish(void)
{
    harness_release(&harness);
}

// The loads of a kernel, in order.
static const struct wm_kernel_instruction *load(const struct wm_kernel *kernel, uint32_t number)
{
    for (uint32_t pc = 0; pc < kernel->instruction_count; pc++)
        if (kernel->instructions[pc].is_memory && number-- == 0)
            return &kernel->instructions[pc];
    cr_assert(false, "no such load");
    return NULL;
}

static void expect_place(const struct wm_kernel_instruction *it, const char *file, uint32_t line)
{
    cr_expect_str_eq(it->source_file, file);
    cr_expect_eq(it->source_line, line, "%u, not %u", it->source_line, line);
}

static void expect_chain(const struct wm_kernel_instruction *it, const uint32_t (*places)[2],
                         uint32_t count)
{
    static const char *const files[] = {"", "app.cu", "/usr/local/cuda/include/loads.hpp",
                                        "tile.cuh"};
    cr_assert_eq(it->inlined_count, count, "%u places", it->inlined_count);
    for (uint32_t i = 0; i < count; i++) {
        cr_expect_str_eq(it->inlined[i].file, files[places[i][0]]);
        cr_expect_eq(it->inlined[i].line, places[i][1]);
    }
}

#define FILES \
    ".file 1 \"app.cu\"\n.file 2 \"/usr/local/cuda/include/loads.hpp\"\n.file 3 \"tile.cuh\"\n"
#define KERNEL(body)                                                            \
    FILES ".visible .entry k(.param .u64 out) {\n.reg .b32 %v; .reg .b64 %o;\n" \
          "ld.param.u64 %o, [out];\n" body "\nret; }\n"
#define LOAD "ld.global.u32 %v, [%o];\n"

// As nvcc writes it: the frames from the outermost, each with the place of its call.
Test(source_places, of_a_toolkits_function_the_call_in_the_program, .fini = finish)
{
    harness_init(&harness,
                 KERNEL(".loc 1 13 5\n"
                        ".loc 3 6 5, function_name $L0, inlined_at 1 13 5\n"
                        ".loc 3 4 73, function_name $L1, inlined_at 3 6 5\n"
                        ".loc 2 134 49, function_name $L2, inlined_at 3 4 73\n" LOAD
                        ".loc 2 107 3, function_name $L3, inlined_at 1 20 9\n" LOAD
                        ".loc 1 21 5\n" LOAD),
                 32, wm_host_best_isa(), false);
    const struct wm_kernel *kernel = harness_kernel(&harness, "k");
    expect_place(load(kernel, 0), "tile.cuh", 4); // the program's own inlined function
    expect_chain(load(kernel, 0), (const uint32_t[][2]){{2, 134}, {3, 4}, {3, 6}, {1, 13}}, 4);
    expect_place(load(kernel, 1), "app.cu", 20);
    expect_chain(load(kernel, 1), (const uint32_t[][2]){{2, 107}, {1, 20}}, 2);
    expect_place(load(kernel, 2), "app.cu", 21);
    cr_expect_eq(load(kernel, 2)->inlined_count, 0);
}

// The same line is inlined twice: the nearest frame above says from where.
Test(source_places, the_nearest_frame_above_is_the_callers, .fini = finish)
{
    harness_init(&harness,
                 KERNEL(".loc 2 5 1, function_name $L0, inlined_at 1 13 5\n"
                        ".loc 2 9 1, function_name $L1, inlined_at 2 5 1\n" LOAD
                        ".loc 2 5 1, function_name $L0, inlined_at 1 14 5\n"
                        ".loc 2 9 1, function_name $L1, inlined_at 2 5 1\n" LOAD),
                 32, wm_host_best_isa(), false);
    const struct wm_kernel *kernel = harness_kernel(&harness, "k");
    expect_place(load(kernel, 0), "app.cu", 13);
    expect_place(load(kernel, 1), "app.cu", 14);
}

// A frame that is its own caller, as no compiler writes it, ends all the same.
Test(source_places, a_chain_ends, .fini = finish)
{
    harness_init(&harness,
                 KERNEL(".loc 2 5 1, function_name $L0, inlined_at 2 5 1\n" LOAD
                        ".loc 2 5 1, function_name $L0, inlined_at 2 5 1\n" LOAD
                        ".loc 2 5 1, function_name $L0, inlined_at 9 5 1\n" LOAD),
                 32, wm_host_best_isa(), false);
    const struct wm_kernel *kernel = harness_kernel(&harness, "k");
    cr_expect_eq(load(kernel, 0)->inlined_count, 2);
    cr_expect_eq(load(kernel, 1)->inlined_count, 3);
    cr_expect_eq(load(kernel, 2)->inlined_count, 2);
    cr_expect_null(load(kernel, 2)->source_file, "there is no file 9");
}
