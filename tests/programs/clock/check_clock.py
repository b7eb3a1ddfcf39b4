#!/usr/bin/env python3
"""The clock engine on small runs of all workloads. usage: check_clock.py WHAT WARPMEM WORKLOADS

  walk         without overlap it counts what the walk counts, at every level and for every instruction
  parts        the same on machines with parts that not all have
  hostile-N    machines with one of everything, and odd clocks: nothing stands still, nothing is lost;
               a third of the runs, from the Nth on
  again        two runs give the same bytes
  stuck        a program that stands still by itself is told of as in the walk
"""
import re
import sys
from pathlib import Path

from small_runs import RACES, RUNS, SMALL, components, parsed, programs, run
import sanitized

# One SM, one warp a block and one block there, one instruction in the load/store unit: what one
# asks for has come before the next asks. L1 takes lines when they miss, as the walk's caches do.
ONE_AT_A_TIME = {
    "gpu.sm.count": "1",
    "gpu.sm.max_blocks": "1",
    "gpu.sm.schedulers": "1",
    "gpu.sm.memory_queue": "1",
    "gpu.l1.allocation": "on-miss",
    "gpu.l1.queue": "1",
    "gpu.l1.mshr_entries": "1",
    "gpu.l2.mshr_entries": "1",
    "gpu.l2.queue": "1",
    "gpu.interconnect.buffer": "1",
}
ONE_WARP = [
    "vecadd --n 900 --block 32",
    "vecadd --variant blocked --n 400 --run 8 --block 32",
    "gemm --n 24 --block-x 8 --block-y 4",
    "gemm --variant update --n 24 --block-x 8 --block-y 4",
    "reduction --n 2000 --block 32",
    "scan --n 500 --block 32",
    "spmv --n 200 --per-row 6 --block 32",
    "spmv_jds --n 300 --per-row 6 --block 32",
    "lbm --width 8 --height 4 --depth 4 --steps 1 --block 32",
    "lbm --variant soa --width 8 --height 4 --depth 4 --steps 1 --block 32",
    "stencil3d --width 20 --height 12 --depth 6 --steps 1 --block-x 8 --block-y 4",
    "histogram --n 1000 --bins 64 --grid 4 --block 32",
    "histo --width 40 --height 20 --bins 256 --range 128 --ranges 2 --frames 1 --block 32",
]
# Whose loads touch as many lines as L1 has, and take none by contention.
CONTENTIOUS = ["vecadd --variant blocked --n 400 --run 8 --block 32",
               "lbm --width 8 --height 4 --depth 4 --steps 1 --block 32"]
CONTENTION = {"gpu.l1.bypass": "contention", "gpu.l1.size": "1KiB"}
BUTTERFLY = {"gpu.interconnect.topology": "butterfly"}
BACK = {"gpu.l1.write": "back", "gpu.l1.write_allocate": "true"}
# Parts that not all machines have, and caches so small that it matters.
TRACKER = {"gpu.tracker.present": "true", "gpu.l1.write": "through-evict",
           "gpu.l1.write_allocate": "false", "gpu.l1.sector": "128B"}
PARTS = {
    "sharing trackers": {**TRACKER, "gpu.tracker.sets": "4", "gpu.tracker.ways": "1",
                         "gpu.tracker.banks": "2"},
    "atomic buffers": {"gpu.l2.atomic_buffer": "3"},
    # Ways enough that no line that comes back would displace one on its way.
    "victim caches": {"gpu.l1.victim_lines": "3", "gpu.l1.ways": "4"},
    "victim caches, L1 writes back lines": {**BACK, "gpu.l1.victim_lines": "2",
                                            "gpu.l1.sector": "128B"},
    "L1 writes back": BACK,
    "L2 takes no loads that L1 takes": {"gpu.l2.load_allocation": "uncached"},
    "L2 keeps byte masks": {"gpu.l2.write_fetch": "never"},
    "both keep byte masks, L1 writes back": {**BACK, "gpu.l1.write_fetch": "never",
                                             "gpu.l2.write_fetch": "never"},
    "L1 keeps byte masks, fetches lines": {"gpu.l1.write": "through-update",
                                           "gpu.l1.write_allocate": "true",
                                           "gpu.l1.sector": "128B", "gpu.l1.write_fetch": "never"},
}
WITH_PARTS = [ONE_WARP[i] for i in (1, 3, 5, 6, 9, 11)]
# Under no overlap sectors that are fetched are there before they are asked for again, but for an
# instruction's own requests: those of one line are one request. So all of these are the same.
LEVELS = ("sm", "l1", "victim", "tracker", "l2", "atomic_buffer", "dram", "shared", "l1_explained",
          "l1_reuse", "constant_explained")

TIGHT = {
    "gpu.sm.memory_queue": "1",
    "gpu.l1.mshr_entries": "1",
    "gpu.l1.mshr_merges": "1",
    "gpu.l1.queue": "1",
    "gpu.l1.latency": "1",
    "gpu.l1.banks": "1",
    "gpu.l1.fills_take_banks": "true",
    "gpu.l2.mshr_entries": "1",
    "gpu.l2.mshr_merges": "1",
    "gpu.l2.queue": "1",
    "gpu.l2.latency": "1",
    "gpu.interconnect.buffer": "1",
    "gpu.interconnect.latency": "1",
    "gpu.interconnect.flit": "8B",
    "gpu.dram.read_queue": "1",
    "gpu.dram.write_queue": "1",
}
ONE_SET = {
    "gpu.l1.size": "128B",
    "gpu.l1.ways": "1",
    "gpu.l2.slices": "1",
    "gpu.l2.size": "128B",
    "gpu.l2.ways": "1",
    "gpu.dram.channels": "1",
}
ODD_CLOCKS = {
    "gpu.interconnect.clock": "977MHz",
    "gpu.l2.clock": "1013MHz",
    "gpu.interconnect.latency": "3",
}
SLOW_CLOCKS = {"gpu.interconnect.clock": "3GHz", "gpu.l2.clock": "90MHz"}
EVICT = {
    "gpu.l1.write": "through-evict",
    "gpu.l2.write": "through-evict",
    "gpu.l2.write_allocate": "false",
    "gpu.l2.sector": "128B",
}
# Whoever lost a line lets hardly anybody else load.
THROTTLE = {"gpu.sm.load_throttle": "lost-locality", "gpu.sm.throttle_factor": "64"}
# Requests join others in flight, and are refused where misses have locked what they want.
IN_FLIGHT = {"gpu.l1.coalescing": "in-flight", "gpu.l2.locked_line": "refuse"}
SHARED = {"gpu.sm.count": "4", "gpu.l1.per": "2sm", "gpu.l1.sharing": "sets"}
HOSTILE = {
    "in flight and refused, tight": {**TIGHT, **IN_FLIGHT},
    "in flight and refused, one set, shared": {**TIGHT, **ONE_SET, **IN_FLIGHT, **SHARED},
    "in flight, L1 writes back, shared by ways": {**BACK, **ODD_CLOCKS, **IN_FLIGHT, **SHARED, "gpu.l1.ways": "1",
                                                  "gpu.l1.size": "256B", "gpu.l1.sharing": "ways",
                                                  "gpu.l1.ports": "2", "gpu.l1.sharing_latency": "3",
                                                  "gpu.sm.block_dispatch": "clustered"},
    "refused, butterfly": {**TIGHT, **BUTTERFLY, **IN_FLIGHT, "gpu.interconnect.latency": "3",
                           "gpu.l1.latency": "7", "gpu.sm.block_dispatch": "first-available"},
    "tight": TIGHT,
    "few dirty lines, tight": {**TIGHT, **BACK, "gpu.l2.size": "2KiB", "gpu.l2.ways": "2", "gpu.l2.dirty_limit": "1KiB"},
    "tight, one set, one slice, one channel": {**TIGHT, **ONE_SET},
    "tight, on a miss": {**TIGHT, **ONE_SET, "gpu.l1.allocation": "on-miss"},
    "odd clocks": {**ONE_SET, **ODD_CLOCKS},
    "slow clocks, tight": {**TIGHT, **SLOW_CLOCKS},
    "L1 writes back, tight": {**TIGHT, **BACK, "gpu.l1.size": "256B", "gpu.l1.ways": "1",
                              "gpu.l1.sector": "128B", "gpu.sm.warp_scheduler": "two-level",
                              "gpu.sm.active_warps": "1"},
    "L1 writes back, odd clocks": {**BACK, **ODD_CLOCKS, "gpu.l1.size": "512B",
                                   "gpu.l1.mshr_entries": "16", "gpu.l1.queue": "1"},
    "stores drop lines": {**EVICT, "gpu.l1.size": "256B", "gpu.l1.ways": "2",
                          "gpu.l2.size": "512B", "gpu.l2.ways": "2", "gpu.l2.mshr_entries": "1",
                          "gpu.l2.mshr_merges": "2"},
    "byte masks, tight": {**TIGHT, **BACK, "gpu.l1.size": "256B", "gpu.l1.ways": "1",
                          "gpu.l1.write_fetch": "never", "gpu.l2.write_fetch": "never",
                          "gpu.l2.size": "512B", "gpu.l2.ways": "2"},
    "byte masks, whole lines": {**ODD_CLOCKS, **BACK, "gpu.l1.size": "512B", "gpu.l1.sector": "128B",
                                "gpu.l1.write_fetch": "never", "gpu.l2.write_fetch": "never",
                                "gpu.l2.size": "1KiB", "gpu.l2.sector": "128B"},
    "victim caches, tight": {**TIGHT, **ONE_SET, **BACK, "gpu.l1.victim_lines": "1"},
    "victim caches, odd clocks": {**ODD_CLOCKS, **BACK, "gpu.l1.size": "256B", "gpu.l1.ways": "1",
                                  "gpu.l1.allocation": "streaming", "gpu.l1.victim_lines": "2",
                                  "gpu.l1.victim_latency": "3"},
    "loads throttled, tight": {**TIGHT, "gpu.l1.size": "512B", "gpu.l1.ways": "2", **THROTTLE},
    "loads throttled, on a miss": {**ODD_CLOCKS, "gpu.l1.size": "512B", "gpu.l1.ways": "4",
                                   "gpu.l1.allocation": "on-miss", **THROTTLE,
                                   "gpu.sm.warp_scheduler": "two-level", "gpu.sm.active_warps": "1"},
    "loads throttled, sharing trackers": {**TRACKER, **THROTTLE, "gpu.sm.count": "5",
                                          "gpu.l1.size": "512B", "gpu.l1.ways": "2"},
    "loads throttled, carve-outs, bypassing": {**THROTTLE, "gpu.l1.bypass": "contention",
                                               "gpu.l1.region": "dynamic", "gpu.l1.insertion": "gauged",
                                               "gpu.l1.region_full": "bypass", "gpu.l1.size": "1KiB",
                                               "gpu.l1.ways": "4"},
    "atomic buffers, tight": {**TIGHT, **ONE_SET, "gpu.l2.atomic_buffer": "1"},
    "atomic buffers, slow clocks": {**SLOW_CLOCKS, "gpu.l2.atomic_buffer": "2", "gpu.l2.size": "1KiB",
                                    "gpu.l2.write_allocate": "false", "gpu.l2.mshr_merges": "1"},
    "sharing trackers, tight": {**TIGHT, **TRACKER, "gpu.sm.count": "5"},
    "sharing trackers, odd clocks": {**ODD_CLOCKS, **TRACKER, "gpu.sm.count": "6", "gpu.l1.size": "512B",
                                     "gpu.tracker.sms_each": "4", "gpu.tracker.sharers": "1",
                                     "gpu.l1.allocation": "streaming", "gpu.tracker.latency": "0"},
    "L2 takes no loads, tight": {**TIGHT, **ONE_SET, "gpu.l2.load_allocation": "uncached"},
    "butterfly, tight": {**TIGHT, **BUTTERFLY, "gpu.interconnect.latency": "3"},
    "butterfly of three stages, one set": {
        **TIGHT, **BUTTERFLY, "gpu.sm.count": "5", "gpu.interconnect.latency": "5", "gpu.l1.size":
        "128B", "gpu.l1.ways": "1", "gpu.l2.slices": "4", "gpu.l2.size": "512B", "gpu.l2.ways": "1"},
    "butterfly, odd clocks": {**ODD_CLOCKS, **BUTTERFLY, "gpu.sm.count": "3",
                              "gpu.interconnect.radix": "3", "gpu.interconnect.latency": "4"},
    "no devices, wide": {"gpu.dram.device": "none", "gpu.sm.issue_width": "2",
                         "gpu.sm.schedulers": "2", "gpu.sm.warp_scheduler": "greedy-then-oldest",
                         "gpu.l1.ports": "32", "gpu.l1.banks": "7", "gpu.l1.bank_width": "4B"},
}

mistakes = []


def expect(condition, *what):
    if not condition:
        mistakes.append(" ".join(str(word) for word in what))


# In time a line on its way is a miss of these (docs/divergence.md), and a warp's next load may find one.
OF_WHOLE_LOADS = re.compile(r"_loads_(cached|missed_\w+)$")


def differences(name, found, wanted):
    for key, value in wanted.items():
        if OF_WHOLE_LOADS.search(key):
            continue
        expect(found.get(key) == value, name, key, "is", found.get(key), "and not", value)


# In time L2's misses are not explained, nor who shares what (docs/misses.md); and in which order warps
# come, these depend on.
UNEXPLAINED = ("l2_", "reads_", "block_other_warp", "wanted_again", "atomic_other_warp")


def instructions_of(results):
    return [{**one["counters"], "pc": one["pc"], "kernel": kernel["name"],
             **{f"explained {key}": value for key, value in one["explained"].items()
                if not key.startswith(UNEXPLAINED)}}
            for kernel in parsed(results)["kernels"] for one in kernel["instructions"]]


def check_walk(warpmem, folder, runs):
    keys = {**SMALL, **ONE_AT_A_TIME}
    cases = [(arguments, keys) for arguments in runs]
    cases += [(arguments, {**keys, **CONTENTION}) for arguments in CONTENTIOUS]
    check_counts(warpmem, folder, cases)


def check_parts(warpmem, folder, runs):
    small = {**SMALL, **ONE_AT_A_TIME, "gpu.l1.size": "1KiB", "gpu.l1.ways": "2",
             "gpu.l2.size": "4KiB", "gpu.l2.ways": "2"}
    check_counts(warpmem, folder, [(arguments, {**small, **keys})
                                   for turn, keys in enumerate(PARTS.values())
                                   for arguments in sanitized.share(warpmem, runs, turn)])


def check_counts(warpmem, folder, cases):
    """Both engines count the same."""
    for arguments, keys in cases:
        program, *rest = arguments.split()
        results = {}
        for engine in ("walk", "clock"):
            status, said, results[engine] = run(warpmem, f"{folder}/{program}", rest, engine, keys,
                                                folder, explain=True)
            expect(status == 0, arguments, engine, status, said)
        if mistakes:
            return
        for kind in LEVELS:
            differences(f"{arguments}: {kind}", components(results["clock"], kind),
                        components(results["walk"], kind))
        found, wanted = (instructions_of(results[engine]) for engine in ("clock", "walk"))
        expect(len(found) == len(wanted), arguments, "lists other instructions")
        for one, other in zip(found, wanted):
            differences(f"{arguments}: {one['kernel']} pc {one['pc']}", one, other)


KINDS = ("cold", "same_warp", "other_warp", "refused", "dropped", "unallocated")
CLASSES = ("cold", "coherence", "capacity", "conflict", "unallocated")


def check_kinds(name, results):
    """Every miss of L1 has a class, and every request that missed a kind, of some instruction."""
    l1, why = components(results, "l1"), components(results, "l1_explained")
    instructions = instructions_of(results)
    for what, parts in (("misses", CLASSES), ("accesses_missed", [f"accesses_{k}" for k in KINDS])):
        expect(sum(why[part] for part in parts) == l1[what], name, "explains other", what)
        for part in parts:
            expect(sum(one[f"explained l1_{part}"] for one in instructions) == why[part], name,
                   part, "of instructions")


def check_sums(name, results):
    """What is asked for on one side is there on the other."""
    l1, l2, dram, link, issue, sm, unit = (components(results, kind) for kind in
                                           ("l1", "l2", "dram", "link", "issue", "sm", "memory_unit"))
    victims = components(results, "victim").get("bytes_to_below", 0)
    expect(issue["issued"] == sm["warp_instructions"], name, "issues not what it executes")
    expect(l1["bytes_from_below"] + l1["bytes_to_below"] + victims == l2["bytes_to_above"] +
           l2["bytes_from_above"], name, "L1 and L2 move other bytes")
    expect(l2["bytes_from_below"] == dram["bytes_read"], name, "L2 reads other bytes than DRAM")
    expect(l2["bytes_to_below"] == dram["bytes_written"], name, "L2 writes other bytes than DRAM")
    asked = l2["load_accesses"] + l2["store_accesses"] + l2["atomic_accesses"] + \
        l2["writeback_accesses"]
    answered = l2["load_accesses"] + l2["atomic_accesses"]
    buffer = components(results, "atomic_buffer")
    if buffer:  # its moves are no packets, and atomics are none of L2's accesses
        asked -= buffer["misses"] + buffer["write_backs"] + buffer["spills"]
        answered -= buffer["misses"]
        packets = unit["requests_replied"] - answered
        asked, answered = asked + packets, answered + packets
    if components(results, "tracker"):  # another L1 is asked, and answers
        supplied = unit["requests_replied"] - answered
        expect(components(results, "tracker")["hits"] <= supplied, name, "loses what it asks L1s for")
        asked, answered = asked + supplied, answered + supplied
    locked, joined = components(results, "locked_lines"), components(results, "coalescing")
    refused = locked.get("refused_line", 0) + locked.get("refused_set", 0)
    if locked:
        expect(locked["attempts"] == asked + refused, name, "attempts", locked["attempts"], "for", asked,
               "served and", refused, "refused")
    if joined:
        looked_up = l1["accesses"] - l1["load_accesses_bypassed"] - l1["store_accesses_bypassed"] - \
            l1["atomic_accesses"]
        expect(joined["requests"] == looked_up + joined["loads_joined"] + joined["stores_joined"], name,
               "requests come that are neither looked up nor join others")
    expect(unit["requests_replied"] == answered, name, "replies", unit["requests_replied"],
           "for", answered)
    expect(link["packets"] == asked + answered + 2 * refused, name, "packets", link["packets"], "for", asked,
           "requests and", answered, "replies")


def check_hostile(warpmem, folder, runs):
    for turn, arguments in enumerate(runs):
        program, *rest = arguments.split()
        path = f"{folder}/{program}"
        _, _, walked = run(warpmem, path, rest, "walk", SMALL, folder)
        wanted = components(walked, "sm")
        for number, (name, keys) in enumerate(sanitized.share(warpmem, HOSTILE.items(), turn)):
            if arguments.startswith("spinlock --grid") and name != "tight":
                continue  # lanes that spin: millions of instructions
            name = f"{arguments}, {name}"
            explain = number % 2 == 0
            status, said, results = run(warpmem, path, rest, "clock", {**SMALL, **keys}, folder,
                                        explain=explain)
            expect(status == 0, name, status, said)
            if status != 0:
                continue
            check_sums(name, results)
            if explain:
                check_kinds(name, results)
            if program not in RACES:
                found = components(results, "sm")
                for key in ("warp_instructions", "thread_instructions", "requests", "sectors"):
                    expect(found[key] == wanted[key], name, key, found[key], wanted[key])


def check_again(warpmem, folder, runs):
    machines = (SMALL, {**SMALL, **TIGHT, **ODD_CLOCKS}, {**SMALL, **BUTTERFLY},
                {**SMALL, **THROTTLE, "gpu.l1.size": "512B", "gpu.l1.ways": "2"},
                {**SMALL, **TIGHT, **IN_FLIGHT, **SHARED, "gpu.l1.latency": "5"})
    for turn, arguments in enumerate(runs):
        program, *rest = arguments.split()
        for keys in sanitized.share(warpmem, machines, turn):
            first, second = (run(warpmem, f"{folder}/{program}", rest, "clock", keys, folder)
                             for _ in range(2))
            expect(first[0] == 0 and first == second, arguments, "gives other results each time")


def check_stuck(warpmem, folder, runs):
    answers = [run(warpmem, f"{folder}/{name}", [], engine, SMALL, folder)[:2]
               for name in runs for engine in ("walk", "clock")]
    expect(answers[0] == answers[1], "the walk says", answers[0], "and the clock", answers[1])
    expect(answers[0][0] == 1 and "barrier" in answers[0][1], "it says", answers[0])


CHECKS = {
    "walk": (check_walk, ONE_WARP),
    "parts": (check_parts, WITH_PARTS),
    "hostile-1": (check_hostile, RUNS[0::3]),
    "hostile-2": (check_hostile, RUNS[1::3]),
    "hostile-3": (check_hostile, RUNS[2::3]),
    "again": (check_again, RUNS[0::3]),
    "stuck": (check_stuck, ["stuck"]),
}


def main(what, warpmem, workloads):
    check, runs = CHECKS[what]
    names = {arguments.split()[0] for arguments in runs}
    warpmem, here = str(Path(warpmem).resolve()), Path(__file__).resolve().parent
    with programs(warpmem, here if what == "stuck" else workloads, names) as folder:
        check(warpmem, folder, runs)
    print(*mistakes[:40], sep="\n")
    print(f"{len(mistakes)} mistakes")
    return 1 if mistakes else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
