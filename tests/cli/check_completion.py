#!/usr/bin/env python3
"""The completion scripts in their shells. usage: check_completion.py SOURCE BUILD bash|keys|zsh|fish

  bash  the function answers bash's own variables
  keys  an interactive bash, with keys pressed
  zsh, fish  the script is well-formed there; skipped (77) where the shell is not installed
"""
import os
import pty
import select
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import sanitized

# The line up to the cursor as bash cuts it into COMP_WORDS, and what must be offered.
LINES = [
    (["warpmem", "mach"], ["machine"]),
    (["warpmem", "run", "--machine", "=", "v1"], ["v100"]),
    (["warpmem", "run", "-m", "gtx"], ["gtx480", "gtx680"]),
    (["warpmem", "run", "--set", "gpu.sm.warp_or"], ["gpu.sm.warp_order="]),
    (["warpmem", "run", "--set", "gpu.sm.warp_order", "="], ["round-robin", "greedy-then-oldest"]),
    (["warpmem", "run", "--set", "gpu.sm.warp_order", "=", "gr"], ["greedy-then-oldest"]),
    (["warpmem", "run", "--set", "gpu.l1.bypass_list", "=", "gemm", ":", "pc3", "-m", "v"],
     ["v100"]),
    (["warpmem", "run", "./a"], ["./a file", "./app.cu"]),
    (["warpmem", "run", "--json", "=", "./a"], ["./a file", "./app.cu"]),
    (["warpmem", "explain", "lr"], ["lru"]),
    (["warpmem", "nothing", ""], []),
]


def environment(build, home):
    variables = {"PATH": f"{build / 'src/cli'}:/usr/bin:/bin", "HOME": home, "LC_ALL": "C.UTF-8",
                 "TERM": "dumb"}
    # Not the preloaded library: the shell would be run under it.
    options = sanitized.variables(build / "src/cli/warpmem").get("ASAN_OPTIONS")
    return variables | ({"ASAN_OPTIONS": options} if options else {})


def prepare(home):
    for name in ("a file", "app.cu", "other"):
        Path(home, name).touch()


def in_bash(build, home):
    script = 'source <(warpmem completion bash); COMP_WORDS=("$@"); ' \
             'COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _warpmem; printf "%s\\n" "${COMPREPLY[@]}"'
    failed = 0
    for words, wanted in LINES:
        done = subprocess.run(["bash", "--norc", "-c", script, "bash", *words], cwd=home,
                              env=environment(build, home), capture_output=True, text=True)
        found = [line for line in done.stdout.splitlines() if line]
        if sorted(found) != sorted(wanted) or done.stderr:
            failed += 1
            print(f"{words}: {found} instead of {wanted}\n{done.stderr}")
    print(f"{len(LINES)} lines, {failed} failed")
    return failed > 0


def read_until(terminal, wanted, seconds=20):
    text, end = "", time.monotonic() + seconds
    while wanted not in text and time.monotonic() < end:
        if select.select([terminal], [], [], 0.2)[0]:
            text += os.read(terminal, 4096).decode(errors="replace")
    return text


def with_keys(build, home):
    """What a person types, tab included, and what then stands on the line."""
    typed = [("warpmem mach\tsh\tgtx4\t", "warpmem machine show gtx480 "),
             ("warpmem run --set gpu.l1.repl\tsr\t", "--set gpu.l1.replacement=srrip "),
             ("warpmem run --machine=rtx2\t", "--machine=rtx2060 "),
             ("warpmem run -q ./ap\t", "-q ./app.cu ")]
    child, terminal = pty.fork()
    if child == 0:
        os.chdir(home)
        os.execve("/bin/bash", ["bash", "--norc", "--noprofile", "-i"],
                  environment(build, home) | {"PS1": "> ", "COLUMNS": "200"})
    failed = 0
    os.write(terminal, b"bind 'set enable-bracketed-paste off'; stty cols 200\n"
                       b"source <(warpmem completion bash); echo rea''dy\n")
    text = read_until(terminal, "ready")
    for keys, wanted in typed:
        os.write(terminal, b"\x15" + keys.encode())
        shown = read_until(terminal, wanted)
        if wanted not in shown:
            failed += 1
            print(f"{keys!r}: {shown!r} without {wanted!r}, after {text!r}")
    os.write(terminal, b"\x15exit\n")
    read_until(terminal, "exit", 2)
    os.close(terminal)
    os.waitpid(child, 0)
    print(f"{len(typed)} lines typed, {failed} failed")
    return failed > 0


def check_syntax(shell, build, home):
    if not shutil.which(shell):
        print(f"skipped: {shell} is not installed")
        return 77
    script = subprocess.run(["warpmem", "completion", shell], env=environment(build, home),
                            capture_output=True, check=True).stdout
    Path(home, "script").write_bytes(script)
    done = subprocess.run([shell, "-n", "script"], cwd=home, capture_output=True, text=True)
    print(done.stderr)
    return done.returncode != 0 or done.stderr != ""


def main(source, build, topic):
    build = Path(build).resolve()
    with tempfile.TemporaryDirectory() as home:
        prepare(home)
        if topic == "bash":
            return int(in_bash(build, home))
        if topic == "keys":
            return int(with_keys(build, home))
        return int(check_syntax(topic, build, home))


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
