#!/usr/bin/env python3
"""Prototypes of the functions that a CUDA library of ours exports, from their definitions.

usage: make_cuda_prototypes.py OUTPUT.h INCLUDE... -- SOURCE.c...

A definition says all: `WM_CUDA_API wm_cuda_status cudaFree(void *pointer)` and its body. From each
in the sources, in their order, the header has

    WM_CUDA_API wm_cuda_status cudaFree(void *pointer);
    #define cudaFree_PARAMETERS (void *pointer)
    #define cudaFree_ARGUMENTS (pointer)

of which WM_CUDA_PER_THREAD and WM_DRIVER_FORWARD make functions that take and pass on the same; a line
WM_DRIVER_FORWARD(cuGraphDestroy, cudaGraphDestroy) declares cuGraphDestroy as well. INCLUDE is what
declares the types that are passed by value; structs behind pointers are declared by name, and a
source's own short names are spelled out. A definition under `#if WM_CUDART_MAJOR == …` is declared
under the same condition, and 13 is the version where a source has not chosen one.
"""
import re
import sys
from pathlib import Path

DEFINITION = re.compile(r"^WM_CUDA_API ([^;{}()]*?)(\w+)\(([^;{}]*)\)\n\{", re.M)
FORWARD = re.compile(r"^(?:WM_DRIVER_FORWARD|WM_DRIVER_FORWARD_ANY)\((\w+), (\w+)\)$", re.M)
SHORT = re.compile(r"^typedef ((?:struct|union) [\w *]+?)(\w+);|^#define ([A-Z]+) (\w.*)$", re.M)
CONDITION = re.compile(r"^#(if|ifdef|ifndef|elif|else|endif)\b(.*)$", re.M)


def conditions_at(text, offset):
    """The conditions on the library's version that enclose a place, outermost first."""
    stack = []
    for kind, rest in CONDITION.findall(text[:offset]):
        if kind == "endif":
            stack.pop()
        elif kind in ("else", "elif"):
            others = [f"!({said})" for said in stack.pop().split(" && ")]
            stack.append(" && ".join(others + ([rest.strip()] if kind == "elif" else [])))
        else:
            stack.append(rest.strip())
    return [condition for condition in stack if "WM_CUDART_MAJOR" in condition]


def spell_out(parameters, text):
    """Parameters without the short names that their source has for types and for lists of them."""
    # A macro may name types of above it.
    for meant, kind, macro, replacement in reversed(SHORT.findall(text)):
        parameters = (re.sub(rf"\b{macro}\b", replacement, parameters) if macro else
                      re.sub(rf"\b(const )?{kind}\b",
                             lambda found: meant + (found.group(1) or ""), parameters))
    return parameters


def arguments(parameters):
    if parameters == "void":
        return ""
    return ", ".join(re.search(r"(\w+)(?:\[\w*\])*$", each.strip()).group(1)
                     for each in parameters.split(","))


def declarations(source):
    text = Path(source).read_text()
    for name, runtime in FORWARD.findall(text):
        yield "\n".join([f"WM_CUDA_API wm_driver_result {name} {runtime}_PARAMETERS;",
                         f"#define {name}_PARAMETERS {runtime}_PARAMETERS",
                         f"#define {name}_ARGUMENTS {runtime}_ARGUMENTS"])
    for found in DEFINITION.finditer(text):
        kind, name, parameters = (" ".join(part.split()) for part in found.groups())
        parameters = spell_out(parameters, text)
        space = "" if kind.endswith("*") else " "
        lines = [f"WM_CUDA_API {kind}{space}{name}({parameters});",
                 f"#define {name}_PARAMETERS ({parameters})",
                 f"#define {name}_ARGUMENTS ({arguments(parameters)})"]
        conditions = conditions_at(text, found.start())
        yield "\n".join([f"#if {condition}" for condition in conditions] + lines +
                        ["#endif"] * len(conditions))


def main(output, *rest):
    includes, sources = rest[:rest.index("--")], rest[rest.index("--") + 1:]
    declared = [each for source in sources for each in declarations(source)]
    structs = sorted(set(re.findall(r"((?:struct|union) \w+)\s*(?:const\s*)?\*", "\n".join(declared))))
    guard = "WM_GENERATED_" + re.sub(r"\W", "_", Path(output).name).upper()
    lines = [f"// Made by {Path(__file__).name} from the definitions.", f"#ifndef {guard}",
             f"#define {guard}", ""]
    lines += [f'#include "{include}"' for include in includes]
    lines += ["", "#ifndef WM_CUDART_MAJOR", "#define WM_CUDART_MAJOR 13", "#endif", ""]
    lines += [f"{struct};" for struct in structs] + [""] + declared + ["", "#endif", ""]
    text, to = "\n".join(lines), Path(output)
    # What is the same keeps its time: an edit of one body compiles one file.
    if not to.exists() or to.read_text() != text:
        to.write_text(text)


if __name__ == "__main__":
    main(*sys.argv[1:])
