"""What clock.t asks of results. usage: clock_numbers.py QUESTION FILE…"""
import json
import sys


def load(path):
    with open(path) as file:
        return json.load(file)


def engine(path):
    results = load(path)
    for kernel in results["kernels"]:
        print(results["engine"], kernel["name"], "timed" if kernel.get("cycles") else "not timed")


def same(one, other):
    """All but the command line."""
    a, b = load(one), load(other)
    a["command"] = b["command"] = None
    print("same" if a == b else "different")


def instructions(*paths):
    for path in paths:
        for kernel in load(path)["kernels"]:
            counted = sum(c["counters"]["warp_instructions"] for c in kernel["components"]
                          if c["kind"] == "sm")
            print(path, kernel["warp_instructions"], counted)


def event(path, said):
    """Between two events is the kernel: its cycles at v100's clock, 5 µs for the launch, and half a
    microsecond of the events themselves."""
    with open(said) as file:
        microseconds = float(file.read())
    wanted = load(path)["kernels"][0]["cycles"] / 1530 + 5.5
    print("as its cycles" if abs(microseconds - wanted) < 0.002 else (microseconds, wanted))


def levels(path):
    """Loads by the level that served them, the fewest and most cycles that their bucket allows."""
    for kernel in load(path)["kernels"]:
        for level in kernel["load_latency"]:
            buckets = [f"{2 ** i}..{2 ** (i + 1) - 1}" for i, loads in enumerate(level["buckets"])
                       if loads]
            print(level["level"], level["loads"], *buckets)
        for it in kernel["instructions"]:
            if "timed" in it:
                timed = it["timed"]
                print(it["text"].split()[0], timed["loads"], "loads", timed["loads_cached"],
                      "cached", timed["requests_waited"], "requests waited")


def loads_add_up(path):
    """Load/store units, levels, buckets and instructions count the same loads and cycles."""
    for kernel in load(path)["kernels"]:
        units = [c["counters"] for c in kernel["components"] if c["kind"] == "memory_unit"]
        levels = kernel["load_latency"]
        timed = [it["timed"] for it in kernel["instructions"] if "timed" in it]
        loads = {sum(u["loads"] for u in units), sum(v["loads"] for v in levels),
                 sum(sum(v["buckets"]) for v in levels), sum(t["loads"] for t in timed)}
        cycles = {sum(u["load_cycles"] for u in units), sum(v["cycles"] for v in levels),
                  sum(t["load_cycles"] for t in timed)}
        near = sum(v["loads"] for v in levels if v["level"] in ("shared", "l1"))
        cached = sum(t["loads_cached"] for t in timed)
        print("as one" if len(loads) == len(cycles) == 1 and near == cached else
              (loads, cycles, near, cached))


globals()[sys.argv[1]](*sys.argv[2:])
