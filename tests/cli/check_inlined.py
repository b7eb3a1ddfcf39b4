#!/usr/bin/env python3
"""An access of a function from the toolkit's headers is shown at its call in the program.

usage: check_inlined.py SOURCE BUILD nvcc|clang. Exit status 77: skipped, no such compiler.
"""
import json
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parents[1] / folder) for folder in ("programs", "")]
import compiled
import sanitized

MARKS = {"a load of the program's own function": "ld.", "an atomic of the kernel": "atom|red"}


def run(warpmem, *arguments, folder):
    done = subprocess.run([warpmem, *arguments], cwd=folder, capture_output=True, text=True,
                          env={"PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8", "HOME": str(folder),
                               **sanitized.variables(warpmem)})
    assert done.returncode == 0, f"{arguments}: {done.stdout}{done.stderr}"
    return done.stdout


def line_of(source, mark):
    return next(number for number, line in enumerate(source.read_text().splitlines(), 1)
                if mark in line)


def main(arguments):
    root, build, compiler = Path(arguments[0]).resolve(), Path(arguments[1]).resolve(), arguments[2]
    if not (shutil.which(compiler) or compiler == "nvcc" and Path("/usr/local/cuda/bin/nvcc").exists()):
        print(f"skipped: no {compiler}")
        return 77
    warpmem, source = build / "src/cli/warpmem", root / "tests/cli/inlined.cu"
    program = compiled.program(warpmem, source, compiler=compiler,
                               flags=["-lineinfo"] if compiler == "nvcc" else [])
    load, atomic = (line_of(source, mark) for mark in MARKS)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        text = run(warpmem, "run", "--json", "run.json", program, folder=folder)
        assert f"inlined.cu:{load} " in text and f"inlined.cu:{atomic} " in text, text
        assert ".hpp:" not in text and ".h:" not in text, text
        instructions = json.loads((folder / "run.json").read_text())["kernels"][0]["instructions"]
        places = {it["kind"]: (it["source"]["line"], it.get("inlined")) for it in instructions
                  if it["space"] == "global"}
        assert places["load"][0] == load, places
        assert places.get("atomic", places.get("reduction"))[0] == atomic, places
        run(warpmem, "record", "-q", "-o", "run.wmt", program, folder=folder)
        text = run(warpmem, "replay", "run.wmt", folder=folder)
        assert f"inlined.cu:{load} " in text and f"inlined.cu:{atomic} " in text, text
        text = run(warpmem, "annotate", "--json", "lines.json", program, folder=folder)
        assert "inlined from" not in text and ".hpp" not in text, text
        if compiler == "nvcc":  # whose PTX tells where its own functions were inlined
            chain = places["load"][1]
            assert [it["line"] for it in chain[1:]] == [load, atomic], chain
            assert chain[0]["file"].endswith(".hpp"), chain
            lines = json.loads((folder / "lines.json").read_text())["kernels"][0]["sections"][0]["lines"]
            own = next(line for line in lines if line["line"] == load)
            assert own["inlined"] == [chain], own
            text = run(warpmem, "annotate", "--inline-chain", program, folder=folder)
            said = " ".join(text.split())
            header = chain[0]["file"].rsplit("/", 1)[1]
            assert (f"inlined from {header}:{chain[0]['line']}, called at inlined.cu:{load}, "
                    f"called at inlined.cu:{atomic}") in said, text
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
