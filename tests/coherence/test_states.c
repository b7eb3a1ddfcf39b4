// Every state that MESI's tables can reach on eighteen small trees (explorer.h says what is asked
// of each), and that no row is dead. WARPMEM_STATES=1 prints how many states there are.
#include "explorer.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct wm_coherence_protocol mesi(void)
{
    struct wm_coherence_protocol protocol;
    wm_coherence_protocol_init(&protocol, wm_coherence_mesi_cache, wm_coherence_mesi_home);
    return protocol;
}

// What the sanitizers can find is found on few states.
static size_t tree_count(void)
{
#ifdef __SANITIZE_ADDRESS__
    return 2;
#else
    return explored_tree_count;
#endif
}

static void expect_no_fault(struct explorer *explorer, const struct tree *tree,
                            const struct wm_coherence_protocol *protocol, struct explored *explored)
{
    explore(explorer, tree, protocol, false, explored);
    if (getenv("WARPMEM_STATES") != NULL)
        fprintf(stderr, "%s: %zu states, %zu steps\n", tree->name, explored->states,
                explored->steps);
    if (explored->fault[0] == '\0')
        return;
    struct explored traced;
    explore(explorer, tree, protocol, true, &traced);
    cr_assert_fail("%s: %s, after\n%s", tree->name, explored->fault, traced.trace);
}

Test(coherence, all_states_of_all_trees)
{
    static bool reached[WM_COHERENCE_SIDES][MOST_ROWS];
    struct wm_coherence_protocol protocol = mesi();
    struct explorer *explorer = explorer_new();
    for (size_t i = 0; i < tree_count(); i++) {
        struct explored explored;
        expect_no_fault(explorer, &explored_trees[i], &protocol, &explored);
        for (unsigned side = 0; side < WM_COHERENCE_SIDES; side++)
            for (size_t row = 0; row < MOST_ROWS; row++)
                reached[side][row] |= explored.reached[side][row];
    }
    explorer_delete(explorer);
    for (unsigned side = 0; side < WM_COHERENCE_SIDES && tree_count() == explored_tree_count;
         side++)
        for (size_t i = 0; i < protocol.tables[side].count; i++) {
            const struct wm_coherence_row *row = &protocol.tables[side].rows[i];
            cr_expect(reached[side][i], "a dead row: %s in %s (%s)",
                      wm_coherence_event_name(row->event),
                      wm_coherence_state_name(side, row->state), row->why);
        }
}

// That renaming loses nothing: as many states as without, each counted with all its names, is more
// than with; both say that nothing is wrong.
Test(coherence, renaming_only_saves)
{
    struct wm_coherence_protocol protocol = mesi();
    struct explorer *explorer = explorer_new();
    struct explored with, without;
    explore(explorer, &explored_trees[0], &protocol, false, &with);
    explore(explorer, &explored_trees[0], &protocol, true, &without);
    cr_expect_str_empty(without.fault);
    cr_expect(without.states > with.states && without.states <= 2 * with.states);
    explorer_delete(explorer);
}

// A counterexample can be read: an Inv that is answered and leaves the copy is found by the
// shortest way, and told event by event.
Test(coherence, a_counterexample_is_told)
{
    static struct wm_coherence_row rows[MOST_ROWS];
    struct wm_coherence_table cache = wm_coherence_mesi_cache;
    memcpy(rows, cache.rows, cache.count * sizeof rows[0]);
    for (size_t i = 0; i < cache.count; i++)
        if (rows[i].state == WM_COHERENCE_CACHE_S && rows[i].event == WM_COHERENCE_INV &&
            rows[i].when == 0)
            rows[i].next = WM_COHERENCE_CACHE_S;
    cache.rows = rows;
    struct wm_coherence_protocol protocol;
    wm_coherence_protocol_init(&protocol, cache, wm_coherence_mesi_home);
    struct explorer *explorer = explorer_new();
    struct explored explored;
    explore(explorer, &explored_trees[0], &protocol, true, &explored);
    cr_expect_str_not_empty(explored.fault);
    cr_assert_not_null(explored.trace);
    cr_expect_not_null(strstr(explored.trace, "node 1 (leaf): takes Inv of node 0"), "%s",
                       explored.trace);
    free(explored.trace);
    explorer_delete(explorer);
}
