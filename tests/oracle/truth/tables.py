"""The tables of the truth suite: what was measured, what may be used to choose parameters, what warpmem predicts.

A curve is known by its preset and name; its points by their parameter, as text. Lines that begin with # say where
a table is from.
"""
import csv
from pathlib import Path

HERE = Path(__file__).resolve().parent
GPU = HERE.parent / "gpu"
PRESETS = ["v100", "a100", "h100", "h200"]
IN_HALVES = ["a100", "h100", "h200"]
OWN_DEVICES = ["h100", "h200"]  # measured for warpmem
# Curves of other devices that a preset is held to, and the preset's own.
ALSO = {("h200", "latency gh200"): ("h200", "latency")}
MEASURED = ["latency", "l1_bandwidth", "l2_bandwidth", "stream", "strides"]
PAGES = [2, 8, 16, 32, 64]
# Of curves.csv of tests/oracle/gpu's devices, by program, variant and unit: a curve, and what its parameter is divided by.
OWN = {("latency", "ca-128", "cycle"): ("latency", 1024),
       ("cache_bandwidth", "l1-4", "byte/cycle/SM"): ("l1 bandwidth", 1024),
       ("cache_bandwidth", "l2-parts", "GB/s"): ("l2 bandwidth", 1024),
       ("strides", "l1-float", "cycle/instruction"): ("strides float", 1),
       ("strides", "l1-double", "cycle/instruction"): ("strides double", 1),
       ("strides", "l1-block", "cycle/instruction"): ("block float", 1),
       ("atomic_rates", "red", "lane/ns"): ("atomics", 1),
       ("overhead", "graph", "ns"): ("kernel of a graph", 1),
       ("overhead", "launch-gap", "ns"): ("launch gap", 1),
       ("strides", "constant", "cycle/instruction"): ("constant words", 1),
       ("strides", "constant-lines", "cycle/instruction"): ("constant lines", 1),
       ("operations", "ld.const by working set", "cycle"): ("constant latency", 1024),
       **{("strides", f"shared-{kind} {word}", "cycle/instruction"): (f"shared {kind} {word}", 1)
          for kind in ("load", "store", "same") for word in ("float", "double", "float4")},
       # By the MiB that the pages span.
       **{("latency", f"page-{mib}MiB", "cycle"): (f"latency pages of {mib} MiB", 1 / mib) for mib in PAGES},
       **{("overhead", kind, "ns"): (f"copy {kind}", 1024) for kind in ("h2d", "d2h", "d2d", "fill")}}
STREAMS = ["init", "read", "scale", "triad", "points3"]
UNITS = {"latency": "cycle", "l1 bandwidth": "byte/cycle/SM", "l2 bandwidth": "GB/s", "strides": "cycle/instruction",
         "block": "cycle/instruction", "stream": "GB/s", "atomics": "lane/ns", "kernel of a graph": "ns",
         "launch gap": "ns", "shared": "cycle/instruction", "constant words": "cycle/instruction",
         "constant lines": "cycle/instruction", "constant latency": "cycle", "copy": "ns"}


def machine(preset):
    """What predictions are made on: instructions as a device has them, not as PTX has them, and an L2 in two halves."""
    return preset + "+machine-code" + ("+l2-partitions" if preset in IN_HALVES else "")


def rows(path):
    with open(path, newline="") as file:
        return list(csv.DictReader(line for line in file if not line.startswith("#")))


def unit(curve):
    return next(words for name, words in UNITS.items() if curve == name or curve.startswith(name + " "))


def curve_of(row):
    """The curve and the parameter of a row that a program of tests/oracle/gpu/programs printed, or None."""
    if row["program"] == "stream" and row["experiment"] == "stream" and row["variant"].split()[0] in STREAMS:
        operation, shape = row["variant"].split(" ", 1)
        return f"stream {operation}", shape
    found = OWN.get((row["program"], row["variant"], row["unit"]))
    return (found[0], f"{float(row['parameter']) / found[1]:g}") if found else None


def measured():
    """{(preset, curve): {parameter: value}}; of our own, the mean of their runs."""
    found, runs = {}, {}
    for name in MEASURED:
        for row in rows(HERE / f"measured/{name}.csv"):
            found.setdefault((row["preset"], row["curve"]), {})[row["parameter"]] = float(row["value"])
    for device in OWN_DEVICES:
        for row in rows(GPU / device / "curves.csv"):
            key = curve_of(row)
            if key:
                runs.setdefault((device, *key), []).append(float(row["value"]))
    for (device, curve, parameter), values in runs.items():
        found.setdefault((device, curve), {})[parameter] = sum(values) / len(values)
    return found


def predicted():
    found = {}
    for row in rows(HERE / "predicted.csv"):
        found.setdefault((row["preset"], row["curve"]), {})[row["parameter"]] = float(row["value"])
    for other, own in ALSO.items():
        if own in found:
            found[other] = found[own]
    return found


def split():
    """{(preset, curve): "fit" or "judge"}, and of kernels by their number, of workloads by their name."""
    return {(row["of"], row["name"]): row["use"] for row in rows(HERE / "split.csv")}
