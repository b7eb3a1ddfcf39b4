#!/usr/bin/env python3
"""The workloads' checks of their own results can fail: with one thing wrong in a kernel each says FAIL.

usage: check_self_checks.py WARPMEM WORKLOADS
"""
import subprocess
import sys
import tempfile
from pathlib import Path

from check_program import environment
import sanitized

# Program, arguments, and what of its text becomes what (the first time it occurs).
MISTAKES = [
    ("aligned_types", "--n 50", "out[i] = in[i]", "out[i] = in[i ^ 1]"),
    ("atax", "--n 40 --m 50", "unsigned j = 0; j < columns", "unsigned j = 1; j < columns"),
    ("bicg", "--n 40 --m 50", "a[i * pitch + j] * p[j]", "a[j * pitch + i] * p[j]"),
    ("atomics", "--grid 2", "counters)], 1u)", "counters)], 2u)"),
    ("atomics", "--grid 2 --variant shared", "mine[counter] = 0;", "mine[counter] = 1;"),
    ("bandwidth", "--blocks 4", "sum += in[", "sum -= in["),
    ("backprop", "--n 500", "input[from] * weight", "input[from - 1] * weight"),
    ("backprop", "--n 500", "weight[place] += next", "weight[place] -= next"),
    ("backprop", "--n 500", "[threadIdx.x] = fabsf(next)", "[threadIdx.x] = next"),
    ("bfs", "--variant gather --n 2000", "distance[gathered[k]] = away", "distance[gathered[k]] = 1"),
    ("bfs", "--variant blocks --n 2000", "next[first + k] = found[k]", "next[first + k] = found[0]"),
    ("bfs", "--variant masks --n 2000", "= distance[vertex] + 1", "= distance[vertex] + 2"),
    ("conv2d", "--height 9 --width 9", "ROW(0) + ROW(1)", "ROW(0) + ROW(0)"),
    ("conv3d", "--height 9 --width 9", "SIDES(0) +", "SIDES(2) +"),
    ("covariance", "--variant correlation", "deviation[j] / (float)rows", "deviation[j]"),
    ("covariance", "", "-= mean[j]", "+= mean[j]"),
    ("cutcp", "--width 2 --height 2 --depth 2", "atom < DEPTH; atom++", "atom < DEPTH - 1; atom++"),
    ("cutcp", "--width 2 --height 2 --depth 2", "1.0f - square * inverse_square",
     "1.001f - square * inverse_square"),
    ("euler3d", "--n 500", "damping * (own[k * BLOCK] - other[k])", "damping * other[k]"),
    ("euler3d", "--n 500", "(3 * face + 1) * cells + i]", "(3 * face) * cells + i]"),
    ("euler3d", "--n 500", "step * fluxes", "0.9f * step * fluxes"),
    ("fdtd2d", "--height 40", "ex[i * (pitch + 1) + j + 1] -", "ex[i * (pitch + 1) + j] -"),
    ("gemm", "--variant update --n 40", "+= sum;", "= sum;"),
    ("gemm_chain", "--variant three --n 40", "c[i * pitch + j] +=", "c[i * pitch + j] -="),
    ("gesummv", "--n 40", "alpha * product[i] + beta", "beta * product[i] + alpha"),
    ("gramschmidt", "--m 50 --n 40", "a[i * a_pitch + j] -=", "a[i * a_pitch + j] +="),
    ("gridding", "--n 900", "i < starts[row + end]", "i + 1 < starts[row + end]"),
    ("gridding", "--n 900", "samples[order[i]]", "samples[i]"),
    ("histo", "--ranges 2", "    outside[bin] = 0;\n", ""),
    ("histo", "--favour 50", "total < FULL ? total : FULL);", "total);"),
    ("inverted_index", "--size 9000", "key += length", "key += length - 1"),
    ("inverted_index", "--size 9000", "record = links[i]", "record = i"),
    ("kmeans", "--n 500", "distance < nearest", "distance <= nearest + 1000.0f"),
    ("kmeans", "--n 500 --variant shared", "centre[c * features + i]", "centre[c * features]"),
    ("lbm", "--variant aos", "near_z[(dz) + 1]", "near_z[1 - (dz)]"),
    ("lbm", "--variant soa", "rest + 3.0f * along", "rest + 3.001f * along"),
    ("mriq", "--n 100", "k < first + count", "k < first + count - 1"),
    ("mvt", "--n 40", "a[j * pitch + i]", "a[i * pitch + j]"),
    ("page_views", "--n 500", "views[i] = next - i", "views[i] = next - i + 1"),
    ("page_views", "--n 500", "log[start + length] != ends", "log[start + length] != '/'"),
    ("particles", "", "offsets[2 * k + 1]", "offsets[2 * k]"),
    ("particles", "", "all.total[chosen] <= wanted", "all.total[chosen] < wanted / 2"),
    ("particles", "", "all.before_y[i] = all.y[chosen]", "all.before_y[i] = all.y[i]"),
    ("pointer_chase", "--size 64", "last[1] = at;", "last[1] = first;"),
    ("spmv_jds", "--n 500", "y[permutation[row]] = sum", "y[row] = sum"),
    ("srad", "", "0.25f * lambda * gained", "0.26f * lambda * gained"),
    ("srad", "--variant prepare", "sums[i] = point", "sums[i] = point + 1.0f"),
    ("srad", "--variant reduce", "square[threadIdx.x + half]", "sum[threadIdx.x + half]"),
    ("srad", "--variant derive", "next.above[row] + rows", "next.below[row] + rows"),
    ("stencil3d", "--depth 8", "in[i + plane]", "in[i - plane]"),
    ("streamcluster", "--n 500", "points[i].cost - cost", "points[i].cost + cost"),
    ("syr2k", "--n 40 --m 8", "b[i * pitch + k] * a[j", "a[i * pitch + k] * b[j"),
    ("syrk", "--n 40 --m 8", "*= beta", "= beta"),
    ("syrk", "--n 40 --m 8 --rows 7", "i >= rows", "i > rows"),
]


def verdict(exe, folder, name, arguments, before, after):
    source = (folder / f"{name}.cu").read_text()
    assert before in source, f"{name}.cu has no {before!r} any more: change this test with it"
    wrong, program = folder / "wrong.cu", folder / "wrong"
    wrong.write_text(source.replace(before, after, 1))
    subprocess.run([exe, "cc", wrong, "-o", program], check=True)
    done = subprocess.run([exe, "run", "-q", "--", program, *arguments.split()],
                          capture_output=True, text=True, env=environment(exe))
    return done.returncode, done.stdout, done.stderr


def main(exe, workloads):
    exe, failures = Path(exe).resolve(), 0
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for source in Path(workloads).iterdir():
            (folder / source.name).write_text(source.read_text())
        mistakes = sanitized.share(exe, MISTAKES, 0, of=8)
        for program, arguments, before, after in mistakes:
            status, printed, said = verdict(exe, folder, program, arguments, before, after)
            if status != 1 or f"{program}: FAIL" not in printed:
                failures += 1
                print(f"{program} with {after!r} for {before!r}: status {status}\n{printed}{said}")
    print(f"{len(mistakes)} mistakes, {failures} not noticed")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
