#!/usr/bin/env python3
"""Runs a program of the driver API with `warpmem run`: it checks itself.
usage: run_driver.py WARPMEM CASE [PROGRAM]

With a program, CASE may be "checks", for what --check and recordings say of mapped memory, or
"inputs", for the linker's inputs that nvcc makes.

Without a program, CASE is made here: "both" by warpmem cc, "toolkit" with NVIDIA's header and
"static" by nvcc with its runtime inside, without `warpmem run` (skipped, 77, without a toolkit).
"""
import json
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent.parent))
import sanitized  # noqa: E402
import os  # noqa: E402

TOOLKIT = Path("/usr/local/cuda")
SKIPPED = 77


def environment(warpmem):
    kept = {k: v for k, v in os.environ.items() if not k.startswith("WARPMEM_") or k in
            ("WARPMEM_MACHINES", "WARPMEM_CLANG", "WARPMEM_ISA")}
    return kept | sanitized.variables(warpmem)


def run(warpmem, folder, program, *arguments):
    report = Path(folder) / "report.json"
    done = subprocess.run([warpmem, "run", "-q", "--json", report, "--", program, *arguments],
                          capture_output=True, text=True, cwd=folder, timeout=120,
                          env=environment(warpmem))
    return done, json.loads(report.read_text()) if report.exists() else None


def passes(warpmem, folder, program):
    done, report = run(warpmem, folder, program, folder)
    if done.returncode != 0 or "PASS" not in done.stdout or not report:
        raise SystemExit(f"status {done.returncode}\n{done.stdout}{done.stderr}")
    return report


def compile_with(command, warpmem):
    clean = {k: v for k, v in environment(warpmem).items() if k != "LD_PRELOAD"}
    clean["ASAN_OPTIONS"] = "detect_leaks=0"
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, env=clean)
    if done.returncode != 0:
        raise SystemExit(f"{command} fails\n{done.stdout}{done.stderr}")


def libraries(warpmem):
    return Path(warpmem).resolve().parents[1] / "cuda"


def both(warpmem, folder):
    program = Path(folder) / "both"
    compile_with([warpmem, "cc", HERE / "both.cu", "-o", program, "-L", libraries(warpmem),
                  "-l:libcuda.so.1"], warpmem)
    passes(warpmem, folder, program)


def toolkit(warpmem, folder):
    """NVIDIA's header agrees with what is called here."""
    if not (TOOLKIT / "include/cuda.h").exists():
        print("skipped: no CUDA toolkit is installed")
        return SKIPPED
    for name in ("arrays", "batches", "body_parameters", "captures", "children", "graphs", "kernels", "linked", "logs", "mapped", "objects", "older", "pools", "processes",
                 "settings", "transfers", "version1", "words", "work"):
        program = Path(folder) / name
        compile_with(["cc", "-DTOOLKIT", "-w", f"-I{TOOLKIT}/include", HERE / f"{name}.c", "-o",
                      program, "-L", libraries(warpmem), "-l:libcuda.so.1"], warpmem)
        passes(warpmem, folder, program)
    return 0


def static(warpmem, folder):
    """A runtime inside the program asks for the driver's private tables: that is said."""
    if not shutil.which("nvcc"):
        print("skipped: nvcc is not installed")
        return SKIPPED
    program = Path(folder) / "static"
    compile_with(["nvcc", "-arch=sm_75", "-w", HERE.parent / "runtime/pending.cu", "-o", program],
                 warpmem)
    done = subprocess.run([program], capture_output=True, text=True, cwd=folder, timeout=120, env={
        **environment(warpmem), "LD_LIBRARY_PATH": str(libraries(warpmem))})
    if "warpmem run" not in done.stderr or "-cudart shared" not in done.stderr or done.returncode == 0:
        raise SystemExit(f"status {done.returncode}\n{done.stdout}{done.stderr}")
    return 0


def findings_of(warpmem, folder, program, argument):
    report = Path(folder) / "report.json"
    done = subprocess.run([warpmem, "run", "-q", "--check", "all", "--json", report, "--", program,
                           argument], capture_output=True, text=True, cwd=folder, timeout=120,
                          env=environment(warpmem))
    if "PASS" not in done.stdout:
        raise SystemExit(f"status {done.returncode}\n{done.stdout}{done.stderr}")
    return json.loads(report.read_text())["findings"]


def checks(warpmem, folder, program):
    """Bytes are written or not wherever they are mapped; handles that are kept are leaks."""
    words = (1 << 21) // 4
    reads = [found for found in findings_of(warpmem, folder, program, "all")]
    wanted = [6 * words, 1, words]  # new chunks of the vector and a lifetime; one peek; a lifetime
    if [found["count"] for found in reads] != wanted or \
            any(found["kind"] != "uninitialised_global" for found in reads):
        raise SystemExit(f"findings: {reads}")
    leaks = [found for found in findings_of(warpmem, folder, program, "leave")
             if found["kind"] == "leak"]
    if [(found["count"], found["bytes"]) for found in leaks] != [(1, 2 << 21)]:
        raise SystemExit(f"leaks: {leaks}")
    recording = Path(folder) / "left.wmr"
    subprocess.run([warpmem, "record", "-o", recording, program, "leave"], check=True, cwd=folder,
                   capture_output=True, env=environment(warpmem))
    events = subprocess.run([warpmem, "trace", "dump", recording], check=True, text=True,
                            capture_output=True, env=environment(warpmem)).stdout
    if f"allocate {1 << 21} bytes at 0x280000000000" not in events:
        raise SystemExit(f"the recording does not have the mapping\n{events}")


def inputs(warpmem, folder, program):
    """Object files, libraries and fat binaries of nvcc's."""
    if not shutil.which("nvcc"):
        print("skipped: nvcc is not installed")
        return SKIPPED
    caller, callee, library, fat = (str(Path(folder) / name) for name in
                                    ("caller.o", "callee.o", "callee.a", "callee.fatbin"))
    architecture = "-arch=compute_75"
    for command in (["-dc", HERE / "linked_caller.cu", "-o", caller],
                    ["-dc", HERE / "linked_callee.cu", "-o", callee],
                    ["-rdc=true", "-fatbin", HERE / "linked_callee.cu", "-o", fat]):
        compile_with(["nvcc", architecture, "-w", *command], warpmem)
    compile_with(["ar", "rc", library, callee], warpmem)
    done, _ = run(warpmem, folder, program, "objects", caller, library, fat)
    if done.returncode != 0 or "PASS" not in done.stdout:
        raise SystemExit(f"status {done.returncode}\n{done.stdout}{done.stderr}")
    return 0


def main(warpmem, case, program=None):
    warpmem = str(Path(warpmem).resolve())
    program = program and str(Path(program).resolve())
    with tempfile.TemporaryDirectory() as folder:
        if case in ("checks", "inputs"):
            return {"checks": checks, "inputs": inputs}[case](warpmem, folder, program) or 0
        if program:
            passes(warpmem, folder, program)
            return 0
        return {"both": both, "toolkit": toolkit, "static": static}[case](warpmem, folder) or 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
