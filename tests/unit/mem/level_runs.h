// Machines of random levels under random streams, against the model; and the smallest machine and
// stream that still differ from it.
#ifndef WM_TESTS_LEVEL_RUNS_H
#define WM_TESTS_LEVEL_RUNS_H

#include "level_streams.h"

enum { LEVEL_RUN_STEPS = 256 };

struct level_run {
    struct level_machine machine;
    uint32_t step_count;
    struct level_step steps[LEVEL_RUN_STEPS];
    bool crashes; // instead of differing; of one that is shrunk
    // Whether a memory system counts as its model; else it says on stderr what differs.
    bool (*equal)(const struct obvious_memory *model, const struct wm_memory *memory);
};

// Draws machine and stream number `number`. Returns how many machines were drawn until one was
// legal.
uint32_t level_run_draw(struct level_run *run, uint64_t number);
// How many steps it takes, in a process of its own, until the two differ, or all when the process
// does not come to an end by itself (LEVEL_RUN_CRASHED is added then). 0: they never differ.
// `each`: they are compared behind each step, else now and then.
enum { LEVEL_RUN_CRASHED = 1 << 16 };
uint32_t level_run_differs(const struct level_run *run, bool each);
// Of one that differs: takes away what it can without making the two equal.
void level_run_shrink(struct level_run *run);
// What the machine and the steps are, and (by doing them) what differs then.
void level_run_print(FILE *file, const struct level_run *run);

#endif
