#!/usr/bin/env python3
"""The workloads' checks of their own results can fail: with one thing wrong in a kernel each says FAIL.

usage: check_self_checks.py WARPMEM WORKLOADS PART OF

The mistakes are divided into OF parts, of which PART, from 0 on, is made.
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
    ("attention", "--queries 20 --keys 70", "mean / sum", "mean"),
    ("attention", "--queries 20 --keys 70", ": mine + other", ": mine"),
    ("attention", "--queries 20 --keys 70", "k = threadIdx.x; k < keys", "k = threadIdx.x; k + 1 < keys"),
    ("attention", "--variant tiled --queries 20 --keys 70", "expf(before - largest)", "1.0f"),
    ("attention", "--variant tiled --queries 20 --keys 70", "SCALE * score : -INFINITY", "SCALE * score : 0.0f"),
    ("attention", "--variant tiled --queries 20 --keys 70", "mean[c] *= shrunk", "mean[c] *= 1.0f"),
    ("binomial_option", "--n 40", "leaf < left", "leaf + 1 < left"),
    ("binomial_option", "--n 40", "(float)leaf - (float)steps", "(float)leaf"),
    ("binomial_option", "--n 40 --serial on", "step.fallen * level[node]", "step.fallen * level[0]"),
    ("bitonic_sort", "--n 512", "(pair >> stage) % 2 == 1", "(pair >> pass) % 2 == 1"),
    ("bitonic_sort", "--n 512", "max(one, other) : min(one, other);", "other : min(one, other);"),
    ("bitonic_sort", "--n 512 --serial on", "keys[left + distance] = one", "keys[left] = one"),
    ("black_scholes", "--n 400", "calls[i] = call", "calls[i] = put"),
    ("black_scholes", "--n 400", "puts[i] = put;", "puts[i] = in;"),
    ("black_scholes", "--n 400 --serial on", "0.319381530f", "0.3194f"),
    ("dct", "--width 64", "in[corner + k * width + x]", "in[corner + x * width + k]"),
    ("dct", "--width 64", "sum += columns[y][k]", "sum += columns[k][y]"),
    ("dct", "--width 64 --serial on", "in[(top + k) * width + left + x]", "in[(top + k) * width + x]"),
    ("fast_walsh", "--n 512", "one - other", "other - one"),
    ("fast_walsh", "--n 512", "2 * distance * (i / distance)", "distance * (i / distance)"),
    ("fast_walsh", "--n 512 --serial on", "distance] = one - other", "distance] = other - one"),
    ("floyd_warshall", "--n 40", "through[y * nodes + x] = k", "through[y * nodes + x] = x"),
    ("floyd_warshall", "--n 40", "indirect < direct", "indirect <= direct"),
    ("floyd_warshall", "--n 40 --serial on", "unsigned k = 0;", "unsigned k = 1;"),
    ("histogram256", "--n 5000", "thread < blockDim.x", "thread + 1 < blockDim.x"),
    ("histogram256", "--n 5000", "(VALUES / 4) + word] = 0", "(VALUES / 4) + word] = 1"),
    ("histogram256", "--n 5000 --serial on", "counts[in[i]]++", "counts[in[i]] = i"),
    ("radix_sort", "--n 20000", "row[i - 1]", "row[i]"),
    ("radix_sort", "--n 20000", "mine[digit]++] = key", "mine[digit]] = key"),
    ("radix_sort", "--n 140000", "earlier += sums", "earlier = sums"),
    ("radix_sort", "--n 20000 --serial on", "shift < 32", "shift < 16"),
    ("recursive_gaussian", "--width 64", "last_but_one = last;", "last_but_one = before;"),
    ("recursive_gaussian", "--width 64", "times(filter.up, next)", "times(filter.down, next)"),
    ("recursive_gaussian", "--width 64", "out[y * height + x] =", "out[x * width + y] ="),
    ("recursive_gaussian", "--width 64 --serial on", "filter.a1 * before[c]", "filter.a0 * before[c]"),
    ("reduction", "--variant vectors --n 5000", "sum_of_vectors(sum, in[first + 1])", "in[first + 1]"),
    ("reduction", "--n 5000 --serial on", "i = 0; i < n; i++", "i = 1; i < n; i++"),
    ("scan", "--variant pairs --n 5000", "right >= distance", "right > distance"),
    ("scan", "--n 5000 --serial on", "sum += in[i]", "sum += in[0]"),
    ("transpose", "--variant vector --width 64", "a.y, b.y, c.y, d.y", "a.y, b.y, d.y, c.y"),
    ("transpose", "--width 60 --serial on", "out[(size_t)x * height + y] =", "out[(size_t)y * width + x] ="),
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


def main(exe, workloads, part, of):
    exe, failures = Path(exe).resolve(), 0
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for source in Path(workloads).glob("*.*"):
            (folder / source.name).write_text(source.read_text())
        mistakes = sanitized.share(exe, MISTAKES[int(part)::int(of)], 0, of=8)
        for program, arguments, before, after in mistakes:
            status, printed, said = verdict(exe, folder, program, arguments, before, after)
            if status != 1 or f"{program}: FAIL" not in printed:
                failures += 1
                print(f"{program} with {after!r} for {before!r}: status {status}\n{printed}{said}")
    print(f"{len(mistakes)} mistakes, {failures} not noticed")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
