// The launches that a checker observes, several at a time, and what it has to know of their
// instructions.
#include "engine/check/checker_state.h"

#include <stdlib.h>
#include <string.h>

enum { FENCE_REACH = 16 }; // instructions between an access and its fence

struct wm_checked_launch *wm_checked_launch_new(struct wm_checker *checker)
{
    struct wm_checked_launch *launch = calloc(1, sizeof *launch);
    if (launch)
        launch->checker = checker;
    return launch;
}

static void free_blocks(struct wm_checked_launch *launch)
{
    for (uint32_t i = 0; i < launch->block_count; i++) {
        struct wm_check_block *block = launch->blocks[i];
        if (!block)
            continue;
        free(block->unwritten);
        free(block->cells);
        free(block->clocks);
        free(block->phases);
        free(block);
    }
    free(launch->blocks);
}

void wm_checked_launch_free(struct wm_checked_launch *launch)
{
    if (!launch)
        return;
    free_blocks(launch);
    free(launch->instructions);
    free(launch);
}

struct wm_work *wm_checked_launch_begin(struct wm_checked_launch *launch, struct wm_work *inner,
                                        uint32_t sm_count)
{
    if (!launch)
        return inner;
    launch->inner = inner;
    launch->sm_count = sm_count;
    if (!(launch->checker->checks & (WM_CHECK_INIT | WM_CHECK_RACE)))
        return inner;
    launch->instructions = calloc(inner->instruction_count + 1u, sizeof *launch->instructions);
    if (!launch->instructions)
        return NULL;
    launch->work = *inner;
    launch->work.ops = &wm_checked_work_ops;
    launch->work.parallel = false;
    return &launch->work;
}

// ---- Instructions ------------------------------------------------------------------------------

static bool says(const struct wm_text *text, const char *word)
{
    return text->data && strstr(text->data, word);
}

// Barriers release and acquire unless they say .relaxed (PTX ISA 9.7.13.15.13, 9.7.13.4).
static enum wm_check_role role_of(const struct wm_text *text)
{
    const char *opcode = text->data ? text->data : "";
    if (strncmp(opcode, "cp.async.mbarrier.arrive", 24) == 0)
        return says(text, ".noinc") ? WM_CHECK_PHASE_ARRIVE : WM_CHECK_PHASE_COPIES;
    if (strncmp(opcode, "mbarrier.", 9) != 0)
        return WM_CHECK_NO_PHASE;
    if (says(text, ".test_wait") || says(text, ".try_wait"))
        return WM_CHECK_PHASE_TEST;
    if (says(text, ".init") || says(text, ".inval"))
        return WM_CHECK_PHASES_BEGIN;
    return says(text, ".arrive") ? WM_CHECK_PHASE_ARRIVE : WM_CHECK_PHASE_BYTES;
}

static bool begins(const struct wm_text *text, const char *word)
{
    return text->data && strncmp(text->data, word, strlen(word)) == 0;
}

// What lies between a strong access and a fence.
enum between { GOES_ON, IS_FENCE, ENDS };

static enum between between(const struct wm_instruction_facts *facts, const struct wm_text *text)
{
    if (begins(text, "fence.") || begins(text, "membar."))
        return says(text, "proxy") || says(text, "mbarrier") ? GOES_ON : IS_FENCE;
    if (facts->is_memory || begins(text, "call") || begins(text, "bar") || begins(text, "ret") ||
        begins(text, "exit") || begins(text, "brx"))
        return ENDS;
    return begins(text, "bra") && !facts->guard ? ENDS : GOES_ON;
}

// Whether a fence stands before the instruction, or behind it, with no access between: then a
// strong write there releases, and a strong read acquires (PTX ISA 8.8, release and acquire
// patterns). Looked for in the text, along the path on which no guarded branch is taken.
static bool is_fenced(const struct wm_checked_launch *launch, uint32_t pc, bool behind)
{
    enum between what = GOES_ON;
    for (uint32_t steps = 1; steps <= FENCE_REACH && what == GOES_ON; steps++) {
        if (behind ? pc + steps >= launch->inner->instruction_count : steps > pc)
            break;
        struct wm_instruction_facts facts = {0};
        struct wm_text text;
        wm_text_init(&text);
        launch->inner->ops->describe(launch->inner, behind ? pc + steps : pc - steps, &facts,
                                     &text);
        what = between(&facts, &text);
        wm_text_release(&text);
    }
    return what == IS_FENCE;
}

const struct wm_check_instruction *wm_checked_instruction(struct wm_checked_launch *launch,
                                                          uint32_t pc)
{
    struct wm_check_instruction *instruction = &launch->instructions[pc];
    if (instruction->known)
        return instruction;
    struct wm_instruction_facts facts;
    struct wm_text text;
    wm_text_init(&text);
    launch->inner->ops->describe(launch->inner, pc, &facts, &text);
    bool atomic = facts.kind == WM_ACCESS_ATOMIC || facts.kind == WM_ACCESS_REDUCTION;
    bool is_volatile = says(&text, ".volatile");
    bool swaps = says(&text, ".cas") || says(&text, ".exch");
    instruction->known = true;
    instruction->strong = atomic || is_volatile || says(&text, ".relaxed") ||
                          says(&text, ".acquire") || says(&text, ".release") ||
                          says(&text, ".mmio");
    instruction->acquires = swaps || says(&text, ".acquire") || says(&text, ".acq_rel") ||
                            (is_volatile && facts.kind == WM_ACCESS_LOAD);
    instruction->releases = swaps || says(&text, ".release") || says(&text, ".acq_rel") ||
                            (is_volatile && facts.kind == WM_ACCESS_STORE);
    bool reads = facts.kind == WM_ACCESS_LOAD || facts.kind == WM_ACCESS_ATOMIC;
    if (instruction->strong && reads && !instruction->acquires)
        instruction->acquires = is_fenced(launch, pc, true);
    if (instruction->strong && facts.kind != WM_ACCESS_LOAD && !instruction->releases)
        instruction->releases = is_fenced(launch, pc, false);
    instruction->role = role_of(&text);
    if (instruction->role != WM_CHECK_NO_PHASE || says(&text, "barrier.cluster")) {
        instruction->strong = instruction->role != WM_CHECK_PHASES_BEGIN;
        bool orders = !says(&text, ".relaxed");
        instruction->acquires = orders && instruction->role == WM_CHECK_PHASE_TEST;
        instruction->releases = orders && (instruction->role == WM_CHECK_NO_PHASE ||
                                           instruction->role == WM_CHECK_PHASE_ARRIVE ||
                                           instruction->role == WM_CHECK_PHASE_COPIES);
    }
    wm_text_release(&text);
    return instruction;
}
