"""Which functions of the CUDA interfaces the tests call and look at the result of.

A call counts when it stands in the arguments of a check (GOOD, EXPECT, CHECK, check), when its
result is assigned or returned, or when a macro that is used so stands for it; a call whose result
nobody reads does not. Three rules carry this on to names that no test writes out:

- a name that the code defines as another name of a function (WM_CUDA_ALIAS) is tested with it,
  and so is a variant for per-thread default streams;
- what a header renames counts by the name that is called: a program that writes cuMemAlloc calls
  cuMemAlloc_v2, and the old cuMemAlloc stays untested;
- what compilers put into every program, and what the interface's headers call for a program that
  writes something else, is tested with what the program writes (BEHIND).
"""
import re
from pathlib import Path

CHECKS = ("GOOD", "EXPECT", "CHECK", "check")
NAME = r"(?:cu(?:da)?[A-Z]\w*|__cuda\w+)"
TEMPLATE = r"(?:<[^<>;]*>)?"
CALL = re.compile(rf"\b({NAME}){TEMPLATE}\s*\(")
USED = re.compile(rf"(?:[^=!<>]=|\breturn)\s*({NAME}){TEMPLATE}\s*\(")
BEHIND = {
    "kernel<<<>>>": ["__cudaRegisterFatBinary", "__cudaRegisterFatBinaryEnd",
                     "__cudaRegisterFunction", "__cudaPushCallConfiguration",
                     "__cudaPopCallConfiguration", "__cudaUnregisterFatBinary",
                     "cudaLaunchKernel", "__cudaGetKernel"],
    "cudaMemcpyToSymbol": ["__cudaRegisterVar"],
    "__managed__": ["__cudaRegisterManagedVar", "__cudaInitModule"],
    "cudaLaunchKernelEx": ["cudaLaunchKernelExC"],
    "cudaBindTexture": ["__cudaRegisterTexture"],
    "cudaBindSurfaceToArray": ["__cudaRegisterSurface"],
}


def read(path):
    text = re.sub(r"//[^\n]*|/\*.*?\*/", " ", path.read_text(), flags=re.S)
    return re.sub(r"\\\n", " ", text)


def sources(root):
    """The programs' texts, each with the headers of its folder."""
    for folder in ("tests/programs", "tests/unit/cuda", "tests/cli"):
        for path in sorted((Path(root) / folder).rglob("*")):
            if path.suffix in (".cu", ".c"):
                text = read(path)
                headers = [path.parent / name for name in re.findall(r'#include "([^"]+)"', text)]
                yield "".join(read(header) for header in headers if header.exists()) + text


def arguments(text, opening):
    """What stands between a parenthesis and the one that closes it."""
    depth = 0
    for at in range(opening, len(text)):
        depth += {"(": 1, ")": -1}.get(text[at], 0)
        if depth == 0:
            return text[opening + 1:at]
    return text[opening + 1:]


def called_in(text):
    """The names that the checks of one program reach."""
    macros = {name: body.strip() for name, body in
              re.findall(r"^[ \t]*#[ \t]*define[ \t]+(\w+)(?:\([^)\n]*\))?[ \t]+(.*)$", text, re.M)
              if name not in CHECKS}
    for name in re.findall(r"^[ \t]*#[ \t]*undef[ \t]+(\w+)", text, re.M):
        macros.pop(name, None)
    code = re.sub(r"^[ \t]*#.*$", "", text, flags=re.M)
    checked = " ".join(arguments(code, use.end() - 1)
                       for use in re.finditer(rf"\b(?:{'|'.join(CHECKS)})\s*\(", code))
    names = set(CALL.findall(checked)) | set(USED.findall(code))
    words, known = set(re.findall(r"\w+", checked)) | names, set()
    while words & (macros.keys() - known):
        for macro in words & (macros.keys() - known):
            known.add(macro)
            words |= set(re.findall(r"\w+", macros[macro]))
            names |= set(CALL.findall(macros[macro]))
    renamed = {name: macros[name] for name in names
               if re.fullmatch(NAME, macros.get(name, ""))}
    return names - renamed.keys() | set(renamed.values())


def aliases(root):
    """Other names of functions, as the code defines them."""
    found = {}
    for path in sorted((Path(root) / "src/cuda").rglob("*.c")):
        found |= dict(re.findall(r"WM_CUDA_ALIAS\((\w+),\s*(\w+)\)", path.read_text()))
    return found


def tested(root):
    names = set()
    for text in sources(root):
        names |= called_in(text)
        names |= {"kernel<<<>>>"} if "<<<" in text else set()
        names |= {"__managed__"} if "__managed__" in text else set()
    for written, behind in BEHIND.items():
        if written in names:
            names |= set(behind)
    same = aliases(root)
    return names | {name for name, of in same.items() if of in names} | \
        {of for name, of in same.items() if name in names}
