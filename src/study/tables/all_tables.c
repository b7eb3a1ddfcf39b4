#include "study/annotate/cells.h"
#include "study/compare/compare.h"
#include "study/tables/coherence.h"
#include "study/tables/column_titles.h"
#include "study/tables/cpu_cores.h"
#include "study/tables/energy.h"
#include "study/tables/instructions.h"
#include "study/tables/launches.h"
#include "study/tables/load_latency.h"
#include "study/tables/misses.h"
#include "study/tables/peer_links.h"
#include "study/tables/requests.h"
#include "study/tables/side_by_side.h"
#include "study/tables/side_caches.h"
#include "study/tables/sm_partition.h"
#include "study/tables/timing.h"
#include "study/tables/written_lines.h"

static const struct wm_report_table *const tables[] = {
    &wm_kernel_table,        &wm_request_table,        &wm_boundary_table,
    &wm_instruction_table,   &wm_cycle_table,          &wm_rate_table,
    &wm_cpu_core_table,      &wm_stall_table,          &wm_l1_load_table,
    &wm_sm_partition_table,  &wm_peer_link_table,      &wm_side_cache_table,
    &wm_tlb_table,           &wm_energy_columns,       &wm_served_table,
    &wm_slow_load_table,     &wm_miss_table,           &wm_missed_request_table,
    &wm_evictor_table,       &wm_unused_table,         &wm_reuse_table,
    &wm_reader_table,        &wm_sharer_table,         &wm_annotate_table,
    &wm_launch_table,        &wm_side_by_side_table,   &wm_compared_kernel_table,
    &wm_compared_line_table, &wm_compared_level_table, &wm_coherence_table,
    &wm_written_line_table,
};

const struct wm_report_table *wm_report_table_at(size_t index)
{
    return index < sizeof tables / sizeof tables[0] ? tables[index] : NULL;
}
