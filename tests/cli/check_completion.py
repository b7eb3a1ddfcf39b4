#!/usr/bin/env python3
"""The completion scripts in their shells. usage: check_completion.py SOURCE BUILD TOPIC

  bash  the function answers bash's own variables
  keys  an interactive bash, with keys pressed
  zsh   the script is well-formed, and an interactive zsh with keys pressed
  fish  the script is well-formed, and what fish says it would offer

zsh and fish are skipped (77) where they are not installed, and what presses keys where no pseudo-terminal
can be had, as in a root without /dev/pts.
"""
import os
import pty
import re
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
    (["warpmem", "run", "-m", "gtx6"], ["gtx680"]),
    (["warpmem", "run", "--set", "gpu.sm.warp_sch"], ["gpu.sm.warp_scheduler="]),
    (["warpmem", "run", "--set", "gpu.sm.block_dispatch", "="],
     ["round-robin", "first-available", "clustered"]),
    (["warpmem", "run", "--set", "gpu.sm.warp_scheduler", "=", "gr"], ["greedy-then-oldest"]),
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


def in_bash(shell, build, home):
    script = 'source <(warpmem completion bash); COMP_WORDS=("$@"); ' \
             'COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _warpmem; printf "%s\\n" "${COMPREPLY[@]}"'
    failed = 0
    for words, wanted in LINES:
        done = subprocess.run([shell, "--norc", "-c", script, "bash", *words], cwd=home,
                              env=environment(build, home), capture_output=True, text=True)
        found = [line for line in done.stdout.splitlines() if line]
        if sorted(found) != sorted(wanted) or done.stderr:
            failed += 1
            print(f"{words}: {found} instead of {wanted}\n{done.stderr}")
    print(f"{len(LINES)} lines, {failed} failed")
    return failed > 0


def shown_by(text):
    """What stands there in the end: without colours, and after the backspaces."""
    line = []
    for character in re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", text):
        if character != "\x08":
            line.append(character)
        elif line:
            line.pop()
    return "".join(line)


def read_until(terminal, wanted, seconds=20):
    text, end = "", time.monotonic() + seconds
    while wanted not in shown_by(text) and time.monotonic() < end:
        if select.select([terminal], [], [], 0.2)[0]:
            try:
                text += os.read(terminal, 4096).decode(errors="replace")
            except OSError: # the shell has gone
                break
    return shown_by(text)


# What a person types, tab included, and what then stands on the line.
TYPED = [("warpmem mach\tsh\tgtx4\t", "warpmem machine show gtx480 "),
         ("warpmem run --set gpu.l1.repl\tsr\t", "--set gpu.l1.replacement=srrip "),
         ("warpmem run --machine=rtx2\t", "--machine=rtx2060 "),
         ("warpmem run -q ./ap\t", "-q ./app.cu ")]


def with_keys(command, setup, build, home):
    """An interactive shell: `setup` loads the script."""
    try:
        for end in pty.openpty():
            os.close(end)
    except OSError as error:
        print(f"skipped: there is no pseudo-terminal here ({error.strerror or error})")
        return 77
    child, terminal = pty.fork()
    if child == 0:
        os.chdir(home)
        os.execve(command[0], command, environment(build, home) | {"PS1": "> ", "COLUMNS": "200"})
    failed = 0
    os.write(terminal, f"stty cols 200; {setup}; echo rea''dy\n".encode())
    before = read_until(terminal, "ready")
    for keys, wanted in TYPED:
        os.write(terminal, b"\x15" + keys.encode()) # ^U empties the line
        shown = read_until(terminal, wanted)
        if wanted not in shown:
            failed += 1
            print(f"{keys!r}: {shown!r} without {wanted!r}, after {before!r}")
    os.write(terminal, b"\x15exit\n")
    read_until(terminal, "exit", 2)
    os.close(terminal)
    os.waitpid(child, 0)
    print(f"{len(TYPED)} lines typed, {failed} failed")
    return failed > 0


def is_malformed(shell, build, home):
    script = subprocess.run(["warpmem", "completion", Path(shell).name],
                            env=environment(build, home), capture_output=True, check=True).stdout
    Path(home, "script").write_bytes(script)
    done = subprocess.run([shell, "-n", "script"], cwd=home, capture_output=True, text=True)
    print(done.stderr, end="")
    return done.returncode != 0 or done.stderr != ""


def in_zsh(shell, build, home):
    setup = "PROMPT='> '; unsetopt zle_bracketed_paste 2>/dev/null; autoload -Uz compinit; " \
            "compinit -D -u; source script"
    return is_malformed(shell, build, home) or with_keys([shell, "-f", "-i"], setup, build, home)


def in_fish(shell, build, home):
    """Fish tells what it would offer for a line, with a tab and the sentence behind it."""
    failed = is_malformed(shell, build, home)
    for words, wanted in LINES:
        line = words[0] + "".join(word if word in "=:" or last in "=:" else " " + word
                                  for last, word in zip(words, words[1:]))
        done = subprocess.run([shell, "-c", "source script; complete -C $argv[1]",
                               line], cwd=home, env=environment(build, home), capture_output=True,
                              text=True)
        found = [offered.split("\t")[0].replace("\\ ", " ") for offered in
                 done.stdout.splitlines()]
        before = line.split(" ")[-1].rpartition("=")[0] # bash alone completes behind the "="
        whole = [f"{before}={word}" if before else word for word in wanted]
        if sorted(found) != sorted(whole):
            failed = True
            print(f"{line!r}: {found} instead of {whole}\n{done.stderr}")
    return failed


def main(source, build, topic):
    build = Path(build).resolve()
    shell = shutil.which("bash" if topic == "keys" else topic)
    if not shell:
        print(f"skipped: {topic} is not installed")
        return 77
    with tempfile.TemporaryDirectory() as home:
        prepare(home)
        if topic == "keys":
            setup = "bind 'set enable-bracketed-paste off'; source <(warpmem completion bash)"
            return int(with_keys([shell, "--norc", "--noprofile", "-i"], setup, build, home))
        run = {"bash": in_bash, "zsh": in_zsh, "fish": in_fish}[topic]
        return int(run(shell, build, home))


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
