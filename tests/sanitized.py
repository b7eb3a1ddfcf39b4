"""What a program needs in its environment to run with a sanitized runtime library."""
import subprocess
from pathlib import Path


def variables(warpmem):
    """Empty unless `warpmem` (the executable) was built with the address sanitizer.

    A sanitized runtime wants the sanitizer's library loaded before the program's own. Faults of the
    simulated device's memory are signals that the runtime handles, and its state lives as long as
    the program.
    """
    if b"libasan.so" not in Path(warpmem).read_bytes():
        return {}
    library = subprocess.run(["gcc", "-print-file-name=libasan.so"], check=True,
                             capture_output=True, text=True).stdout.strip()
    return {"LD_PRELOAD": library, "ASAN_OPTIONS": "detect_leaks=0:handle_segv=0"}
