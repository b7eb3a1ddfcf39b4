"""What is known beforehand of the programs of the cache bypassing study (docs/workloads.md), for
check_workload.py: what each load of a kernel asks for, how often, and a block's shared memory.
"""
from benchmark_checks import BROADCAST, COALESCED, DIVERGENT, launches, shapes


def shared_bytes(run, kernel):
    """Of each kernel whose name has `kernel` in it."""
    return {one["static_shared_bytes"] for one in run.kernels if kernel in one["name"]}


# A type of aligned_types: what its kernel's name has in it, its bytes, and how many loads copy one.
TYPES = [("IhE", 1, 1), ("ItE", 2, 1), ("I10four_bytesE", 4, 4), ("I9two_wordsE", 8, 2),
         ("I11three_wordsE", 12, 3), ("I10four_wordsE", 16, 4), ("four_bytes_aligned", 4, 1),
         ("two_words_aligned", 8, 1), ("three_words_aligned", 16, 1), ("four_words_aligned", 16, 1),
         ("eight_words_aligned", 32, 2)]


def aligned_types(machine, variants):
    n = 4096
    run = variants(f"--n {n} --grid 8 --block 64")
    for name, size, loads in TYPES:
        # A warp's 32 structures lie side by side, from a line on; a load finds a part of each, of
        # 32 bytes and more in every other sector.
        lines, sectors = max(32 * size // 128, 1), min(size, 32)
        if name == "eight_words_aligned":
            sectors = 32
        yield f"{name}: {loads} loads of {lines} lines", \
            shapes(run, name) == {(lines, sectors): loads * n}
        yield f"{name}: as many stores", run.stores(kernel=name) == loads * n
    yield "compulsory", run.dram("bytes_read") >= n * sum(size for _, size, _ in TYPES) * 9 // 10
    variants("--n 1 --grid 1 --block 1")
    variants("--n 1001 --grid 3 --block 50")


def backprop(machine, variants):
    n = 1024
    run = variants(f"--n {n}")
    yield "16 KiB of a block", shared_bytes(run, "backprop") == {16384}
    yield "forward: an input and a weight each", run.loads(kernel="forward") == 2 * 16 * n
    forward = shapes(run, "forward")
    # Two rows of 17 numbers a warp, the first of which is the bias's: never all in one line.
    yield "two inputs, two lines of weights", \
        sorted(lines for lines, _ in forward) == [1 + 2 / 32, 2 + 0.0]
    yield "adjust: its units' errors, inputs, weights and changes, and the bias's", \
        run.loads(kernel="adjust") == 4 * 16 * n + 3 * 16
    yield "adjust: weights and changes are written", \
        run.stores(kernel="adjust") == 2 * 16 * n + 16 * n // 256 + 2 * 16
    yield "compulsory", run.dram("bytes_read") >= 2 * 4 * 16 * n
    variants("--n 1")
    variants("--n 700 --seed 3")


def particles(machine, variants):
    n, steps = 700, 2
    run = variants(f"--n {n} --steps {steps}")
    yield "4 KiB of a block", shared_bytes(run, "particles_move") == {4096}
    # 69 points of the disk; hot are both parts of a position and of an offset, a place and the film.
    # Of the position one part is read at the end of each round but the last.
    points = 69
    yield "six hot loads, eight cold ones", \
        run.loads(kernel="particles_move") == (6 * points - 1 + 8) * n * steps
    yield "a place a point", run.stores(kernel="particles_move") >= points * n * steps
    at_once = [count for shape, count in shapes(run, "particles_move").items() if shape == BROADCAST]
    yield "offsets are for all lanes", sum(at_once) >= 2 * points * n * steps * 9 // 10
    yield "three launches a picture", launches(run, "particles") == 3 * steps
    yield "a choice a particle", run.stores(kernel="particles_choose") == 3 * n * steps
    yield "compulsory", run.dram("bytes_read") >= 4 * 4 * n
    for arguments in ("--n 1 --steps 1", "--n 513 --radius 1 --pictures 2 --steps 5 --seed 7",
                      "--n 2000 --width 16 --height 40 --radius 9 --steps 1"):
        variants(arguments)


def euler3d(machine, variants):
    n, steps = 2048, 1
    run = variants(f"--n {n} --steps {steps}")
    yield "16 KiB of a block", shared_bytes(run, "euler_flux") == {16384}
    edges = 2 * 45 + 2 * -(-n // 45) # of a mesh of rows of 45, roughly
    flux = run.loads(kernel="euler_flux") // (3 * steps)
    yield "own quantities, table and normals, and what lies behind most faces", \
        41 * n - 5 * 2 * edges <= flux < 41 * n
    coalesced = shapes(run, "euler_flux")[COALESCED]
    yield "all but what lies behind is in one line", coalesced == 21 * n * 3 * steps
    yield "what lies behind is not", \
        all(lines > 4 for lines, _ in shapes(run, "euler_flux") if lines != 1)
    yield "a step: old, flux and factor", run.loads(kernel="time_step") == 11 * n * 3 * steps
    yield "factors once", run.loads(kernel="step_factor") == 6 * n * steps
    near, far = (variants(f"--n {n} --spread {spread}") for spread in (1, 1000))
    yield "neighbours that lie near share lines", \
        near.loads("requests", "euler_flux") < far.loads("requests", "euler_flux")
    yield "compulsory", run.dram("bytes_read") >= 21 * 4 * n
    variants("--n 4")
    variants("--n 1000 --spread 1000 --steps 3 --seed 4")


def srad(machine, variants):
    rows, columns, steps = 64, 40, 2
    n, size = rows * columns, f"--rows {rows} --columns {columns} --steps {steps}"
    prepare, reduce, derive, whole = (variants(f"--variant {variant} {size}")
                                      for variant in ("prepare", "reduce", "derive", "whole"))
    yield "a block's shared memory: 2, 4 and 0 KiB", \
        (shared_bytes(prepare, ""), shared_bytes(reduce, ""), shared_bytes(derive, "")) == \
        ({2048}, {4096}, {0})
    yield "prepare: one load a point", shapes(prepare) == {COALESCED: n * steps}
    yield "prepare: two stores a point, and one a block", \
        prepare.stores() == (2 * n + n // 512) * steps
    yield "reduce: two passes", launches(reduce, "reduce") == 2 * steps
    yield "reduce: two loads a point, then the blocks'", \
        reduce.loads() == 2 * (n + n // 512) * steps
    yield "reduce: a line a lane in the second pass", \
        reduce.loads("requests") == 2 * (n // 32 + n // 512) * steps
    yield "derive: nine loads a point, five stores", \
        derive.loads() == 9 * n * steps and derive.stores() == 5 * n * steps
    found = shapes(derive)
    # A column is two warps long: which column is next is the same for all lanes; a neighbour above
    # is in the line before for one of the two, and below in the one after.
    yield "derive: columns for all lanes, rows and points in one line", \
        found[BROADCAST] == 2 * n * steps and found[COALESCED] == 5 * n * steps
    yield "derive: above and below in two lines at times", \
        {lines for lines, _ in found} == {1, 1.5}
    yield "whole: four kernels", len(whole.kernels) == 4
    yield "whole: a step reads the last one's differences", \
        whole.loads(kernel="srad_update") == 10 * n * steps
    yield "compulsory", whole.dram("bytes_read") >= 4 * n
    variants("--rows 8 --columns 9 --steps 3 --seed 6")
    variants("--variant reduce --rows 8 --columns 8 --steps 1")
    variants("--variant derive --rows 33 --columns 17 --steps 1")
    variants("--variant prepare --rows 33 --columns 17 --steps 1")


# --- Variants of programs of the other studies ---

def kmeans_shared(machine, variants):
    points, features, centres = 96, 34, 3
    run = variants(f"--variant shared --n {points} --features {features} --centres {centres}")
    found = shapes(run, "kmeans_assign_shared")
    yield "shared: 16 KiB of a block", shared_bytes(run, "assign_shared") == {16384}
    yield "shared: a feature once, a centre for all lanes", \
        found == {COALESCED: 2 * points * features, BROADCAST: 2 * points * features * centres}
    yield "shared: the table turned round as before", \
        shapes(run, "kmeans_invert") == {DIVERGENT: points * features}
    variants("--variant shared --n 77 --features 3 --centres 16 --block 50")


def bfs_gather(machine, variants):
    gather, masks = (variants(f"--variant {variant} --n 2000") for variant in ("gather", "masks"))
    yield "gather: 16 KiB of a block", shared_bytes(gather, "bfs_gather") == {16384}
    yield "gather: as many steps as masks", \
        [one["launches"] for one in gather.kernels] == [one["launches"] for one in masks.kernels]
    yield "gather: all but the first vertex are found in shared memory", \
        gather.atomics(space="shared") >= 1999 and gather.atomics() == 0
    anywhere = [lanes for (lines, _), lanes in shapes(gather, "bfs_gather").items() if lines > 3]
    yield "gather: edges and their ends are anywhere, of all vertices", \
        len(anywhere) == 2 and len(set(anywhere)) == 1 and anywhere[0] > 4 * 2000
    # A block of 1024 that finds more than it has room for.
    variants("--variant gather --n 8000 --degree 20 --block 1024")
    variants("--variant gather --n 1")


def syrk_rows(machine, variants):
    n, m, rows = 64, 40, 8
    run = variants(f"--n {n} --m {m} --rows {rows}")
    yield "rows: of the first ones alone", \
        shapes(run) == {DIVERGENT: rows * n * m, BROADCAST: rows * n * m, COALESCED: rows * n}
    variants("--n 35 --m 7 --rows 9")
    variants("--n 5 --m 7 --rows 9")


CHECKS = {check.__name__: check for check in (aligned_types, backprop, particles, euler3d, srad)}
MORE = {"kmeans": kmeans_shared, "bfs": bfs_gather, "syrk": syrk_rows}
