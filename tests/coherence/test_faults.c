// That the explorer can fail: in each row of MESI's tables each other next state, and each action
// left out, planted one at a time, is found on the first tree that shows it, smallest first.
#include "planted.h"

#include <criterion/criterion.h>
#include <string.h>

// The last of these trees is the first by which every row is reached.
enum { TREES = 10, MOST_FAULTS = 16 };

#ifdef __SANITIZE_ADDRESS__
enum { ONE_IN = 200 }; // paths of the tests, which few faults have all of
#else
enum { ONE_IN = 1 };
#endif

struct planting {
    struct explorer *explorer;
    struct wm_coherence_protocol protocol;
    struct baseline baselines[TREES];
};

static void begin(struct planting *planting)
{
    memset(planting, 0, sizeof *planting);
    planting->explorer = explorer_new();
    wm_coherence_protocol_init(&planting->protocol, wm_coherence_mesi_cache,
                               wm_coherence_mesi_home);
    for (unsigned tree = 0; tree < (ONE_IN == 1 ? TREES : 1); tree++) {
        struct explored explored;
        explore(planting->explorer, &explored_trees[tree], &planting->protocol, false, &explored);
        memcpy(planting->baselines[tree].reached, explored.reached, sizeof explored.reached);
    }
}

static bool is_found(const struct planting *planting, const struct fault *fault)
{
    char how[200];
    for (unsigned tree = 0; tree < TREES; tree++)
        if (planting->baselines[tree].reached[fault->side][fault->row] &&
            fault_is_found(planting->explorer, &explored_trees[tree], &planting->baselines[tree],
                           &planting->protocol, fault, how, sizeof how))
            return true;
    return false;
}

static void plant_all(enum wm_coherence_side side)
{
    static struct planting planting;
    begin(&planting);
    size_t planted = 0;
    for (size_t row = 0; row < planting.protocol.tables[side].count; row++) {
        struct fault faults[MOST_FAULTS];
        size_t count = faults_of(&planting.protocol, side, row, faults, MOST_FAULTS);
        for (size_t i = 0; i < count; i++) {
            if (planted++ % ONE_IN != 0 ||
                (ONE_IN > 1 && !planting.baselines[0].reached[side][row]))
                continue;
            char name[200];
            fault_name(&planting.protocol, &faults[i], name, sizeof name);
            cr_expect(is_found(&planting, &faults[i]), "%s: not found", name);
        }
    }
    cr_expect(planted > 700, "%zu faults", planted);
    explorer_delete(planting.explorer);
}

Test(coherence, faults_of_the_cache_side_are_found)
{
    plant_all(WM_COHERENCE_CACHE);
}

Test(coherence, faults_of_the_home_side_are_found)
{
    plant_all(WM_COHERENCE_HOME);
}
