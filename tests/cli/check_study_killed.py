#!/usr/bin/env python3
"""Ends `warpmem study run` by SIGKILL at random moments and starts it again until it ends by itself.

usage: check_study_killed.py SOURCE BUILD

The database is then the same as of a run that nobody ended, with another number of jobs: every
point once, with the same results, metrics and verdicts. At every moment in between it has whole
points only, and never fewer than before. Nothing that it started outlives a run.
Exit status 77: skipped, as clang is missing.
"""
import json
import random
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import sanitized

KILLS = range(12)
STUDY = """
study: killed
workloads:
  add: vecadd.cu --n 20000
  flip: transpose.cu --width 256 --height 256
  plate: stencil.cu --width 128 --height 128
machines:
  base: gtx480
  axes:
    l2: {96KiB: gpu.l2.size=96KiB, 192KiB: gpu.l2.size=192KiB, 768KiB: []}
    policy: {lru: [], fifo: gpu.l2.replacement=fifo, plru: gpu.l2.replacement=plru}
metrics: {dram: dram.bytes_read + dram.bytes_written}
claims: {only: {text: t, claim: "min(dram[768KiB, lru] / dram[96KiB, lru]) < 1"}}
"""
POINTS = 27


def points(path):
    """What is stored of each point, by its names."""
    if not path.exists():
        return {}
    with sqlite3.connect(path, timeout=20) as database:
        if not database.execute("SELECT 1 FROM sqlite_master WHERE name = 'point'").fetchone():
            return {}
        rows = database.execute(
            "SELECT w.label, m.label, p.status, p.results, v.value, p.error FROM point p "
            "JOIN workload w ON w.id = p.workload_id JOIN machine m ON m.id = p.machine_id "
            "LEFT JOIN metric v ON v.point_id = p.id").fetchall()
    found = {(workload, machine): (status, results, value)
             for workload, machine, status, results, value, error in rows}
    assert len(found) == len(rows), "a point is there twice"
    for workload, machine, status, results, value, error in rows:
        assert status == "done" and value is not None and json.loads(results)["kernels"], \
            (workload, machine, status, value, error)
    return found


def count(path):
    try:
        return sqlite3.connect(path).execute("SELECT count(*) FROM point").fetchone()[0]
    except sqlite3.OperationalError:  # not made yet
        return 0


def sleepers(seconds):
    """Processes that sleep so long."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            found += [path] if path.read_bytes().endswith(f"sleep\0{seconds}\0".encode()) else []
        except OSError:  # ended meanwhile
            pass
    return found


def until(holds, what):
    for _ in range(600):
        if holds():
            return
        time.sleep(0.05)
    raise AssertionError(what)


def check_company(start):
    """While a run is at work, another one on its database is refused."""
    second = start(1)
    out, err = second.communicate()
    assert second.returncode == 2 and "another run is at work on this database" in err, out + err


def check_nothing_stays(folder, start, seconds):
    """What a killed run was recording ends with it; until then the database is its own."""
    text = STUDY.replace("add: vecadd.cu --n 20000", f"add: /bin/sleep {seconds}")
    (folder / "study.yaml").write_text(text)
    process = start(1)
    until(lambda: sleepers(seconds), "the program was not started")
    check_company(start)
    process.kill()
    process.communicate()
    until(lambda: not sleepers(seconds), "the program outlived the run")


def main(source, build):
    if not (shutil.which("clang") or shutil.which("clang-14")):
        print("skipped: clang is not installed")
        return 77
    exe = Path(build).resolve() / "src/cli/warpmem"
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        variables = {"PATH": "/usr/local/bin:/usr/bin:/bin", "LC_ALL": "C.UTF-8", "HOME": name,
                     **sanitized.variables(exe)}
        (folder / "study.yaml").write_text(STUDY)

        # Of one name, as results tell the path of the program that was recorded.
        def start(jobs):
            return subprocess.Popen([exe, "study", "run", "-j", str(jobs), "study.yaml", "-d", "s.db"],
                                    cwd=folder, env=variables, stdout=subprocess.PIPE,
                                    stderr=subprocess.PIPE, text=True)

        begin = time.monotonic()
        out, err = start(3).communicate()
        seconds = time.monotonic() - begin
        assert out.startswith(f"study killed: {POINTS} points, {POINTS} replayed, 0 were there"), \
            out + err
        (folder / "s.db").rename(folder / "whole.db")
        shutil.rmtree(folder / "s.db.files")
        whole = points(folder / "whole.db")
        dice, before, met = random.Random(11), {}, []
        kills = sanitized.share(exe, KILLS, 0, of=2)
        for kill in kills:
            process = start(dice.randint(1, 3))
            if kill > 2:  # among the replays: when some more points are there
                wanted = min(len(before) + dice.randint(1, 3), POINTS)
                while process.poll() is None and count(folder / "s.db") < wanted:
                    time.sleep(0.001)
            else:
                time.sleep(seconds * dice.random() * 0.4)
            process.kill()
            process.communicate()
            now = points(folder / "s.db")
            assert all(now.get(key) == value for key, value in before.items()), "a point was lost"
            before = now
            met.append(len(now))
        out, err = start(1).communicate()
        assert f"{POINTS} points, {POINTS - len(before)} replayed, {len(before)} were there" in out, \
            out + err
        assert points(folder / "s.db") == whole
        claims = [sqlite3.connect(folder / path).execute("SELECT id, holds, ours FROM claim")
                  .fetchall() for path in ("whole.db", "s.db")]
        assert claims[0] == claims[1] and claims[0][0][1] == 1, claims
        left = [entry.name for entry in (folder / "s.db.files").iterdir()
                if entry.name.startswith("part.")]
        assert not left, left
        check_nothing_stays(folder, start, f"100.{random.SystemRandom().randrange(10 ** 6):06}1")
        print(f"{len(kills)} runs ended within {seconds:.2f} s; points after each: {met}")
        assert len(set(met)) >= 3, "the moments are too much alike"


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
