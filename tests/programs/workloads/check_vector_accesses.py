#!/usr/bin/env python3
"""Vector types and aligned structs are loaded and stored as nvcc does.

usage: check_vector_accesses.py WARPMEM SOURCE [nvcc]

Alone, the accesses of each kernel of SOURCE, compiled by `warpmem cc`, are compared with what the types
allow: PTX moves 2 or 4 elements and 16 bytes at most (PTX ISA, "Vectors"), naturally aligned. With
"nvcc", they are compared with those of the same program compiled by nvcc; where the two differ, both
numbers stand below.
"""
import collections
import json
import subprocess
import sys
import tempfile
from pathlib import Path

import check_program

BYTES = {"char": 1, "short": 2, "int": 4, "long": 8, "longlong": 8, "float": 4, "double": 8}

# Accesses of one copy of a struct, and of one that changes its first member, each (loads, stores).
STRUCTS = {
    "Pair": ((1, 1), (1, 1)),
    "Quad": ((1, 1), (1, 1)),
    "Mixed": ((1, 1), (2, 2)),  # the double alone
    "Two": ((2, 2), (2, 2)),
    "Three": ((1, 1), (3, 3)),  # .v2, one, and the padding
    "Particle": ((1, 1), (3, 3)),
    "Shorts": ((1, 1), (1, 1)),
    "Bytes": ((1, 1), (1, 1)),
    "Pointers": ((1, 1), (1, 1)),
    "Loose": ((4, 4), (4, 4)),
    "Either": ((1, 1), (2, 2)),
    "Rows": ((3, 3), (3, 3)),
}

# Global, shared, local and constant accesses of a warp: loads and stores.
SINGLE = {
    "by_constant": {"constant load": 1, "global store": 1},
    "by_cast": {"global load": 1, "shared store": 1, "shared load": 1, "global store": 1},
    "by_dynamic_cast": {"global load": 1, "shared store": 1, "shared load": 1, "global store": 1},
    "by_registers": {"global load": 2, "global store": 1},
    "make": {"global store": 1},
    "zero_members": {"global store": 1},
    "one_of_copy": {"global load": 1, "global store": 1},
    "two_of_copy": {"global load": 1, "global store": 1},
    "three_of_copy": {"global load": 1, "global store": 1},
    "one_member": {"global load": 1, "global store": 1},
    "two_members": {"global load": 2, "global store": 1},
    "each_member": {"global load": 1, "global store": 1},
    "volatile_members": {"global load": 4, "global store": 1},
}

# What nvcc does with fewer accesses: it loads members that are not used in between, and joins what is
# stored to neighbouring elements of a local array.
FEWER_BY_NVCC = {
    "change<Three>": {"global load": 2},
    "change<Particle>": {"global load": 2},
    "change<Either>": {"global load": 1, "global store": 1},
    "two_members": {"global load": 1},
    "by_index<char4>": {"local store": 1},
    "by_index<short4>": {"local store": 2},
    "by_index<int2>": {"local store": 2},
    "by_index<float2>": {"local store": 2},
    "by_index<float3>": {"local store": 3},
    "by_index<Pair>": {"local store": 2},
}


def accesses_of(kernel):
    """Accesses, sectors and bytes by space and kind, as in {"global load": (1, 16, 512)}."""
    found = collections.defaultdict(lambda: (0, 0, 0))
    for instruction in kernel["instructions"]:
        counters, kind = instruction["counters"], f"{instruction['space']} {instruction['kind']}"
        more = (counters["executions"], counters["sectors"], counters["bytes_requested"])
        found[kind] = tuple(a + b for a, b in zip(found[kind], more))
    return {kind: numbers for kind, numbers in found.items() if "parameter" not in kind}


def measured(warpmem, source, compiler):
    program = check_program.executable(warpmem, source, compiler)
    with tempfile.TemporaryDirectory() as folder:
        results = Path(folder) / "results.json"
        done = subprocess.run([warpmem, "run", "-q", "-m", "v100", "--json", results, "--", program],
                              capture_output=True, text=True, timeout=240,
                              env=check_program.environment(warpmem))
        assert "vector_accesses: PASS" in done.stdout, done.stdout + done.stderr
        kernels = json.loads(results.read_text())["kernels"]
    return {kernel["signature"].split("(")[0].removeprefix("void "): accesses_of(kernel)
            for kernel in kernels}


def of_vector(name):
    """How many accesses one variable of a vector type takes."""
    count = int(name[-1])
    size = BYTES[name[:-1].removeprefix("u")]
    return count if count == 3 else 2 if count * size > 16 else 1


def wanted(kernel):
    """{"global load": accesses, …} of a kernel by its name."""
    if kernel in SINGLE:
        return SINGLE[kernel]
    use, name = kernel[:-1].split("<")
    loads, stores = STRUCTS[name][use == "change"] if name in STRUCTS else (of_vector(name),) * 2
    if use in ("by_shared", "by_dynamic"):
        return {f"{space} {kind}": loads for space in ("global", "shared") for kind in ("load", "store")}
    if use == "by_index":
        return {"global load": 4 * loads, "local store": 4 * loads, "local load": loads,
                "global store": loads}
    if use == "by_reference":
        return {"global load": 2 * loads, "global store": 2 * stores}
    if use == "by_parameter":
        return {"global store": stores}
    return {"global load": loads, "global store": stores}


def main(warpmem, source, other=None):
    ours = measured(warpmem, source, "clang")
    wrong = []
    if other is None:
        for kernel, found in ours.items():
            counts = {kind: numbers[0] for kind, numbers in found.items()}
            if counts != wanted(kernel):
                wrong.append(f"{kernel}: {counts}, not {wanted(kernel)}")
    else:
        theirs = measured(warpmem, source, other)
        assert theirs.keys() == ours.keys()
        for kernel, found in ours.items():
            fewer = FEWER_BY_NVCC.get(kernel, {})
            for kind in found.keys() | theirs[kernel].keys():
                mine, its = found.get(kind), theirs[kernel].get(kind)
                if kind in fewer and its and its[0] == fewer[kind] < mine[0]:
                    continue
                if mine != its or kind in fewer:
                    wrong.append(f"{kernel}, {kind}: (accesses, sectors, bytes) {mine}, by nvcc {its}")
    print(*wrong, f"{len(ours)} kernels, {len(wrong)} differ", sep="\n")
    return 0 if len(ours) > 200 and not wrong else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
