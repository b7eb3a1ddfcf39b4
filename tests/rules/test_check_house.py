#!/usr/bin/env python3
"""Plants one breach of each rule in a scratch repository and requires that the rule reports it."""
import subprocess
import sys
import tempfile
from pathlib import Path

GOOD = "#ifndef WM_BASE_GOOD_H\n#define WM_BASE_GOOD_H\n\nint wm_good(void);\n\n#endif\n"
BREACHES = {
    "layers": ("src/base/upward.c", '#include "exec/exec.h"\n'),
    "names": ("src/ptx/text_util.c", "int wm_x;\n"),
    "headers": ("src/base/guard.h", "#ifndef GUARD_H\n#define GUARD_H\n#endif\n"),
    "sizes": ("src/base/long.c", "int wm_x;\n" * 900),
    "format": ("src/base/crooked.c", "int   wm_x ;\n"),
    "places": ("docs/notes.md", "see /" + "home/somebody/file\n"),
    "memory": ("src/mem/own_growth.c", "void *wm_x(void *p) { return realloc(p, 8); }\n"),
}
OWN_WORDING = ("src/mem/own_words.c", 'const char *wm_x = "out of memory for a table";\n')
SAME_FLOOR = ("src/mem/sideways.c", '#include "exec/exec.h"\n')


PLANTED = [*BREACHES.items(), ("layers", SAME_FLOOR), ("memory", OWN_WORDING)]


def run_rule(root, checker, rule):
    return subprocess.run([sys.executable, checker, root, rule], capture_output=True, text=True)


def plant(root, path, text):
    target = Path(root, path)
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(text)
    subprocess.run(["git", "-C", root, "add", "-A"], check=True)


def main(project):
    checker = str(Path(project, "tools/check_house.py"))
    wrong = 0
    for rule, (path, text) in PLANTED:
        with tempfile.TemporaryDirectory() as root:
            subprocess.run(["git", "-C", root, "init", "-q"], check=True)
            plant(root, ".clang-format", Path(project, ".clang-format").read_text())
            plant(root, "src/base/good.h", GOOD)
            clean = run_rule(root, checker, rule)
            plant(root, path, text)
            breached = run_rule(root, checker, rule)
            if clean.returncode != 0 or breached.returncode != 1 or path not in breached.stdout:
                wrong += 1
                print(f"rule {rule}: clean gave {clean.returncode}, breach gave "
                      f"{breached.returncode}: {breached.stdout}{breached.stderr}")
    print(f"{len(PLANTED)} breaches planted, {wrong} missed")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
