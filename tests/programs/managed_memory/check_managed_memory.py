#!/usr/bin/env python3
"""Runs a program of workloads/collaborative/ or workloads/managed/ and sees whether its check can fail.

usage: check_managed_memory.py WARPMEM SOURCE

Each program runs on both engines with several arguments and says PASS. One whose CPU threads and
kernel work at the same time is reported as such, with the instructions that use the same memory; one
that runs on one side only, or whose phases follow each other, counts the same on every run. With
one thing wrong in its text, each says FAIL.
"""
import json
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / "workloads"), str(HERE.parents[1])]
from check_program import environment, executable
import sanitized

# Of programs whose two sides work at the same time: arguments where they do, in an order that leaves
# both something to do, and where one side is alone; what goes wrong with which text (arguments,
# what becomes what).
COLLABORATIVE = {
    "frontier_search": (
        ["", "--width 50 --height 33 --limit 10 --blocks 3 --block 7 --threads 3",
         "--width 40 --height 40 --missing 0 --limit 20"],
        ["--width 60 --height 50 --threads 0", "--width 60 --height 50 --blocks 0",
         "--width 1 --height 1 --threads 0", "--width 20 --height 20 --missing 100 --threads 0"],
        [("--threads 0", "[neighbour] = step + 1", "[neighbour] = step + 2"),
         ("--threads 0", "[neighbour], 1) != 0", "[neighbour], 2) != 2")]),
    "padding": (
        ["--deal turn", "--deal turn --rows 77 --columns 100 --pad 13 --block 32 --threads 3", ""],
        ["--threads 0", "--blocks 0", "--threads 0 --rows 1 --columns 1 --pad 5",
         "--threads 0 --pad 0 --block 1024 --blocks 3", "--blocks 0 --threads 1 --rows 3 --columns 5000"],
        [("--threads 0", "row * matrix->pad", "(row + 1) * matrix->pad"),
         ("--threads 0 --rows 300 --blocks 1", "place + k] = 0.0f", "place + k] = 1.0f")]),
    "compaction": (
        ["--deal turn", "--deal turn --n 9001 --zeros 20 --block 64 --threads 3", ""],
        ["--threads 0", "--blocks 0", "--threads 0 --n 1 --zeros 0", "--threads 0 --zeros 100",
         "--threads 0 --zeros 0 --block 1024 --blocks 3"],
        [("--threads 0", "before + kept + 1", "before + kept + 2"),
         ("--threads 0", "votes & ((1u << lane) - 1)", "votes & ((2u << lane) - 1)")]),
    "linked_list": (
        ["", "--variant unlink", "--n 700 --share 20 --block 33 --variant unlink"],
        ["--share 0", "--share 0 --variant unlink --n 300", "--share 100 --n 1 --variant unlink",
         "--share 100 --variant unlink"],
        [("--share 0", "list[element] = first;", "list[element] = element;"),
         ("--share 0 --variant unlink", "system_store(&list[first], 0);", "")]),
    "image_histogram": (
        ["", "--variant shuffled", "--width 77 --height 50 --bins 100 --chunk 33 --block 50 --threads 3"],
        ["--threads 0", "--blocks 0 --variant shuffled", "--threads 0 --width 1 --height 1 --bins 1"],
        [("", "k < picture.chunk; k += blockDim.x", "k + 1 < picture.chunk; k += blockDim.x"),
         ("--threads 0", "], 1);", "], 2);")]),
    "in_place_transpose": (
        ["--deal turn", "--deal turn --rows 40 --columns 1000 --tile 30 --block 32 --threads 3", ""],
        ["--threads 0", "--blocks 0", "--threads 0 --rows 1 --columns 1",
         "--threads 0 --rows 17 --columns 17 --tile 1 --block 1"],
        [("--threads 0", "held[k] = other[k]", "held[k] = held[k]"),
         ("--threads 0", "i / matrix->columns;", "i / matrix->rows;")]),
    "ransac": (
        ["", "--n 333 --enough 0 --trials 20 --threads 3", "--n 2 --trials 3"],
        [],
        [("", "search.vectors[i], search.tolerance);", "search.vectors[i], search.tolerance + 1);"),
         ("", "i = threadIdx.x; i < search.count", "i = threadIdx.x + 1; i < search.count")]),
    "task_queue": (
        ["", "--queues 7 --room 3 --threads 3 --pictures 50 --blocks 2",
         "--queues 1 --room 1 --threads 2 --pictures 9 --block 1 --width 5 --height 5"],
        [],
        [("", "&queue->slots[present - 1]", "&queue->slots[0]"),
         ("", "i = threadIdx.x; i < film.size", "i = threadIdx.x + 1; i < film.size")]),
}
# Of programs whose CPU and GPU work in turn: arguments, and what goes wrong with which text.
IN_TURN = {
    "layer_training": (
        ["--n 1000", "--n 1"],
        [("--n 500", "layer.weight[i * SIDE + threadIdx.x] : 0.0f", "layer.weight[i * SIDE] : 0.0f"),
         ("--n 500", "layer.weight[place] += move", "layer.weight[place] -= move")]),
    "mask_search": (
        ["--n 3000 --degree 3", "--n 1 --degree 0", "--n 500 --degree 20 --block 33"],
        [("--n 3000", "search.distance[vertex] + 1", "search.distance[vertex] + 2"),
         ("--n 3000", "search.found[neighbour] = 1", "search.found[neighbour] = neighbour % 3 != 0")]),
    "gaussian_elimination": (
        ["--n 33", "--n 1", "--n 2"],
        [("--n 20", "e.right[i] -=", "e.right[i] +="),
         ("--n 20", "* e.matrix[k * e.n + j]", "* e.matrix[k * e.n + j] * 0.9f")]),
    "hotspot": (
        ["", "--rows 33 --columns 50 --steps 7 --together 3", "--rows 1 --columns 1 --steps 1",
         "--rows 3 --columns 70 --together 7"],
        [("--together 3", "heat[steps % 2][y][x]", "heat[0][y][x]"),
         ("", "row == 0 ? y : y - 1", "row == 0 ? y + 1 : y - 1")]),
    "particle_boxes": (
        ["", "--side 1"],
        [("", "next < 27", "next < 26"), ("", "theirs[k], &force", "mine[k], &force")]),
    "lu_decomposition": (
        ["--n 64", "--n 16"],
        [("--n 48", "square[1][j][k] /= diagonal[k][k]", "square[1][j][k] /= diagonal[k][0]"),
         ("--n 48", "-= sum", "-= 0.99f * sum")]),
    "nearest_neighbours": (
        ["--n 5000", "--n 3 --nearest 5", "--n 3000 --nearest 40 --latitude -90 --longitude 180"],
        [("--n 5000", "up * up + across", "up * across + across"),
         ("--n 5000 --nearest 20", "distances[i] = sqrtf", "distances[i & ~1u] = sqrtf")]),
    "needleman_wunsch": (
        ["--n 80", "--n 16 --gap 0"],
        [("--n 64", "score[i][j + 1] - table.gap", "score[i][j + 1]"),
         ("--n 64", "step < 2 * SIDE - 1; step++", "step < 2 * SIDE - 2; step++")]),
    "particle_filter": (
        ["--n 300", "--n 1 --steps 1"],
        [("--n 300", "all.next_y[i] = all.y[chosen]", "all.next_y[i] = all.y[i]"),
         ("--n 300", "all.total[chosen] <= wanted", "all.total[chosen] < wanted / 2")]),
    "pathfinder": (
        ["", "--rows 30 --columns 555 --together 7", "--rows 1 --columns 1", "--rows 9 --columns 2"],
        [("", "now[left], now[x]", "now[x], now[x]"), ("--together 7", "sum[steps % 2][x]", "sum[0][x]")]),
    "speckle_diffusion": (
        ["", "--rows 1 --columns 2", "--rows 33 --columns 17 --steps 3"],
        [("", "update_point(p, row, column);", "update_point(p, row, column / 2 * 2);"),
         ("", "speckle_derive<<<blocks, block>>>(p, noise)", "speckle_derive<<<blocks, block>>>(p, 2 * noise)")]),
}


def run(exe, program, arguments, engine, results):
    command = [exe, "run", "-q", "--engine", engine, "-m", "v100", "--json", results, "--", program]
    done = subprocess.run([*command, *arguments.split()], capture_output=True, text=True, timeout=200,
                          env=environment(exe))
    name = Path(program).name
    assert done.returncode == 0 and done.stdout.endswith(f"{name}: PASS\n"), \
        f"{arguments} on {engine}: status {done.returncode}\n{done.stdout}{done.stderr}"
    return results.read_bytes()


def check_runs(exe, program, together, alone, folder):
    for engine in ("walk", "clock"):
        for arguments in together:
            races = json.loads(run(exe, program, arguments, engine, folder / "one.json"))
            assert races["host_device_races"], f"{arguments} on {engine}: no common memory reported"
        for arguments in alone:
            one, other = (run(exe, program, arguments, engine, folder / name)
                          for name in ("one.json", "other.json"))
            assert one == other, f"{arguments} on {engine}: two runs count differently"


def check_mistake(exe, source, folder, arguments, before, after):
    text = source.read_text()
    assert before in text, f"{source.name} has no {before!r} any more: change this test with it"
    wrong, program = folder / "wrong" / source.name, folder / "wrong" / source.stem
    wrong.parent.mkdir(exist_ok=True)
    wrong.write_text(text.replace(before, after, 1))
    for header in source.parents[1].glob("*.h"):
        (folder / header.name).write_text(header.read_text())
    subprocess.run([exe, "cc", wrong, "-o", program], check=True)
    done = subprocess.run([exe, "run", "-q", "--", program, *arguments.split()], capture_output=True,
                          text=True, timeout=200, env=environment(exe))
    assert done.returncode == 1 and f"{source.stem}: FAIL" in done.stdout, \
        f"{after!r} for {before!r}: status {done.returncode}\n{done.stdout}{done.stderr}"


def main(exe, source):
    exe, source = Path(exe).resolve(), Path(source)
    together, alone, mistakes = COLLABORATIVE.get(source.stem) or ([], *IN_TURN[source.stem])
    program = executable(exe, source)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        check_runs(exe, program, together, alone, folder)
        for mistake in sanitized.share(exe, mistakes, 0, of=2):
            check_mistake(exe, source, folder, *mistake)
    print(f"{len(together)} arguments side by side, {len(alone)} in turn, {len(mistakes)} mistakes noticed")
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
