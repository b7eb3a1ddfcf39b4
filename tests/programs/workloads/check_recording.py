#!/usr/bin/env python3
"""Records one workload, every variant, and replays it: the counters are those of the run.

usage: check_recording.py WARPMEM PROGRAM.cu

On each machine, the results of `warpmem replay` equal those of `warpmem run` to the byte of the
JSON: of the whole recording and of one of memory instructions alone, on one thread and on four, and
with misses explained. Two recordings are the same to the byte.
"""
import subprocess
import sys
import tempfile
from pathlib import Path

from check_program import environment, executable
import sanitized

MACHINES = ["v100", "gtx480"]

# Each workload's variants ("" where there is one way to compute it), at a size that fills a few SMs.
VARIANTS = {
    "vecadd": ("scalar vector blocked", "--n 20000"),
    "transpose": ("naive tiled padded vector", "--width 132 --height 68"),
    "gemm": ("naive tiled update", "--n 65"),
    "reduction": ("interleaved sequential shuffle atomic vectors", "--n 20000"),
    "scan": ("hillis-steele blelloch padded pairs", "--n 20000"),
    "histogram": ("global shared", "--n 20000"),
    "spmv": ("scalar vector", "--n 500"),
    "bfs": ("topology queue blocks masks gather", "--n 2000"),
    "stencil": ("naive tiled", "--width 70 --height 70"),
    "spinlock": ("lanes blocks ticket", "--grid 5 --block 40 --rounds 2"),
    "stencil3d": ("", "--width 40 --height 30 --depth 8 --steps 2"),
    "mriq": ("", "--n 600 --samples 100 --chunk 64"),
    "histo": ("", "--width 70 --height 50 --bins 500 --range 60 --ranges 5"),
    "cutcp": ("", "--width 3 --height 2 --depth 2"),
    "gridding": ("", "--n 1000 --width 1 --height 2 --depth 3"),
    "lbm": ("aos soa", "--width 20 --height 6 --depth 5"),
    "spmv_jds": ("", "--n 500 --repeat 2"),
    "pointer_chase": ("ring shuffled", "--size 128 --hops 200"),
    "bandwidth": ("", "--blocks 16 --stride 8 --steps 4"),
    "atomics": ("global shared", "--grid 6 --each 4"),
    "kmeans": ("constant shared", "--n 600 --features 34"),
    "atax": ("", "--m 96 --n 64 --block 64"),
    "bicg": ("", "--m 33 --n 70 --pad 3 --block 32"),
    "mvt": ("", "--n 96 --pad 32 --block 64"),
    "gesummv": ("", "--n 100 --block 64"),
    "syrk": ("", "--n 65 --m 20"),
    "syr2k": ("", "--n 65 --m 20"),
    "conv2d": ("", "--height 70 --width 70 --pad 3"),
    "conv3d": ("eleven full", "--depth 6 --height 20 --width 70"),
    "gemm_chain": ("two three", "--n 65 --pad 3"),
    "fdtd2d": ("", "--height 40 --width 70 --steps 3"),
    "covariance": ("covariance correlation", "--m 40 --n 100"),
    "gramschmidt": ("", "--m 70 --n 40 --steps 4"),
    "streamcluster": ("shared global", "--n 600 --steps 3"),
    "inverted_index": ("", "--size 9000 --piece 77"),
    "page_views": ("all map", "--n 500 --octaves 5"),
    "aligned_types": ("", "--n 2000 --grid 20"),
    "backprop": ("", "--n 1500"),
    "euler3d": ("", "--n 3000"),
    "particles": ("", "--n 700"),
    "srad": ("whole prepare reduce derive", "--rows 64 --columns 50"),
    "bitonic_sort": ("", "--n 2048 --block 96"),
    "dct": ("", "--width 72 --height 64"),
    "recursive_gaussian": ("", "--width 70 --height 40 --sigma 3"),
    "floyd_warshall": ("", "--n 40"),
    "fast_walsh": ("", "--n 4096"),
    "radix_sort": ("", "--n 20000"),
    "histogram256": ("", "--n 20000 --each 50"),
    "black_scholes": ("", "--n 20000"),
    "binomial_option": ("", "--n 40 --steps 100"),
    "attention": ("rows tiled", "--queries 21 --keys 70"),
}


def command_lines(name):
    """The arguments of each variant of a workload."""
    variants, size = VARIANTS[name]
    chosen = [["--variant", variant] for variant in variants.split()]
    return [[*choice, *size.split()] for choice in chosen or [[]]]


def warpmem(exe, *words):
    done = subprocess.run([exe, *words], capture_output=True, text=True, env=environment(exe))
    assert done.returncode == 0, f"{' '.join(map(str, words))}: {done.returncode}\n{done.stderr}"
    return done.stdout


def check(exe, program, arguments, folder, machine):
    def results(name, *words):
        out = folder / f"{name}.json"
        warpmem(exe, words[0], "-q", "-m", machine, "--json", out, *words[1:])
        return out.read_bytes()

    line = [program, *arguments]
    live = results("live", "run", "--", *line)
    recording, again, memory = (folder / f"{name}.wmt" for name in ("whole", "again", "memory"))
    for file, options in ((recording, []), (again, []), (memory, ["--memory-only"])):
        warpmem(exe, "record", "-q", "-m", machine, "-o", file, *options, "--", *line)
    assert recording.read_bytes() == again.read_bytes(), "two recordings differ"
    for name, file, options in (("whole", recording, ["-j1"]), ("threads", recording, ["-j4"]),
                                ("memory", memory, [])):
        assert results(name, "replay", *options, file) == live, f"replay ({name}) differs from run"
    explained = results("explained", "run", "--explain", "--", *line)
    assert results("replayed", "replay", "--explain", recording) == explained, \
        "replay --explain differs from run --explain"


def main(exe, source):
    exe = Path(exe).resolve()
    name = Path(source).stem
    program = executable(exe, source)
    with tempfile.TemporaryDirectory() as folder:
        for turn, arguments in enumerate(command_lines(name), len(name)):
            for machine in sanitized.share(exe, MACHINES, turn, of=len(MACHINES)):
                check(exe, program, arguments, Path(folder), machine)
                print(f"{name} {' '.join(arguments)} on {machine}: replay equals run")


if __name__ == "__main__":
    main(*sys.argv[1:])
