"""What is known beforehand of the benchmarks of the DaCache study (docs/workloads.md), for
check_workload.py: above all the shapes of their accesses, for which the study chose them.
"""
from collections import Counter


def shapes(run, kernel="", kind="load"):
    """Lanes by the requests (lines) that an execution of their instruction makes, over global memory."""
    lanes = Counter()
    for one in run.kernels:
        if kernel not in one["name"]:
            continue
        for instruction in one["instructions"]:
            count = instruction["counters"]
            if (instruction["kind"], instruction["space"]) == (kind, "global") and count["lanes"]:
                lanes[count["requests"] / count["executions"]] += count["lanes"]
    return dict(lanes)


def two_ways(rows_kernel, columns_kernel, adds=False):
    """ATAX, BICG and MVT: a product with the matrix and one with its transpose. MVT adds them to
    what is there and so reads that once; the others store a zero first.
    """
    def check(run, m, n):
        yield "rows: 32 lines, and the vector for all lanes", \
            shapes(run, rows_kernel) == {32: m * n, 1: m * n + (m if adds else 0)}
        yield "columns: neighbours, and the vector for all lanes", \
            shapes(run, columns_kernel) == {1: 2 * m * n + (n if adds else 0)}
        yield "a store in each step", run.stores() == 2 * m * n + (0 if adds else m + n)
        yield "compulsory", run.dram("bytes_read") >= 4 * m * n
    return check


def atax(machine, variants):
    check = two_ways("atax_rows", "atax_columns")
    yield from check(variants("--m 96 --n 64 --block 64"), 96, 64)
    yield from check(variants("--m 64 --n 96 --pad 32"), 64, 96)
    variants("--m 1 --n 1")
    variants("--m 33 --n 70 --pad 3 --block 7")


def bicg(machine, variants):
    check = two_ways("bicg_rows", "bicg_columns")
    yield from check(variants("--m 96 --n 64 --block 64"), 96, 64)
    yield from check(variants("--m 64 --n 96 --pad 32"), 64, 96)
    variants("--m 1 --n 1")
    variants("--m 33 --n 70 --pad 3 --block 7")


def mvt(machine, variants):
    check = two_ways("mvt_rows", "mvt_columns", adds=True)
    yield from check(variants("--n 64 --block 32"), 64, 64)
    yield from check(variants("--n 96 --pad 32"), 96, 96)
    variants("--n 1")
    variants("--n 37 --pad 3 --block 7")


def gesummv(machine, variants):
    for n, pad in ((64, 0), (96, 32)):
        run = variants(f"--n {n} --pad {pad} --block 64")
        found = shapes(run)
        yield "both matrices: 32 lines", found[32] == 2 * n * n
        # x, and the sums that the stores in between may have changed.
        yield "the rest is together", set(found) == {1, 32} and found[1] >= n * n
        yield "two stores in each step", run.stores() >= 2 * n * n
        yield "compulsory", run.dram("bytes_read") >= 8 * n * n
    variants("--n 1")
    variants("--n 37 --pad 3 --block 7")


def syrk(machine, variants):
    for arguments, n, m in (("", 64, 40), ("--pad 32 --block-y 4", 32, 64)):
        run = variants(f"--n {n} --m {m} {arguments}")
        # C itself is read once.
        yield "32 lines, and one number for all lanes", \
            shapes(run) == {32: n * n * m, 1: n * n * m + n * n}
        yield "a store in each step", run.stores() == n * n * (m + 1)
        yield "compulsory", run.dram("bytes_read") >= 4 * (n * m + n * n)
    variants("--n 1 --m 1")
    variants("--n 35 --m 7 --pad 3 --block-x 9 --block-y 5")


def syr2k(machine, variants):
    for arguments, n, m in (("", 64, 40), ("--pad 32 --block-y 4", 32, 64)):
        run = variants(f"--n {n} --m {m} {arguments}")
        yield "twice 32 lines, and two numbers for all lanes", \
            shapes(run) == {32: 2 * n * n * m, 1: 2 * n * n * m + n * n}
        yield "a store in each step", run.stores() == n * n * (m + 1)
        yield "compulsory", run.dram("bytes_read") >= 4 * (2 * n * m + n * n)
    variants("--n 1 --m 1")
    variants("--n 35 --m 7 --pad 3 --block-x 9 --block-y 5")


CHECKS = {check.__name__: check for check in (atax, bicg, mvt, gesummv, syrk, syr2k)}
