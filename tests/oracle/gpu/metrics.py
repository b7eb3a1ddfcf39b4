"""Nsight Compute's metrics that are collected, and the tables that it prints.

The names are those of ncu 2025.3 for compute capability 9.0; what a GPU does not have is left out and said
so. COUNTERS take 11 passes of a kernel there, WARM one, so that nothing is replayed and the caches are as
the program left them.
"""
import csv
import io

OPERATIONS = ("ld", "st", "red", "atom")
L2_OPERATIONS = ("read", "write", "atom", "red")

COUNTERS = [
    "gpu__time_duration.sum", "sm__cycles_elapsed.max", "sm__cycles_active.avg", "smsp__inst_executed.sum",
    "smsp__thread_inst_executed.sum", "sm__warps_active.avg.pct_of_peak_sustained_active",
    "sm__inst_executed_pipe_lsu.sum", "smsp__warps_issue_stalled_long_scoreboard.sum",
    *[f"l1tex__t_{what}_pipe_lsu_mem_global_op_{operation}{lookup}.sum" for operation in OPERATIONS
      for what, lookup in (("requests", ""), ("sectors", ""), ("sectors", "_lookup_hit"))],
    "l1tex__t_sectors_pipe_lsu_mem_local_op_ld.sum", "l1tex__t_sectors_pipe_lsu_mem_local_op_ld_lookup_hit.sum",
    "l1tex__t_sectors_pipe_lsu_mem_local_op_st.sum",
    "l1tex__t_set_conflicts_pipe_lsu_mem_global_op_ld.sum",
    "l1tex__t_output_wavefronts_pipe_lsu_mem_global_op_ld.sum",
    "l1tex__t_output_wavefronts_pipe_lsu_mem_global_op_st.sum",
    "l1tex__data_pipe_lsu_wavefronts.sum",
    *[f"l1tex__data_pipe_lsu_wavefronts_mem_shared_op_{operation}.sum" for operation in ("ld", "st", "atom")],
    *[f"l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_{operation}.sum" for operation in ("ld", "st")],
    "l1tex__m_xbar2l1tex_read_bytes.sum", "l1tex__m_l1tex2xbar_write_bytes.sum",
    "idc__requests.sum", "idc__requests_lookup_hit.sum",
    "gcc__cache_requests_type_constant.sum", "gcc__cache_requests_type_constant_lookup_miss.sum",
    "lrc__xbar2lrc_requests_op_read.sum",
    *[f"lts__t_sectors_op_{operation}{lookup}.sum" for operation in L2_OPERATIONS
      for lookup in ("", "_lookup_hit", "_lookup_miss")],
    *[f"lts__t_sectors_srcunit_tex_op_{operation}{lookup}.sum" for operation in ("read", "write")
      for lookup in ("", "_lookup_hit", "_lookup_miss")],
    "lts__t_requests_srcunit_tex.sum", "lts__t_requests_srcunit_tex_op_read.sum",
    "lts__t_sectors_srcunit_tex.sum", "lts__t_sectors_srcunit_ltcfabric.sum",
    "lts__t_sectors_lookup_miss_data_promoted.sum", "lts__d_sectors_fill_device.sum",
    "lts__t_sectors.sum", "lts__t_sectors.max", "lts__t_sectors.avg",
    "dram__bytes_read.sum", "dram__bytes_read.max", "dram__bytes_read.min", "dram__bytes_read.avg",
    "dram__bytes_write.sum", "dram__cycles_elapsed.max", "dram__cycles_active.sum"]

WARM = ["gpu__time_duration.sum", "sm__cycles_elapsed.max", "smsp__inst_executed.sum",
        "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", "l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum",
        "lts__t_sectors_op_read.sum", "dram__bytes_read.sum", "dram__bytes_write.sum"]


def base_names(listing):
    """The names without ".sum" and the like, from what `ncu --query-metrics` prints; none: it listed none."""
    names = {line.split()[0] for line in listing.splitlines() if "__" in line.split(" ")[0]}
    return names


def available(metrics, names):
    """Metrics whose base name is listed; all of them, where nothing is listed."""
    return [metric for metric in metrics if not names or metric.split(".")[0] in names]


def number(text):
    """A value of ncu's as a number: whole, where it is; None for "n/a"."""
    try:
        value = float(text.replace(",", ""))
    except ValueError:
        return None
    return int(value) if value.is_integer() else value


def launches(table):
    """ncu's comma-separated values, a row a launch and metric: a dict a launch, in their order."""
    begin = table.find('"ID",')
    found = {}
    for row in csv.DictReader(io.StringIO(table[begin:])) if begin >= 0 else ():
        if not (row["ID"] or "").isdigit() or row.get("Metric Name") is None:
            continue
        launch = found.setdefault((row.get("Process ID"), int(row["ID"])), {
            "kernel": row["Kernel Name"], "grid": shape(row.get("Grid Size")), "block": shape(row.get("Block Size"))})
        launch[row["Metric Name"]] = number(row["Metric Value"] or "")
    return list(found.values())


def shape(text):
    """"(8, 4, 1)" as "8x4x1"."""
    return "x".join((text or "").strip("() ").replace(" ", "").split(","))
