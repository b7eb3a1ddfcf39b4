// Deadlock: what each path waits for, when none can continue.
#include "exec/interpreter.h"

static const char *waiting_for(enum wm_path_state state)
{
    switch (state) {
    case WM_PATH_AT_BARRIER: return "at a block barrier";
    case WM_PATH_AT_MBARRIER: return "for a phase of an mbarrier";
    case WM_PATH_AT_CHILDREN: return "for what its block launched";
    default: return "for other lanes of its warp";
    }
}

// What waits at a barrier, or for children, continues behind the instruction.
static bool continues_behind(const struct wm_path *path)
{
    return path->state == WM_PATH_AT_BARRIER || path->state == WM_PATH_AT_CHILDREN;
}

static void describe_path(const struct wm_warp *warp, const struct wm_path *path,
                          struct wm_text *text)
{
    const struct wm_kernel *kernel = &warp->grid->decoded->kernel;
    const struct wm_op *op = path->next - continues_behind(path);
    const struct wm_kernel_instruction *at = &kernel->instructions[op->pc];
    wm_text_format(text, "block %llu, warp %u, lanes 0x%llx wait %s (",
                   (unsigned long long)warp->block->public.index, warp->index,
                   (unsigned long long)path->mask, waiting_for(path->state));
    wm_ptx_print_instruction(at->function, at->instruction, text);
    wm_text_format(text, ", %s:%u", at->function->symbol->module->name, at->ptx_line);
    if (at->source_file)
        wm_text_format(text, ", %s:%u", at->source_file, at->source_line);
    wm_text_add(text, ")");
}

struct listing {
    struct wm_text text;
    uint32_t shown, total;
};

enum { SHOWN_PATHS = 4 };

static void list_warp(struct wm_warp *warp, struct listing *listing, struct wm_finding *fault)
{
    for (unsigned p = 0; p < warp->grid->decoded->width; p++) {
        const struct wm_path *path = &warp->paths[p];
        if (path->state != WM_PATH_AT_BARRIER && path->state != WM_PATH_AT_WARP_SYNC &&
            path->state != WM_PATH_AT_MBARRIER && path->state != WM_PATH_AT_CHILDREN)
            continue;
        if (listing->total++ == 0) {
            fault->pc = (path->next - continues_behind(path))->pc;
            uint64_t block = warp->block->public.index;
            const uint32_t *grid = warp->grid->grid;
            fault->block[0] = (uint32_t)(block % grid[0]);
            fault->block[1] = (uint32_t)(block / grid[0] % grid[1]);
            fault->block[2] = (uint32_t)(block / grid[0] / grid[1]);
        }
        if (listing->shown == SHOWN_PATHS)
            continue;
        if (listing->shown++)
            wm_text_add(&listing->text, "; ");
        describe_path(warp, path, &listing->text);
    }
}

enum wm_status wm_grid_deadlock(struct wm_grid *grid, struct wm_block *const *blocks,
                                uint32_t block_count, struct wm_error *error)
{
    struct wm_finding *fault = &grid->fault;
    *fault = (struct wm_finding){.kind = WM_FAULT_DEADLOCK, .kernel = &grid->decoded->kernel};
    struct listing listing = {0};
    wm_text_init(&listing.text);
    for (uint32_t b = 0; b < block_count; b++) {
        struct wm_block_state *block = (struct wm_block_state *)blocks[b];
        for (uint32_t w = 0; block && w < block->public.warp_count; w++)
            list_warp(&block->warps[w], &listing, fault);
    }
    if (listing.total > listing.shown)
        wm_text_format(&listing.text, "; and %u more", listing.total - listing.shown);
    wm_fail(&fault->error, WM_DEADLOCK, "deadlock: %s",
            listing.text.data ? listing.text.data : "no thread can go on");
    wm_error_place(&fault->error, "kernel %s", grid->decoded->kernel.name);
    wm_text_release(&listing.text);
    grid->faulted = true;
    if (error)
        *error = fault->error;
    return WM_DEADLOCK;
}
