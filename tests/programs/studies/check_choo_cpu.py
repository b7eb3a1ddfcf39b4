#!/usr/bin/env python3
"""Makes the CPU's hit rates of one program of studies/choo. usage: check_choo_cpu.py WARPMEM SOURCE

A sum of a million numbers misses each line of 16 once, in L1 and in L2. What is kept with the study is
what is made now, has all twelve programs, and is what a study takes as a metric.
"""
import re
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parents[place] / folder)
                for place, folder in ((1, "workloads"), (2, ""))]
from check_program import environment

RATES = {"l1": "0.9375", "l2": "0.0000"}
LABELS = "BS DCT RG FW FWT MT SLA RED RS HIST BLS BO".split()
STUDY = """
study: choo-cpu
machines: {base: gtx480, axes: {l1: {base: [], large: gpu.l1.size=48KiB}}, cross: [{l1: base}]}
workloads: {RED: reduction.cu --n 4096}
metrics: {cpu: {by: multi2sim-l1.yaml}}
claims: {"1": {claim: "cpu[RED, base] within 0.00001 of 0.9375", text: a sum on a CPU}}
"""


def main(warpmem, source):
    warpmem, choo = Path(warpmem).resolve(), Path(source).resolve() / "studies/choo"
    with tempfile.TemporaryDirectory() as home:
        folder = Path(home)
        subprocess.run([sys.executable, choo / "cpu.py", warpmem, folder, "base", "RED"], check=True,
                       env=environment(warpmem), stdout=subprocess.DEVNULL)
        made = sorted(file.name for file in folder.glob("*.yaml"))
        assert made == sorted(file.name for file in (choo / "cpu").glob("*.yaml")) and len(made) == 4, made
        for name in made:
            kept = (choo / "cpu" / name).read_text()
            rate = RATES[name.split("-")[1].removesuffix(".yaml")]
            assert (folder / name).read_text().endswith(f'\n"base": {{RED: {rate}}}\n'), name
            assert f"RED: {rate}" in kept and re.findall(r"(\w+): [01]\.\d{4}", kept) == LABELS, kept
        study = folder / "study.yaml"
        study.write_text(STUDY)
        for command in ("run", "check"):
            done = subprocess.run([warpmem, "study", command, study, "--database", folder / "choo.db"],
                                  env=environment(warpmem), capture_output=True, text=True, cwd=home)
            assert done.returncode == 0, (command, done.stdout, done.stderr)


if __name__ == "__main__":
    main(*sys.argv[1:])
