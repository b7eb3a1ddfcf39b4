#!/usr/bin/env python3
"""All sets of the loads of random programs, counted in one pass, against a replay for each set.

usage: check_all_sets.py WARPMEM FIRST_SEED PROGRAMS MACHINE [SETTING...]

A replay counts with the walk engine, with all loads that are not in the set listed to go around L1.
Predictions are added up again of the graph's nodes and edges, and ranks correlated again.
"""
import json
import math
import random
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "workloads"))
import check_program

# Loads of some tables, alone and again, in lines that warps share or not; a store into a table that is
# loaded, one beside all, and an atomic.
SOURCE = """
#include <cstdio>
#define WORDS {words}
__global__ void first(const int *a, int *b, int *out)
{{
    int i = blockIdx.x * blockDim.x + threadIdx.x, sum = 0;
#pragma unroll 1
    for (int k = 0; k < {turns}; k++) {{
{first}        b[({store}) % WORDS] = sum;
        atomicAdd(&out[i % 64], sum);
    }}
    out[64 + i] = sum;
}}
__global__ void second(const int *a, const int *b, int *out)
{{
    int i = blockIdx.x * blockDim.x + threadIdx.x, sum = 0;
{second}    out[64 + i] += sum;
}}
int main()
{{
    int *a, *b, *out;
    cudaMalloc(&a, WORDS * sizeof(int));
    cudaMalloc(&b, WORDS * sizeof(int));
    cudaMalloc(&out, (64 + 64 * 256) * sizeof(int));
    cudaMemset(a, 1, WORDS * sizeof(int));
    cudaMemset(b, 0, WORDS * sizeof(int));
    cudaMemset(out, 0, (64 + 64 * 256) * sizeof(int));
    for (int launch = 0; launch < 2; launch++) {{
        first<<<{blocks}, {threads}>>>(a, b, out);
        second<<<{blocks}, {threads}>>>(a, b, out);
    }}
    return cudaDeviceSynchronize() != cudaSuccess;
}}
"""


def index(draw):
    return draw.choice((f"i + {draw.randrange(40)}", f"i * {draw.randint(2, 33)} + k", "k * 37",
                        f"i / {draw.choice((2, 8, 32))} + k * {draw.randint(1, 64)}",
                        f"(i * {draw.randrange(1, 9999, 2)} ^ k * 77) & 0xffff"))


def loads(draw, count, indent, loop):
    lines = []
    for _ in range(count):
        where = index(draw) if loop else index(draw).replace("k", str(draw.randrange(9)))
        lines.append(f"{indent}sum += {draw.choice('ab')}[({where}) % WORDS];\n")
    return "".join(lines)


def make_source(draw):
    return SOURCE.format(words=draw.choice((3000, 20000, 100000)), turns=draw.randint(2, 6),
                         first=loads(draw, draw.randint(2, 4), " " * 8, True), store=index(draw),
                         second=loads(draw, draw.randint(2, 4), " " * 4, False),
                         blocks=draw.randint(3, 40), threads=draw.choice((64, 160, 256)))


def ranks(numbers):
    return [sum(other < number for other in numbers) + (sum(other == number for other in numbers) + 1) / 2
            for number in numbers]


def spearman(a, b):
    a, b = ranks(a), ranks(b)
    middle = (len(a) + 1) / 2

    def product(x, y):
        return math.fsum((p - middle) * (q - middle) for p, q in zip(x, y))

    spread = product(a, a) * product(b, b)
    return product(a, b) / math.sqrt(spread) if spread > 0 else None


def check_predictions(kernel, source):
    sets, graph = kernel["all_sets"]["sets"], kernel[source]
    assert not sets[0]["cached"] and sets[0]["predicted_bytes"] == sets[0]["measured_bytes"]
    for it in sets:
        saved = sum(graph["nodes"][load - 1] for load in it["cached"]) + sum(
            weight for a, b, weight in graph["edges"] if a in it["cached"] and b in it["cached"])
        assert abs(sets[0]["measured_bytes"] - saved - it["predicted_bytes"]) <= 0.5 + 1e-6, it


def check_ranks(all_sets):
    found = all_sets["rank_correlation"]
    expected = spearman(*([it[name] for it in all_sets["sets"]] for name in ("predicted_bytes", "measured_bytes")))
    assert (found is None) == (expected is None), (found, expected)
    assert found is None or abs(found - expected) < 1e-9, (found, expected)


class Programs:
    """Runs the command on one program after another, in a folder."""

    def __init__(self, warpmem, folder, machine, settings):
        self.warpmem, self.folder, self.environment = warpmem, folder, check_program.environment(warpmem)
        self.machine = ["-m", machine, *(word for setting in settings for word in ("--set", setting))]

    def run(self, *words):
        done = subprocess.run([str(word) for word in (self.warpmem, *words)], capture_output=True, text=True,
                              timeout=300, env=self.environment, cwd=self.folder)
        assert done.returncode == 0, (words, done.stdout, done.stderr)

    def record(self, source):
        (self.folder / "program.cu").write_text(source)
        self.run("cc", "program.cu", "-o", "program")
        self.run("record", "-q", "--any-order", *self.machine, "-o", "program.wmt", "--", "./program")

    def bypass(self, *words):
        self.run("bypass", "-q", *self.machine, "--measure", "none", "--all-sets", "--json", "bypass.json",
                 *words, "program.wmt")
        return json.loads((self.folder / "bypass.json").read_text())["kernels"]

    def replay(self, kernel, cached):
        """Bytes between L1 and L2 with these loads cached, by the walk."""
        beside = [f"{kernel['name']}:pc{load['pc']}" for load in kernel["loads"]
                  if load["number"] not in cached]
        self.run("replay", "-q", *self.machine, "--set", "gpu.l1.bypass=per-pc", "--set",
                 "gpu.l1.bypass_list=" + (",".join(beside) or "none"), "--json", "replay.json", "program.wmt")
        (found,) = [it for it in json.loads((self.folder / "replay.json").read_text())["kernels"]
                    if it["name"] == kernel["name"]]
        return sum(part["counters"]["bytes_from_below"] + part["counters"]["bytes_to_below"]
                   for part in found["components"] if part["kind"] == "l1")


def check_sets(programs, kernel):
    """Every set of the kernel is there, in order, and moves what its replay counts."""
    numbers, sets = [load["number"] for load in kernel["loads"]], kernel["all_sets"]["sets"]
    assert [it["cached"] for it in sets] == [[number for number in numbers if bits >> number - 1 & 1]
                                             for bits in range(1 << len(numbers))], sets
    for it in sets:
        moved = programs.replay(kernel, it["cached"])
        assert moved == it["measured_bytes"], (kernel["name"], it, moved)
    return len(sets)


def check_forced(programs, kernel):
    """Forced loads are the same in all sets, and the numbers those of the same sets."""
    last = len(kernel["loads"])
    for word in ("ca", "cg"):
        (forced,) = programs.bypass("-k", kernel["name"], "--load", f"{last}={word}")
        same = [it for it in kernel["all_sets"]["sets"] if (last in it["cached"]) == (word == "ca")]
        assert forced["all_sets"]["sets"] == same, word
        check_ranks(forced["all_sets"])


def main(warpmem, first, count, machine, *settings):
    compared, differing = 0, 0
    with tempfile.TemporaryDirectory() as folder:
        programs = Programs(Path(warpmem).resolve(), Path(folder), machine, settings)
        for seed in range(int(first), int(first) + int(count)):
            print("seed", seed)
            programs.record(make_source(random.Random(seed)))
            for source in ("profiled", "table"):
                kernels = programs.bypass("--efficiency", source)
                assert len(kernels) == 2
                for kernel in kernels:
                    check_predictions(kernel, source)
                    check_ranks(kernel["all_sets"])
            kernels = programs.bypass()
            for kernel in kernels:
                compared += check_sets(programs, kernel)
                differing += len({it["measured_bytes"] for it in kernel["all_sets"]["sets"]}) > 2
            check_forced(programs, kernels[0])
    print(f"{compared} sets compared; in {differing} kernels sets differ")
    return 0 if compared >= 8 and differing > 0 else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
