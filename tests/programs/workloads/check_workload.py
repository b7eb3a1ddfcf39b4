#!/usr/bin/env python3
"""Runs one workload, every variant on every machine, and checks what is known of it beforehand.

usage: check_workload.py WARPMEM SOURCE [COMPILER]

COMPILER is clang, which is `warpmem cc`, or nvcc.

A run must say PASS, which is the program's own check of its result. Then the counters: bytes that
leave one level arrive at the next; nothing is counted that nobody asked for; and for each workload
what follows from its text, such as how many lanes load, and how few bytes can be moved at all.
Programs of the GCN study are also run with warps of 64 lanes, and on the host alone.
"""
import json
import subprocess
import sys
import tempfile
from pathlib import Path

import benchmark_checks
import bypass_checks
import gcn_checks
from check_program import environment, executable, name_of
import sanitized

MACHINES = ["v100", "gtx480"]


class Run:
    """One run's results, added up as the checks want them."""

    def __init__(self, results):
        self.kernels = results["kernels"]
        self.kinds = {}
        for component in results["components"]:
            sums = self.kinds.setdefault(component["kind"], {})
            for name, value in component["counters"].items():
                sums[name] = sums.get(name, 0) + value

    def dram(self, name):
        return self.kinds["dram"][name]

    def causes(self, kind, space="global", kernel=""):
        """Sums of the instructions of one kind of access, in kernels whose name has `kernel` in it."""
        sums = {}
        for one in self.kernels:
            if kernel not in one["name"]:
                continue
            for instruction in one["instructions"]:
                if (instruction["kind"], instruction["space"]) == (kind, space):
                    for name, value in instruction["counters"].items():
                        sums[name] = sums.get(name, 0) + value
        return sums

    def loads(self, name="lanes", kernel=""):
        return self.causes("load", kernel=kernel).get(name, 0)

    def stores(self, name="lanes", kernel=""):
        return self.causes("store", kernel=kernel).get(name, 0)

    def atomics(self, name="lanes", space="global"):
        return self.causes("atomic", space).get(name, 0) + self.causes("reduction", space).get(name, 0)


def check_conservation(run, warp_lanes):
    """What holds for every program: the boundaries agree, and causes add up to components."""
    l1, l2, dram = (run.kinds[kind] for kind in ("l1", "l2", "dram"))
    side = sum(run.kinds.get(kind, {}).get("bytes_from_below", 0)
               for kind in ("constant", "scalar", "instruction_cache"))
    yield "L1 and side caches from below are L2 to above", \
        l1["bytes_from_below"] + side == l2["bytes_to_above"]
    yield "L1 to below is L2 from above", l1["bytes_to_below"] == l2["bytes_from_above"]
    yield "L2 from below is DRAM read", l2["bytes_from_below"] == dram["bytes_read"]
    yield "L2 to below is DRAM written", l2["bytes_to_below"] == dram["bytes_written"]
    for name, cache in (("L1", l1), ("L2", l2)):
        for what in ("accesses", "hits", "misses"):
            parts = sum(cache[f"{kind}_{what}"] for kind in ("load", "store", "atomic"))
            yield f"{name} {what} are of loads, stores and atomics", cache[what] == parts
    for kernel in run.kernels:
        for it in kernel["instructions"]:
            count = it["counters"]
            where = f'{kernel["name"]}, PTX line {it["ptx_line"]}'
            yield f"{where}: at most {warp_lanes} lanes an execution", \
                count["lanes"] <= warp_lanes * count["executions"]
            if it["space"] in ("global", "generic"):
                # A lane's access is aligned, so it lies in one sector; 16 bytes at most.
                yield f"{where}: sectors", count["requests"] <= count["sectors"] <= count["lanes"]
                yield f"{where}: bytes", count["bytes_requested"] <= 16 * count["lanes"]
                looked_up = sum(count.get(f"{cache}.{what}", 0) for cache in ("l1", "scalar")
                                for what in ("hits", "misses"))
                yield f"{where}: L1 is asked for what is touched", looked_up <= count["sectors"]


# Each workload: the variants' arguments and what must hold. A check yields (what, truth).

def vecadd(machine, variants):
    n = 10000
    for variant in ("scalar", "vector", "blocked"):
        run = variants(f"--variant {variant} --n {n}")
        yield f"{variant}: 2 n floats are loaded", run.loads("bytes_requested") == 8 * n
        yield f"{variant}: n floats are stored", run.stores("bytes_requested") == 4 * n
        yield f"{variant}: compulsory reads", run.dram("bytes_read") >= 8 * n
        yield f"{variant}: compulsory writes", run.dram("bytes_written") >= 4 * n
        if variant == "scalar":
            # Neighbours: each sector of 32 bytes is asked for once, by 8 lanes.
            yield "scalar: coalesced", run.loads("sectors") == 2 * n * 4 // 32
            yield "scalar: nothing twice", run.dram("bytes_read") <= 8 * n + 4096
        if variant == "vector":
            yield "vector: a quarter of the lanes", run.loads() == 2 * n // 4
        if variant == "blocked":
            yield "blocked: a sector a lane", run.loads("sectors") == run.loads()
    odd = variants("--n 1 --block 1")
    yield "one element", odd.loads() == 2 and odd.stores() == 1


def transpose(machine, variants):
    width, height = 100, 64
    sectors = {}
    for variant in ("naive", "tiled", "padded"):
        run = variants(f"--variant {variant} --width {width} --height {height}")
        yield f"{variant}: every element once", run.loads() == run.stores() == width * height
        yield f"{variant}: compulsory", run.dram("bytes_read") >= 4 * width * height
        sectors[variant] = run.stores("sectors")
    yield "naive stores a sector a lane", sectors["naive"] == width * height
    yield "tiled stores along rows", sectors["tiled"] == sectors["padded"] < sectors["naive"] // 6
    variants("--variant tiled --width 1 --height 33")


def gemm(machine, variants):
    n = 48
    naive, tiled = variants(f"--variant naive --n {n}"), variants(f"--variant tiled --n {n}")
    yield "naive: 2 n^3 loads", naive.loads() == 2 * n ** 3
    yield "tiled: 2 n^3 / 16 loads", tiled.loads() == 2 * n ** 3 // 16
    yield "both store n^2", naive.stores() == tiled.stores() == n * n
    yield "tiled reads shared memory", tiled.causes("load", "shared")["lanes"] >= n ** 3
    update = variants(f"--variant update --n {n}")
    yield "update: C is read too", update.loads() == 2 * n ** 3 + n * n
    yield "update: C is written once", update.stores() == n * n
    for run in (naive, tiled, update):
        yield "compulsory", run.dram("bytes_read") >= 2 * 4 * n * n
    for arguments in ("--n 1", "--variant tiled --n 17", "--n 33 --block-x 7 --block-y 5"):
        variants(arguments)


def reduction(machine, variants):
    n = 20000
    for variant in ("interleaved", "sequential", "shuffle", "atomic"):
        run = variants(f"--variant {variant} --n {n} --grid 12 --block 128")
        yield f"{variant}: every element once", run.loads() == n
        atomics = n if variant == "atomic" else 12
        yield f"{variant}: {atomics} atomics", run.atomics() == atomics
        yield f"{variant}: compulsory", run.dram("bytes_read") >= 4 * n
        variants(f"--variant {variant} --n 33 --block 1024")


def scan(machine, variants):
    n = 5000
    for variant in ("hillis-steele", "blelloch", "padded"):
        run = variants(f"--variant {variant} --n {n} --block 64")
        yield f"{variant}: the parts are scanned", run.loads(kernel="scan_") >= n
        # Two levels: the sums are added to each element, and to each of the parts' totals if those
        # need more than one part themselves.
        yield f"{variant}: totals are added", run.stores(kernel="add_totals") >= n
        variants(f"--variant {variant} --n 1")


def histogram(machine, variants):
    n, bins, grid = 20000, 100, 6
    plain = variants(f"--variant global --n {n} --bins {bins} --grid {grid}")
    shared = variants(f"--variant shared --n {n} --bins {bins} --grid {grid}")
    yield "global: an atomic an element", plain.atomics() == n
    yield "shared: an atomic an element in shared memory", shared.atomics(space="shared") == n
    yield "shared: a global atomic a bin and block", shared.atomics() <= bins * grid
    yield "every element once", plain.loads() == shared.loads() == n
    variants("--variant global --n 3000 --skew 100 --bins 7")
    variants("--variant shared --n 3000 --skew 50 --bins 4096 --block 96")


def spmv(machine, variants):
    runs = [variants(f"--variant {variant} --n 1000 --per-row 12 --skew 4")
            for variant in ("scalar", "vector")]
    # Row ends are loaded by each thread or by all lanes of a warp, the elements once by both: a store
    # a row, and the warp's loads coalesce better.
    yield "a result a row", all(run.stores() == 1000 for run in runs)
    share = [run.loads("sectors") / run.loads() for run in runs]
    yield "a warp a row touches fewer sectors a lane", share[1] < share[0]
    variants("--n 1 --per-row 1")
    variants("--variant vector --n 33 --per-row 40 --block 32")


def bfs(machine, variants):
    topology = variants("--variant topology --n 2000")
    queue = variants("--variant queue --n 2000")
    yield "the queue's frontier is claimed by atomics", queue.atomics() > 2000
    blocks = variants("--variant blocks --n 2000")
    # Blocks claim each vertex, and then room for all they found; the queue's vertices are claimed
    # and appended one by one, and more are tried than are found.
    yield "blocks claim vertices and room", 2000 < blocks.atomics() < queue.atomics() // 2
    yield "blocks gather in shared memory", blocks.atomics(space="shared") >= 1999
    yield "no atomics by topology", topology.atomics() == 0
    masks = variants("--variant masks --n 2000")
    yield "no atomics by masks", masks.atomics() == 0
    yield "two launches a level", \
        [one["launches"] for one in masks.kernels] == 2 * [topology.kernels[0]["launches"]]
    yield "every vertex is looked at", masks.loads(kernel="bfs_advance") == \
        2000 * masks.kernels[0]["launches"]
    yield "a launch a level", topology.kernels[0]["launches"] >= queue.kernels[0]["launches"] - 1 > 2
    variants("--n 1")
    variants("--variant queue --n 700 --degree 1 --block 32 --seed 3")
    # More is found by one block than it has room for, and the longest way round.
    variants("--variant blocks --n 4000 --degree 20 --block 1024")
    variants("--variant blocks --n 600 --degree 2 --spread 40 --block 96")
    variants("--variant masks --n 600 --degree 2 --spread 40 --block 96")


def stencil(machine, variants):
    width, height, steps = 70, 40, 3
    inner = (width - 2) * (height - 2)
    naive = variants(f"--variant naive --width {width} --height {height} --steps {steps}")
    tiled = variants(f"--variant tiled --width {width} --height {height} --steps {steps}")
    yield "naive: five loads a cell", naive.loads() == steps * (5 * inner + width * height - inner)
    yield "tiled: one load a cell and the rims", width * height * steps <= tiled.loads() < naive.loads() // 2
    yield "every cell stored", naive.stores() == tiled.stores() == steps * width * height
    variants("--width 1 --height 1")
    variants("--variant tiled --width 33 --height 2 --steps 2")


def spinlock(machine, variants):
    for variant, takers in (("lanes", 4 * 64), ("blocks", 4), ("ticket", 4)):
        run = variants(f"--variant {variant} --grid 4 --block 64 --rounds 3")
        yield f"{variant}: an addition a turn", run.stores() >= takers * 3
        # The lock is taken and given back, or a ticket drawn, in each turn.
        yield f"{variant}: atomics", run.atomics() >= takers * 3 * (1 if variant == "ticket" else 2)
    variants("--grid 1 --block 32 --rounds 1")


def stencil3d(machine, variants):
    width, height, depth, steps = 40, 21, 9, 3
    inner = (width - 2) * (height - 2) * (depth - 2)
    run = variants(f"--width {width} --height {height} --depth {depth} --steps {steps}")
    yield "seven loads an inner cell", run.loads() == 7 * inner * steps
    yield "every inner cell is stored", run.stores() == inner * steps
    yield "compulsory", run.dram("bytes_read") >= 4 * inner
    yield "a launch a step", run.kernels[0]["launches"] == steps
    variants("--width 3 --height 3 --depth 3 --steps 1")
    variants("--width 35 --height 5 --depth 4 --block-x 7 --block-y 3")


def mriq(machine, variants):
    voxels, samples, chunk = 500, 140, 48
    run = variants(f"--n {voxels} --samples {samples} --chunk {chunk}")
    launches, q = -(-samples // chunk), "compute_q"
    # Four samples in four loads, and five numbers of the voxel in each launch.
    yield "four loads for four samples", run.loads(kernel=q) == voxels * (samples + 5 * launches)
    yield "Q is written in each launch", run.stores(kernel=q) == 2 * voxels * launches
    # All lanes of a warp ask for the same 16 bytes of a sample.
    warps = -(-voxels // 32)
    yield "broadcast", run.loads("requests", kernel=q) == warps * (samples + 5 * launches)
    yield "the squares, once", run.stores(kernel="compute_phi") == samples
    yield "compulsory", run.dram("bytes_read") >= 4 * (5 * samples + 3 * voxels)
    variants("--n 1 --samples 4 --block 1")


def lbm(machine, variants):
    width, height, depth, steps = 16, 7, 5, 2
    cells = width * height * depth
    size = f"--width {width} --height {height} --depth {depth} --steps {steps}"
    aos, soa = variants(f"--variant aos {size}"), variants(f"--variant soa {size}")
    for run in (aos, soa):
        yield "twenty numbers a cell are read", run.loads() == 20 * cells * steps
        yield "nineteen are written", run.stores() == 19 * cells * steps
        yield "compulsory", run.dram("bytes_read") >= 20 * 4 * cells
    # Cells are 80 bytes apart, so each lane has a sector of its own.
    yield "aos: a sector a lane", aos.loads("sectors") == aos.loads()
    yield "soa: a sector for eight lanes", soa.loads("sectors") < soa.loads() // 7
    variants("--variant aos --width 1 --height 1 --depth 1 --solid 100")
    variants("--variant soa --width 3 --height 2 --depth 1 --solid 30 --block 5 --steps 7")


def histo(machine, variants):
    width, height, bins, ranges, frames, block = 70, 50, 900, 5, 2, 96
    pixels, bands = width * height, -(-height // 8)
    run = variants(f"--width {width} --height {height} --bins {bins} --range 100 --ranges {ranges} "
                   f"--frames {frames} --block {block}")
    yield "every block reads the whole image", \
        run.loads(kernel="histo_main") == (ranges + 1) * pixels * frames
    # Beside the counts, each thread of prescan has a minimum and a maximum in shared memory, and
    # each block in global memory.
    inside = run.atomics(space="shared") - 2 * block * bands * frames
    outside = run.atomics() - 2 * bands * frames
    yield "each pixel is counted once", inside + outside == pixels * frames
    yield "most are counted in shared memory", inside > 5 * outside > 0
    yield "a result a bin, a count cleared", run.stores(kernel="histo_final") == 2 * bins * frames
    yield "a code a pixel", run.stores(kernel="intermediates") == pixels * frames
    yield "compulsory", run.dram("bytes_read") >= 4 * pixels
    variants("--width 1 --height 1 --bins 16 --range 1 --ranges 1 --block 1")
    # All outside the window but one value, and all inside of a window larger than the bins.
    variants("--width 60 --height 9 --bins 200 --range 1 --ranges 1 --favour 0")
    variants("--width 33 --height 17 --bins 100 --range 4096 --ranges 3 --favour 100")


def cutcp(machine, variants):
    width, height, depth = 3, 2, 2
    blocks = width * height * depth
    for reach, near in ((1, 27), (2, 125)):
        run = variants(f"--width {width} --height {height} --depth {depth} --reach {reach}")
        yield "each thread reads all atoms near it", run.loads() == blocks * 128 * near * 8
        yield "one atom is one request of a warp", run.loads("requests") == blocks * 4 * near * 8
        yield "16 bytes of it", run.loads("bytes_requested") == 16 * run.loads()
        yield "512 points a cell", run.stores() == blocks * 512
        yield "stores coalesce", run.stores("sectors") == blocks * 512 // 8
    variants("--width 1 --height 1 --depth 1 --reach 3")


def gridding(machine, variants):
    samples, width, height, depth = 1300, 2, 1, 5
    points, passes = 256 * width * height * depth, 2  # 40 cells: two digits of 16 values
    run = variants(f"--n {samples} --width {width} --height {height} --depth {depth}")
    yield "keys and numbers move in each pass", \
        run.stores(kernel="gridding_split") == 2 * samples * passes
    blocks = -(-samples // 256)
    yield "16 counts a block", run.stores(kernel="gridding_count") == 16 * blocks * passes
    yield "scanned in place", run.stores(kernel="gridding_scan") == 16 * blocks * passes
    yield "a start a cell, and the end", run.stores(kernel="gridding_starts") == points // 64 + 1
    yield "six numbers a sample, by its number", \
        run.loads(kernel="gridding_reorder") == 7 * samples
    yield "the gather is scattered", \
        run.loads("sectors", kernel="gridding_reorder") > 5 * samples
    yield "each point is written once", run.stores(kernel="gridding_sum") == points
    together = [run.loads(name, kernel="gridding_sum") for name in ("requests", "executions")]
    yield "samples go to all lanes at once", together[0] == together[1]
    yield "several blocks read a sample", together[0] > 2 * 2 * 4 * samples
    yield "compulsory", run.dram("bytes_read") >= 24 * samples
    for arguments in ("--n 1", "--n 257 --width 1 --height 1 --depth 1",
                      "--n 3000 --width 3 --height 5 --depth 5"):
        variants(arguments)


def spmv_jds(machine, variants):
    rows, repeat = 1000, 2
    run = variants(f"--n {rows} --per-row 12 --repeat {repeat}")
    # The length and the permutation of a row; of an element start, column, value and x.
    elements, rest = divmod(run.loads() - 2 * rows * repeat, 4 * repeat)
    yield "four loads an element", rest == 0 and 10 * rows < elements < 14 * rows
    yield "a result a row", run.stores() == rows * repeat
    yield "compulsory", run.dram("bytes_read") >= 8 * elements
    near, far = (variants(f"--n 4000 --per-row 8 --spread {spread}") for spread in (100, 0))
    yield "the gather is near the diagonal", near.loads("sectors") < far.loads("sectors")
    variants("--n 1 --per-row 1")
    variants("--n 33 --per-row 3 --spread 1 --block 7")


def pointer_chase(machine, variants):
    run = variants("--from 4 --size 64 --hops 100")
    words = sum(size * 1024 // 128 for size in (4, 8, 16, 32, 64))
    yield "a load a hop", run.loads(kernel="pointer_chase") == words + 5 * 100
    yield "each word has a line of its own", \
        run.loads("sectors", kernel="pointer_chase") == run.loads(kernel="pointer_chase")
    yield "compulsory", run.dram("bytes_read") >= 32 * words
    shuffled = variants("--from 4 --size 64 --hops 100 --variant shuffled --seed 5")
    yield "the same loads in another order", shuffled.loads() == run.loads()
    variants("--from 1 --size 1 --stride 4096 --hops 3") # one word
    variants("--from 3 --size 20 --stride 8 --hops 1000")


def bandwidth(machine, variants):
    run = variants("--stride 4 --blocks 5 --block 64 --steps 3")
    # At strides 1, 2 and 4, and with 1 and 4 blocks.
    blocks = 3 * 5 + 1 + 4
    yield "a load a step", run.loads(kernel="read_strided") == 64 * 3 * blocks
    yield "sums and times", run.stores(kernel="read_strided") == (64 + 2) * blocks
    yield "compulsory", run.dram("bytes_read") >= 4 * 64 * 3 * (3 * 5 + 1 + 4)
    apart = variants("--stride 32 --blocks 1 --block 32 --steps 4")
    yield "a stride of 32 words takes a line a lane", \
        apart.loads("requests", kernel="read_strided") == 4 * (1 + 2 + 4 + 8 + 16 + 32)
    variants("--stride 1 --blocks 1 --block 1 --steps 1")


def atomics(machine, variants):
    size = "--grid 3 --block 64 --each 4 --counters 100"
    each = 5 * 3 * 64 * 4 # of five launches
    run = variants(f"--variant global {size}")
    yield "an atomic each, and one at a block's end", run.atomics() == each + 5 * 3
    # Of the last launch 31 of 32 lanes come behind another, of the one before three quarters of them.
    met = run.atomics("atomic_conflicts")
    yield "lanes meet at one address", 31 / 32 * each / 5 * 2 < met < each
    shared = variants(f"--variant shared {size}")
    yield "the same in shared memory", shared.atomics(space="shared") == each
    yield "they meet there as well", shared.atomics("atomic_conflicts", "shared") == met
    yield "counters that were used are added up", shared.atomics() <= 5 * 3 * 100
    variants("--grid 1 --block 1 --each 1 --counters 1")


CHECKS = {check.__name__: check for check in (
    vecadd, transpose, gemm, reduction, scan, histogram, spmv, bfs, stencil, spinlock, stencil3d,
    mriq, spmv_jds, lbm, histo, cutcp, gridding, pointer_chase, bandwidth, atomics)}
CHECKS.update(benchmark_checks.CHECKS)
CHECKS.update(bypass_checks.CHECKS)
CHECKS.update(gcn_checks.CHECKS)


def execute(warpmem, program, machine, arguments):
    with tempfile.TemporaryDirectory() as folder:
        results = Path(folder) / "results.json"
        done = subprocess.run([warpmem, "run", "-m", machine, "--json", results, "--report",
                               Path(folder) / "report.txt", "--", program, *arguments],
                              capture_output=True, text=True, timeout=240,
                              env=environment(warpmem))
        if done.returncode != 0 or f"{name_of(program)}: PASS\n" not in done.stdout:
            raise RuntimeError(f"exit status {done.returncode}\n{done.stdout}{done.stderr}")
        return Run(json.loads(results.read_text()))


def checks_on(name, machine):
    """Of a workload those that know the machine. The first ones of all are for warps of 32 lanes."""
    checks = [CHECKS[name], bypass_checks.MORE.get(name)] if machine in MACHINES else []
    if name in gcn_checks.CHECKS:
        checks = [CHECKS[name]]
    elif machine in gcn_checks.MACHINES:
        checks.append(gcn_checks.MORE.get(name))
    return [check for check in checks if check]


def machines_of(name):
    if name in gcn_checks.CHECKS:
        return list(gcn_checks.MACHINES)
    return MACHINES + (["hd7970"] if name in gcn_checks.MORE else [])


def check_serial(warpmem, program, arguments):
    """A run on the host alone: its result passes, and no call reaches a device."""
    done = subprocess.run([warpmem, "run", "--", program, *arguments.split(), "--serial", "on"],
                          capture_output=True, text=True, timeout=240, env=environment(warpmem))
    yield f"{arguments}: serial: {done.stdout}", \
        (done.returncode, done.stdout) == (0, f"{name_of(program)}: PASS\n")
    yield f"{arguments}: serial, without a device: {done.stderr}", \
        "made no CUDA call that reached a device" in done.stderr


def main(warpmem, source, compiler="clang"):
    failures = checked = 0

    def report(machine, what, truth):
        nonlocal failures, checked
        checked += 1
        if not truth:
            failures += 1
            print(f"{machine}: wrong: {what}")

    program = executable(warpmem, source, compiler)
    name = name_of(program)
    for arguments in gcn_checks.SERIAL.get(name, []):
        for what, truth in check_serial(warpmem, program, arguments):
            report("host", what, truth)
    machines = machines_of(name)
    for machine in sanitized.share(warpmem, machines, len(name), of=len(machines)):
        warp_lanes = gcn_checks.MACHINES.get(machine, (32, 32))[0]

        def variants(arguments):
            run = execute(warpmem, program, machine, arguments.split())
            for what, truth in check_conservation(run, warp_lanes):
                report(machine, f"{arguments}: {what}", truth)
            return run
        try:
            for check in checks_on(name, machine):
                for what, truth in check(machine, variants):
                    report(machine, what, truth)
        except RuntimeError as error:
            report(machine, f"a run failed: {error}", False)
    print(f"{checked} checks, {failures} wrong")
    return 1 if failures or checked < 20 else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
