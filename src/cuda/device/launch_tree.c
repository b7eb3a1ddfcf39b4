#include "cuda/device/launch_tree.h"

#include "base/containers/array.h"
#include "cuda/device/issued_work.h"
#include "cuda/device/kernel_launches.h"

#include <stdlib.h>

// A grid that has not completed: it runs, or what it launched does.
struct family_grid {
    struct family_grid *next, *parent;
    struct wm_cuda_issued_work *work; // the parent's that launched it; NULL: the host did
    struct wm_cuda_kernel_launches launches;
    struct wm_concurrent_launch *running; // NULL: it has ended
};

struct wm_cuda_launch_tree {
    struct wm_cuda_process *process;
    struct wm_device_output *output; // borrowed
    int priority;
    struct family_grid *first; // owned; children in front of their parents
};

// ---- Beginning ---------------------------------------------------------------------------------

// Of the grid's ancestors, and itself, the first that runs.
static const struct wm_concurrent_launch *running_above(const struct family_grid *grid)
{
    while (grid && !grid->running)
        grid = grid->parent;
    return grid ? grid->running : NULL;
}

static enum wm_status start(struct wm_cuda_launch_tree *family, struct family_grid *parent,
                            struct wm_cuda_issued_work *work, const struct wm_launch *launch,
                            uint32_t depth, struct wm_error *error)
{
    struct wm_session *session = family->process->session;
    struct family_grid *grid;
    WM_TRY(WM_ARRAY_NEW(grid, 1, error, "a launch by a kernel"));
    struct wm_launch placed = *launch;
    grid->parent = parent;
    grid->work = work;
    wm_cuda_kernel_launches_init(&grid->launches, family->process, launch->gpu, depth, family);
    placed.services = &grid->launches.services;
    placed.output = family->output;
    const struct wm_concurrent_launch *above = running_above(parent);
    enum wm_status status =
        above ? wm_session_start_child(session, &placed, above, &grid->running, error)
              : wm_session_start_launch(session, &placed, family->priority, &grid->running, error);
    if (status != WM_OK) {
        free(grid);
        return status;
    }
    grid->next = family->first;
    family->first = grid;
    return WM_OK;
}

enum wm_status wm_cuda_launch_tree_begin(struct wm_cuda_process *process,
                                         const struct wm_launch *launch, int priority,
                                         uint32_t depth, struct wm_cuda_launch_tree **result,
                                         struct wm_error *error)
{
    *result = NULL;
    struct wm_cuda_launch_tree *family;
    WM_TRY(WM_ARRAY_NEW(family, 1, error, "a launch"));
    *family = (struct wm_cuda_launch_tree){
        .process = process, .output = launch->output, .priority = priority};
    enum wm_status status = start(family, NULL, NULL, launch, depth, error);
    if (status != WM_OK)
        free(family);
    else
        *result = family;
    return status;
}

// ---- What was issued ---------------------------------------------------------------------------

// In a grid's list there is what has not completed alone.
static bool is_ready(const struct family_grid *grid, const struct wm_cuda_issued_work *work)
{
    if (work->tail && grid->running)
        return false;
    for (const struct wm_cuda_issued_work *at = grid->launches.first; at; at = at->next) {
        if (work->tail && (at != work && (!at->tail || at->under_way)))
            return false;
        if (at == work && !work->tail)
            return true;
        bool ordered = at->stream == work->stream && work->stream != WM_STREAM_FIRE_AND_FORGET;
        if (!work->tail && !at->tail && at->block == work->block &&
            (ordered || work->kind == WM_ISSUED_ORDER))
            return false;
    }
    return true;
}

static void complete(struct wm_cuda_launch_tree *family, struct family_grid *grid,
                     struct wm_cuda_issued_work *work)
{
    uint64_t block = work->block;
    wm_cuda_issued_free(&grid->launches, work);
    if (grid->running && !wm_cuda_has_issued(&grid->launches, block))
        wm_session_children_ended(family->process->session, grid->running, block);
}

static bool has_place(const struct wm_cuda_launch_tree *family)
{
    uint32_t count = 0;
    for (const struct family_grid *grid = family->first; grid; grid = grid->next)
        count += grid->running && !wm_concurrent_launch_is_suspended(grid->running);
    return count < family->process->machine.device.concurrent_kernels;
}

static enum wm_status begin_work(struct wm_cuda_launch_tree *family, struct family_grid *grid,
                                 struct wm_cuda_issued_work *work, struct wm_error *error)
{
    struct wm_cuda_process *process = family->process;
    struct wm_cuda_element element = {.value = work->value, .bytes = 1};
    switch (work->kind) {
    case WM_ISSUED_KERNEL:
        work->under_way = true;
        work->launch.parameters = work->parameters;
        return start(family, grid, work, &work->launch, grid->launches.depth + !work->tail, error);
    case WM_ISSUED_COPY:
        wm_cuda_run_copy(process, &work->to, &work->from, &work->box, true, true);
        break;
    case WM_ISSUED_FILL: wm_cuda_run_fill(process, &work->to, &work->box, element); break;
    case WM_ISSUED_GRAPH: // refused: wm_cuda_run_launch
    case WM_ISSUED_ORDER: break;
    }
    complete(family, grid, work);
    return WM_OK;
}

// One of what a grid has issued, if any may begin.
static enum wm_status begin_one(struct wm_cuda_launch_tree *family, struct family_grid *grid,
                                bool *any, struct wm_error *error)
{
    bool place = has_place(family);
    for (struct wm_cuda_issued_work *work = grid->launches.first; work; work = work->next) {
        if (work->under_way || (work->kind == WM_ISSUED_KERNEL && !place) || !is_ready(grid, work))
            continue;
        *any = true;
        return begin_work(family, grid, work, error);
    }
    return WM_OK;
}

// ---- Going on ----------------------------------------------------------------------------------

static void unlink_grid(struct wm_cuda_launch_tree *family, const struct family_grid *grid)
{
    struct family_grid **link = &family->first;
    while (*link != grid)
        link = &(*link)->next;
    *link = grid->next;
}

// The grid, and all that it launched, has completed.
static void finish(struct wm_cuda_launch_tree *family, struct family_grid *grid)
{
    unlink_grid(family, grid);
    if (grid->parent)
        complete(family, grid->parent, grid->work);
    wm_cuda_kernel_launches_release(&grid->launches);
    free(grid);
}

bool wm_cuda_launch_tree_advance(struct wm_cuda_launch_tree *family, enum wm_status *status,
                                 struct wm_finding *fault, struct wm_error *error)
{
    bool any = true;
    while (any && family->first) {
        any = false;
        for (struct family_grid *grid = family->first, *next; grid; grid = next) {
            next = grid->next;
            if (grid->running && wm_concurrent_launch_has_ended(grid->running)) {
                *status = wm_session_collect(family->process->session, grid->running, fault, error);
                grid->running = NULL;
                any = true;
            }
            if (*status == WM_OK && (grid->running || grid->launches.first))
                *status = begin_one(family, grid, &any, error);
            if (*status != WM_OK)
                return true;
            if (!grid->running && !grid->launches.first) {
                finish(family, grid);
                any = true;
            }
        }
    }
    return family->first == NULL;
}

void wm_cuda_launch_tree_free(struct wm_cuda_launch_tree *family)
{
    struct wm_finding fault;
    struct wm_error error;
    while (family->first) {
        struct family_grid *grid = family->first;
        family->first = grid->next;
        if (grid->running)
            (void)wm_session_collect(family->process->session, grid->running, &fault, &error);
        wm_cuda_kernel_launches_release(&grid->launches);
        free(grid);
    }
    free(family);
}
