// Graphs of hand-written functions, and post-dominators of random ones against their definition.
#include "ptx_parse_check.h"

#include "base/numbers/random.h"
#include "ptx/control_flow.h"

static struct wm_ptx_control_flow *build(const struct wm_ptx_module *module)
{
    struct wm_ptx_control_flow *flow;
    struct wm_error error;
    cr_assert_eq(wm_ptx_control_flow_build(only_function(module), &flow, &error), WM_OK, "%s",
                 error.message);
    return flow;
}

Test(control_flow, if_else_meets_at_the_join)
{
    struct wm_ptx_module *module =
        parse_or_fail(PTX_BODY("@%p1 bra ELSE;\n add.s32 %r1, %r1, 1;\n bra JOIN;\n"
                               "ELSE: add.s32 %r1, %r1, 2;\n JOIN: ret;"));
    struct wm_ptx_control_flow *flow = build(module);
    cr_assert_eq(flow->instruction_count, 5);
    cr_assert_eq(flow->block_count, 4);
    cr_assert_eq(flow->blocks[0].successors[0], 1);
    cr_assert_eq(flow->blocks[0].successors[1], 2);
    cr_assert_eq(flow->blocks[0].post_dominator, 3);
    cr_assert_eq(flow->blocks[1].successors[0], WM_PTX_NO_BLOCK);
    cr_assert_eq(flow->blocks[1].successors[1], 3);
    cr_assert_eq(flow->blocks[1].post_dominator, 3);
    cr_assert_eq(flow->blocks[2].successors[0], 3);
    cr_assert_eq(flow->blocks[3].post_dominator, WM_PTX_NO_BLOCK);
    cr_assert_eq(flow->blocks[3].predecessor_count, 2);
    cr_assert_eq(flow->block_of[4], 3);
    cr_assert_eq(flow->label_targets[0], 3);
    wm_ptx_control_flow_free(flow);
    wm_ptx_module_free(module);
}

Test(control_flow, guarded_exit_falls_through_and_ends)
{
    struct wm_ptx_module *module =
        parse_or_fail(PTX_BODY("@%p1 bra L;\n @%p2 exit;\n add.s32 %r1, %r1, 1;\n L: ret;\n"
                               "add.s32 %r1, %r1, 1;"));
    struct wm_ptx_control_flow *flow = build(module);
    cr_assert_eq(flow->block_count, 5);
    cr_assert_eq(flow->blocks[1].successors[0], 2);
    cr_assert_eq(flow->blocks[1].successors[1], WM_PTX_NO_BLOCK);
    cr_assert(wm_ptx_block_exits(flow, &flow->blocks[1]));
    // One path ends in the guarded exit, so nothing but the exit is on all of them.
    cr_assert_eq(flow->blocks[1].post_dominator, WM_PTX_NO_BLOCK);
    cr_assert_eq(flow->blocks[0].post_dominator, WM_PTX_NO_BLOCK);
    cr_assert_eq(flow->blocks[2].post_dominator, 3);
    cr_assert(flow->blocks[3].reachable);
    cr_assert_not(flow->blocks[4].reachable);
    cr_assert(wm_ptx_block_exits(flow, &flow->blocks[4])); // off the end
    wm_ptx_control_flow_free(flow);
    wm_ptx_module_free(module);
}

Test(control_flow, endless_loop_has_no_post_dominator)
{
    struct wm_ptx_module *module =
        parse_or_fail(PTX_BODY("@%p1 bra SPIN;\n ret;\n SPIN: add.s32 %r1, %r1, 1;\n bra SPIN;"));
    struct wm_ptx_control_flow *flow = build(module);
    cr_assert_eq(flow->block_count, 3);
    cr_assert_eq(flow->blocks[2].post_dominator, WM_PTX_NO_BLOCK);
    cr_assert_not(wm_ptx_block_exits(flow, &flow->blocks[2]));
    cr_assert_eq(flow->blocks[0].post_dominator, 1);
    wm_ptx_control_flow_free(flow);
    wm_ptx_module_free(module);
}

Test(control_flow, brx_reaches_all_its_targets)
{
    struct wm_ptx_module *module = parse_or_fail(
        PTX_BODY("T: .branchtargets A, B, A, END;\n brx.idx %r1, T;\n A: add.s32 %r1, %r1, 1;\n"
                 "bra J;\n B: add.s32 %r1, %r1, 2;\n J: add.s32 %r1, %r1, 3;\n END:"));
    struct wm_ptx_control_flow *flow = build(module);
    const struct wm_ptx_block *entry = &flow->blocks[0];
    cr_assert_eq(entry->successors[0], WM_PTX_NO_BLOCK);
    cr_assert_eq(entry->branch_successor_count, 4);
    cr_assert_eq(entry->branch_successors[0], 1);
    cr_assert_eq(entry->branch_successors[1], 2);
    cr_assert_eq(entry->branch_successors[2], 1);
    cr_assert_eq(entry->branch_successors[3], WM_PTX_NO_BLOCK);
    cr_assert_eq(flow->blocks[1].predecessor_count, 1);
    cr_assert_eq(entry->post_dominator, WM_PTX_NO_BLOCK);
    cr_assert_eq(flow->blocks[1].post_dominator, 3);
    wm_ptx_control_flow_free(flow);
    wm_ptx_module_free(module);
}

Test(control_flow, instructions_know_their_source)
{
    struct wm_ptx_module *module =
        parse_or_fail(PTX_BODY("ret;\n .loc 1 5 2\n ret;\n { .loc 1 6 1\n ret; }\n ret;"));
    struct wm_ptx_control_flow *flow = build(module);
    cr_assert_null(flow->locs[0]);
    cr_assert_eq(flow->locs[1]->line, 5);
    cr_assert_eq(flow->locs[2]->line, 6);
    cr_assert_eq(flow->locs[3]->line, 6);
    cr_assert_eq(flow->function->statements[flow->statements[1]].instruction,
                 flow->instructions[1]);
    wm_ptx_control_flow_free(flow);
    wm_ptx_module_free(module);
}

Test(control_flow, empty_function)
{
    struct wm_ptx_module *module = parse_or_fail(PTX_HEADER ".entry f() { L: }");
    struct wm_ptx_control_flow *flow = build(module);
    cr_assert_eq(flow->instruction_count, 0);
    cr_assert_eq(flow->block_count, 0);
    cr_assert_eq(flow->label_targets[0], 0);
    wm_ptx_control_flow_free(flow);
    wm_ptx_module_free(module);
}

enum { MOST_BLOCKS = 40 };

// Whether the exit is reached from `from` without passing `avoided` (NO_BLOCK avoids none).
static bool reaches_exit(const struct wm_ptx_control_flow *flow, uint32_t from, uint32_t avoided)
{
    bool seen[MOST_BLOCKS * 2] = {false};
    uint32_t stack[MOST_BLOCKS * 2], depth = 0;
    if (from == avoided)
        return false;
    stack[depth++] = from;
    seen[from] = true;
    while (depth) {
        const struct wm_ptx_block *block = &flow->blocks[stack[--depth]];
        if (wm_ptx_block_exits(flow, block))
            return true;
        for (uint32_t i = 0; i < wm_ptx_block_successor_count(block); i++) {
            uint32_t next = wm_ptx_block_successor(block, i);
            if (next != WM_PTX_NO_BLOCK && next != avoided && !seen[next]) {
                seen[next] = true;
                stack[depth++] = next;
            }
        }
    }
    return false;
}

// By definition: d post-dominates b when no path from b to the exit avoids d. The immediate one is
// the post-dominator that all the others post-dominate too.
static uint32_t expected_post_dominator(const struct wm_ptx_control_flow *flow, uint32_t block)
{
    if (!reaches_exit(flow, block, WM_PTX_NO_BLOCK))
        return WM_PTX_NO_BLOCK;
    for (uint32_t d = 0; d < flow->block_count; d++) {
        if (d == block || reaches_exit(flow, block, d))
            continue;
        bool nearest = true;
        for (uint32_t e = 0; e < flow->block_count && nearest; e++)
            nearest =
                e == block || e == d || reaches_exit(flow, block, e) || !reaches_exit(flow, d, e);
        if (nearest)
            return d;
    }
    return WM_PTX_NO_BLOCK;
}

static void write_random_function(struct wm_random *random, struct wm_text *text)
{
    static const char *const guards[] = {"", "@%p1 ", "@!%p2 "};
    uint32_t count = 1 + (uint32_t)wm_random_below(random, MOST_BLOCKS);
    wm_text_add(text, PTX_HEADER ".entry f() {\n.reg .pred %p<3>;\n.reg .b32 %r1;\n");
    wm_text_add(text, "T: .branchtargets L0");
    for (uint64_t i = wm_random_below(random, 4); i > 0; i--)
        wm_text_format(text, ", L%d", (int)wm_random_below(random, count + 1));
    wm_text_add(text, ";\n");
    for (uint32_t i = 0; i < count; i++) {
        const char *guard = guards[wm_random_below(random, 3)];
        int target = (int)wm_random_below(random, count + 1);
        wm_text_format(text, "L%u:\n", i);
        switch (wm_random_below(random, 12)) {
        case 0: wm_text_format(text, "%sret;\n", guard); break;
        case 1: wm_text_format(text, "%sexit;\n", guard); break;
        case 2: wm_text_format(text, "%sbrx.idx %%r1, T;\n", guard); break;
        case 3: wm_text_add(text, "add.s32 %r1, %r1, 1;\n"); break;
        case 4: wm_text_format(text, "%strap;\n", guard); break;
        default: wm_text_format(text, "%sbra L%d;\n", guard, target); break;
        }
    }
    wm_text_format(text, "L%u:\n}\n", count);
}

Test(control_flow, post_dominators_of_random_graphs)
{
    struct wm_random random;
    wm_random_init(&random, 1, "control_flow");
    unsigned found = 0, endless = 0;
    for (int round = 0; round < 1500; round++) {
        struct wm_text text;
        wm_text_init(&text);
        write_random_function(&random, &text);
        struct wm_ptx_module *module = parse_or_fail(text.data);
        struct wm_ptx_control_flow *flow = build(module);
        for (uint32_t i = 0; i < flow->block_count; i++) {
            uint32_t expected = expected_post_dominator(flow, i);
            cr_assert_eq(flow->blocks[i].post_dominator, expected, "block %u: %u, not %u in\n%s", i,
                         flow->blocks[i].post_dominator, expected, text.data);
            found += expected != WM_PTX_NO_BLOCK;
            endless += !reaches_exit(flow, i, WM_PTX_NO_BLOCK);
        }
        wm_ptx_control_flow_free(flow);
        wm_ptx_module_free(module);
        wm_text_release(&text);
    }
    // The graphs drawn must show what the test is for.
    cr_assert_gt(found, 1000);
    cr_assert_gt(endless, 100);
}

// A short text may name very many edges: every brx.idx the same long list.
Test(control_flow, too_many_edges_are_refused)
{
    struct wm_text text;
    wm_text_init(&text);
    wm_text_add(&text, PTX_HEADER ".entry f() {\n.reg .b32 i;\nL: ret;\nT: .branchtargets L");
    for (int i = 1; i < 5000; i++)
        wm_text_add(&text, ", L");
    wm_text_add(&text, ";\n");
    for (int i = 0; i < 5000; i++)
        wm_text_add(&text, "brx.idx i, T;\n");
    wm_text_add(&text, "}\n");
    struct wm_ptx_module *module = parse_or_fail(text.data);
    struct wm_ptx_control_flow *flow;
    struct wm_error error;
    cr_assert_eq(wm_ptx_control_flow_build(only_function(module), &flow, &error), WM_UNSUPPORTED);
    cr_assert_null(flow);
    cr_assert_str_eq(error.message, "function 'f' has more than 16777216 branch targets");
    wm_ptx_module_free(module);
    wm_text_release(&text);
}

// A ladder of a hundred thousand branches to one end: linear in practice, never quadratic.
Test(control_flow, long_functions_are_quick)
{
    struct wm_text text;
    wm_text_init(&text);
    wm_text_add(&text, PTX_HEADER ".entry f() {\n.reg .pred p;\n");
    for (int i = 0; i < 100000; i++)
        wm_text_format(&text, "L%d: @p bra L%d;\n", i, i % 3 ? 100000 - i : i / 2);
    wm_text_add(&text, "L100000: ret;\n}\n");
    struct wm_ptx_module *module = parse_or_fail(text.data);
    clock_t begin = clock();
    struct wm_ptx_control_flow *flow = build(module);
    cr_expect_lt((double)(clock() - begin) / CLOCKS_PER_SEC, 5.0);
    cr_assert_eq(flow->block_count, 100001);
    cr_assert_eq(flow->blocks[100000].post_dominator, WM_PTX_NO_BLOCK);
    wm_ptx_control_flow_free(flow);
    wm_ptx_module_free(module);
    wm_text_release(&text);
}
