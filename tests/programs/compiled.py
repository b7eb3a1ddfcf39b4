"""Programs that tests run, compiled once for all of them.

A program lies in the build folder beside a description of what it was made of: compiled again when
its sources, a header or warpmem itself has changed since. Tests that run side by side wait for each
other.

WARPMEM_TEST_MAKER names another build's warpmem, whose programs are taken and which makes those that
are missing: what a compiler makes of a program doesn't depend on how warpmem was built, and under the
sanitizers half of the time would go into making it again.
"""
import fcntl
import hashlib
import os
import shutil
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def described(command, used):
    """What a program is made of: the command, and paths, sizes and times."""
    told = [f"{file} {file.stat().st_size} {file.stat().st_mtime_ns}" for file in used]
    return "\n".join([*map(str, command), *told, ""])


def made(place, name, command, used):
    """The path of what a command that ends with "-o PATH" makes; raises CalledProcessError."""
    place.mkdir(parents=True, exist_ok=True)
    path, told = place / name, place / f"{name}.made_of"
    with open(place / f"{name}.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        wanted = described(command, used)
        if not path.exists() or not told.exists() or told.read_text() != wanted:
            told.unlink(missing_ok=True)
            path.unlink(missing_ok=True)  # another test may be running it
            environment = {k: v for k, v in os.environ.items() if k != "LD_PRELOAD"}
            # Of a compiler that is sanitized itself.
            environment["ASAN_OPTIONS"] = "detect_leaks=0"
            subprocess.run([*command, "-o", path], check=True, env=environment, capture_output=True,
                           text=True)
            told.write_text(wanted)
    return str(path)


def folder(warpmem):
    """Where what is made with a build's warpmem lies."""
    maker = Path(os.environ.get("WARPMEM_TEST_MAKER") or warpmem).resolve()
    return maker.parents[2] / "tests/programs/compiled"


def program(warpmem, *sources, compiler="clang", flags=()):
    """The path of what `warpmem cc` or nvcc makes of sources of one folder."""
    warpmem = Path(os.environ.get("WARPMEM_TEST_MAKER") or warpmem).resolve()
    sources = [Path(source).resolve() for source in sources]
    used = [*sources, *sorted(sources[0].parent.glob("*.h"))]
    if sources[0].parent.parent == ROOT / "workloads":  # they include headers of the folder above
        used += sorted((ROOT / "workloads").glob("*.h"))
    if compiler == "nvcc":
        nvcc = shutil.which("nvcc") or "/usr/local/cuda/bin/nvcc"
        command = [nvcc, "-cudart", "shared", "-w", *flags]
        if not any(flag.startswith(("-arch", "-gencode", "arch=")) for flag in flags):
            command += ["-arch=sm_75"]
    else:
        command = [warpmem, "cc", "-Wall", "-Werror", *flags]
        used += [warpmem, *sorted((ROOT / "include").rglob("*.*"))]
    command += sources
    name = sources[0].stem
    if compiler != "clang" or flags:
        digest = hashlib.sha256("\n".join(map(str, command)).encode()).hexdigest()
        name = f"{name}-{digest[:12]}"
    return made(folder(warpmem), name, command, used)
