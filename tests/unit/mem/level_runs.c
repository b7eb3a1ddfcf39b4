#include "level_runs.h"
#include "mem/explain/explain.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { COMPARE_EVERY = 16 };

uint32_t level_run_draw(struct level_run *run, uint64_t number)
{
    struct wm_random random;
    wm_random_init(&random, number, "levels");
    memset(run, 0, sizeof *run);
    uint32_t drawn = level_machine_draw(&random, &run->machine);
    run->step_count = LEVEL_RUN_STEPS;
    for (uint32_t i = 0; i < run->step_count; i++)
        level_step_draw(&random, &run->machine.spec, &run->steps[i]);
    run->equal = obvious_equal;
    return drawn;
}

// --- One run ---

static struct wm_memory *memory_of(const struct level_machine *machine)
{
    struct wm_memory *memory;
    struct wm_error error;
    size_t count;
    const struct wm_memory_paths *const *paths = wm_memory_paths_available(&count);
    if (wm_memory_new(&machine->spec, "gpu0", &memory, &error) != WM_OK) {
        fprintf(stderr, "%s\n", error.message);
        abort();
    }
    if (machine->build == 0)
        memory->paths = &wm_memory_paths_full;
    else
        memory->paths = paths[machine->build - 1u < count ? machine->build - 1u : count - 1];
    if (machine->explained && wm_memory_explain(memory, &error) != WM_OK)
        abort();
    return memory;
}

// Where misses are explained: each has one reason at its cache, each request that missed one kind.
static bool reasons_add_up(const struct wm_memory *memory)
{
    const struct wm_memory_shadows *shadows = memory->shadows;
    for (uint32_t g = 0; shadows != NULL && g < shadows->group_count; g++) {
        const struct wm_shadow_group *group = &shadows->groups[g];
        for (uint32_t i = 0; i < group->level->count; i++) {
            const struct wm_cache_counters *cache = &group->level->caches[i].counters;
            const struct wm_explained_cache *why = &group->shadows[i].counters;
            uint64_t sectors =
                why->cold + why->coherence + why->capacity + why->conflict + why->unallocated;
            uint64_t requests = why->accesses_cold + why->accesses_same_warp +
                                why->accesses_other_warp + why->accesses_refused +
                                why->accesses_dropped + why->accesses_unallocated;
            if (sectors == cache->misses && requests == cache->accesses_missed)
                continue;
            fprintf(stderr,
                    "%s[%u]: %llu sectors and %llu requests missed, with reasons %llu and "
                    "%llu\n",
                    group->set->kind, i, (unsigned long long)cache->misses,
                    (unsigned long long)cache->accesses_missed, (unsigned long long)sectors,
                    (unsigned long long)requests);
            return false;
        }
    }
    return true;
}

static uint32_t differs(const struct level_run *run, bool each)
{
    struct wm_memory *memory = memory_of(&run->machine);
    struct obvious_memory *model = obvious_memory_new(&run->machine.spec);
    uint32_t found = 0;
    for (uint32_t i = 0; i < run->step_count && found == 0; i++) {
        level_step_do(&run->steps[i], memory, model);
        bool looked_at = each || i % COMPARE_EVERY == 0 || i + 1 == run->step_count;
        if (looked_at && !(run->equal(model, memory) && reasons_add_up(memory)))
            found = i + 1;
    }
    wm_memory_free(memory);
    obvious_memory_free(model);
    return found;
}

// In a process of its own: what aborts is a difference too. `says`: what it writes is shown.
static uint32_t differs_apart(const struct level_run *run, bool each, bool says)
{
    int ends[2], status = 0;
    uint32_t found = 0;
    if (pipe(ends) != 0)
        abort();
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        int silent = says ? -1 : open("/dev/null", O_WRONLY);
        if (silent >= 0)
            dup2(silent, STDERR_FILENO);
        found = differs(run, each);
        bool sent = write(ends[1], &found, sizeof found) == sizeof found;
        _exit(sent ? 0 : 1);
    }
    close(ends[1]);
    bool received = child > 0 && read(ends[0], &found, sizeof found) == sizeof found;
    close(ends[0]);
    if (child < 0 || waitpid(child, &status, 0) != child)
        abort();
    return received && status == 0 ? found : LEVEL_RUN_CRASHED + run->step_count;
}

uint32_t level_run_differs(const struct level_run *run, bool each)
{
    return differs_apart(run, each, false);
}

// --- The smallest ---

static void remove_steps(struct level_run *run, uint32_t at, uint32_t count)
{
    memmove(&run->steps[at], &run->steps[at + count],
            (run->step_count - at - count) * sizeof run->steps[0]);
    run->step_count -= count;
}

// Keeps `tried` where it differs still, or crashes still, as far as it takes for that.
static bool keep(struct level_run *run, const struct level_run *tried)
{
    uint32_t steps = tried->step_count == 0 ? 0 : level_run_differs(tried, true);
    if (steps == 0 || (steps > LEVEL_RUN_CRASHED) != run->crashes)
        return false;
    *run = *tried;
    run->step_count = steps % LEVEL_RUN_CRASHED;
    return true;
}

static bool try_fewer_steps(struct level_run *run, struct level_run *tried)
{
    bool any = false;
    for (uint32_t size = run->step_count / 2; size > 0; size /= 2)
        for (uint32_t at = 0; at + size <= run->step_count;) {
            *tried = *run;
            remove_steps(tried, at, size);
            bool kept = keep(run, tried);
            any = any || kept;
            at += kept ? 0 : size;
        }
    return any;
}

static bool try_simpler_steps(struct level_run *run, struct level_run *tried)
{
    bool any = false;
    for (uint32_t at = 0; at < run->step_count; at++)
        for (uint32_t way = 0; way < level_step_ways && at < run->step_count;) {
            *tried = *run;
            bool kept = level_step_simplify(&tried->steps[at], way) && keep(run, tried);
            any = any || kept;
            way += !kept;
        }
    return any;
}

static bool try_simpler_machines(struct level_run *run, struct level_run *tried)
{
    bool any = false;
    for (uint32_t way = 0; way < level_machine_ways;) {
        *tried = *run;
        bool kept = level_machine_simplify(&tried->machine, way) && keep(run, tried);
        any = any || kept;
        way += !kept;
    }
    return any;
}

void level_run_shrink(struct level_run *run)
{
    struct level_run *tried = malloc(sizeof *tried);
    run->crashes = level_run_differs(run, true) > LEVEL_RUN_CRASHED;
    *tried = *run;
    bool any = keep(run, tried);
    while (any) {
        any = try_fewer_steps(run, tried);
        any = try_simpler_machines(run, tried) || any;
        any = try_simpler_steps(run, tried) || any;
    }
    free(tried);
}

void level_run_print(FILE *file, const struct level_run *run)
{
    level_machine_print(file, &run->machine);
    for (uint32_t i = 0; i < run->step_count; i++) {
        fprintf(file, "%u. ", i + 1);
        level_step_print(file, &run->steps[i]);
    }
    differs_apart(run, true, true);
}
