#!/usr/bin/env python3
"""What the build does where npm is missing or fails: it goes on, and says why there are no charts.
usage: check_chart_fetch.py SOURCE"""
import json
import subprocess
import sys
import tempfile
from pathlib import Path


def fetch(source, folder, npm, need="--optional"):
    names = ["library.js", "licences.txt", "missing.txt"]
    done = subprocess.run([sys.executable, source / "src/study/page/fetch_charts.py", npm, need,
                           *(folder / name for name in names)], capture_output=True, text=True, timeout=60)
    return done, [(folder / name).read_text() if (folder / name).exists() else None for name in names]


def program(folder, name, text):
    path = folder / name
    path.write_text("#!/bin/sh\n" + text)
    path.chmod(0o755)
    return str(path)


def main(source):
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        failing = program(folder, "failing", "echo 'npm error code EINTEGRITY' >&2; exit 1\n")
        # npm 9 of Debian, and later ones: behind a proxy that signs with its own certificate, and nowhere.
        proxy = program(folder, "proxy", "echo 'npm ERR! code SELF_SIGNED_CERT_IN_CHAIN' >&2; exit 1\n")
        issuer = program(folder, "issuer", "echo 'npm error code UNABLE_TO_GET_ISSUER_CERT_LOCALLY' >&2; exit 1\n")
        offline = program(folder, "offline", "echo 'npm error code ENOTFOUND' >&2; exit 1\n")
        for npm, reason in ((str(folder / "nowhere"), "built without npm"), ("disabled", "-Dcharts=disabled"),
                            (failing, "(code EINTEGRITY)"),
                            (proxy, "(code SELF_SIGNED_CERT_IN_CHAIN: npm does not know the certificate"),
                            (issuer, "NODE_EXTRA_CA_CERTS"), (offline, "(code ENOTFOUND: the registry")):
            done, (library, licences, missing) = fetch(source, folder, npm)
            assert done.returncode == 0 and library == "" and licences == "", done
            assert reason in missing and reason in done.stderr, (missing, done.stderr)
            required, _ = fetch(source, folder, npm, "--required")
            assert required.returncode != 0 and reason in required.stderr, required

        # An npm that brings packages: only what is inside, and no script that could end its element.
        script = """mkdir -p node_modules/vega/build node_modules/vega-lite/build node_modules/yargs
echo '{"version": "6", "license": "BSD", "dependencies": {"yargs": "1"}}' > node_modules/vega/package.json
echo '{"version": "7", "license": "MIT"}' > node_modules/vega-lite/package.json
echo 'Its text' > node_modules/vega/LICENSE
printf 'one()\\n//# sourceMappingURL=x.map\\n' > node_modules/vega/build/vega.min.js
echo '%s' > node_modules/vega-lite/build/vega-lite.min.js
"""
        good = program(folder, "good", script % "two()")
        done, (library, licences, missing) = fetch(source, folder, good)
        assert (library, missing, done.stderr) == ("one()\ntwo()\n", "", ""), (library, done)
        assert licences == "vega 6\n\nIts text\n\n\nvega-lite 7\n\nLicence: MIT\n", licences
        _, (library, _, missing) = fetch(source, folder, program(folder, "bad", script % "</script>"))
        assert library == "" and "cannot stand in a page" in missing, missing

    # The lockfile names no place to fetch from: that is the reader's own configuration.
    lock = json.loads((Path(source) / "src/study/page/package-lock.json").read_text())
    assert all("resolved" not in package for package in lock["packages"].values())
    assert all("integrity" in package for name, package in lock["packages"].items() if name)
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]).resolve()))
