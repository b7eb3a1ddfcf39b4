// The tables of text.c, and columns that several tables have.
#ifndef WM_STUDY_TABLES_COLUMN_TITLES_H
#define WM_STUDY_TABLES_COLUMN_TITLES_H

#include "study/tables/columns.h"

// clang-format off
#define WM_COLUMN_WARP_INSTR                                                                       \
    {"Warp instr", 'r', 0, "instructions that it executed, each once a warp", NULL,                \
     "smsp__inst_executed.sum"}
#define WM_COLUMN_CYCLES                                                                           \
    {"cycles", 'r', 0,                                                                             \
     "cycles of the SMs' clock from a launch's begin until nothing is on its way any more", NULL,  \
     "sm__cycles_elapsed.max"}
#define WM_COLUMN_TIME {"time", 'r', 0, "the same as time", NULL, "gpu__time_duration.sum"}
#define WM_COLUMN_L1_HIT                                                                           \
    {"L1 hit", 'r', 0, "of the sectors looked for in L1, those that were there", NULL,         \
     "l1tex__t_sector_hit_rate.pct"}
#define WM_COLUMN_L2_HIT                                                                           \
    {"L2 hit", 'r', 0, "of the sectors looked for in L2, those that were there", NULL,         \
     "lts__t_sector_hit_rate.pct"}
#define WM_COLUMN_L1_L2                                                                            \
    {"L1-L2", 'r', 0, "bytes moved between L1 and L2, both ways", NULL,                        \
     "lts__t_bytes.sum (which counts L2's other users too)"}
#define WM_COLUMN_DRAM                                                                             \
    {"DRAM", 'r', 0, "bytes moved between L2 and DRAM, both ways", NULL, "dram__bytes.sum"}
// What machines, and runs, are put side by side by.
#define WM_COLUMNS_MEASURED                                                                        \
    WM_COLUMN_WARP_INSTR, WM_COLUMN_CYCLES, WM_COLUMN_TIME, WM_COLUMN_L1_HIT, WM_COLUMN_L2_HIT,    \
        WM_COLUMN_L1_L2, WM_COLUMN_DRAM
#define WM_COLUMN_SECTORS_OF(optional, legend)                                                     \
    {"sect/req", 'r', optional,                                                                    \
     "32-byte sectors that a warp's request beyond the SM touches: 4 where 32 lanes use 4 "        \
     "neighbouring bytes each, 32 where each lane has a sector of its own", legend,                \
     "l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_ld.ratio (and op_st, op_atom)"}
#define WM_COLUMN_SECTORS(legend) WM_COLUMN_SECTORS_OF(0, legend)
#define WM_COLUMN_USED(legend)                                                                     \
    {"used", 'r', 0,                                                                           \
     "bytes that lanes requested, of the bytes of the sectors touched; 100% too where lanes "      \
     "request the same bytes", legend,                                                             \
     "smsp__sass_average_data_bytes_per_sector_mem_global_op_ld.pct (and op_st)"}
#define WM_LEGEND_SECTORS                                                                          \
    "sectors of 32 bytes that a warp's request touches (Nsight Compute: Sectors/Req)"
#define WM_LEGEND_USED "bytes requested, of those sectors' bytes"
// clang-format on

extern const struct wm_report_table wm_kernel_table, wm_boundary_table;

#endif
