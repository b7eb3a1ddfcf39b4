#include "study/run_report/counter_sets.h"

#include "engine/access/sm_counters.h"
#include "engine/session/session.h"
#include "mem/cache/cache.h"
#include "mem/system/memory_components.h"
#include "study/run_report/request_ratios.h"
#include "study/run_report/written_line_data.h"

#include <string.h>

static const struct wm_counter_declaration kernel_declarations[] = {
    {"launches", "launches", "launches of the kernel"},
    {"warp_instructions", "warp-instructions", "instructions executed, each once a warp"},
    {"thread_instructions", "thread-instructions", "the same, each once an active lane"},
    {"blocks_per_sm", "blocks", "blocks resident on an SM, in its last launch"},
    {"shared_bytes_per_sm", "bytes", "shared memory of an SM, in its last launch"},
    {"l1_bytes", "bytes", "size of an L1, in its last launch"},
    {"cycles", "cycles", "cycles of the SMs' clock that its launches took"},
};
static const struct wm_counter_declaration host_declarations[] = {
    {"host_to_device_bytes", "bytes", "bytes the host wrote to device memory"},
    {"device_to_host_bytes", "bytes", "bytes the host read from device memory"},
    {"device_to_device_bytes", "bytes", "bytes copied inside device memory"},
};
#define SET(kind, title, declarations)                                          \
    {                                                                           \
        kind, title, declarations, sizeof declarations / sizeof declarations[0] \
    }
const struct wm_counter_set wm_kernel_counter_set = SET("kernels", "kernel", kernel_declarations);
const struct wm_counter_set wm_host_counter_set = SET("host", "host's copies", host_declarations);

bool wm_counter_set_at(size_t index, const struct wm_counter_set *instruction,
                       const struct wm_counter_set *explained, struct wm_named_counters *counters)
{
    const struct wm_named_counters named[] = {
        {"kernels", &wm_kernel_counter_set},
        {"host", &wm_host_counter_set},
        {NULL, instruction},
        {"instruction_ratios", &wm_request_ratio_set},
        {"instruction_explained", explained},
        {"instruction_timed", &wm_load_counter_set},
        {"samples", &wm_sample_set},
        {NULL, &wm_written_line_set},
        {NULL, &wm_written_place_set},
        {NULL, &wm_sm_counter_set},
        {NULL, &wm_shared_counter_set},
        {NULL, &wm_machine_code_counter_set},
        {NULL, &wm_l1_counter_set},
        {NULL, &wm_victim_counter_set},
        {NULL, &wm_l2_counter_set},
        {NULL, &wm_dirty_limit_counter_set},
        {NULL, &wm_partition_counter_set},
        {NULL, &wm_coherence_counter_set},
        {NULL, &wm_directory_counter_set},
        {NULL, &wm_self_invalidation_counter_set},
        {NULL, &wm_side_cache_counter_sets[WM_SIDE_CACHE_CONSTANT]},
        {NULL, &wm_side_cache_counter_sets[WM_SIDE_CACHE_TEXTURE]},
        {NULL, &wm_side_cache_counter_sets[WM_SIDE_CACHE_SCALAR]},
        {NULL, &wm_side_cache_counter_sets[WM_SIDE_CACHE_INSTRUCTION]},
        {NULL, &wm_tracker_counter_set},
        {NULL, &wm_atomic_buffer_counter_set},
        {NULL, &wm_l1_tlb_counter_set},
        {NULL, &wm_l2_tlb_counter_set},
        {NULL, &wm_dram_counter_set},
        {NULL, &wm_peer_link_counter_set},
        {NULL, &wm_explained_sets[WM_LEVEL_L1]},
        {NULL, &wm_explained_sets[WM_LEVEL_SIDE + WM_SIDE_CACHE_CONSTANT]},
        {NULL, &wm_explained_sets[WM_LEVEL_SIDE + WM_SIDE_CACHE_TEXTURE]},
        {NULL, &wm_explained_sets[WM_LEVEL_SIDE + WM_SIDE_CACHE_SCALAR]},
        {NULL, &wm_explained_sets[WM_LEVEL_SIDE + WM_SIDE_CACHE_INSTRUCTION]},
        {NULL, &wm_explained_sets[WM_LEVEL_L2]},
        {NULL, &wm_l1_reuse_set},
        {NULL, &wm_sharing_counter_set},
    };
    enum { COUNT = sizeof named / sizeof named[0] };
    *counters = index < COUNT
                    ? named[index]
                    : (struct wm_named_counters){NULL, wm_clock_counter_set(index - COUNT)};
    if (counters->set == NULL)
        return false;
    if (counters->kind == NULL)
        counters->kind = counters->set->kind;
    return true;
}

// Names of metrics as of Nsight Compute 2019.3 to 2025 ("Metrics Reference" of its Profiling
// Guide); those of accesses are written for global loads (op_ld), others have their own suffix
// there.
static const struct {
    const char *kind, *counter, *metric;
} metrics[] = {
    {"kernels", "warp_instructions", "smsp__inst_executed.sum"},
    {"kernels", "thread_instructions", "smsp__thread_inst_executed.sum"},
    {"kernels", "cycles", "sm__cycles_elapsed.max"},
    {"instruction", "executions", "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum"},
    {"instruction", "lanes", "smsp__thread_inst_executed.sum, of one instruction"},
    {"instruction", "sectors", "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"},
    {"instruction", "l1.hits", "l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum"},
    {"instruction", "l1.misses", "l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_miss.sum"},
    {"instruction", "l2.hits", "lts__t_sectors_op_read_lookup_hit.sum"},
    {"instruction", "l2.misses", "lts__t_sectors_op_read_lookup_miss.sum"},
    {"instruction", "dram.bytes", "dram__bytes.sum"},
    {"instruction_ratios", "sectors_per_request",
     "l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_ld.ratio"},
    {"instruction_ratios", "bytes_used_percent",
     "smsp__sass_average_data_bytes_per_sector_mem_global_op_ld.pct"},
    {"instruction_explained", "shared_passes", "l1tex__data_pipe_lsu_wavefronts_mem_shared.sum"},
    {"instruction_explained", "shared_replays",
     "l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum"},
    {"shared", "passes", "l1tex__data_pipe_lsu_wavefronts_mem_shared.sum"},
    {"shared", "replays", "l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum"},
    {"l1", "hits", "l1tex__t_sectors_lookup_hit.sum"},
    {"l1", "misses", "l1tex__t_sectors_lookup_miss.sum"},
    {"l2", "hits", "lts__t_sectors_lookup_hit.sum"},
    {"l2", "misses", "lts__t_sectors_lookup_miss.sum"},
    {"dram", "bytes_read", "dram__bytes_read.sum"},
    {"dram", "bytes_written", "dram__bytes_write.sum"},
    {"issue", "issued", "smsp__inst_issued.sum"},
};

const char *wm_counter_profiler_metric(const char *kind, const char *counter)
{
    for (size_t i = 0; i < sizeof metrics / sizeof metrics[0]; i++)
        if (strcmp(metrics[i].kind, kind) == 0 && strcmp(metrics[i].counter, counter) == 0)
            return metrics[i].metric;
    return NULL;
}
