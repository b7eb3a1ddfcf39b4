"""What a program needs in its environment to run with a sanitized runtime library."""
import functools
import mmap
import subprocess
from pathlib import Path


@functools.cache
def is_sanitized(warpmem):
    """Whether `warpmem` (the executable) was built with the address sanitizer."""
    with open(warpmem, "rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as image:
        return image.find(b"libasan.so") >= 0  # near the beginning of tens of megabytes


def share(warpmem, items, turn, of=3):
    """All items; under the sanitizers one in `of`, others at each turn.

    What a test finds wrong in numbers it finds without sanitizers, on all items. What these find is a
    matter of paths in the code, which items share, and each process takes several times as long.
    """
    items = list(items)
    return items[turn % of::of] if is_sanitized(warpmem) else items


def variables(warpmem):
    """Empty unless `warpmem` is sanitized.

    A sanitized runtime wants the sanitizer's library loaded before the program's own. Faults of the
    simulated device's memory are signals that the runtime handles, and its state lives as long as
    the program.
    """
    if not is_sanitized(warpmem):
        return {}
    return {"LD_PRELOAD": library(), "ASAN_OPTIONS": "detect_leaks=0:handle_segv=0",
            "WARPMEM_CLANG": str(Path(__file__).resolve().parent / "unsanitized/clang")}


@functools.cache
def library():
    return subprocess.run(["gcc", "-print-file-name=libasan.so"], check=True, capture_output=True,
                          text=True).stdout.strip()
