#!/usr/bin/env python3
"""What the measuring workloads print. usage: check_measured.py WARPMEM WORKLOADS

In time a pointer chase shows the described latencies of L1, L2 and DRAM, more blocks and smaller
strides bring more bytes a second, and the more atomics go to one address the longer they take, down
to one an L2 cycle; so does a histogram. Without time nothing is printed but that.
"""
import json
import sys
from pathlib import Path

from small_runs import programs, run

NO_TIME = "clocks tell no time here, so nothing is measured"


def table(text, first):
    """The rows of numbers, by the first one of each."""
    rows = {}
    for line in text.splitlines():
        words = [word for word in line.split() if word not in ("KiB", "%")]
        if words and words[0].isdigit():
            rows.setdefault(int(words[0]), [float(word) for word in words[1:]])
    assert first in rows, text
    return rows


def measured(warpmem, folder, line, engine="clock", **keys):
    name, *arguments = line.split()
    status, out, results = run(warpmem, Path(folder) / name, arguments, engine,
                               {key.replace("__", "."): value for key, value in keys.items()}, folder)
    assert status == 0 and f"{name}: PASS" in out, out
    return out, json.loads(results)


def chase(warpmem, folder):
    line = "pointer_chase --from 64 --size 1024 --hops 200 --variant shuffled"
    for latency in (28, 100):
        out, _ = measured(warpmem, folder, line, gpu__l1__latency=latency, gpu__l2__size="384KiB",
                          gpu__l2__ways="12", gpu__l2__slices="8", gpu__dram__channels="8")
        rows = table(out, 64)
        assert latency <= rows[64][0] <= latency + 2, out
        assert rows[64][0] + 50 < rows[256][0] < rows[1024][0] - 20, out


def throughput(warpmem, folder):
    out, _ = measured(warpmem, folder, "bandwidth --stride 32 --blocks 256 --steps 8")
    strides = table(out.split("\n     1       1 ")[0], 1)
    # A lane's word brings its sector of 32 bytes, whatever the stride from 8 words on; up to there
    # each doubling brings twice as much for the same words.
    rates = [strides[stride][1] for stride in (1, 2, 4, 8, 16, 32)]
    assert all(wide < 0.7 * narrow for narrow, wide in zip(rates[:3], rates[1:4])), out
    assert rates[3] < 0.2 * rates[0] and max(rates[4:]) < 1.1 * rates[3], out
    # What is asked for lies in so many KiB, each of which is read once.
    assert [strides[stride][2] for stride in (1, 2, 32)] == [2048, 4096, 65536], out
    blocks = [float(line.split()[2]) for line in out.splitlines() if line.startswith("     1 ")][1:]
    assert blocks == sorted(blocks) and blocks[-1] > 2 * blocks[0], out


def contention(warpmem, folder):
    threads, each = 20 * 512, 8
    for variant in ("global", "shared"):
        out, _ = measured(warpmem, folder, f"atomics --variant {variant} --grid 20 --block 512 --each {each}")
        times = [table(out, 0)[share][0] for share in (0, 25, 50, 75, 100)]
        assert times == sorted(times) and times[0] < times[-1], out
        if variant == "global":
            assert times[-1] >= threads * each / 1.53, out # one a cycle of 1530 MHz
        cycles = []
        for skew in (0, 50, 100):
            _, results = measured(warpmem, folder, f"histogram --variant {variant} --n 20000 --grid 8 "
                                                   f"--skew {skew}")
            cycles.append(results["kernels"][0]["cycles"])
        assert cycles == sorted(set(cycles)), f"{variant} histogram: {cycles}"


def main(warpmem, workloads):
    names = ("pointer_chase", "bandwidth", "atomics", "histogram")
    with programs(warpmem, workloads, names) as folder:
        chase(warpmem, folder)
        throughput(warpmem, folder)
        contention(warpmem, folder)
        for line in ("pointer_chase --size 64", "bandwidth --blocks 4", "atomics --grid 4"):
            out, _ = measured(warpmem, folder, line, engine="walk")
            assert NO_TIME in out and len(out.splitlines()) == 2, out


if __name__ == "__main__":
    main(*sys.argv[1:])
