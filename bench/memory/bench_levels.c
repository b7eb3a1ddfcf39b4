// Machines of random levels against their model for longer than the suite does: 20000 of them, or
// as many as the first argument says, from number 0 on or the second. The first of those that
// differ are printed as the smallest machine and stream that do; the exit status says whether any
// did.
#include "level_runs.h"

#include <inttypes.h>
#include <stdlib.h>

enum { MOST_PRINTED = 8 };

static uint64_t number(const char *text)
{
    return strtoull(text, NULL, 10);
}

int main(int count, char **arguments)
{
    uint64_t machines = count > 1 ? number(arguments[1]) : 20000, differ = 0;
    uint64_t first = count > 2 ? number(arguments[2]) : 0;
    struct level_run *run = malloc(sizeof *run);
    for (uint64_t i = first; run != NULL && i < first + machines; i++) {
        level_run_draw(run, i);
        if (level_run_differs(run, false) == 0)
            continue;
        if (differ++ >= MOST_PRINTED)
            continue;
        printf("machine %" PRIu64 "\n", i);
        level_run_shrink(run);
        level_run_print(stdout, run);
    }
    printf("%" PRIu64 " machines of %d steps, %" PRIu64 " unlike their model\n", machines,
           LEVEL_RUN_STEPS, differ);
    free(run);
    return differ != 0;
}
