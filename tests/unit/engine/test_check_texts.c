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

static struct wm_work work_of(const char *kernel)
{
    return (struct wm_work){.ops = &ops,
                            .kernel = kernel,
                            .module = "strays.ptx",
                            .instruction_count = INSTRUCTIONS,
                            .grid = {1, 1, 1},
                            .block = {32, 1, 1},
                            .warps_per_block = 1};
}

static void stray(struct wm_checked_launch *observed, const struct wm_allocation *near, uint32_t pc,
                  int word)
{
    const struct wm_stray_access access = {.pc = pc,
                                           .kind = WM_ACCESS_LOAD,
                                           .address = near->address + near->size_bytes +
                                                      4 * (uint64_t)word,
                                           .bytes = 4,
                                           .near = near};
    cr_expect(wm_checked_launch_stray(observed, &access));
}

static void launch(struct wm_checker *checker, const struct wm_allocation *near)
{
    struct wm_work work = work_of("strays");
    struct wm_checked_launch *observed = wm_checked_launch_new(checker);
    cr_assert_not_null(observed);
    cr_assert_eq(wm_checked_launch_begin(observed, &work, 1), &work);
    for (int i = 0; i < 2 * ROUNDS; i++)
        stray(observed, near, pcs[i % 2], i);
    wm_checked_launch_free(observed);
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

// Two launches take turns, and each finding is that of the kernel that made it.
Test(check_texts, are_of_their_launch_beside_others)
{
    const struct wm_allocation near = {
        .address = WM_DEVICE_BASE, .size_bytes = 4096, .label = "cudaMalloc #1"};
    static const char *const kernels[2] = {"first", "second"};
    struct wm_work work[2] = {work_of(kernels[0]), work_of(kernels[1])};
    struct wm_checked_launch *observed[2];
    struct wm_checker *checker;
    struct wm_error error;
    uint32_t count;
    cr_assert_eq(wm_checker_new(0, NULL, &checker, &error), WM_OK);
    for (int i = 0; i < 2; i++) {
        observed[i] = wm_checked_launch_new(checker);
        cr_assert_not_null(observed[i]);
        cr_assert_eq(wm_checked_launch_begin(observed[i], &work[i], 1), &work[i]);
    }
    for (int i = 0; i < 5; i++)
        stray(observed[i % 2], &near, pcs[0], i);
    wm_checked_launch_free(observed[0]);
    stray(observed[1], &near, pcs[0], 5);
    stray(observed[1], &near, pcs[1], 6);
    wm_checked_launch_free(observed[1]);
    const struct wm_check_finding *findings = wm_checker_findings(checker, &count);
    static const struct {
        const char *kernel;
        uint64_t count;
        uint32_t pc;
    } wanted[] = {{"first", 3, 3}, {"second", 3, 3}, {"second", 1, 3 + WM_CHECK_REMEMBERED}};
    cr_assert_eq(count, 3);
    for (uint32_t i = 0; i < count; i++) {
        cr_expect_str_eq(findings[i].kernel, wanted[i].kernel);
        cr_expect_eq(findings[i].count, wanted[i].count);
        cr_expect_eq(findings[i].accesses[0].source_line, wanted[i].pc + 1);
    }
    wm_checker_free(checker);
}
