#!/usr/bin/env python3
"""Each banned function fails to compile, and an innocent file compiles. usage: check_banned.py ROOT CC"""
import re
import subprocess
import sys
from pathlib import Path


def compiles(root, compiler, body):
    source = f"int wm_probe(char *a, const char *b);\nint wm_probe(char *a, const char *b) {{ {body} return a == b; }}\n"
    done = subprocess.run([compiler, "-std=gnu17", "-D_GNU_SOURCE", "-fsyntax-only", "-w", "-include",
                           f"{root}/src/base/banned.h", "-x", "c", "-"],
                          input=source, capture_output=True, text=True)
    return done.returncode == 0


def main(root, compiler):
    header = Path(root, "src/base/banned.h").read_text()
    names = " ".join(re.findall(r"#pragma GCC poison (.*)", header)).split()
    wrong = [name for name in names if compiles(root, compiler, f"(void)(void *){name};")]
    for name in wrong:
        print(f"\"{name}\" is said to be banned, but compiles")
    if not compiles(root, compiler, "(void)(void *)strlen;"):
        wrong.append("strlen")
        print("an innocent file does not compile: the probe itself is broken")
    print(f"{len(names)} banned functions, {len(wrong)} wrong")
    return 1 if wrong or not names else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2]))
