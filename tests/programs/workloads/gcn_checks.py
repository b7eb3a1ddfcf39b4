"""What is known beforehand of the programs of the GCN study (docs/workloads.md), and of attention, for
check_workload.py: what each kernel loads and stores, and how many lines of a cache its warps ask for
at a time. All of it holds with warps of 32 lanes and with those of 64.

A check yields (what, truth). Where the host computes alone (`--serial on`) nothing is counted.
"""
import math

from benchmark_checks import launches
from bypass_checks import shared_bytes

# The lanes of a warp, and the words of a line of L1.
MACHINES = {"v100": (32, 32), "hd7970": (64, 16)}
SECTOR = 32


def pairs_requests(machine, count):
    """Loads of the left ones of count / 2 pairs, at each distance: how many lines they ask for.

    The left ones lie next to each other as far as the distance goes, and then as far as that again
    nothing is asked for. So runs shorter than a line are in twice as many lines. Distances are powers
    of two.
    """
    lanes, words = MACHINES[machine]
    lines = count // 2 // lanes * (lanes // words)
    return {1 << i: lines * (1 if 1 << i >= words else 2) for i in range(int(math.log2(count)))}


def bitonic_sort(machine, variants):
    n, stages = 4096, 12
    run = variants(f"--n {n}")
    passes = stages * (stages + 1) // 2
    yield "a launch a pass", launches(run, "bitonic_pass") == passes
    yield "two loads and two stores a pair", run.loads() == run.stores() == n * passes
    # Each stage from the one of a distance on has a pass of that distance.
    requests = sum(2 * (stages - i) * lines
                   for i, lines in enumerate(pairs_requests(machine, n).values()))
    yield "lines of pairs", run.loads("requests") == run.stores("requests") == requests
    variants("--n 2")
    variants("--n 1024 --block 100 --seed 4")


def fast_walsh(machine, variants):
    n, steps = 8192, 13
    run = variants(f"--n {n}")
    yield "a launch a step", launches(run, "walsh_step") == steps
    yield "two loads and two stores a pair", run.loads() == run.stores() == n * steps
    requests = 2 * sum(pairs_requests(machine, n).values())
    yield "lines of pairs", run.loads("requests") == run.stores("requests") == requests
    variants("--n 2")
    variants("--n 2048 --block 96 --seed 5")


def floyd_warshall(machine, variants):
    n, (lanes, words) = 64, MACHINES[machine]
    run = variants(f"--n {n}")
    yield "a launch a node", launches(run, "floyd_warshall_pass") == n
    yield "three loads a way", run.loads() == 3 * n ** 3
    # A warp has parts of 16 numbers of a few rows: as many lines for the ways and for what leads to
    # node k, but what leads on from there is the same for all rows.
    rows = lanes // 16
    yield "lines of two loads by rows, one of the third", \
        run.loads("requests") == n * (n * n // lanes) * (2 * rows + 1)
    yield "a length and a node where the way got shorter", \
        run.stores() % 2 == 0 and n * n < run.stores() // 2 < n * n * math.log2(n)
    variants("--n 1")
    variants("--n 37 --block-x 7 --block-y 3")
    variants("--n 40 --block-x 32 --block-y 8 --seed 3")


def dct(machine, variants):
    width, height = 72, 40
    run = variants(f"--width {width} --height {height}")
    points, (lanes, words) = width * height, MACHINES[machine]
    yield "of each point a column of the square, a row of cosines, and another", \
        run.loads() == 24 * points
    # All rows of a block read one row of the square, but cosines of their own, and later each column
    # its own.
    warps, rows = points // lanes, lanes // 8
    yield "a line of the square at a time, and lines of cosines by rows and by columns", \
        run.loads("requests") == 8 * warps * (1 + -(-rows * 8 // words) + -(-64 // words))
    yield "a store a point", run.stores() == points
    yield "256 bytes of a block", shared_bytes(run, "dct") == {256}
    variants("--width 8 --height 8 --seed 2")


def recursive_gaussian(machine, variants):
    width, height = 96, 64
    points = width * height
    run = variants(f"--width {width} --height {height}")
    yield "filter, transposition, and both again", \
        [one["launches"] for one in run.kernels] == [2, 2]
    # Down and up a point is read, and up what was written on the way down; and the first and last.
    yield "three loads a point", \
        run.loads(kernel="gaussian_columns") == 2 * 3 * points + 2 * (width + height)
    yield "two stores a point", run.stores(kernel="gaussian_columns") == 2 * 2 * points
    yield "lanes of a row are next to each other", \
        run.stores("sectors", kernel="gaussian_columns") == 2 * 2 * points * 4 // SECTOR
    yield "transposed through shared memory", run.loads(kernel="transpose") == \
        run.stores(kernel="transpose") == run.causes("load", "shared")["lanes"] == 2 * points
    variants("--width 16 --height 16")
    variants("--width 70 --height 33 --sigma 1 --block 7")
    variants("--width 33 --height 100 --sigma 20")


def radix_sort(machine, variants):
    n, passes, threads = 32768, 4, 128
    lanes, words = MACHINES[machine]
    run = variants(f"--n {n}")
    yield "four kernels a digit", [one["launches"] for one in run.kernels] == 4 * [passes]
    yield "a load a number, a line a lane", \
        run.loads(kernel="histogram") == run.loads("requests", "histogram") == n * passes
    yield "counters of 16 bits, and ranks of 8", \
        (shared_bytes(run, "histogram"), shared_bytes(run, "permute")) == ({32768}, {16384})
    counts = 256 * threads * passes
    yield "counts by rows", run.stores(kernel="histogram") == counts and \
        run.stores("requests", kernel="histogram") == counts // words
    # The last sums of the rows before, one for all lanes, and then of each count the one before.
    yield "offsets", run.loads(kernel="offsets") == \
        counts - 256 * passes + 64 * passes * 256 * 255 // 2
    yield "the sums of rows are one number for all lanes", run.loads("requests", kernel="offsets") < \
        64 // lanes * passes * 256 * 255 // 2 + 3 * counts // words
    if "scalar" in run.kinds:
        # Rows are 512 bytes long, which is every eighth set, and thrown out before they are used again.
        yield "and miss in the scalar cache", run.kinds["scalar"]["misses"] > \
            0.15 * run.kinds["scalar"]["accesses"] > 0
    yield "numbers and places", run.loads(kernel="permute") == 2 * n * passes
    yield "a store a number, far apart", run.stores(kernel="permute") == n * passes and \
        run.stores("requests", kernel="permute") > 0.9 * n * passes
    variants("--n 1")
    variants("--n 50001 --seed 4")


def histogram256(machine, variants):
    n, each, block = 50000, 100, 64
    run = variants(f"--n {n} --each {each} --block {block}")
    blocks = -(-n // (each * block))
    yield "a load a number, next to each other", \
        run.loads() == n and run.loads("sectors") == n * 4 // SECTOR
    yield "256 counts a block", run.stores() == 256 * blocks
    yield "bytes are cleared, and written to count", \
        run.causes("store", "shared")["bytes_requested"] == 256 * block * blocks + n
    yield "they are read to count, and to add", \
        run.causes("load", "shared")["bytes_requested"] == n + 256 * block * blocks
    yield "no atomics", run.atomics() == run.atomics(space="shared") == 0
    variants("--n 1 --each 1 --block 1")
    variants("--n 70000 --each 255 --skew 100")


def black_scholes(machine, variants):
    n = 4096
    run = variants(f"--n {n}")
    yield "vectors of four", run.loads() == n // 4 and run.stores() == 2 * n // 4
    yield "nothing twice", run.loads("sectors") == n * 4 // SECTOR and \
        run.stores("sectors") == 2 * n * 4 // SECTOR
    yield "compulsory", run.dram("bytes_read") >= 4 * n
    variants("--n 4 --block 1")
    variants("--n 5000 --block 33 --seed 7")


def binomial_option(machine, variants):
    n, steps = 20, 127
    run = variants(f"--n {n} --steps {steps}")
    warps = n // 4 * (steps + 1) // MACHINES[machine][0]
    yield "a vector for all lanes", (run.loads(), run.loads("requests")) == (n // 4 * 128, warps)
    yield "a store a block", run.stores() == n // 4
    yield "two nodes of a level for each of the next, and the first", \
        run.causes("load", "shared")["lanes"] == n // 4 * (steps * (steps + 1) + 1)
    for arguments in ("--n 4 --steps 1", "--n 40 --steps 300 --seed 3", "--n 12 --steps 254"):
        variants(arguments)


# --- A program of today, for the same machines ---

def attention_rows(machine, variants, queries, keys):
    """Each block of four queries multiplies all keys, a row of 256 bytes a lane, and adds up all values."""
    (lanes, words), blocks = MACHINES[machine], queries // 4
    run = variants(f"--variant rows --queries {queries} --keys {keys}")
    yield "rows: vectors of queries and keys, and numbers of values for each query", \
        run.loads() == blocks * (4 * 16 + keys * 16 + keys * 4 * 64)
    yield "rows: a line a lane for keys, and lines of queries and values as long as they are", \
        run.loads("requests") == blocks * (4 * 64 // words + keys * 16 + keys * 4 * 64 // words)
    yield "rows: each number of the result once", run.stores() == queries * 64
    yield "rows: queries, and numbers of a row, besides the weights", \
        shared_bytes(run, "attention_rows") == {2 * 4 * 64 * 4}
    yield "rows: compulsory", run.dram("bytes_read") >= 4 * 64 * (queries + 2 * keys)


def attention(machine, variants):
    yield from attention_rows(machine, variants, queries=40, keys=70)
    queries, keys, tile, block = 40, 70, 32, 8
    run = variants(f"--variant tiled --queries {queries} --keys {keys}")
    yield "tiled: each number of all keys and values once for eight queries", \
        run.loads() == queries * 64 + queries // block * 2 * keys * 64
    yield "tiled: along rows", run.loads("sectors") == run.loads() * 4 // SECTOR
    yield "tiled: each number of the result once", run.stores() == queries * 64
    yield "tiled: queries, keys, values and weights", shared_bytes(run, "attention_tiled") == \
        {4 * (block * 65 + tile * 65 + tile * 64 + block * tile)}
    for variant in ("rows", "tiled"):
        for sizes in ("--queries 1 --keys 1", "--queries 9 --keys 33", "--queries 5 --keys 300 --seed 3"):
            variants(f"--variant {variant} {sizes}")
    variants("--variant rows --queries 3 --keys 1792")
    variants("--variant tiled --queries 3 --keys 2000")


# --- Variants of programs that were there ---

def transpose_vector(machine, variants):
    width, height = 72, 128
    run = variants(f"--variant vector --width {width} --height {height}")
    yield "vector: four numbers at once", run.loads() == run.stores() == width * height // 4
    yield "vector: whole sectors", \
        run.loads("sectors") == run.stores("sectors") == width * height * 4 // SECTOR
    yield "vector: a tile of 16 KiB", shared_bytes(run, "transpose_vector") == {16384}
    variants("--variant vector --width 100 --height 68")
    variants("--variant vector --width 4 --height 132")


def scan_pairs(machine, variants):
    n, block = 5000, 64
    run = variants(f"--variant pairs --n {n} --block {block}")
    parts = -(-n // (2 * block))
    yield "pairs: the parts and their totals", \
        run.loads(kernel="scan_pairs") == run.stores(kernel="scan_pairs") - parts - 1 == n + parts
    # Lanes read the left ones of pairs, and then the right ones: each sector twice.
    yield "pairs: every other word", run.loads("sectors", "scan_pairs") == 2 * -(-(n + parts) // 8)
    variants("--variant pairs --n 1")
    variants("--variant pairs --n 33333 --block 32")


def reduction_vectors(machine, variants):
    n, block = 20000, 128
    run = variants(f"--variant vectors --n {n} --block {block}")
    yield "vectors: four numbers at once", run.loads() == n // 4
    yield "vectors: every other vector of a line, twice", \
        run.loads("sectors") == 2 * n * 4 // SECTOR
    yield "vectors: one a block", run.stores() == -(-n // (8 * block)) and run.atomics() == 0
    variants("--variant vectors --n 1 --block 32")
    variants("--variant vectors --n 4099")


CHECKS = {check.__name__: check for check in (
    bitonic_sort, fast_walsh, floyd_warshall, dct, recursive_gaussian, radix_sort, histogram256,
    black_scholes, binomial_option, attention)}
MORE = {"transpose": transpose_vector, "scan": scan_pairs, "reduction": reduction_vectors}
# Each program's arguments of a run on the host alone.
SERIAL = {
    "bitonic_sort": ["--n 2", "--n 8192"],
    "fast_walsh": ["--n 2", "--n 8192"],
    "floyd_warshall": ["--n 1", "--n 50"],
    "dct": ["--width 8 --height 8", "--width 72 --height 40"],
    "recursive_gaussian": ["--width 16 --height 16", "--width 70 --height 33 --sigma 3"],
    "radix_sort": ["--n 1", "--n 50001"],
    "histogram256": ["--n 1", "--n 50001 --skew 30"],
    "black_scholes": ["--n 4", "--n 5000"],
    "binomial_option": ["--n 4 --steps 1", "--n 20 --steps 254"],
    "transpose": ["--width 1 --height 1", "--width 70 --height 33"],
    "scan": ["--n 1", "--n 50001"],
    "reduction": ["--n 1", "--n 50001"],
}
