#!/usr/bin/env python3
"""What CPU threads of a running program cost. usage: bench_live_cores.py WARPMEM LLC SHARED [ROUNDS]

A program of one thread, and of four, that goes over two arrays, a third of its accesses stores, which L1 holds;
or of which every fourth pair goes to the next line of 128 KiB, which it does not. LLC is a machine whose levels of
CPU cores are not coherent, SHARED one whose are. Rates are million accesses a second of processor time of the whole
process, median and best of several runs that take turns; the program by itself, compiled as it is and
instrumented without a trace, is beside them.
"""
import json
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

ROUNDS = 5
GOALS = {"walk": 20.0, "clock": 3.0}  # million accesses a second, on one core of the host
SHARES = {"walk": 1, "clock": 8}  # in time a run is as much shorter
KINDS = {"all in L1": "hot", "some miss L1": "far"}

# The compiler makes each access as it stands: none is dropped, none is joined with another.
PROGRAM = r"""
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <vector>

enum { WORDS = 512, FAR_WORDS = 16384, FAR_STEP = 8 };

struct data {
    volatile unsigned long from[WORDS], to[WORDS], far[FAR_WORDS];
};

static data of_thread[4];

static void work(data *mine, long rounds, bool far)
{
    unsigned long at = 0;
    for (long round = 0; round < rounds; round++)
        for (unsigned i = 0; i < WORDS; i++) {
            unsigned long value = mine->from[i];
            if (far && i % 4 == 0) {
                value += mine->far[at];
                at = (at + FAR_STEP) % FAR_WORDS;
            } else {
                value += mine->to[i];
            }
            mine->to[i] = value;
        }
}

int main(int argc, char **argv)
{
    int threads = std::atoi(argv[1]);
    long rounds = std::atol(argv[2]) / (3 * WORDS * threads);
    bool far = std::strcmp(argv[3], "far") == 0;
    std::vector<std::thread> others;
    for (int i = 1; i < threads; i++)
        others.emplace_back(work, &of_thread[i], rounds, far);
    work(&of_thread[0], rounds, far);
    for (std::thread &other : others)
        other.join();
    return argc != 4;
}
"""


def spent(*command):
    """Seconds of processor time of a command."""
    child = subprocess.Popen([str(word) for word in command], stdout=subprocess.DEVNULL)
    _, status, used = os.wait4(child.pid, 0)
    assert status == 0
    return used.ru_utime + used.ru_stime


def rates(commands, accesses, rounds):
    """Of commands that take turns, `accesses` of each: median and best."""
    seconds = [[] for _ in commands]
    for _ in range(rounds):
        for of, command in zip(seconds, commands):
            of.append(spent(*command))
    return [(each / statistics.median(of) / 1e6, each / min(of) / 1e6)
            for each, of in zip(accesses, seconds)]


def accesses_of(json_file):
    components = json.loads(json_file.read_text())["components"]
    l1s = [c["counters"] for c in components
           if c["path"].startswith("cpu0.core[") and c["path"].endswith("].l1")]
    return sum(l1["accesses"] for l1 in l1s), sum(l1["accesses_missed"] for l1 in l1s)


def measure(exe, machine, program, engine, threads, kind, rounds, folder):
    name, accesses = Path(machine).stem, 24_000_000 // SHARES[engine]
    arguments = [threads, accesses, KINDS[kind]]
    out = folder / "out.json"
    run = [exe, "run", "-q", "--host-threads", "--engine", engine, "-m", machine]
    subprocess.run([str(w) for w in [*run, "--json", out, "--", program, *arguments]], check=True,
                   stdout=subprocess.DEVNULL)
    made, missed = accesses_of(out)
    (median, best), = rates([[*run, "--", program, *arguments]], [made], rounds)
    print(f"{engine:5} {name:18} {threads} thread{'s' if threads > 1 else ' '} {kind:13} "
          f"{median:6.2f} M accesses/s, best {best:6.2f} ({best / GOALS[engine]:5.2f} of the goal); "
          f"{100 * missed / made:4.1f} % missed L1", flush=True)


def by_itself(native, instrumented, rounds):
    """Without an engine: what instrumentation alone costs."""
    accesses = 1_200_000_000
    commands = [[native, 1, accesses, "hot"], [instrumented, 1, accesses // 8, "hot"]]
    (plain, _), (checked, _) = rates(commands, [accesses, accesses // 8], rounds)
    print(f"by itself: {plain:.0f} M accesses/s; instrumented, without a trace: {checked:.0f} M "
          f"({plain / checked:.1f} times as long)", flush=True)


def main():
    exe, machines = Path(sys.argv[1]), sys.argv[2:4]
    rounds = int(sys.argv[4]) if len(sys.argv) > 4 else ROUNDS
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        source = folder / "threads.cu"
        source.write_text(PROGRAM, encoding="ascii")
        for program, flags in (("native", []), ("instrumented", ["--trace-host"])):
            subprocess.run([str(exe), "cc", *flags, "-O2", str(source), "-o", str(folder / program)],
                           check=True)
        by_itself(folder / "native", folder / "instrumented", rounds)
        for engine in ("walk", "clock"):
            for machine in machines:
                for threads in (1, 4):
                    for kind in KINDS:
                        measure(exe, machine, folder / "instrumented", engine, threads, kind, rounds,
                                folder)


main()
