#!/usr/bin/env python3
"""Plants one breach of each rule in a scratch repository and requires that the rule reports it."""
import re
import subprocess
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True

GOOD = "#ifndef WM_BASE_GOOD_H\n#define WM_BASE_GOOD_H\n\nint wm_good(void);\n\n#endif\n"
PRIVATE = """// Inside. Private to mem/dram/.
#ifndef WM_MEM_DRAM_STATE_H
#define WM_MEM_DRAM_STATE_H
#endif
"""
# The rule, the file that breaches it, and its text.
BREACHES = [
    ("layers", "src/base/upward.c", '#include "exec/exec.h"\n'),
    ("layers", "src/mem/sideways.c", '#include "exec/exec.h"\n'),
    ("private", "src/engine/inside.c", '#include "mem/dram/state.h"\n'),
    ("private", "src/mem/cache/beside.c", '#include "mem/dram/state.h"\n'),
    ("private", "src/mem/silent.h", "// Used by no other room.\nint wm_x;\n"),
    ("private", "src/mem/moved.h", "// Private to mem/cache/.\nint wm_x;\n"),
    ("circles", "src/mem/dram/state.h", '#include "mem/dram/bus.h"\n'),
    ("circles", "src/mem/dram/rows_parts.h",
     '// Private to mem/dram/.\n#include "mem/dram/bus.h"\n'),
    ("circles", "src/mem/cache/cache.h", "int wm_in_no_circle;\n"),  # CIRCLES has it for nothing
    ("names", "src/ptx/text_util.c", "int wm_x;\n"),
    ("headers", "src/base/guard.h", "#ifndef GUARD_H\n#define GUARD_H\n#endif\n"),
    ("sizes", "src/base/long.c", "int wm_x;\n" * 900),
    ("format", "src/base/crooked.c", "int   wm_x ;\n"),
    ("processor", "src/mem/wide.c",
     "int wm_x(void)\n{\n    return __builtin_cpu_supports(\"avx2\");\n}\n"),
    ("places", "docs/notes.md", "see /" + "home/somebody/file\n"),
    ("memory", "src/mem/own_growth.c", "void *wm_x(void *p) { return realloc(p, 8); }\n"),
    ("memory", "src/mem/own_words.c", 'const char *wm_x = "out of memory for a table";\n'),
    ("mentions", "docs/notes.md", "see `src/base/gone.c`\n"),
    ("mentions", "README.md", "`wm_gone` returns it\n"),
    ("mentions", "docs/decisions/0001.md", "all of `src/gone/`, wm_good\n"),
    ("mentions", "CHANGELOG.md", "# Changelog\n## Next\nsee docs/gone.md\n## 1.0\nsee docs/older.md\n"),
    ("mentions", "src/base/stale.c", "int wm_x; // as wm_good does, and wm_gone\n"),
    ("mentions", "tests/unit/stale.h", "/* one like\n   those of gone_*, and all wm_gone_* */\n"),
]
# What no rule has anything to say of.
HARMLESS = {
    "mentions": [("docs/right.md", "`base/good.h`, docs/right.md, src/base/, wm_good, wm_go*\n"),
                 ("CHANGELOG.md", "# Changelog\n## Next\n## 1.0\nsee docs/older.md and wm_older\n"),
                 ("src/base/text/text.c", 'const char *wm_y = "wm_gone in gone.c"; // <stdio.h>\n')],
}


def rules_without(project):
    """Rules that no breach is planted for, or that are no test of the suite."""
    sys.path.insert(0, str(Path(project, "tools")))
    from check_house import RULES
    run = re.search(r"foreach rule : (.*)", Path(project, "tests/rules/meson.build").read_text())[1]
    for rule in RULES:
        if rule not in {breach[0] for breach in BREACHES}:
            yield f"rule {rule}: no breach of it is planted"
        if f"'{rule}'" not in run:
            yield f"rule {rule}: tests/rules/meson.build does not run it"


def run_rule(root, checker, rule):
    return subprocess.run([sys.executable, checker, root, rule], capture_output=True, text=True)


def plant(root, path, text):
    target = Path(root, path)
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(text)
    subprocess.run(["git", "-C", root, "add", "-A"], check=True)


def main(project):
    checker = str(Path(project, "tools/check_house.py"))
    without = list(rules_without(project))
    print("".join(line + "\n" for line in without), end="")
    wrong = 0
    for rule, path, text in BREACHES:
        with tempfile.TemporaryDirectory() as root:
            subprocess.run(["git", "-C", root, "init", "-q"], check=True)
            plant(root, ".clang-format", Path(project, ".clang-format").read_text())
            plant(root, "src/base/good.h", GOOD)
            plant(root, "src/mem/dram/state.h", PRIVATE)
            plant(root, "src/mem/dram/state.c", '#include "mem/dram/state.h"\n')
            plant(root, "src/mem/dram/bus.c",
                  '#include "mem/dram/rows.h"\n#include "mem/dram/state.h"\n')
            for harmless in HARMLESS.get(rule, []):
                plant(root, *harmless)
            clean = run_rule(root, checker, rule)
            plant(root, path, text)
            breached = run_rule(root, checker, rule)
            if clean.returncode != 0 or breached.returncode != 1 or f"{path}:" not in breached.stdout:
                wrong += 1
                print(f"rule {rule}: clean gave {clean.returncode}, breach gave "
                      f"{breached.returncode}: {breached.stdout}{breached.stderr}")
    print(f"{len(BREACHES)} breaches planted, {wrong} missed")
    return 1 if wrong or without else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
