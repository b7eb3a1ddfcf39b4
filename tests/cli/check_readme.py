#!/usr/bin/env python3
"""The README's runs are real: each "$ warpmem …" block is run, and must print what stands below it.

usage: check_readme.py SOURCE BUILD [--bless]
"""
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import sanitized


def run(line, folder, build):
    environment = {"PATH": f"{build / 'src/cli'}:/usr/local/bin:/usr/bin:/bin", "HOME": folder,
                   "LC_ALL": "C.UTF-8", **sanitized.variables(build / "src/cli/warpmem")}
    done = subprocess.run(["sh", "-c", line], cwd=folder, env=environment, text=True,
                          stdin=subprocess.DEVNULL, capture_output=True, timeout=300)
    if done.returncode:
        sys.exit(f"$ {line}\n{done.stdout}{done.stderr}[{done.returncode}]")
    return done.stdout.rstrip("\n")


def renew(text, source, build):
    """The README with every block of commands run anew."""
    out, fenced, skipping, runs = [], False, False, 0
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "workloads").symlink_to(source / "workloads")
        for line in text.splitlines():
            if line.startswith("```"):
                fenced, skipping = not fenced, False
            if fenced and line.startswith("$ "):
                out.append(line)
                printed = run(line[2:], folder, build)
                if printed:
                    out += printed.splitlines() + [""]
                skipping, runs = True, runs + 1
            elif not skipping:
                out.append(line)
            if line.startswith("```") and not fenced and out[-2] == "":
                del out[-2]
    return "\n".join(out) + "\n", runs


def main(arguments):
    source, build = Path(arguments[0]).resolve(), Path(arguments[1]).resolve()
    readme = source / "README.md"
    renewed, runs = renew(readme.read_text(), source, build)
    if "--bless" in arguments:
        readme.write_text(renewed)
    same = renewed == readme.read_text()
    print(f"{runs} runs of the README, {'as printed' if same else 'NOT as printed: run this with --bless'}")
    if not same:
        print(renewed)
    return 0 if same and runs else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
