#!/usr/bin/env python3
"""Fetches what draws the report's charts: vega and vega-lite, as package-lock.json pins them.

usage: fetch_charts.py NPM --optional|--required LIBRARY LICENCES MISSING

Runs "npm ci" in a scratch folder and writes the minified scripts into LIBRARY, the licences of all
that is in them into LICENCES, and an empty MISSING. When that cannot be done, LIBRARY and LICENCES
are empty and MISSING says why: a build without a network is a build, whose reports have tables
only. With --required it is an error. NPM is the program to run, or "disabled".
"""
import json
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
SCRIPTS = ["vega/build/vega.min.js", "vega-lite/build/vega-lite.min.js"]
ROOTS = ["vega", "vega-lite"]
# Dependencies of the packages' command lines and of their types: not in the minified scripts.
NOT_INSIDE = {"yargs", "commander", "iconv-lite", "rw"}
SECONDS = 300


# Of certificates that npm does not know: a proxy that signs for every site with its own.
CERTIFICATES = {"SELF_SIGNED_CERT_IN_CHAIN", "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
                "UNABLE_TO_GET_ISSUER_CERT", "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
                "DEPTH_ZERO_SELF_SIGNED_CERT", "CERT_UNTRUSTED"}
# And of a network that leads nowhere.
UNREACHABLE = {"ENOTFOUND", "EAI_AGAIN", "ECONNREFUSED", "ECONNRESET", "ETIMEDOUT", "ENETUNREACH",
               "EHOSTUNREACH", "ERR_SOCKET_TIMEOUT"}


class Missing(Exception):
    pass


def install(npm, folder):
    for name in ("package.json", "package-lock.json"):
        shutil.copy(HERE / name, folder)
    command = [npm, "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--fetch-retries=1"]
    try:
        done = subprocess.run(command, cwd=folder, stdin=subprocess.DEVNULL, capture_output=True,
                              text=True, errors="replace", timeout=SECONDS)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise Missing(f"\"npm ci\" did not run: {type(error).__name__}")
    if done.returncode:
        raise Missing(f"\"npm ci\" failed{cause(done.stderr)}")


def cause(errors):
    """What npm says of a failure: its code, and what that means where there is a cure."""
    codes = re.findall(r"^npm (?:error|ERR!) code (\S+)", errors, re.M)
    if not codes:
        return ""
    if codes[0] in CERTIFICATES:
        return (f" (code {codes[0]}: npm does not know the certificate, which is most likely a proxy's own; "
                "name the file of its authority in NODE_EXTRA_CA_CERTS, or by \"npm config set cafile FILE\")")
    if codes[0] in UNREACHABLE:
        return (f" (code {codes[0]}: the registry cannot be reached; behind a proxy, name it in HTTPS_PROXY, "
                "or another registry by \"npm config set registry URL\")")
    return f" (code {codes[0]})"


def packages_inside(modules):
    """The packages that the scripts are made of: what the roots depend on."""
    found, waiting = set(), list(ROOTS)
    while waiting:
        name = waiting.pop()
        if name in found or name in NOT_INSIDE or name.startswith("@types/"):
            continue
        found.add(name)
        waiting += json.loads((modules / name / "package.json").read_text()).get("dependencies", {})
    return sorted(found)


def licences(modules):
    """Each licence's text once, under the packages that have it."""
    texts = {}
    for name in packages_inside(modules):
        package = json.loads((modules / name / "package.json").read_text())
        files = sorted(path for path in (modules / name).iterdir()
                       if path.name.upper().startswith(("LICENSE", "LICENCE")))
        text = files[0].read_text().strip() if files else f"Licence: {package['license']}"
        texts.setdefault(text, []).append(f"{name} {package['version']}")
    return "\n\n\n".join(f"{', '.join(names)}\n\n{text}" for text, names in texts.items()) + "\n"


def library(modules):
    scripts = []
    for name in SCRIPTS:
        text = (modules / name).read_text()
        text = "\n".join(line for line in text.splitlines()
                         if not line.startswith("//# sourceMappingURL="))
        # Either would end or change the element that holds the script.
        if "</script" in text.lower() or "<!--" in text:
            raise Missing(f"{name} cannot stand in a page")
        scripts.append(text)
    return "\n".join(scripts) + "\n"


def fetch(npm):
    if npm == "disabled":
        raise Missing("this warpmem was built with -Dcharts=disabled")
    if not shutil.which(npm):
        raise Missing("this warpmem was built without npm")
    with tempfile.TemporaryDirectory() as folder:
        install(npm, folder)
        modules = Path(folder) / "node_modules"
        return library(modules), licences(modules)


def main(npm, need, library_path, licences_path, missing_path):
    script, texts, missing = "", "", ""
    try:
        script, texts = fetch(npm)
    except Missing as reason:
        if need == "--required":
            sys.exit(f"the charts of warpmem report cannot be had: {reason}")
        missing = f"{reason}\n"
        print(f"warpmem report will write tables only, no charts: {reason}", file=sys.stderr)
    for path, text in ((library_path, script), (licences_path, texts), (missing_path, missing)):
        Path(path).write_text(text)


if __name__ == "__main__":
    main(*sys.argv[1:])
