#!/usr/bin/env python3
"""Writes docs/truth.md between its marks, and its pictures, from the tables of this folder.

usage: page.py PAGE [--charts SCRIPT] [--check]

SCRIPT is the report's script of charts (build/src/study/chart_library.js); without it, or where it is empty, the
pictures stay as they are. --check: writes nothing, and ends with 1 where the page or a picture is not what the
tables give.
"""
import argparse
import json
import math
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import kernels
import tables
import times

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(tables.GPU))
import compare

# Working sets in KiB, and shapes of streams, that lie on plateaus whatever the parameters: what they are called.
PLATEAUS = [("latency", {"v100": "16", "a100": "16", "h100": "16", "h200": "16"}, "a load that L1 serves"),
            ("latency", {"v100": "2048", "a100": "4096", "h100": "4096", "h200": "4096"}, "a load that L2 serves"),
            ("latency", {"v100": "65536", "a100": "131072", "h100": "131072", "h200": "131072"},
             "a load that DRAM serves"),
            ("l1 bandwidth", {"v100": "64", "h100": "64", "h200": "64"}, "L1 of each SM"),
            ("l1 bandwidth", {"v100": "512", "h100": "512", "h200": "512"}, "L2 to each SM, all of the same data"),
            ("l2 bandwidth", {"a100": "16384", "h100": "16384", "h200": "16384"}, "L2"),
            ("l2 bandwidth", {"a100": "131072", "h100": "131072"}, "DRAM, read in parts"),
            ("stream scale", {"v100": "1 x 64", "h100": "1 x 64", "h200": "1 x 64"}, "scale, 64 threads an SM"),
            ("stream scale", {"v100": "2 x 1024", "h100": "2 x 1024", "h200": "2 x 1024"}, "scale, SMs full"),
            ("stream triad", {"v100": "2 x 1024", "h100": "2 x 1024"}, "triad, SMs full"),
            ("strides float", {"a100": "1", "h100": "1", "h200": "1"}, "a warp's load of floats, stride 1"),
            ("strides float", {"a100": "9", "h100": "9", "h200": "9"}, "the same, stride 9"),
            ("strides float", {"a100": "32", "h100": "32", "h200": "32"}, "the same, stride 32"),
            ("shared load float", {"h100": "1", "h200": "1"}, "a warp's load of floats in shared memory, stride 1"),
            ("shared load float", {"h100": "32", "h200": "32"}, "the same, stride 32"),
            ("shared load float4", {"h100": "1", "h200": "1"}, "the same of float4, stride 1"),
            ("constant words", {"h100": "1", "h200": "1"}, "a warp's load of one constant"),
            ("constant words", {"h100": "32", "h200": "32"}, "the same, of 32 different ones"),
            ("constant latency", {"h100": "1", "h200": "1"}, "a constant of 1 KiB"),
            ("constant latency", {"h100": "14.5459", "h200": "14.5459"}, "a constant of 15 KB"),
            ("latency pages of 2 MiB", {"h100": "128", "h200": "128"}, "a load that L2 serves, a line of each page of 128 MiB"),
            ("latency pages of 32 MiB", {"h100": "49152", "h200": "49152"}, "the same, of 48 GiB"),
            ("atomics", {"h100": "1", "h200": "1"}, "reductions to one address"),
            ("kernel of a graph", {"h100": "1", "h200": "1"}, "an empty kernel of a graph"),
            ("launch gap", {"h100": "1", "h200": "1"}, "from a kernel to the next")]
PICTURES = [("latency", ["latency"], "log", "working set, KiB"),
            ("bandwidth", ["l1 bandwidth", "l2 bandwidth"], "log", "working set, KiB"),
            ("stream", ["stream scale", "stream triad", "stream read"], "log", "threads of an SM"),
            ("strides", ["strides float", "strides double", "block float"], "linear",
             "stride, or lanes of a row"),
            ("shared", ["shared load float", "shared load double", "shared load float4", "shared store float"], "log",
             "stride, elements"),
            ("constants", ["constant words", "constant lines", "constant latency"], "log",
             "different words, or working set, KiB"),
            ("pages", ["latency pages of 2 MiB", "latency pages of 32 MiB"], "log", "MiB that pages span")]
# Of copies events have an estimate, which is none of the clock engine's: in no mean.
COPIES, COPY_SIZES = ["h2d", "d2h", "d2d", "fill"], ["4", "256", "4096"]


def number(parameter):
    """Of a shape of blocks x threads, the threads."""
    return math.prod(float(part) for part in parameter.split(" x "))


def measured_at(points, parameter):
    """What was measured there, between its neighbours where it was not; None beyond the ends."""
    if parameter in points:
        return points[parameter]
    if " x " in parameter:
        return None
    at, known = number(parameter), sorted((number(it), value) for it, value in points.items())
    for (low, first), (high, last) in zip(known, known[1:]):
        if 0 < low <= at <= high:
            return first + (last - first) * math.log(at / low) / math.log(high / low)
    return None


def pairs(measured, predicted):
    """Of each curve that was predicted: (parameter, predicted, measured) of each point that was measured."""
    for key in sorted(predicted, key=lambda it: (it[1], tables.PRESETS.index(it[0]))):
        if key[1].startswith("copy "):
            continue
        found = [(it, value, measured_at(measured.get(key, {}), it)) for it, value in predicted[key].items()]
        yield key, [it for it in found if it[2]]


def percent(ours, theirs):
    return 100 * (ours - theirs) / theirs


def text(value):
    return "" if value is None else f"{value:.0f}" if value >= 1000 else f"{value:.3g}"


def machine_lines(measured, predicted):
    use = tables.split()
    yield "| curve | machine | used to | points | mean error, % | largest, % | at |"
    yield "|---|---|---|---:|---:|---:|---|"
    for (preset, curve), points in pairs(measured, predicted):
        errors = [(abs(percent(ours, theirs)), percent(ours, theirs), it) for it, ours, theirs in points]
        worst = max(errors)
        mean = compare.mean([it[0] for it in errors])
        yield (f"| {curve} | {preset} | {use[preset, curve]} | {len(points)} | {mean:.1f} | {worst[1]:+.0f} | "
               f"{worst[2]} |")


def total_lines(measured, predicted):
    use, errors = tables.split(), {}
    for (preset, curve), points in pairs(measured, predicted):
        for _, ours, theirs in points:
            for group in (preset, "all"):
                errors.setdefault((group, use[preset, curve]), []).append(abs(percent(ours, theirs)))
    yield "| machine | points, fit | mean error, % | points, judge | mean error, % |"
    yield "|---|---:|---:|---:|---:|"
    for group in [*tables.PRESETS, "all"]:
        found = [errors.get((group, it), []) for it in ("fit", "judge")]
        cells = [f"{len(it)} | {compare.mean(it):.1f}" if it else "0 | " for it in found]
        yield f"| {group} | " + " | ".join(cells) + " |"


def plateau_lines(measured, predicted):
    yield "| plateau | unit | " + " | ".join(f"{it}, measured / predicted" for it in tables.PRESETS) + " |"
    yield "|---|---|" + "---:|" * len(tables.PRESETS)
    for curve, places, words in PLATEAUS:
        cells = []
        for preset in tables.PRESETS:
            key, at = (preset, curve), places.get(preset)
            both = (measured_at(measured.get(key, {}), at), predicted.get(key, {}).get(at)) if at else (None, None)
            cells.append(f"{text(both[0])} / {text(both[1])} ({percent(both[1], both[0]):+.0f} %)" if all(both) else "")
        yield f"| {words} | {tables.unit(curve)} | " + " | ".join(cells) + " |"


def copy_lines(measured, predicted):
    yield "| copy | KiB | " + " | ".join(f"{it}, measured / events, us" for it in tables.OWN_DEVICES) + " |"
    yield "|---|---:|" + "---:|" * len(tables.OWN_DEVICES)
    for kind in COPIES:
        for size in COPY_SIZES:
            both = [[of[preset, f"copy {kind}"][size] / 1000 for of in (measured, predicted)] for preset in tables.OWN_DEVICES]
            yield f"| {kind} | {size} | " + " | ".join(pair(it, "{:.1f}") for it in both) + " |"


# Kernels.

class Kernel:
    """A kernel that was measured, and the program that is to equal it."""

    def __init__(self, tried, ours, theirs):
        self.tried, self.theirs = tried, theirs
        self.ours = {name: float(value) for name, value in ours.items() if value != ""}
        self.l1 = kernels.equal(self.ours, theirs, kernels.OF_L1)
        self.l2 = kernels.equal(self.ours, theirs, kernels.OF_L2)
        self.timed = "Elapsed_Cycles" in self.ours

    def sum(self, of, names):
        return sum(float(of[name]) for name in names)

    def both(self, *names):
        return self.sum(self.ours, names), self.sum(self.theirs, names)

    def rate(self, hits, misses):
        def of(row):
            every = self.sum(row, (hits, misses))
            return 100 * float(row[hits]) / every if every else None
        return of(self.ours), of(self.theirs)


def known_kernels():
    ours = {row["number"]: row for row in tables.rows(kernels.KERNELS)}
    theirs = {row["number"]: row for row in tables.rows(HERE / "measured/counters.csv")}
    return [Kernel(row, ours[row["name"]], theirs[row["name"]]) for row in tables.rows(HERE / "programs.csv")
            if row["table"] == "counters" and row["name"] in ours]


def nrmse(both):
    mean = compare.mean([theirs for _, theirs in both])
    return math.sqrt(compare.mean([(ours - theirs) ** 2 for ours, theirs in both])) / mean if mean else math.nan


# Fewer sectors than these are what the launch itself, or one table, brings.
FEWEST = 1000


def counter_lines(found):
    published = {row["counter"]: row["nrmse"] for row in tables.rows(HERE / "measured/simulators.csv")}
    yield "| counter | kernels | mean error | NRMSE | of which judge | Accel-Sim's published NRMSE |"
    yield "|---|---:|---:|---:|---:|---:|"
    use = tables.split()
    l1, l2, timed = ([it for it in found if getattr(it, name)] for name in ("l1", "l2", "timed"))
    for name, kernels_of, value in (
            ("L1 read hit rate", l1, lambda it: it.rate("L1_RH", "L1_RM")),
            ("L2 read hit rate", l2, lambda it: it.rate("L2_RH", "L2_RM")),
            ("L2 read hits", l2, lambda it: it.both("L2_RH")), ("DRAM reads", l2, lambda it: it.both("DRAM_Rd")),
            ("DRAM writes", l2, lambda it: it.both("DRAM_Wr")),
            ("cycles", timed, lambda it: it.both("Elapsed_Cycles"))):
        rate = name.endswith("rate")
        every = [(it, value(it)) for it in kernels_of]
        every = [(it, both) for it, both in every if None not in both and (rate or both[1] >= FEWEST)]
        if not every:
            continue
        errors = [abs(ours - theirs) if rate else abs(percent(ours, theirs)) for _, (ours, theirs) in every]
        both = [it for _, it in every]
        judge = [both for it, both in every if use["counters", it.tried["name"]] == "judge"]
        mean = f"{compare.mean(errors):.2f} {'points' if rate else '%'}"
        yield f"| {name} | {len(every)} | {mean} | {ratio(both)} | {ratio(judge)} | {published.get(name, '')} |"


def ratio(both):
    found = nrmse(both) if both else math.nan
    return "" if math.isnan(found) else f"{found:.2f}"


def pair(both, form="{:.0f}"):
    return " / ".join("-" if it is None else form.format(it) for it in both)


def program_of(row):
    """What is run, and what is to be said of it."""
    words = f"`{row['program']} {row['arguments']}".rstrip() + "`"
    return f"{words}: {row['remark']}" if row["remark"] else words


def kernel_lines(found):
    yield ("| kernel | program | equal in | L1 reads | L1 hits, % | L2 reads | L2 hits, % | L2 writes | DRAM reads | "
           "DRAM writes | cycles |")
    yield "|---|---|---|---:|---:|---:|---:|---:|---:|---:|---:|"
    for it in found:
        levels = " and ".join(name for name, same in (("L1", it.l1), ("L2", it.l2)) if same) or "neither"
        cells = [pair(it.both("L1_RH", "L1_RM")), pair(it.rate("L1_RH", "L1_RM"), "{:.1f}"),
                 pair(it.both("L2_RH", "L2_RM")), pair(it.rate("L2_RH", "L2_RM"), "{:.1f}"),
                 pair(it.both("L2_WH", "L2_WM")), pair(it.both("DRAM_Rd")), pair(it.both("DRAM_Wr")),
                 pair(it.both("Elapsed_Cycles")) if it.timed else ""]
        yield (f"| {it.theirs['benchmark']}: {it.theirs['kernel']} | {program_of(it.tried)} | {levels} | "
               + " | ".join(cells) + " |")


SIMULATORS = [("GPGPU-Sim 3.x", "gpgpusim3x_err_pct"), ("Accel-Sim, PTX", "accelsim_ptx_err_pct"),
              ("Accel-Sim, SASS", "accelsim_sass_err_pct")]


def cycle_lines():
    theirs = {f"{row['suite']} {row['workload']}": row for row in tables.rows(HERE / "measured/cycles.csv")}
    ours, use, errors = {row["name"]: row["cycles"] for row in tables.rows(kernels.CYCLES)}, tables.split(), []
    others = " | ".join(f"{name}, %" for name, _ in SIMULATORS)
    yield f"| workload | used to | program | measured | warpmem | error, % | {others} |"
    yield "|---|---|---|---:|---:|---:|---:|---:|---:|"
    for row in tables.rows(HERE / "programs.csv"):
        if row["table"] != "cycles" or row["name"] not in ours:
            continue
        it, mine = theirs[row["name"]], ours[row["name"]]
        said = [float(it[column]) for _, column in SIMULATORS]
        error = percent(float(mine), float(it["hw_cycles"])) if mine else None
        if mine:
            errors.append((use["cycles", row["name"]], [error, *said]))
        cells = [row["name"], use["cycles", row["name"]], program_of(row), it["hw_cycles"],
                 mine or "takes too long", "" if error is None else f"{error:+.0f}", *(f"{it:+.0f}" for it in said)]
        yield "| " + " | ".join(cells) + " |"
    for words, uses in (("", ("fit", "judge")), (" that judge", ("judge",))):
        chosen = [values for of, values in errors if of in uses]
        means = [compare.mean([abs(it) for it in column]) for column in zip(*chosen)]
        yield f"| mean absolute, of {len(chosen)}{words} |  |  |  |  | " + " | ".join(f"{it:.1f}" for it in means) + " |"


# Kernels in time.

def clock_of(device):
    """In GHz, as the preset has it."""
    text = (kernels.ROOT / f"machines/{device}.yaml").read_text()
    return float(re.search(r"^  clock: (\d+)MHz", text, re.M)[1]) / 1000


def timed_kernels():
    """Of each kernel that was predicted: its row, and what its launches took on the mean, in ns: predicted, measured."""
    of_device = {device: times.measured(device) for device in tables.OWN_DEVICES}
    for row in tables.rows(times.TIMES):
        launches = times.by_kernel(of_device[row["device"]][row["program"], row["arguments"]])
        count, theirs = launches[row["kernel"]]
        yield row, float(row["cycles"]) / clock_of(row["device"]) / count, theirs / count


def time_lines():
    use, errors = tables.split(), {}
    for row, ours, theirs in timed_kernels():
        errors.setdefault((row["device"], row["set"]), []).append(percent(ours, theirs))
    yield "| device | programs | used to | kernels | mean error, % | half of them within, % | mean, with its sign, % |"
    yield "|---|---|---|---:|---:|---:|---:|"
    for (device, name), found in errors.items():
        sizes = sorted(abs(it) for it in found)
        yield (f"| {device} | {name} | {use['times', f'{device}:{name}']} | {len(found)} | {compare.mean(sizes):.1f} | "
               f"{sizes[len(sizes) // 2]:.1f} | {compare.mean(found):+.1f} |")


# Errors from this on have a line of their own.
LARGE = 40


def far_off_lines():
    yield "| device | program | kernel | launches | measured, ns | predicted, ns | error, % |"
    yield "|---|---|---|---:|---:|---:|---:|"
    for row, ours, theirs in timed_kernels():
        error = percent(ours, theirs)
        if abs(error) >= LARGE:
            program = f"{row['program']} {row['arguments']}".strip()
            length, name = re.match(r"_Z(\d+)(.*)", row["kernel"]).groups()
            kernel = name[:int(length)]
            yield (f"| {row['device']} | `{program}` | {kernel} | {row['launches']} | {theirs:.0f} | {ours:.0f} | "
                   f"{error:+.0f} |")


# Pictures.

def panel(key, measured, predicted, scale, title):
    """One curve: what was measured as points, what is predicted as a line; no further than it was predicted."""
    last = max(number(at) for at in predicted)
    values = [{"x": number(at), "y": value, "of": of}
              for of, points in (("measured", measured), ("predicted", predicted)) for at, value in points.items()
              if number(at) <= 1.05 * last and (scale != "log" or number(at) > 0)]
    x = {"field": "x", "type": "quantitative", "title": title, "scale": {"type": scale, "nice": False}}
    x["scale"].update({"base": 2} if scale == "log" else {})
    y = {"field": "y", "type": "quantitative", "title": tables.unit(key[1])}
    colour = {"field": "of", "type": "nominal", "title": None,
              "scale": {"domain": ["measured", "predicted"], "range": ["#1f77b4", "#d62728"]}}
    marks = {"measured": {"type": "point", "filled": True, "size": 18},
             "predicted": {"type": "line", "point": {"size": 12}}}
    layers = [{"transform": [{"filter": f"datum.of == '{of}'"}], "mark": mark,
               "encoding": {"x": x, "y": y, "color": colour}} for of, mark in marks.items()]
    return {"title": f"{key[0]}: {key[1]}", "width": 260, "height": 170, "data": {"values": values}, "layer": layers}


def specification(measured, predicted, curves, scale, title):
    keys = sorted((key for key in predicted if key[1] in curves), key=lambda it: (it[1], tables.PRESETS.index(it[0])))
    panels = [panel(key, measured.get(key, {}), predicted[key], scale, title) for key in keys]
    config = {"aria": False, "background": "white", "font": "sans-serif", "legend": {"orient": "top"}}
    return {"concat": panels, "columns": 2, "config": config}


def draw(library, folder, measured, predicted):
    """The pictures, by their name, drawn in a scratch folder."""
    files = []
    for name, curves, scale, title in PICTURES:
        path = Path(folder) / f"truth-{name}.json"
        path.write_text(json.dumps(specification(measured, predicted, curves, scale, title)))
        files.append(path)
    subprocess.run(["node", HERE / "draw.js", library, *files], check=True)
    return {path.with_suffix(".svg").name: path.with_suffix(".svg").read_text() for path in files}


def sections():
    measured, predicted = tables.measured(), tables.predicted()
    found = known_kernels()
    return {"machines": list(total_lines(measured, predicted)), "plateaus": list(plateau_lines(measured, predicted)),
            "curves": list(machine_lines(measured, predicted)), "copies": list(copy_lines(measured, predicted)), "counters": list(counter_lines(found)),
            "kernels": list(kernel_lines(found)), "cycles": list(cycle_lines()),
            "times": list(time_lines()), "far_off": list(far_off_lines())}


def main(words):
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("page", type=Path)
    parser.add_argument("--charts", type=Path)
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args(words)
    wanted = {options.page: compare.with_sections(options.page.read_text(), sections())}
    if options.charts and options.charts.exists() and options.charts.stat().st_size and shutil.which("node"):
        with tempfile.TemporaryDirectory() as folder:
            drawn = draw(options.charts.resolve(), folder, tables.measured(), tables.predicted())
        wanted.update({options.page.parent / "pictures" / name: picture for name, picture in drawn.items()})
    else:
        print("no library of charts, or no node: the pictures stay as they are")
    stale = [path for path, content in wanted.items() if not path.exists() or path.read_text() != content]
    if options.check:
        for path in stale:
            print(f"{path} is not what the tables give: ./dev truth, or {Path(__file__).name} PAGE --charts SCRIPT")
        return 1 if stale else 0
    for path in stale:
        path.parent.mkdir(exist_ok=True)
        path.write_text(wanted[path])
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
