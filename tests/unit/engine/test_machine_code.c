// The estimate of machine code, rule by rule: PTX as compilers write it, and how many issue slots
// each instruction takes. Expectations are counted by hand from the instructions that the machine
// has (engine/issue/machine_code.c and machine_code_expansions.c name them).
#include "engine/issue/issue_table.h"
#include "engine/issue/machine_code.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

enum { MOST_LINES = 16 };

struct line {
    const char *text; // "@%p1 bra L" with a guard, "L:" a label
    unsigned slots;
};

// A kernel of these lines.
struct lines {
    struct wm_work work;
    const struct line *lines;
    char guard[16];
    uint32_t line[MOST_LINES + 2]; // by pc, from 0: of the lines
    char text[1024];
};

static void describe(const void *work, uint32_t pc, struct wm_instruction_facts *facts,
                     struct wm_text *text)
{
    struct lines *lines = (struct lines *)(uintptr_t)work;
    const char *at = lines->lines[lines->line[pc]].text;
    *facts = (struct wm_instruction_facts){.exists = true, .ptx_line = lines->line[pc] + 1};
    if (at[0] == '@') {
        size_t length = strcspn(at, " ");
        snprintf(lines->guard, sizeof lines->guard, "%.*s", (int)length - 1, at + 1);
        facts->guard = lines->guard;
        at += length + 1;
    }
    if (text != NULL)
        wm_text_add(text, at);
}

static char *copy_ptx(const void *work)
{
    return strdup(((const struct lines *)work)->text);
}

static const struct wm_work_ops ops = {.describe = describe, .copy_ptx = copy_ptx};

// The lines are the module's text, and those without a colon at their end its instructions.
static void make(struct lines *lines, const struct line *given, uint32_t count)
{
    size_t used = 0;
    *lines = (struct lines){.work = {.ops = &ops}, .lines = given};
    for (uint32_t i = 0; i < count; i++) {
        used +=
            (size_t)snprintf(lines->text + used, sizeof lines->text - used, "%s\n", given[i].text);
        if (given[i].text[strlen(given[i].text) - 1] != ':')
            lines->line[lines->work.instruction_count++] = i;
    }
}

// The first line stands for the beginning of the kernel, with what comes before any.
static void check(const char *name, uint32_t compute_major, const struct line *given)
{
    struct line all[MOST_LINES + 2] = {{"bar.sync 0", compute_major >= 8 ? 3 : 2}};
    uint32_t count = 1;
    while (given[count - 1].text != NULL) {
        all[count] = given[count - 1];
        count++;
    }
    struct lines lines;
    make(&lines, all, count);
    uint8_t slots[MOST_LINES + 2], rounds[MOST_LINES + 2] = {0};
    struct wm_error error;
    cr_assert_eq(wm_machine_code_estimate(&lines.work, compute_major, slots, rounds, &error),
                 WM_OK);
    for (uint32_t pc = 0; pc < lines.work.instruction_count; pc++) {
        const struct line *line = &all[lines.line[pc]];
        cr_expect_eq(slots[pc], line->slots, "%s: %s takes %u", name, line->text, slots[pc]);
    }
}

#define CHECK(name, ...) check(name, 7, (const struct line[]){__VA_ARGS__, {0}})
#define CHECK_HOPPER(name, ...) check(name, 9, (const struct line[]){__VA_ARGS__, {0}})

// How many rounds of the loop whose branch stands in that line are one basic block.
static void check_rounds(const char *name, unsigned line, unsigned wanted, const struct line *given)
{
    uint32_t count = 0;
    while (given[count].text != NULL)
        count++;
    struct lines lines;
    make(&lines, given, count);
    uint8_t slots[MOST_LINES + 2], rounds[MOST_LINES + 2] = {0};
    struct wm_error error;
    cr_assert_eq(wm_machine_code_estimate(&lines.work, 7, slots, rounds, &error), WM_OK);
    for (uint32_t pc = 0; pc < lines.work.instruction_count; pc++) {
        const char *text = given[lines.line[pc]].text;
        unsigned left_out = slots[pc] == 0 && strstr(text, "bra") != NULL ? UINT8_MAX : 0;
        cr_expect_eq(rounds[pc], lines.line[pc] == line ? wanted : left_out,
                     "%s: %s ends %u rounds", name, text, rounds[pc]);
    }
}

#define CHECK_ROUNDS(name, branch, wanted, ...) \
    check_rounds(name, branch, wanted, (const struct line[]){__VA_ARGS__, {0}})

// --- What vanishes ---

Test(machine_code, operands_of_the_constant_bank_and_immediates_vanish)
{
    CHECK("parameters", {"ld.param.u64 %rd1, [f_param_0]", 0}, {"cvta.to.global.u64 %rd2, %rd1", 0},
          {"mov.u32 %r1, %ntid.x", 0}, {"mov.u32 %r2, 7", 0}, {"st.global.u32 [%rd2], %r3", 1});
    CHECK_HOPPER("parameters", {"ld.param.u64 %rd1, [f_param_0]", 1},
                 {"cvta.to.global.u64 %rd2, %rd1", 0}, {"mov.u32 %r1, %ntid.x", 1});
    CHECK("special registers", {"mov.u32 %r1, %tid.x", 1}, {"mov.u32 %r2, %ctaid.x", 1},
          {"mov.u64 %rd1, %clock64", 1});
}

Test(machine_code, copies_vanish_and_variables_of_loops_are_set)
{
    CHECK("a copy", {"add.s32 %r1, %r2, %r3", 1}, {"mov.u32 %r4, %r1", 0},
          {"st.shared.u32 [%r5], %r4", 1});
    // %r1 is written in two places: a constant has to be moved there, a value without other
    // readers is computed there.
    CHECK("a variable", {"mov.u32 %r1, 0", 1}, {"add.s32 %r2, %r1, 1", 1}, {"mov.u32 %r1, %r2", 0},
          {"st.shared.u32 [%r5], %r1", 1});
    CHECK("a value with two readers", {"add.s32 %r2, %r3, 1", 1}, {"mov.u32 %r1, %r2", 1},
          {"mov.u32 %r1, 3", 1}, {"st.shared.u32 [%r5], %r2", 1});
    CHECK("halves", {"mov.b64 {%r1, %r2}, %rd1", 0}, {"mov.b64 %rd2, {%r2, %r1}", 0});
}

Test(machine_code, conversions_between_names_of_one_register_vanish)
{
    CHECK("to fewer bits", {"cvt.u16.u32 %rs1, %r1", 0}, {"cvt.u32.u64 %r2, %rd1", 0},
          {"cvt.u64.u32 %rd2, %r3", 0});
    CHECK("to more", {"cvt.s64.s32 %rd1, %r1", 1}, {"cvt.u32.u8 %r2, %rs1", 1},
          {"cvt.s64.s16 %rd2, %rs2", 2});
    CHECK("of floats", {"cvt.rn.f32.s32 %f1, %r1", 1}, {"cvt.rzi.s32.f32 %r2, %f2", 1},
          {"cvt.f64.f32 %fd1, %f3", 1});
}

Test(machine_code, signs_and_inverted_predicates_are_modifiers)
{
    CHECK("neg", {"neg.f32 %f1, %f2", 0}, {"fma.rn.f32 %f3, %f1, %f4, %f5", 1});
    CHECK("neg that is stored", {"neg.f32 %f1, %f2", 1}, {"st.global.f32 [%rd1], %f1", 1});
    CHECK("not", {"not.pred %p1, %p2", 0}, {"@%p1 bra L", 1});
    CHECK("not that is combined", {"not.pred %p1, %p2", 0}, {"and.pred %p3, %p1, %p4", 1});
}

// --- What others do ---

Test(machine_code, products_and_sums_are_one)
{
    CHECK("fma", {"mul.f32 %f1, %f2, %f3", 0}, {"add.f32 %f4, %f1, %f5", 1});
    CHECK("rounded", {"mul.rn.f32 %f1, %f2, %f3", 1}, {"add.f32 %f4, %f1, %f5", 1});
    CHECK("two readers", {"mul.f32 %f1, %f2, %f3", 1}, {"add.f32 %f4, %f1, %f5", 1},
          {"st.global.f32 [%rd1], %f1", 1});
    CHECK("imad", {"mul.lo.s32 %r1, %r2, %r3", 0}, {"add.s32 %r4, %r1, %r5", 1});
    CHECK("lea", {"shl.b32 %r1, %r2, 4", 0}, {"add.s32 %r4, %r1, %r5", 1});
    // A sum of three; a fourth summand needs another instruction.
    CHECK("iadd3", {"add.s32 %r1, %r2, %r3", 0}, {"add.s32 %r4, %r1, %r5", 1},
          {"add.s32 %r6, %r4, %r7", 1});
    CHECK("one of two products", {"mul.f32 %f1, %f2, %f3", 0}, {"mul.f32 %f4, %f5, %f6", 1},
          {"add.f32 %f7, %f1, %f4", 1});
}

// A register that two instructions write, or one with a guard, has no one definition.
Test(machine_code, only_single_definitions_are_followed)
{
    CHECK("two", {"mul.f32 %f1, %f2, %f3", 1}, {"add.f32 %f4, %f1, %f5", 1},
          {"mul.f32 %f1, %f5, %f5", 1});
    CHECK("a guard", {"@%p1 mul.f32 %f1, %f2, %f3", 1}, {"add.f32 %f4, %f1, %f5", 1});
}

Test(machine_code, logic_of_three_inputs_is_one)
{
    CHECK("lop3", {"and.b32 %r1, %r2, 255", 0}, {"xor.b32 %r3, %r1, %r4", 1},
          {"or.b32 %r5, %r3, %r6", 1});
    CHECK("comparisons", {"setp.lt.u32 %p1, %r1, %r2", 1}, {"setp.lt.u32 %p2, %r3, %r4", 1},
          {"or.pred %p3, %p1, %p2", 0}, {"@%p3 bra L", 1});
}

Test(machine_code, addresses_of_arrays_are_one_wide_product)
{
    CHECK("two arrays", {"mul.wide.u32 %rd1, %r1, 4", 0}, {"add.s64 %rd2, %rd8, %rd1", 1},
          {"add.s64 %rd3, %rd9, %rd1", 1}, {"ld.global.f32 %f1, [%rd2]", 1},
          {"st.global.f32 [%rd3], %f1", 1});
    CHECK("extended", {"cvt.s64.s32 %rd1, %r1", 0}, {"shl.b64 %rd2, %rd1, 3", 0},
          {"add.s64 %rd3, %rd9, %rd2", 1}, {"ld.global.f64 %fd1, [%rd3]", 1});
    CHECK("of extended numbers", {"cvt.u64.u32 %rd1, %r1", 0}, {"cvt.u64.u32 %rd2, %r2", 0},
          {"mul.lo.s64 %rd3, %rd1, %rd2", 0}, {"cvt.u64.u32 %rd4, %r3", 0},
          {"add.s64 %rd5, %rd3, %rd4", 2}, {"st.global.u64 [%rd9], %rd5", 1});
    CHECK("a pair of registers", {"add.s64 %rd3, %rd9, %rd2", 2},
          {"ld.global.f64 %fd1, [%rd3]", 1});
    CHECK("an offset", {"add.s64 %rd3, %rd9, 128", 0}, {"ld.global.f64 %fd1, [%rd3]", 1});
    CHECK("an offset that is stored", {"add.s64 %rd3, %rd9, 128", 2},
          {"st.global.u64 [%rd3], %rd3", 1});
}

// Shared memory has addresses of 32 bits.
Test(machine_code, addresses_in_shared_memory_have_one_register)
{
    CHECK("tile", {"mov.u64 %rd1, tile", 0}, {"shl.b64 %rd2, %rd9, 2", 1},
          {"add.s64 %rd3, %rd1, %rd2", 0}, {"ld.shared.f32 %f1, [%rd3+64]", 1});
    // LEA, LEA.HI.X
    CHECK("global", {"shl.b64 %rd2, %rd9, 2", 0}, {"add.s64 %rd3, %rd4, %rd2", 2},
          {"ld.global.f32 %f1, [%rd3+64]", 1});
}

Test(machine_code, of_two_branches_one_is_taken)
{
    CHECK("a loop's end", {"setp.lt.u32 %p1, %r1, %r2", 1}, {"@%p1 bra A", 1}, {"bra.uni B", 0});
    CHECK("a jump", {"add.s32 %r1, %r2, 1", 1}, {"bra.uni B", 1});
}

// All warps issue the instructions, whether or not they would have branched: they stand at the
// branch.
Test(machine_code, branches_over_few_instructions_become_predicates)
{
    CHECK("if", {"setp.gt.u32 %p1, %r1, 31", 1}, {"@%p1 bra L", 3}, {"ld.shared.f32 %f1, [%r2]", 0},
          {"add.f32 %f2, %f1, %f3", 0}, {"st.shared.f32 [%r2], %f2", 0}, {"L:", 0},
          {"bar.sync 0", 1});
    CHECK("around", {"@!%p1 bra L", 1}, {"bra.uni A", 0}, {"A:", 0},
          {"st.shared.f32 [%r2], %f2", 0}, {"L:", 0}, {"bar.sync 0", 1});
    CHECK("a barrier", {"@%p1 bra L", 1}, {"bar.sync 1", 1}, {"L:", 0}, {"bar.sync 0", 1});
    // Five: no more than four where all lanes go the same way, up to seven where they may part.
    CHECK("all lanes", {"mov.u32 %r1, %ctaid.x", 1}, {"setp.eq.u32 %p1, %r1, 0", 1},
          {"@%p1 bra L", 1}, {"st.shared.u32 [%r2], %r3", 1}, {"st.shared.u32 [%r2], %r3", 1},
          {"st.shared.u32 [%r2], %r3", 1}, {"st.shared.u32 [%r2], %r3", 1},
          {"st.shared.u32 [%r2], %r3", 1}, {"L:", 0}, {"bar.sync 0", 1});
    CHECK("some lanes", {"mov.u32 %r1, %tid.x", 1}, {"setp.eq.u32 %p1, %r1, 0", 1},
          {"@%p1 bra L", 5}, {"st.shared.u32 [%r2], %r3", 0}, {"st.shared.u32 [%r2], %r3", 0},
          {"st.shared.u32 [%r2], %r3", 0}, {"st.shared.u32 [%r2], %r3", 0},
          {"st.shared.u32 [%r2], %r3", 0}, {"L:", 0}, {"bar.sync 0", 1});
}

// Lanes that part wait where they meet, but not at the kernel's end, nor those that leave a loop.
Test(machine_code, lanes_that_part_wait_for_each_other)
{
    CHECK("if", {"mov.u32 %r1, %tid.x", 1}, {"setp.eq.u32 %p1, %r1, 0", 1}, {"@%p1 bra L", 3},
          {"bar.sync 1", 1}, {"L:", 0}, {"bar.sync 0", 1});
    CHECK("the end", {"mov.u32 %r1, %tid.x", 1}, {"setp.eq.u32 %p1, %r1, 0", 1}, {"@%p1 bra L", 1},
          {"bar.sync 1", 1}, {"L:", 0}, {"ret", 1});
    CHECK("a loop", {"L:", 0}, {"ld.global.u32 %r1, [%rd1]", 1}, {"setp.eq.u32 %p1, %r1, 0", 1},
          {"@%p1 bra M", 1}, {"bra.uni L", 0}, {"M:", 0}, {"bar.sync 0", 1});
}

// --- What expands ---

Test(machine_code, integers_of_64_bits_are_pairs)
{
    CHECK("pairs", {"add.s64 %rd1, %rd2, %rd3", 2}, {"and.b64 %rd4, %rd2, %rd3", 2},
          {"setp.lt.s64 %p1, %rd2, %rd3", 2}, {"selp.b64 %rd5, %rd2, %rd3, %p2", 2},
          {"mul.lo.s64 %rd6, %rd2, %rd3", 4}, {"mul.wide.u32 %rd7, %r1, %r2", 1},
          {"shr.u64 %rd8, %rd2, 32", 2});
    CHECK("of which the lower half is used", {"add.s64 %rd1, %rd2, %rd3", 1},
          {"cvt.u32.u64 %r1, %rd1", 0}, {"st.shared.u32 [%r2], %r1", 1});
}

Test(machine_code, divisions_and_functions_are_sequences)
{
    CHECK("integers", {"div.u32 %r1, %r2, %r3", 16}, {"div.s32 %r4, %r2, %r3", 20},
          {"rem.u32 %r5, %r2, %r3", 14}, {"rem.s32 %r6, %r2, %r3", 18},
          {"div.u64 %rd1, %rd2, %rd3", 75});
    CHECK("floats", {"div.rn.f32 %f1, %f2, %f3", 10}, {"div.approx.ftz.f32 %f4, %f2, %f3", 2},
          {"div.full.f32 %f5, %f2, %f3", 5}, {"div.rn.f64 %fd1, %fd2, %fd3", 18},
          {"rcp.rn.f32 %f6, %f2", 9}, {"sqrt.rn.f32 %f7, %f2", 10},
          {"rsqrt.approx.f32 %f8, %f2", 4}, {"rsqrt.approx.ftz.f32 %f9, %f2", 1},
          {"sqrt.rn.f64 %fd4, %fd2", 15});
    CHECK("functions", {"sin.approx.f32 %f1, %f2", 2}, {"cos.approx.f32 %f3, %f2", 2},
          {"ex2.approx.f32 %f4, %f2", 4}, {"ex2.approx.ftz.f32 %f5, %f2", 1},
          {"lg2.approx.f32 %f6, %f2", 4});
}

Test(machine_code, barriers_memory_and_bits)
{
    CHECK("one each", {"bar.sync 0", 1}, {"ld.global.v4.f32 {%f1, %f2, %f3, %f4}, [%rd1]", 1},
          {"atom.global.add.u32 %r1, [%rd1], 1", 1}, {"shfl.sync.down.b32 %r2, %r3, 1, 31, -1", 1},
          {"popc.b32 %r4, %r3", 1});
    CHECK("several", {"membar.gl", 4}, {"membar.cta", 1}, {"clz.b32 %r1, %r2", 2},
          {"bfe.u32 %r3, %r2, 4, 8", 2}, {"bfi.b32 %r4, %r2, %r5, 4, 8", 3});
}

// SASS is machine code already.
Test(machine_code, sass_is_one_for_one)
{
    struct line sass[] = {{"IMAD.WIDE R2, R3, R4, R6", 1}, {"LDG.E R4, [R2]", 1}};
    struct lines lines;
    make(&lines, sass, 2);
    uint8_t slots[2], rounds[2] = {0};
    struct wm_error error;
    cr_assert_eq(wm_machine_code_estimate(&lines.work, 9, slots, rounds, &error), WM_OK);
    cr_expect_eq(slots[0], 1);
    cr_expect_eq(slots[1], 1);
}

// --- Loops ---

#define LOAD                           \
    {                                  \
        "ld.global.f32 %f1, [%rd1]", 1 \
    }
#define SUM                        \
    {                              \
        "add.f32 %f2, %f2, %f1", 1 \
    }

// Four rounds, less what PTX has unrolled already.
Test(machine_code, small_loops_are_unrolled)
{
    CHECK_ROUNDS("one by one", 5, 4, {"L:", 0}, LOAD, SUM, {"add.s32 %r1, %r1, 1", 1},
                 {"setp.ne.s32 %p1, %r1, %r2", 1}, {"@%p1 bra L", 1});
    CHECK_ROUNDS("downwards", 5, 4, {"L:", 0}, LOAD, SUM, {"add.s32 %r1, %r1, -1", 1},
                 {"setp.ne.s32 %p1, %r1, 0", 1}, {"@%p1 bra L", 1});
    CHECK_ROUNDS("by twos", 7, 2, {"L:", 0}, LOAD, SUM, LOAD, SUM, {"add.s32 %r1, %r1, 2", 1},
                 {"setp.ne.s32 %p1, %r1, %r2", 1}, {"@%p1 bra L", 1});
    CHECK_ROUNDS("by bytes", 7, 2, {"L:", 0}, LOAD, SUM, LOAD, SUM, {"add.s64 %rd1, %rd1, 128", 1},
                 {"setp.ne.s64 %p1, %rd1, %rd2", 1}, {"@%p1 bra L", 1});
    CHECK_ROUNDS("of two branches", 5, 4, {"L:", 0}, LOAD, SUM, {"add.s32 %r1, %r1, 1", 1},
                 {"setp.eq.s32 %p1, %r1, %r2", 1}, {"@%p1 bra M", 1}, {"bra.uni L", 0}, {"M:", 0},
                 {"ret", 1});
}

// What is more than one block is not, nor what would be too long.
Test(machine_code, other_loops_are_not_unrolled)
{
    CHECK_ROUNDS("a barrier", 5, 0, {"L:", 0}, LOAD, {"bar.sync 0", 1}, {"add.s32 %r1, %r1, 1", 1},
                 {"setp.ne.s32 %p1, %r1, %r2", 1}, {"@%p1 bra L", 1});
    CHECK_ROUNDS("left in the middle", 6, 0, {"L:", 0}, LOAD, {"setp.ne.f32 %p2, %f1, 0f0", 1},
                 {"@%p2 bra M", 1}, {"add.s32 %r1, %r1, 1", 1}, {"setp.ne.s32 %p1, %r1, %r2", 1},
                 {"@%p1 bra L", 1}, {"M:", 0}, {"ret", 1});
    CHECK_ROUNDS("entered in the middle", 7, 0, {"bra.uni M", 1}, {"L:", 0}, LOAD, SUM, {"M:", 0},
                 {"add.s32 %r1, %r1, 1", 1}, {"setp.ne.s32 %p1, %r1, %r2", 1}, {"@%p1 bra L", 1});
    CHECK_ROUNDS("128 instructions at the most", 4, 1, {"L:", 0}, {"div.u64 %rd3, %rd1, %rd4", 1},
                 {"add.s32 %r1, %r1, 1", 1}, {"setp.ne.s32 %p1, %r1, %r2", 1}, {"@%p1 bra L", 1});
    CHECK_ROUNDS("by fours", 4, 1, {"L:", 0}, LOAD, {"add.s32 %r1, %r1, 4", 1},
                 {"setp.ne.s32 %p1, %r1, %r2", 1}, {"@%p1 bra L", 1});
}
