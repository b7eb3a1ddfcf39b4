"""What is known beforehand of the benchmarks of the DaCache study (docs/workloads.md), for
check_workload.py: above all the shapes of their accesses, for which the study chose them.
"""
from collections import Counter


# What an execution of an instruction asks for: lines of 128 bytes, and sectors of 32 in them.
DIVERGENT, BROADCAST, COALESCED = (32, 32), (1, 1), (1, 4)


def shapes(run, kernel="", kind="load"):
    """Lanes by the lines and sectors that their instruction asks for, on average, in global memory."""
    lanes = Counter()
    for one in run.kernels:
        if kernel not in one["name"]:
            continue
        for instruction in one["instructions"]:
            count = instruction["counters"]
            if (instruction["kind"], instruction["space"]) == (kind, "global") and count["lanes"]:
                shape = tuple(count[name] / count["executions"] for name in ("requests", "sectors"))
                lanes[shape] += count["lanes"]
    return dict(lanes)


def two_ways(rows_kernel, columns_kernel, adds=False):
    """ATAX, BICG and MVT: a product with the matrix and one with its transpose. MVT adds them to
    what is there and so reads that once; the others store a zero first.
    """
    def check(run, m, n, steps=1 << 30):
        rows, columns = m * min(n, steps), n * min(m, steps)
        yield "rows: 32 lines, and the vector for all lanes", \
            shapes(run, rows_kernel) == {DIVERGENT: rows, BROADCAST: rows,
                                         **({COALESCED: m} if adds else {})}
        yield "columns: neighbours, and the vector for all lanes", \
            shapes(run, columns_kernel) == {COALESCED: columns + (n if adds else 0),
                                            BROADCAST: columns}
        yield "a store in each step", run.stores() == rows + columns + (0 if adds else m + n)
        yield "compulsory", run.dram("bytes_read") >= 4 * max(rows, columns)
    return check


def atax(machine, variants):
    check = two_ways("atax_rows", "atax_columns")
    yield from check(variants("--m 96 --n 64 --block 64"), 96, 64)
    yield from check(variants("--m 64 --n 96 --pad 32"), 64, 96)
    yield from check(variants("--m 64 --n 128 --steps 40 --pad 32"), 64, 128, 40)
    variants("--m 1 --n 1")
    variants("--m 33 --n 70 --pad 3 --block 7")


def bicg(machine, variants):
    check = two_ways("bicg_rows", "bicg_columns")
    yield from check(variants("--m 96 --n 64 --block 64"), 96, 64)
    yield from check(variants("--m 64 --n 96 --pad 32"), 64, 96)
    yield from check(variants("--m 64 --n 128 --steps 40 --pad 32"), 64, 128, 40)
    variants("--m 1 --n 1")
    variants("--m 33 --n 70 --pad 3 --block 7")


def mvt(machine, variants):
    check = two_ways("mvt_rows", "mvt_columns", adds=True)
    yield from check(variants("--n 64 --block 32"), 64, 64)
    yield from check(variants("--n 96 --pad 32"), 96, 96)
    yield from check(variants("--n 64 --steps 40"), 64, 64, 40)
    variants("--n 1")
    variants("--n 37 --pad 3 --block 7")


def gesummv(machine, variants):
    for n, pad, steps in ((64, 0, 64), (96, 32, 96), (64, 32, 20)):
        run = variants(f"--n {n} --pad {pad} --block 64 --steps {steps}")
        found = shapes(run)
        yield "both matrices: 32 lines", found.pop(DIVERGENT) == 2 * n * steps
        yield "x for all lanes", found.pop(BROADCAST) >= n * steps
        # The sums, which the stores in between may have changed.
        yield "the rest is together", set(found) == {COALESCED}
        yield "two stores in each step", run.stores() >= 2 * n * steps
        yield "compulsory", run.dram("bytes_read") >= 8 * n * steps
    variants("--n 1")
    variants("--n 37 --pad 3 --block 7")


def syrk(machine, variants):
    for arguments, n, m in (("", 64, 40), ("--pad 32 --block-y 4", 32, 64)):
        run = variants(f"--n {n} --m {m} {arguments}")
        # C itself is read once.
        yield "32 lines, and one number for all lanes", \
            shapes(run) == {DIVERGENT: n * n * m, BROADCAST: n * n * m, COALESCED: n * n}
        yield "a store in each step", run.stores() == n * n * (m + 1)
        yield "compulsory", run.dram("bytes_read") >= 4 * (n * m + n * n)
    variants("--n 1 --m 1")
    variants("--n 35 --m 7 --pad 3 --block-x 9 --block-y 5")


def syr2k(machine, variants):
    for arguments, n, m, rows in (("", 64, 40, 64), ("--pad 32 --block-y 4", 32, 64, 32),
                                  ("--rows 9", 64, 40, 9)):
        run = variants(f"--n {n} --m {m} {arguments}")
        steps = rows * n * m
        yield "twice 32 lines, and two numbers for all lanes", \
            shapes(run) == {DIVERGENT: 2 * steps, BROADCAST: 2 * steps, COALESCED: rows * n}
        yield "a store in each step", run.stores() == steps + rows * n
        yield "compulsory", run.dram("bytes_read") >= 4 * (2 * n * m + rows * n)
    variants("--n 1 --m 1")
    variants("--n 35 --m 7 --pad 3 --block-x 9 --block-y 5")


# Of a row of 64 numbers that two warps share, the points to the left or to the right: one warp's 31
# lie in one line, the other's 32 in two, and the sectors are 4 and 5.
BESIDE = (1.5, 4.5)


def conv2d(machine, variants):
    for arguments in ("", "--pad 32"):
        height = 20
        run = variants(f"--height {height} --width 64 {arguments}")
        inner = 62 * (height - 2)
        yield "three points in one line, six in two", \
            shapes(run) == {COALESCED: 3 * inner, BESIDE: 6 * inner}
        yield "every inner point is stored", run.stores() == inner
        yield "compulsory", run.dram("bytes_read") >= 4 * 62 * height
    variants("--height 1 --width 1")
    variants("--height 9 --width 35 --pad 3 --block-x 7 --block-y 3")


def conv3d(machine, variants):
    depth, height = 5, 10
    inner = 62 * (depth - 2) * (height - 2)
    for variant, middle, beside in (("eleven", 3, 8), ("full", 9, 18)):
        run = variants(f"--variant {variant} --depth {depth} --height {height} --width 64")
        yield f"{variant}: {middle} points in one line, {beside} in two", \
            shapes(run) == {COALESCED: middle * inner, BESIDE: beside * inner}
        yield f"{variant}: every inner point is stored", run.stores() == inner
        yield f"{variant}: a launch a plane", run.kernels[0]["launches"] == depth - 2
    variants("--depth 1 --height 1 --width 1")
    variants("--variant full --depth 4 --height 5 --width 35 --pad 3 --block-x 7 --block-y 3")


def gemm_chain(machine, variants):
    n = 64
    for variant, products in (("two", 2), ("three", 3)):
        run = variants(f"--variant {variant} --n {n} --pad 32")
        yield f"{variant}: one number for all lanes, and neighbours", \
            shapes(run) == {BROADCAST: products * n ** 3, COALESCED: products * n ** 3}
        yield f"{variant}: a store in each step", run.stores() == products * n * n * (n + 1)
        yield f"{variant}: launches", run.kernels[0]["launches"] == products
        run = variants(f"--variant {variant} --n {n} --rows 9")
        rows = 9 * 2 + (n if variant == "three" else 0)
        yield f"{variant}: of some rows", run.stores() == rows * n * (n + 1)
        variants(f"--variant {variant} --n 19 --pad 3 --block-x 7 --block-y 5")
    variants("--n 1")


def fdtd2d(machine, variants):
    height, width, steps = 16, 64, 3
    run = variants(f"--height {height} --width {width} --steps {steps}")
    below, beside = width * (height - 1) * steps, (width - 1) * height * steps
    yield "ey: three aligned loads", shapes(run, "fdtd2d_ey") == {COALESCED: 3 * below}
    ex = shapes(run, "fdtd2d_ex")
    yield "ex: hz beside it in two lines", ex.pop(BESIDE) == beside and ex.pop(COALESCED) == beside
    yield "ex itself, in rows of 65, in two lines", [1 < lines < 2 for lines, _ in ex] == [True]
    hz = shapes(run, "fdtd2d_hz")
    yield "hz: ey and itself in one line", hz.pop(COALESCED) == 3 * width * height * steps
    yield "hz: ex in two lines", sum(hz.values()) == 2 * width * height * steps and \
        all(1 < lines <= 2 for lines, _ in hz)
    yield "each field is stored", run.stores() == (2 * height * width + height * (width - 1)) * steps
    yield "compulsory", run.dram("bytes_read") >= 3 * 4 * height * (width - 1)
    variants("--height 1 --width 1")
    variants("--height 9 --width 35 --pad 3 --block-x 7 --block-y 3 --steps 20")


def covariance(machine, variants):
    # Of 63 columns and the unused one, a warp has 32 in two lines and one 31 in one.
    rows, columns = 20, 63
    for variant, passes in (("covariance", 2), ("correlation", 4)):
        run = variants(f"--variant {variant} --m {rows} --n {columns}")
        pairs = columns * (columns + 1) // 2 - (columns if variant == "correlation" else 0)
        products = shapes(run, "table_products")
        yield f"{variant}: two numbers for a product", sum(products.values()) == 2 * rows * pairs
        yield f"{variant}: of two lines at most", all(lines <= 2 for lines, _ in products)
        means = shapes(run, "table_means")
        yield f"{variant}: columns counted from 1", means == {BESIDE: rows * columns}
        # Every sum is cleared, grows, and is written to its mirror place.
        yield f"{variant}: a store in each step", \
            run.stores(kernel="table_products") == pairs * (rows + 2) + (passes == 4) * columns
        stores = run.causes("store", kernel="table_products")
        yield f"{variant}: sums lie in many lines", stores["requests"] > 10 * stores["executions"]
        run = variants(f"--variant {variant} --m {rows} --n {columns} --partners 2")
        own = (passes == 4) * columns
        pairs = 2 * columns - (3 if own else 1)
        yield f"{variant}: of some columns", \
            run.stores(kernel="table_products") == pairs * (rows + 2) + own
    variants("--m 1 --n 1")
    variants("--variant correlation --m 1 --n 1")
    variants("--variant correlation --m 7 --n 40 --pad 5 --block 32")


def gramschmidt(machine, variants):
    rows, columns, steps = 64, 32, 3
    run = variants(f"--m {rows} --n {columns} --steps {steps}")
    yield "one thread walks down", run.loads(kernel="gramschmidt_norm") == rows * steps
    yield "a column of A, 32 lines, and one number for all lanes", \
        shapes(run, "gramschmidt_scale") == {DIVERGENT: rows * steps, BROADCAST: rows * steps}
    yield "a column of Q, 32 lines", \
        shapes(run, "gramschmidt_scale", "store") == {DIVERGENT: rows * steps}
    rest = shapes(run, "gramschmidt_rest")
    yield "the rest along rows", set(rest) == {COALESCED, BROADCAST}
    right = sum(columns - 1 - k for k in range(steps))
    yield "twice A and Q", sum(rest.values()) >= 4 * rows * right
    yield "three launches a column", sum(one["launches"] for one in run.kernels) == 3 * steps
    variants("--m 1 --n 1")
    variants("--m 40 --n 35 --pad 3 --block 7 --steps 0")


def kmeans(machine, variants):
    points, features, centres, steps = 96, 34, 3, 2
    run = variants(f"--n {points} --features {features} --centres {centres} --steps {steps}")
    yield "a feature is in a line of its own", \
        shapes(run, "kmeans_invert") == {DIVERGENT: points * features}
    yield "inverted, in one line", \
        shapes(run, "kmeans_invert", "store") == {COALESCED: points * features}
    yield "all features, for each centre", \
        shapes(run, "kmeans_assign") == {COALESCED: points * features * centres * steps}
    yield "centres from constant memory", \
        run.causes("load", "constant")["lanes"] >= points * features * centres * steps
    yield "compulsory", run.dram("bytes_read") >= 4 * points * features
    variants("--n 1 --features 1 --centres 1")
    run = variants(f"--n {points} --features 9 --pad 25 --centres {centres} --steps 1")
    yield "of a part of the features", shapes(run, "kmeans_invert") == {DIVERGENT: points * 9}
    variants("--n 301 --features 5 --pad 1 --centres 7 --steps 4 --block 50")


def streamcluster(machine, variants):
    points, dimensions, steps = 1024, 8, 2
    size = f"--n {points} --dimensions {dimensions} --steps {steps} --block 128"
    shared, everywhere = (variants(f"--variant {variant} {size}") for variant in ("shared", "global"))
    # Structures of 32 bytes: a sector a lane, and 8 lines a warp.
    structure = (8, 32)
    for variant, run in (("shared", shared), ("global", everywhere)):
        found = shapes(run)
        yield f"{variant}: two parts of each structure", found[structure] == 2 * points * steps
        yield f"{variant}: coordinates along dimensions", \
            found[COALESCED] == points * dimensions * steps
        yield f"{variant}: one thing saved a point", run.stores() >= points * steps
        yield "compulsory", run.dram("bytes_read") >= 4 * points * dimensions
    yield "shared: from shared memory", \
        shared.causes("load", "shared")["lanes"] == points * dimensions * steps
    yield "global: for all lanes", shapes(everywhere)[BROADCAST] == points * dimensions * steps
    for variant in ("shared", "global"):
        variants(f"--variant {variant} --n 1 --dimensions 1 --centres 1")
    variants("--n 301 --dimensions 100 --block 50 --steps 20")


def sort_launches(count):
    """Of a bitonic sort: as many as the sum of the numbers up to log2 of a power of two as large."""
    levels = (count - 1).bit_length()
    return levels * (levels + 1) // 2


def launches(run, kernel):
    return sum(one["launches"] for one in run.kernels if kernel in one["name"])


def inverted_index(machine, variants):
    size, piece = 16384, 256
    run = variants(f"--size {size} --piece {piece}")
    links = run.stores(kernel="mark_first")
    for kernel in ("index_count", "index_emit"):
        found = [run.loads(name, kernel) for name in ("requests", "lanes")]
        yield f"{kernel}: every byte is looked at", found[1] > size - 256
        # But for a few that the pieces' sums are, and those that run on into the next piece.
        yield f"{kernel}: a line a lane", 0.97 * found[1] < found[0] <= found[1]
    addresses = run.stores(kernel="index_emit") - 4 * links
    yield "addresses are copied", 20 * links < addresses < 60 * links
    yield "the output is scattered", \
        run.stores("requests", "index_emit") > 0.9 * run.stores(kernel="index_emit")
    yield "a sort", launches(run, "sort_step") == sort_launches(links)
    yield "compulsory", run.dram("bytes_read") >= size - 256
    run = variants(f"--size {size} --run 8")
    yield "a sort of runs of 8", launches(run, "sort_step") == sort_launches(8)
    run = variants(f"--size {size} --piece {piece} --part 64 --run 1")
    looked = run.loads("lanes", "index_count")
    yield "a quarter of the bytes", 0.25 * size - 256 < looked < 0.4 * size
    yield "no sort", launches(run, "sort_step") == 0
    variants("--size 512 --octaves 1")
    variants("--size 9001 --piece 77 --block 7")


def page_views(machine, variants):
    lines = 500
    run = variants(f"--n {lines} --octaves 5 --visitors 12")
    distinct = run.stores(kernel="mark_first") - lines
    yield "some lines are there twice", lines // 4 < distinct < lines
    yield "a record a line, twice", run.stores(kernel="views_map") == 4 * (lines + distinct)
    requests, executions = (run.loads(name, "views_map") for name in ("requests", "executions"))
    yield "lines of the log lie in many lines", requests > 5 * executions
    yield "two sorts", \
        launches(run, "sort_step") == sort_launches(lines) + sort_launches(distinct)
    yield "a number a page", 20 < run.stores(kernel="views_count") < 32
    yield "every record but a page's first is compared, and one more", \
        run.loads(kernel="views_count") > 2 * distinct
    run = variants(f"--variant map --n {lines} --octaves 5 --visitors 12")
    yield "the first launch alone", [one["launches"] for one in run.kernels] == [1]
    yield "which makes a record a line", run.stores() == 4 * lines
    variants("--n 1 --octaves 1 --visitors 1")
    variants("--n 77 --octaves 12 --block 7")


CHECKS = {check.__name__: check for check in (
    atax, bicg, mvt, gesummv, syrk, syr2k, conv2d, conv3d, gemm_chain, fdtd2d, covariance,
    gramschmidt, kmeans, streamcluster, inverted_index, page_views)}
