"""Programs that several tests run, compiled once for all of them.

A program lies in the build folder beside a description of what it was made of: compiled again when
its source, a header or warpmem itself has changed since. Tests that run side by side wait for each
other.
"""
import fcntl
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def described(warpmem, source):
    """What a program is made of: paths, sizes and times."""
    files = [Path(warpmem), Path(source), *sorted(Path(source).parent.glob("*.h")),
             *sorted((ROOT / "include").rglob("*.*"))]
    return "".join(f"{file} {file.stat().st_size} {file.stat().st_mtime_ns}\n" for file in files)


def program(warpmem, source):
    """The path of what `warpmem cc` makes of a source."""
    warpmem, source = Path(warpmem).resolve(), Path(source).resolve()
    folder = warpmem.parents[2] / "tests/programs/compiled"
    folder.mkdir(parents=True, exist_ok=True)
    path, told = folder / source.stem, folder / f"{source.stem}.made_of"
    with open(folder / f"{source.stem}.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        wanted = described(warpmem, source)
        if not path.exists() or not told.exists() or told.read_text() != wanted:
            told.unlink(missing_ok=True)
            path.unlink(missing_ok=True)  # another test may be running it
            subprocess.run([warpmem, "cc", "-Wall", "-Werror", source, "-o", path], check=True)
            told.write_text(wanted)
    return str(path)
