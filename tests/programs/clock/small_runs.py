"""Small runs of every workload, and machines small enough for them: what the clock's tests share."""
import functools
import json
import os
import subprocess
import sys
import tempfile
from contextlib import contextmanager
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parents[up]) for up in (1, 2)]
import compiled
import sanitized

# Program and arguments: each some thousand to ten thousand warp instructions.
RUNS = [
    "vecadd --n 3000",
    "vecadd --variant blocked --n 2000 --run 8",
    "transpose --width 70 --height 45",
    "transpose --variant tiled --width 70 --height 45",
    "gemm --n 30",
    "gemm --variant tiled --n 40",
    "reduction --n 4000 --block 128",
    "reduction --variant atomic --n 2000",
    "scan --n 1500",
    "histogram --n 4000 --bins 64 --grid 6",
    "histogram --variant shared --n 4000 --bins 64 --grid 6",
    "spmv --n 300 --per-row 6",
    "spmv --variant vector --n 100",
    "bfs --n 300 --degree 4",
    "bfs --variant blocks --n 300 --degree 4 --block 64",
    "stencil --width 60 --height 20 --steps 2",
    "stencil --variant tiled --width 60 --height 20 --steps 2",
    "spinlock --grid 3 --block 40 --rounds 2",
    "spinlock --variant ticket --grid 5 --block 64 --rounds 2",
    "stencil3d --width 20 --height 12 --depth 6 --steps 1",
    "mriq --n 120 --samples 32 --chunk 16",
    "spmv_jds --n 300 --per-row 6",
    "lbm --width 8 --height 8 --depth 4 --steps 1",
    "histo --width 40 --height 20 --bins 256 --range 128 --ranges 2 --frames 1",
    "cutcp --width 1 --height 1 --depth 1",
    "gridding --n 200 --width 1 --height 1 --depth 1",
    "pointer_chase --from 1 --size 8 --hops 100",
    "bandwidth --stride 8 --blocks 6 --block 64 --steps 3",
    "atomics --counters 64 --grid 4 --block 64 --each 3",
    "atomics --variant shared --counters 64 --grid 4 --block 64 --each 3",
]
# What these execute depends on who is first.
RACES = ("spinlock", "bfs")

# A GPU of two SMs with every wait that there is.
SMALL = {
    "gpu.sm.count": "2",
    "gpu.sm.unified": "0B",
    "gpu.sm.carveouts": "[]",
    "gpu.l1.size": "4KiB",
    "gpu.l1.ways": "4",
    "gpu.l2.slices": "2",
    "gpu.l2.interleave": "256B",
    "gpu.l2.size": "32KiB",
    "gpu.l2.ways": "4",
    "gpu.l2.set_index": "modulo",
    "gpu.l2.dirty_limit": "0B",
    "gpu.dram.channels": "2",
    "gpu.dram.interleave": "256B",
}


def run(warpmem, program, arguments, engine, keys, folder, limit=100, explain=False):
    """Exit status, what it printed, and its results (None without)."""
    path = Path(folder) / "results.json"
    path.unlink(missing_ok=True)
    command = [warpmem, "run", "-q", "--engine", engine, "--json", path]
    command += ["--explain"] if explain else []
    for key, value in keys.items():
        command += ["--set", f"{key}={value}"]
    done = subprocess.run([*command, "--", program, *arguments], capture_output=True, text=True,
                          timeout=limit, env={**os.environ, **sanitized.variables(warpmem)})
    text = path.read_text() if path.exists() else None
    return done.returncode, done.stdout + done.stderr, text


@contextmanager
def programs(warpmem, workloads, names):
    """A folder that has them compiled."""
    with tempfile.TemporaryDirectory() as folder:
        for name in names:
            made = compiled.program(warpmem, Path(workloads) / f"{name}.cu")
            (Path(folder) / name).symlink_to(made)
        yield folder


@functools.lru_cache(maxsize=2) # a run's results are looked at many times
def parsed(results):
    return json.loads(results)


def components(results, kind):
    """The counters of a kind, added up."""
    sums = {}
    for component in parsed(results)["components"]:
        if component["kind"] == kind:
            for name, value in component["counters"].items():
                sums[name] = sums.get(name, 0) + value
    return sums
