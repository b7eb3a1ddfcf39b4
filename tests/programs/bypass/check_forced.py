#!/usr/bin/env python3
"""Loads whose decision is given: what the solvers make of the others, against the paper's listing and
brute force over the graph that the command writes.

usage: check_forced.py WARPMEM SOURCE KERNEL MACHINE [SETTING…]
"""
import itertools
import json
import random
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "workloads"))
import check_program

MOST_BRUTE = 12


def value(graph, cached):
    return sum(graph["nodes"][i - 1] for i in cached) + \
        sum(weight for a, b, weight in graph["edges"] if a in cached and b in cached)


def heuristic(graph, given):
    """Algorithm 1 on the loads that are not given; what they save beside given, cached ones is theirs."""
    edges = {}
    for a, b, weight in graph["edges"]:
        edges[a, b] = edges[b, a] = weight
    free = [i for i in range(1, len(graph["nodes"]) + 1) if i not in given]
    held = {i for i, word in given.items() if word == "ca"}
    own = {i: graph["nodes"][i - 1] + sum(edges.get((i, k), 0) for k in held) for i in free}
    others = {i: sum(edges.get((i, k), 0) for k in free) for i in free}
    cached, left = set(held), list(free)
    while left:
        least = min(others[i] for i in left)
        taken = [i for i in left if others[i] == least][-1]
        left.remove(taken)
        if others[taken] + own[taken] > 0:
            cached.add(taken)
            continue
        for i in free:
            others[i] -= edges.get((i, taken), 0)
    return cached


def most(graph, given):
    free = [i for i in range(1, len(graph["nodes"]) + 1) if i not in given]
    held = {i for i, word in given.items() if word == "ca"}
    return max(value(graph, held | set(chosen)) for size in range(len(free) + 1)
               for chosen in itertools.combinations(free, size))


def check(graph, given):
    for solver in ("heuristic", "exact"):
        cached = set(graph[solver]["cached"])
        for load, word in given.items():
            assert (load in cached) == (word == "ca"), (solver, given, cached)
        saved = graph[solver]["saved_bytes"]
        assert abs(saved - value(graph, cached)) <= 1e-6 * abs(saved) + 1e-6, (solver, given)
    assert set(graph["heuristic"]["cached"]) == heuristic(graph, given), given
    best = graph["exact"]["saved_bytes"]
    assert best >= graph["heuristic"]["saved_bytes"], given
    if len(graph["nodes"]) - len(given) <= MOST_BRUTE:
        assert abs(best - most(graph, given)) <= 1e-9 * abs(best) + 1e-6, (given, best)
        assert graph["proved"] and graph["bound_bytes"] == best
    # What others are compared with stays what it is.
    assert graph["bypass-all"]["cached"] == []
    assert graph["cache-all"]["cached"] == list(range(1, len(graph["nodes"]) + 1))


def main(warpmem, source, pattern, machine, *settings):
    program = check_program.executable(warpmem, source, "clang")
    environment = check_program.environment(warpmem)
    sets = [word for setting in settings for word in ("--set", setting)]
    draw, changed, tried = random.Random(7), 0, 0
    with tempfile.TemporaryDirectory() as folder:
        recording, out = Path(folder) / "program.wmt", Path(folder) / "out.json"

        def run(*words):
            done = subprocess.run([str(word) for word in (warpmem, *words)], capture_output=True,
                                  text=True, timeout=300, env=environment)
            assert done.returncode == 0, (words, done.stdout, done.stderr)

        def bypass(*words):
            run("bypass", "-q", "-m", machine, *sets, "-k", pattern, "--measure", "none", "--json", out,
                *words, recording)
            (kernel,) = json.loads(out.read_text())["kernels"]
            return kernel

        run("record", "-q", "--any-order", "-m", machine, *sets, "-o", recording, "--", program)
        free = bypass()
        count = len(free["loads"])
        assert count >= 2 and all(load["forced"] is None for load in free["loads"])
        for turn in range(12):
            # Of the first half, what the solver would not have done by itself.
            size = 1 if turn < 6 else draw.randint(1, count)
            given = {i: draw.choice(("ca", "cg")) for i in draw.sample(range(1, count + 1), size)}
            if turn < 6:
                given = {i: "cg" if i in free["profiled"]["exact"]["cached"] else "ca" for i in given}
            kernel = bypass(*(word for i, how in given.items() for word in ("--load", f"{i}={how}")))
            assert [load["forced"] for load in kernel["loads"]] == \
                [given.get(i) for i in range(1, count + 1)]
            for name in ("table", "exact", "profiled"):
                assert kernel[name]["nodes"] == free[name]["nodes"], "a forced load changes no weight"
                check(kernel[name], given)
                rest = set(kernel[name]["exact"]["cached"]) ^ set(free[name]["exact"]["cached"])
                changed += bool(rest - set(given))
                tried += 1
    print(f"{tried} decisions of {count} loads; in {changed} the others were decided otherwise")


if __name__ == "__main__":
    main(*sys.argv[1:])
