#include "bypass/program_parts.h"

#include <stdlib.h>
#include <string.h>

// Warps of a block that are looked at: they differ where rows of threads are no multiple of a warp,
// and then soon repeat.
enum { MOST_WARPS = 8 };

static uint32_t warps_of(const struct wm_profiled_kernel *kernel)
{
    uint32_t threads = kernel->block[0] * kernel->block[1] * kernel->block[2];
    uint32_t warps = threads / WM_LANE_VALUES; // whole ones, or the first of a small block
    return warps == 0 ? 1 : warps < MOST_WARPS ? warps : MOST_WARPS;
}

static uint32_t bytes_of(const struct wm_ptx_instruction *instruction)
{
    return wm_ptx_type_bytes(instruction->type) * instruction->vector_length;
}

static struct wm_load_efficiency exact_of(const struct wm_lane_value *kept, uint32_t statements,
                                          uint32_t statement, uint32_t warps, uint32_t bytes,
                                          uint32_t line)
{
    struct wm_load_efficiency each[MOST_WARPS];
    for (uint32_t warp = 0; warp < warps; warp++) {
        each[warp] =
            wm_efficiency_of_lanes(&kept[(size_t)warp * statements + statement], bytes, line);
        if (!each[warp].known)
            return (struct wm_load_efficiency){0};
    }
    return wm_efficiency_mean(each, warps);
}

static void fill(struct wm_bypass_load *load, const struct wm_lane_value *kept, uint32_t warps,
                 uint32_t line)
{
    const struct wm_ptx_function *function = load->function;
    uint32_t statement = (uint32_t)(load->statement - function->statements);
    load->bytes = bytes_of(load->statement->instruction);
    load->shape = wm_load_shape_of(&kept[statement]);
    load->efficiency[WM_EFFICIENCY_TABLE] = wm_efficiency_by_table(&load->shape, load->bytes, line);
    load->efficiency[WM_EFFICIENCY_EXACT] =
        exact_of(kept, function->statement_count, statement, warps, load->bytes, line);
    load->efficiency[WM_EFFICIENCY_PROFILED] = wm_efficiency_as_profiled(load->profiled, line);
}

// The loads of a kernel that stand in one function's text: its own, or that of one it calls, of
// which no thread numbers are known beyond the call.
static enum wm_status look_at(struct wm_bypass_kernel *kernel,
                              const struct wm_ptx_function *function, uint32_t line,
                              struct wm_error *error)
{
    const struct wm_profiled_kernel *profiled = kernel->profiled;
    uint32_t warps = warps_of(profiled), statements = function->statement_count;
    struct wm_launch_shape shape;
    memcpy(shape.grid, profiled->grid, sizeof shape.grid);
    memcpy(shape.block, profiled->block, sizeof shape.block);
    struct wm_lane_value *kept = calloc((size_t)warps * statements, sizeof *kept);
    enum wm_status status =
        kept != NULL ? WM_OK : wm_fail_no_memory(error, "the addresses of loads");
    for (uint32_t warp = 0; warp < warps && status == WM_OK; warp++)
        status =
            wm_address_analysis(function, &shape, warp, kept + (size_t)warp * statements, error);
    for (uint32_t i = 0; i < profiled->load_count && status == WM_OK; i++)
        if (kernel->loads[i].function == function)
            fill(&kernel->loads[i], kept, warps, line);
    free(kept);
    return status;
}

static enum wm_status look_at_kernel(struct wm_bypass_kernel *kernel, uint32_t line,
                                     struct wm_error *error)
{
    for (uint32_t i = 0; i < kernel->profiled->load_count; i++) {
        uint32_t first = 0;
        while (kernel->loads[first].function != kernel->loads[i].function)
            first++;
        if (first == i)
            WM_TRY(look_at(kernel, kernel->loads[i].function, line, error));
    }
    return WM_OK;
}

// What a profiler's efficiency of the whole program is: it stands in for what a source does not
// know.
static struct wm_load_efficiency mean_of(const struct wm_bypass_program *program)
{
    struct wm_load_record all = {0};
    for (uint32_t k = 0; k < program->kernel_count; k++)
        for (uint32_t i = 0; i < program->kernels[k].profiled->load_count; i++) {
            const struct wm_load_record *load = program->kernels[k].loads[i].profiled;
            all.bytes_requested += load->bytes_requested;
            all.lines += load->lines;
            all.sectors += load->sectors;
        }
    return wm_efficiency_as_profiled(&all, program->profile->line_bytes);
}

enum wm_status wm_bypass_find_efficiencies(struct wm_bypass_program *program,
                                           struct wm_error *error)
{
    for (uint32_t k = 0; k < program->kernel_count; k++)
        WM_TRY(look_at_kernel(&program->kernels[k], program->profile->line_bytes, error));
    program->mean = mean_of(program);
    return WM_OK;
}
