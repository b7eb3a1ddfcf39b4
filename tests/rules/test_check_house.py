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
    "mentions": ("docs/notes.md", "see `src/base/gone.c`\n"),
}
MORE = [
    ("layers", ("src/mem/sideways.c", '#include "exec/exec.h"\n')),
    ("mentions", ("README.md", "`wm_gone` returns it\n")),
    ("mentions", ("docs/decisions/0001.md", "all of `src/gone/`, wm_good\n")),
    ("mentions", ("CHANGELOG.md", "# Changelog\n## Next\nsee docs/gone.md\n## 1.0\nsee docs/older.md\n")),
    ("mentions", ("src/base/stale.c", "int wm_x; // as wm_good does, and wm_gone\n")),
    ("mentions", ("tests/unit/stale.h", "/* one like\n   those of gone_*, and all wm_gone_* */\n")),
]
# What no rule has anything to say of.
HARMLESS = {
    "mentions": [("docs/right.md", "`base/good.h`, docs/right.md, src/base/, wm_good, wm_go*\n"),
                 ("CHANGELOG.md", "# Changelog\n## Next\n## 1.0\nsee docs/older.md and wm_older\n"),
                 ("src/base/text.c", 'const char *wm_y = "wm_gone in gone.c"; // <stdio.h>\n')],
}


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
    for rule, (path, text) in [*BREACHES.items(), *MORE]:
        with tempfile.TemporaryDirectory() as root:
            subprocess.run(["git", "-C", root, "init", "-q"], check=True)
            plant(root, ".clang-format", Path(project, ".clang-format").read_text())
            plant(root, "src/base/good.h", GOOD)
            for harmless in HARMLESS.get(rule, []):
                plant(root, *harmless)
            clean = run_rule(root, checker, rule)
            plant(root, path, text)
            breached = run_rule(root, checker, rule)
            if clean.returncode != 0 or breached.returncode != 1 or f"{path}:" not in breached.stdout:
                wrong += 1
                print(f"rule {rule}: clean gave {clean.returncode}, breach gave "
                      f"{breached.returncode}: {breached.stdout}{breached.stderr}")
    print(f"{len(BREACHES) + len(MORE)} breaches planted, {wrong} missed")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
