#!/usr/bin/env python3
"""What was measured on real GPUs: that the tables are whole, and that warpmem agrees with them as far as it did.

usage: check_measured.py form                 every device's tables, that a damaged one is found, and what must be alike
       check_measured.py held WARPMEM PAGE    the preset of each device against its counters; PAGE's tables

Requests and sectors of the coalescer follow from the program alone: they are equal, but where EXCEPTIONS says
why not. What the caches and DRAM make of them is held to BOUNDS, the mean errors of today rounded up, which are
to come down (docs/gpu-measurements.md).
"""
import collections
import csv
import gzip
import hashlib
import json
import re
import shutil
import sys
import tempfile
from pathlib import Path

import collect
import compare
import metrics
import ptx_model

HERE = Path(__file__).resolve().parent
# Whose counters stand in the page, beside its preset.
HELD = ["h100"]
# Of a program's kernels, the largest relative difference of any number of REQUESTS, and its reason.
RACES = "threads race, and which of them see a store of another decides what they load and store"
REMAINDERS = ("clang and nvcc shape branches and loops differently: lanes that part ways load and store in other "
              "groups")
EXCEPTIONS = {"bfs": (0.12, RACES), "gridding": (0.03, REMAINDERS), "gramschmidt": (0.0015, REMAINDERS),
              "inverted_index": (0.12, REMAINDERS), "page_views": (0.005, REMAINDERS),
              "particles": (0.004, REMAINDERS), "spmv": (0.012, REMAINDERS), "spmv_jds": (0.0005, REMAINDERS),
              "stencil": (0.12, REMAINDERS), "streamcluster": (0.35, REMAINDERS)}
BOUNDS = {"L1 hit rate of loads, points": 0.3, "sectors that L1 reads from L2, %": 23,
          "L2 hit rate of reads, points": 14, "bytes read from DRAM, %": 11}
# Their threads race for what they do next.
RACING = {"bfs", "spinlock"}
# They print times, which nothing that is untimed has.
TIMED = {"atomics", "bandwidth", "pointer_chase"}


def require(right, what):
    if not right:
        raise AssertionError(what)


def table(folder, name):
    with open(folder / f"{name}.csv", newline="") as file:
        return list(csv.DictReader(file))


def check_metadata(folder):
    data = json.loads((folder / "metadata.json").read_text())
    require(data["format"] == "warpmem-gpu-measurements-1", f"format {data['format']}")
    for name in ("name", "compute_cap", "driver_version", "clocks.max.sm", "clocks.max.mem"):
        require(data["gpu"][name], f"no {name}")
    require(data["date"] and data["nvcc"] and data["ncu"], "no date, nvcc or ncu")
    require(all(it["what"] and it["reason"] for it in data["left_out"]), "something is left out without a reason")


def check_curves(folder):
    rows, medians = table(folder, "curves"), collections.defaultdict(list)
    for row in rows:
        least, value, most = (float(row[name]) for name in ("least", "value", "most"))
        require(least <= value <= most and int(row["samples"]) > 0 and row["unit"], f"a curve's row {row}")
        medians[row["program"], row["variant"]].append((float(row["parameter"]), value))
    # The H200 was measured before there was partitions.cu.
    require({row["program"] for row in rows} | {"partitions"} == {name for name, _, _ in collect.CURVES},
            "a program has no curves")
    latency = dict(medians["latency", "ca-128"])
    steps = [latency[65536], latency[1048576], latency[max(latency)]]
    require(steps[0] * 4 < steps[1] < steps[2] * 0.6, f"latencies of L1, L2 and DRAM are {steps}")


def check_counts(row, where):
    """What holds of any launch's counters."""
    for name in metrics.COUNTERS:
        require(float(row[name]) >= 0, f"{where}: {name} is {row[name]}")
    for operation in metrics.OPERATIONS:
        requests, sectors, hits = (float(row[f"l1tex__t_{name}.sum"]) for name in (
            f"requests_pipe_lsu_mem_global_op_{operation}", f"sectors_pipe_lsu_mem_global_op_{operation}",
            f"sectors_pipe_lsu_mem_global_op_{operation}_lookup_hit"))
        require(requests <= sectors <= 128 * requests and hits <= sectors, f"{where}: sectors of {operation}")
    reads = float(row["lts__t_sectors_srcunit_tex_op_read.sum"])
    # A little more than asked for: the passes of a launch are runs of it, and no two are alike.
    require(float(row["lts__t_sectors_srcunit_tex_op_read_lookup_hit.sum"]) <= 1.1 * reads + 64, f"{where}: L2's hits")
    require(float(row["dram__bytes_read.min"]) <= float(row["dram__bytes_read.max"]), f"{where}: DRAM's bytes")


def check_counters(folder):
    with open(HERE / "programs.csv", newline="") as file:
        planned = {(it["set"], it["program"], it["arguments"]): int(it["launches"]) for it in csv.DictReader(file)}
    numbers = collections.defaultdict(list)
    for row in table(folder, "counters"):
        key = (row["set"], row["program"], row["arguments"])
        if row["program"] not in compare.LEFT_OUT:
            check_counts(row, key)
        numbers[key].append(int(row["launch"]))
    for key, launches in numbers.items():
        require(launches == list(range(len(launches))) and len(launches) <= planned[key], f"launches of {key}")
    require({it for it in planned if it[0] == "default"} <= set(numbers), "a program's default has no counters")
    for part, rows in group(table(folder, "counted"), "part").items():
        require([int(row["launch"]) for row in rows] == list(range(len(rows))), f"launches of {part}")
        for row in rows:
            check_counts(row, (part, row["variant"]))
    require(set(group(table(folder, "counted"), "part")) == set(collect.COUNTED), "a part was not counted")


def group(rows, name):
    found = {}
    for row in rows:
        found.setdefault(row[name], []).append(row)
    return found


def check_outputs(folder):
    for it in json.loads((folder / "outputs.json").read_text()):
        require(it["status"] == 0 and it["output"].endswith(f"{it['program']}: PASS\n"), f"{it['program']} failed")
        require(hashlib.sha256(it["output"].encode()).hexdigest() == it["sha256"], f"output of {it['program']}")
    require(all(int(row["ns"]) > 0 for row in table(folder, "launch_times")), "a launch that took no time")
    for path in folder.glob("hints_*.json"):
        require(json.loads(path.read_text())["same_output"] is True, path.name)


def check_places(folder):
    by_sm = list(csv.reader(open(folder / "l2_by_sm.csv", newline="")))
    by_line = list(csv.reader(gzip.open(folder / "l2_by_line.csv.gz", "rt", newline="")))
    for rows, first in ((by_sm, "sm"), (by_line, "offset")):
        require(rows[0][0] == first and len({len(row) for row in rows}) == 1, f"shape of the table by {first}")
        require(all(50 < int(cell) < 2000 for row in rows[1:] for cell in row[1:]), f"cycles by {first}")
    # The same lines from the same SMs, at another time: most differ by a cycle or two.
    sms = {name[2:] for name in by_line[0][1:]} & {row[0] for row in by_sm[1:]}
    require(len(sms) >= 4, "no SMs in both tables")


LITMUS_COLUMNS = ["test", "variant", "scope", "placement", "layout", "outcome", "count", "weak", "forbidden"]
LAYOUTS = ["apart", "together", "packed"]
WITH_HOST = {"SB", "MP", "LB"}


def litmus_keys(layouts):
    """All that is to be tried: each variant at its scopes, in each place that the test has."""
    scopes = {"weak": ["none"], "volatile": ["sys"]}
    return {(test, variant, scope, placement, layout) for test in ptx_model.TESTS for variant in ptx_model.VARIANTS
            for scope in scopes.get(variant, ptx_model.SCOPES) for placement in ptx_model.PLACEMENTS
            for layout in layouts if test in WITH_HOST or "host" not in placement}


def check_litmus_rows(rows, layouts):
    """Outcomes are called weak and forbidden where the model says so, and none that it forbids was seen."""
    interleaved = {test: ptx_model.interleaved(test) for test in ptx_model.TESTS}
    outcomes, counts = collections.defaultdict(list), collections.Counter()
    for row in rows:
        require(list(row) == LITMUS_COLUMNS, f"the columns of litmus tests are {list(row)}")
        key = tuple(row[name] for name in LITMUS_COLUMNS[:5])
        outcomes[key].append(row["outcome"])
        counts[key] += int(row["count"])
        require(row["weak"] == ("no" if row["outcome"] in interleaved[row["test"]] else "yes"), f"weak: {row}")
        forbidden = ptx_model.forbids(*key[:4], row["outcome"])
        require(row["forbidden"] == ("yes" if forbidden else "no"), f"forbidden: {row}")
        require(not forbidden or row["count"] == "0", f"a forbidden outcome was seen: {row}")
    require(set(outcomes) == litmus_keys(layouts), f"tried otherwise: {set(outcomes) ^ litmus_keys(layouts)}")
    for key, found in outcomes.items():
        require(counts[key] > 0 and len(set(found)) == len(found), f"outcomes of {key}")
        weak = ptx_model.allowed(key[0], "weak", "", False) - interleaved[key[0]]
        require(weak <= set(found), f"{key} has no row of {weak}")


def check_litmus(folder):
    if (folder / "litmus.csv").exists():
        check_litmus_rows(table(folder, "litmus"), LAYOUTS)


CHECKS = [check_metadata, check_curves, check_counters, check_outputs, check_places, check_litmus]
# A file, what is in it and what stands there instead: each must be found.
DAMAGES = [("metadata.json", '"driver_version": "', '"driver": "'), ("curves.csv", "latency,latency,ca-128,", "latency,latency,ca-,"),
           ("counters.csv", "default,atax,,1,", "default,atax,,0,"), ("counters.csv", "default,vecadd,,0,", "default,vecad,,0,"),
           ("counted.csv", "lanes,0,", "lanes,1,"), ("outputs.json", "gemm: PASS", "gemm: FAIL"),
           ("l2_by_sm.csv", "\n1,", "\n1,1,")]
# Likewise, of a row of litmus.csv: a forbidden outcome that was seen, words that the model doesn't have, a row that
# is not there.
LITMUS_ROW = "MP,relaxed fence.sc,{},blocks,packed,r0=1 r1={},{},{},{}\n"
LITMUS_DAMAGES = [LITMUS_ROW.format("gpu", 0, 1, "yes", "yes"), LITMUS_ROW.format("gpu", 0, 0, "yes", "no"),
                  LITMUS_ROW.format("gpu", 0, 0, "no", "yes"), LITMUS_ROW.format("cta", 0, 0, "yes", "no"),
                  LITMUS_ROW.format("gpu", 2, 0, "yes", "yes"), ""]


def follows_from_program(row):
    """Of a launch: what has nothing to do with caches, memory and clocks."""
    return [row[name] for name in metrics.COUNTERS if re.match(
        r"l1tex__t_(requests|sectors)_pipe_lsu_mem_global_op_\w+\.sum$", name) and not name.endswith("hit.sum")] \
        + [row["smsp__inst_executed.sum"]]


def check_alike(one, other):
    """Two devices of one capability run the same machine code: as many instructions, requests and sectors."""
    found = []
    for device in (one, other):
        found.append({tuple(row[name] for name in ("set", "program", "arguments", "launch")): row
                      for row in table(HERE / device, "counters") if row["program"] not in RACING})
    common = set(found[0]) & set(found[1])
    require(len(common) > 100, f"{one} and {other} have few launches in common")
    for key in sorted(common):
        require(follows_from_program(found[0][key]) == follows_from_program(found[1][key]),
                f"{key} makes other requests on {one} than on {other}")


def check_form(folder):
    for check in CHECKS:
        check(folder)


def check_damages(folder):
    of_litmus = [("litmus.csv", LITMUS_ROW.format("gpu", 0, 0, "yes", "yes"), new) for new in LITMUS_DAMAGES]
    for name, old, new in DAMAGES + (of_litmus if (folder / "litmus.csv").exists() else []):
        with tempfile.TemporaryDirectory() as place:
            copy = Path(place) / "device"
            shutil.copytree(folder, copy)
            text = (copy / name).read_text()
            require(old in text, f"{name} has no {old!r}")
            (copy / name).write_text(text.replace(old, new))
            try:
                check_form(copy)
            except (AssertionError, KeyError, ValueError):
                continue
        raise AssertionError(f"{name} with {new!r} for {old!r} was not found")


def check_requests(found):
    used, wrong = set(), []
    for kernel in found:
        limit, reason = EXCEPTIONS.get(kernel.program, (0, ""))
        for name, kinds, counter, names in compare.REQUESTS:
            ours, theirs = kernel.requests(kinds, counter, names)
            error = compare.relative(ours, theirs)
            if error > limit:
                wrong.append(f"{kernel.program}, {kernel.name}: {name} are {ours}, the GPU's {theirs:.0f}"
                             + (f", more than {limit:.2%} apart ({reason})" if reason else ""))
            used.update([kernel.program] if error > limit / 10 else [])
    require(not wrong, "\n".join(wrong))
    require(used >= set(EXCEPTIONS), f"exceptions that are none: {set(EXCEPTIONS) - used}")


def check_held(device, warpmem, page):
    found = compare.kernels(warpmem, device)
    check_requests(found)
    errors = dict(compare.summary(found))
    for name, bound in BOUNDS.items():
        mean = compare.mean(errors[name])
        require(mean <= bound, f"{name}: the mean error is {mean:.2f}, and {bound} was met before")
    print("\n".join(compare.summary_lines(found)))
    outputs = {it["program"]: it["output"] for it in json.loads((HERE / device / "outputs.json").read_text())
               if it["set"] == "default"}
    for kernel in found:
        if kernel.program not in TIMED:
            require(kernel.output == outputs[kernel.program], f"{kernel.program} prints {kernel.output!r}")
    text = page.read_text()
    require(compare.with_sections(text, compare.all_sections(warpmem, device, found)) == text,
            f"the tables of {page} are not of today: python3 {Path(__file__).parent / 'compare.py'} WARPMEM --write {page}")


def main(words):
    for device in compare.DEVICES:
        if words[0] == "form":
            check_form(HERE / device)
            check_damages(HERE / device)
        elif device in HELD:
            check_held(device, Path(words[1]).resolve(), Path(words[2]))
    if words[0] == "form":
        check_alike(*compare.DEVICES)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
