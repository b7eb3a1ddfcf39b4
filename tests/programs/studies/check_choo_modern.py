#!/usr/bin/env python3
"""Runs attention of studies/choo/modern.yaml, smaller, on all machines of the study.

usage: check_choo_modern.py WARPMEM SOURCE

Keys and values fit any of these L1s, and each SM has a block. So however many SMs share one, each L1 fetches them
once, each block its queries, and what is written goes through: bytes between L1 and L2 follow from the
number of L1s, with any dispatch, latency, waiters and coalescing. In time, few waiters on a line are
refused where others are not.
"""
import os
import sqlite3
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parents[place] / folder)
                for place, folder in ((1, "workloads"), (2, ""))]
from check_program import environment

WORKLOAD, QUERIES, KEYS, ROW = "attention", 1056, 16, 64 * 4
SMS = {"v100": 80, "h100": 132}
LINE = "--queries 1056 --keys 256"


def points(database):
    """Each machine's metrics."""
    found = {}
    with sqlite3.connect(database) as connection:
        for machine, status, name, value in connection.execute(
                "SELECT machine.label, status, metric.name, metric.value FROM point "
                "JOIN machine ON machine.id = machine_id JOIN metric ON point_id = point.id"):
            assert status == "done", (machine, status)
            found.setdefault(machine, {})[name] = value
    return found


def main(warpmem, source):
    warpmem, source, failures = Path(warpmem).resolve(), Path(source), 0
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        text = (source / "studies/choo/modern.yaml").read_text()
        assert text.count(LINE) == 2, "the study has other sizes: change this test with it"
        (folder / "study.yaml").write_text(text.replace(LINE, f"--queries {QUERIES} --keys {KEYS}"))
        for program in ("attention.cu", "workload.h"):
            os.symlink(source / "workloads" / program, folder / program)
        subprocess.run([warpmem, "study", "run", "--quiet", folder / "study.yaml", "--workload",
                        WORKLOAD, "--database", folder / "study.db"], check=False, cwd=folder,
                       env=environment(warpmem), capture_output=True)
        found = points(folder / "study.db")
    assert len(found) == 36, f"{len(found)} points"
    refused = {"few": 0, "as many as share": 0}
    for machine, metrics in found.items():
        gpu, sharing, *others = machine.split(", ")
        expected = SMS[gpu] // int(sharing) * 2 * KEYS * ROW + 2 * QUERIES * ROW
        if metrics["l1_l2_bytes"] != expected:
            failures += 1
            print(f"{machine}: {metrics['l1_l2_bytes']} bytes, not {expected}")
        if int(sharing) > 1 and set(others) <= {"few", "round-robin"}:
            refused["few" if "few" in others else "as many as share"] += metrics["waits_for_room"]
    if not refused["few"] > refused["as many as share"]:
        failures += 1
        print(f"refused for want of room for a waiter: {refused}")
    print(f"{len(found)} points, {failures} wrong; refused {refused}")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
