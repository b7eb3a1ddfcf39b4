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


def summed(results, kind, name):
    return sum(c["counters"][name] for c in results["components"] if c["kind"] == kind)


def sooner(sparse, whole):
    """A recording of memory instructions beside one of all: fewer waits, the same work."""
    a, b = load(sparse), load(whole)
    asked = [("issue", "issued"), ("l1", "accesses"), ("l1", "load_accesses"), ("l2", "accesses"),
             ("dram", "bytes_read")]
    for kind, name in asked:
        if summed(a, kind, name) != summed(b, kind, name):
            print(kind, name, summed(a, kind, name), summed(b, kind, name))
    fewer = a["kernels"][0]["cycles"] < b["kernels"][0]["cycles"]
    print("issues as many, asks the caches for as much, takes",
          "fewer cycles" if fewer else "as many cycles or more")


def event(path, said):
    """Between two events is the kernel: its cycles at v100's clock, 5 µs for the launch, and half a
    microsecond of the events themselves."""
    with open(said) as file:
        microseconds = float(file.read())
    wanted = load(path)["kernels"][0]["cycles"] / 1530 + 5.5
    print("as its cycles" if abs(microseconds - wanted) < 0.002 else (microseconds, wanted))


def same_but_samples(one, other):
    a, b = load(one), load(other)
    a["command"] = b["command"] = None
    del a["samples"], a["counters"]["samples"]
    print("same" if a == b else "different")


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
        near = sum(v["loads"] for v in levels if v["level"] not in ("l2", "dram"))
        cached = sum(t["loads_cached"] for t in timed)
        print("as one" if len(loads) == len(cycles) == 1 and near == cached else
              (loads, cycles, near, cached))


def timeline(path, results_path):
    """A file of trace events (the format's required fields), and what it says beside the results."""
    trace, results = load(path), load(results_path)
    events = trace["traceEvents"]
    microseconds = 1e6 / trace["otherData"]["clock_hz"]
    phases = {}
    for event in events:
        phases.setdefault(event["ph"], []).append(event)
        assert isinstance(event["pid"], int) and isinstance(event["name"], str)
        assert event["ph"] == "M" or event["ts"] >= 0
        assert event["ph"] != "X" or (event["dur"] >= 0 and isinstance(event["tid"], int))
        assert event["ph"] != "C" or all(value >= 0 for value in event["args"].values())
    print("phases", *sorted(phases))
    kernels = [e for e in phases["X"] if e["pid"] == 1]
    blocks = [e for e in phases["X"] if e["pid"] == 2]
    cycles = sum(k["cycles"] for k in results["kernels"])
    print("launches", len(kernels), sum(k["launches"] for k in results["kernels"]))
    assert sum(e["args"]["cycles"] for e in kernels) == cycles
    assert all(abs(e["dur"] - e["args"]["cycles"] * microseconds) < 1e-5 for e in kernels)
    print("blocks", len(blocks))
    # Blocks lie within their launch, and do not overlap in a row.
    rows = {}
    for block in blocks:
        launch = kernels[block["args"]["launch"]]
        assert launch["ts"] <= block["ts"] + 1e-5
        assert block["ts"] + block["dur"] <= launch["ts"] + launch["dur"] + 1e-5
        assert block["ts"] + 1e-5 >= rows.get(block["tid"], 0)
        rows[block["tid"]] = block["ts"] + block["dur"]
    named = [e["tid"] for e in phases["M"] if e["name"] == "thread_name"]
    assert sorted(named) == sorted(rows)
    print("counters", *sorted({e["name"] for e in phases["C"]}))


def first_blocks(path):
    """How many cycles after its launch begins each launch's first block does."""
    trace = load(path)
    events = [e for e in trace["traceEvents"] if e["ph"] == "X"]
    launches = [e["ts"] for e in events if e["pid"] == 1]
    firsts = {}
    for block in (e for e in events if e["pid"] == 2):
        launch = block["args"]["launch"]
        firsts[launch] = min(firsts.get(launch, block["ts"]), block["ts"])
    rate = trace["otherData"]["clock_hz"] / 1e6
    print(*sorted({round((ts - launches[launch]) * rate) for launch, ts in firsts.items()}))


def samples(path):
    """Samples follow each other, and add up to what the components counted."""
    results = load(path)
    samples = results["samples"]
    rows = [dict(zip(samples["columns"], row)) for row in samples["rows"]]
    assert all(a["end"] <= b["begin"] for a, b in zip(rows, rows[1:]))
    assert sum(r["end"] - r["begin"] for r in rows) == sum(k["cycles"] for k in results["kernels"])
    short = [r for r in rows if r["end"] - r["begin"] < samples["cycles"]]
    assert len(short) <= sum(k["launches"] for k in results["kernels"])
    assert rows[-1]["resident_warps"] == 0

    def total(kind, counter, path=""):
        return sum(c["counters"][counter] for k in results["kernels"] for c in k["components"]
                   if c["kind"] == kind and c["path"].startswith(path))

    wanted = {"warp_instructions": total("issue", "issued"),
              "replies": total("memory_unit", "requests_replied"),
              "flits_from_sms": total("link", "flits", "gpu0.sm"),
              "flits_to_sms": total("link", "flits", "gpu0.l2"),
              "dram_bytes_read": total("dram_channel", "bytes_read"),
              "dram_bytes_written": total("dram_channel", "bytes_written")}
    for name, value in wanted.items():
        assert sum(r[name] for r in rows) == value != 0 or name == "dram_bytes_written", name
    print(samples["cycles"], "cycles,", "several" if len(rows) > 2 else len(rows), "samples")


globals()[sys.argv[1]](*sys.argv[2:])
