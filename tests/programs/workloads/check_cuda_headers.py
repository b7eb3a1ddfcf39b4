#!/usr/bin/env python3
"""The CUDA headers: each compiles alone, and they agree with NVIDIA's where those are installed.

usage: check_cuda_headers.py HEADERS alone|layout

alone   every header, as CUDA on the device and on the host, as C and as C++, twice in one file, with
        all warnings as errors
layout  sizes, alignments, offsets and enumeration values, printed by one program compiled against
        ours and against the toolkit's headers; skipped (77) without a toolkit
"""
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

CUDA = ["-x", "cuda", "--cuda-path=/nonexistent", "-nocudainc", "-nocudalib", "-Xclang",
        "-target-sdk-version=11.5", "-std=c++14"]
WARNINGS = ["-Wall", "-Wextra", "-Werror", "-Wno-unused-function"]
MODES = {
    "device": ["clang", *CUDA, "--cuda-device-only", "--cuda-gpu-arch=sm_70", "-Xclang",
               "-target-feature", "-Xclang", "+ptx65", "-S", "-o", "/dev/null"],
    "host": ["clang", *CUDA, "--cuda-host-only", "-fsyntax-only"],
    "c": ["gcc", "-x", "c", "-std=c99", "-fsyntax-only"],
    "c++": ["g++", "-x", "c++", "-std=c++11", "-fsyntax-only"],
}


def compile_alone(headers, folder, failures):
    folders = (headers, headers / "cooperative_groups")
    names = sorted(str(path.relative_to(headers)) for folder in folders
                   for path in folder.glob("*.h"))
    for name in names:
        source = folder / "alone.cu"
        source.write_text(f'#include "{name}"\n#include "{name}"\nint alone(void);\n')
        for mode, command in MODES.items():
            if not shutil.which(command[0]):
                continue
            # Not a system folder here: warnings of our own headers should show.
            done = subprocess.run([*command, *WARNINGS, "-I", str(headers), str(source)],
                                  capture_output=True, text=True)
            if done.returncode:
                failures.append(f"{name} as {mode}:\n{done.stderr}")
    return len(names)


def fields_of(text, struct):
    body = re.search(r"^struct %s \{\n(.*?)^\};" % struct, text, re.S | re.M)[1]
    return re.findall(r"(\w+)(?:\[\d+\])?;", body)


def layout_program(headers):
    types = "".join((headers / name).read_text() for name in ("driver_types.h", "graph_types.h"))
    lines = ["#include <cuda_runtime_api.h>", "#include <stddef.h>", "#include <stdio.h>",
             "int main(void)", "{"]
    for name in re.findall(r"^    (cuda\w+) =", types, re.M):
        lines.append(f'    printf("{name} %d\\n", (int){name});')
    for name in re.findall(r"^#define (cuda\w+) (?!\(\(cudaStream_t)", types, re.M):
        lines.append(f'    printf("{name} %d\\n", (int){name});')
    for struct in re.findall(r"^struct (\w+) \{", types, re.M):
        lines.append(f'    printf("{struct} %zu\\n", sizeof(struct {struct}));')
        for field in fields_of(types, struct):
            lines.append(f'    printf("{struct}.{field} %zu %zu\\n", offsetof(struct {struct}, '
                         f'{field}), sizeof(((struct {struct} *)0)->{field}));')
    for base in ("char uchar short ushort int uint long ulong longlong ulonglong float "
                 "double").split():
        for count in "1234":
            vector = base + count
            lines.append(f'    printf("{vector} %zu %zu\\n", sizeof(struct {vector}), '
                         f'_Alignof(struct {vector}));')
    lines += ['    printf("dim3 %zu\\n", sizeof(struct dim3));', "    return 0;", "}"]
    return "\n".join(lines) + "\n"


def printed(source, include, folder):
    program = folder / "layout"
    # double4 and its kin are deprecated in the toolkit, and their layout is what is compared.
    subprocess.run(["gcc", "-std=c11", "-w", "-isystem", str(include), str(source), "-o",
                    str(program)], check=True)
    return subprocess.run([str(program)], check=True, capture_output=True, text=True).stdout


def compare_layout(headers, folder, failures):
    nvcc = shutil.which("nvcc") or "/usr/local/cuda/bin/nvcc"
    toolkit = Path(nvcc).resolve().parent.parent / "include"
    if not (toolkit / "cuda_runtime_api.h").exists():
        print("skipped: no CUDA toolkit is installed")
        sys.exit(77)
    source = folder / "layout.c"
    source.write_text(layout_program(headers))
    ours, theirs = (printed(source, include, folder).splitlines() for include in (headers, toolkit))
    failures += [f"ours: {a}\ntoolkit: {b}" for a, b in zip(ours, theirs) if a != b]
    return len(ours)


def main(headers, check):
    if not shutil.which("clang"):
        print("skipped: clang is not installed")
        return 77
    failures = []
    with tempfile.TemporaryDirectory() as folder:
        if check == "alone":
            count = compile_alone(Path(headers), Path(folder), failures)
        else:
            count = compare_layout(Path(headers), Path(folder), failures)
    for failure in failures:
        print(failure)
    print(f"{count} checked, {len(failures)} wrong")
    return 1 if failures or count < 10 else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
