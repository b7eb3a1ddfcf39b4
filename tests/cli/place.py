"""A folder in which a test of the command line runs warpmem, with a program of its own."""
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import sanitized  # noqa: E402


class Place:
    """The folder, with `program`, compiled by warpmem cc, and an empty TMPDIR in it."""

    def __init__(self, build, folder, program):
        self.exe = Path(build).resolve() / "src/cli/warpmem"
        self.folder = Path(folder)
        self.temporary = self.folder / "tmp"
        self.temporary.mkdir()
        self.variables = {"PATH": "/usr/local/bin:/usr/bin:/bin", "LC_ALL": "C.UTF-8",
                          "HOME": folder, "TMPDIR": str(self.temporary),
                          **sanitized.variables(self.exe)}
        (self.folder / "program.cu").write_text(program)
        self.run("cc", "program.cu", "-o", "program")

    def run(self, *words, want=0, **more):
        """warpmem with these words, which ends with the status `want`; any, for None."""
        done = subprocess.run([self.exe, *words], cwd=self.folder, capture_output=True, text=True,
                              errors="replace", **{"env": self.variables, **more})
        assert want is None or done.returncode == want, \
            f"{words}: {done.returncode}\n{done.stdout}{done.stderr}"
        return done


def status_of(checks, source, build, topic, make):
    """The exit status of a test that calls one of `checks`, by its topic, with what `make` makes of a
    build and a folder; 77, skipped, without a compiler. Every such test is given the source too."""
    del source
    if not (shutil.which("clang") or shutil.which("clang-14")):
        print("skipped: clang is not installed")
        return 77
    with tempfile.TemporaryDirectory() as folder:
        checks[topic](make(build, folder))
    return 0
