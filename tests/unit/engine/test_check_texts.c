// What a checker keeps of findings that are made over and over: each text once, however often the
// instructions are met and launched.
#include "engine/check/checker_state.h"
#include "exec/exec.h"

#include <criterion/criterion.h>
#include <string.h>

enum { INSTRUCTIONS = 2 * WM_CHECK_REMEMBERED, LAUNCHES = 1000, ROUNDS = 20 };

static void describe(const void *work, uint32_t pc, struct wm_instruction_facts *facts,
                     struct wm_text *text)
{
    (void)work;
    *facts = (struct wm_instruction_facts){
        .ptx_line = pc + 10, .source_line = pc + 1, .source_file = "strays.cu", .exists = true};
    if (text != NULL)
        wm_text_format(text, "ld.global.u32 %%r%u, [%%rd1]", (unsigned)pc);
}

static const struct wm_work_ops ops = {.describe = describe};

// Both have one place in the table of what was found last, and take it from each other.
static const uint32_t pcs[2] = {3, 3 + WM_CHECK_REMEMBERED};

static void launch(struct wm_checker *checker, const struct wm_allocation *near)
{
    struct wm_work work = {.ops = &ops,
                           .kernel = "strays",
                           .module = "strays.ptx",
                           .instruction_count = INSTRUCTIONS,
                           .grid = {1, 1, 1},
                           .block = {32, 1, 1},
                           .warps_per_block = 1};
    cr_assert_eq(wm_checker_launch_begin(checker, &work, 1), &work);
    for (int i = 0; i < 2 * ROUNDS; i++) {
        struct wm_stray_access access = {.pc = pcs[i % 2],
                                         .kind = WM_ACCESS_LOAD,
                                         .address =
                                             near->address + near->size_bytes + 4 * (uint64_t)i,
                                         .bytes = 4,
                                         .near = near};
        cr_expect(wm_checker_stray(checker, &access));
    }
    wm_checker_launch_end(checker);
}

Test(check_texts, are_kept_once)
{
    const struct wm_allocation near = {
        .address = WM_DEVICE_BASE, .size_bytes = 4096, .label = "cudaMalloc #1"};
    struct wm_checker *checker;
    struct wm_error error;
    uint32_t count;
    cr_assert_eq(wm_checker_new(0, NULL, &checker, &error), WM_OK);
    launch(checker, &near);
    size_t bytes = checker->arena.total_bytes;
    for (int i = 1; i < LAUNCHES; i++)
        launch(checker, &near);
    cr_expect_eq(checker->arena.total_bytes, bytes);
    const struct wm_check_finding *findings = wm_checker_findings(checker, &count);
    cr_assert_eq(count, 2);
    for (uint32_t i = 0; i < count; i++) {
        cr_expect_eq(findings[i].count, (uint64_t)LAUNCHES * ROUNDS);
        cr_expect_str_eq(findings[i].accesses[0].source_file, "strays.cu");
        cr_expect_eq(findings[i].accesses[0].source_line, pcs[i] + 1);
    }
    cr_expect_str_eq(findings[0].what,
                     "0 bytes past the end of cudaMalloc #1 (4096 bytes at 0x200000000000)");
    cr_expect_str_eq(findings[1].what,
                     "4 bytes past the end of cudaMalloc #1 (4096 bytes at 0x200000000000)");
    wm_checker_free(checker);
}
