#!/usr/bin/env python3
"""The annotated page: well-formed, whole, and self-contained. usage: check_annotate_page.py SOURCE BUILD

Where Chromium is installed it must show the page (headless) with the same rows that the parser
finds; where it is not, this part is skipped and said so. Exit status 77: no clang.
"""
import html.parser
import json
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import sanitized

VOID = {"meta", "br", "link", "img", "input"}


class Page(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.open, self.wrong, self.rows, self.text = [], [], [], ""

    def handle_starttag(self, tag, attributes):
        for name, value in attributes:
            if name in ("src", "href", "srcset", "action") or name.startswith("on"):
                self.wrong.append(f"<{tag} {name}={value}>")
        if tag == "script":
            self.wrong.append("a script")
        if tag == "tr":
            self.rows.append([dict(attributes).get("class")])
        if tag == "td":
            self.rows[-1].append("")
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.wrong.append(f"</{tag}> closes another element")

    def handle_data(self, data):
        self.text += data
        if self.open and self.open[-1] in ("td", "b") and self.rows and len(self.rows[-1]) > 1:
            self.rows[-1][-1] += data


def parse(text):
    page = Page()
    page.feed(text)
    page.close()
    assert not page.open, f"left open: {page.open}"
    assert not page.wrong, page.wrong
    return page


def check(page, annotation, text):
    assert not re.search(r"url\(|@import|https?:", text), "the page loads something"
    lines = [line for kernel in annotation["kernels"] for section in kernel["sections"]
             for line in section["lines"]]
    rows = [row for row in page.rows if len(row) == 9]  # class, number, six figures, source
    assert [(int(row[1]), row[8]) for row in rows] == [
        (line["line"], line["text"]) for line in lines], "other lines than in JSON"
    advised = [(advice["rule"], advice["sentence"]) for line in lines
               for advice in line.get("advice", [])]
    shown = [row[1] for row in page.rows if row[0] == "advice"]
    assert len(shown) == len(advised) > 0
    for (rule, sentence), cell in zip(advised, shown):
        assert cell.startswith(rule) and cell.endswith(": " + sentence), cell
    assert any("__global__" in row[8] for row in rows), "the kernel's head is missing"
    for line in lines:
        assert ("counters" in line) == ("accesses" in line)


def in_browser(path):
    browser = shutil.which("chromium") or shutil.which("chromium-browser")
    if not browser:
        print("chromium is not installed: only the structure was checked")
        return None
    with tempfile.TemporaryDirectory() as profile:
        done = subprocess.run([browser, "--headless", "--no-sandbox", "--disable-gpu",
                               "--disable-dev-shm-usage", f"--user-data-dir={profile}",
                               "--dump-dom", path.as_uri()],
                              capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    return done.stdout


def main(source, build):
    if not (shutil.which("clang") or shutil.which("clang-14")):
        print("skipped: clang is not installed")
        return 77
    with tempfile.TemporaryDirectory() as folder:
        environment = {"PATH": f"{build / 'src/cli'}:/usr/local/bin:/usr/bin:/bin", "HOME": folder,
                       "LC_ALL": "C.UTF-8", **sanitized.variables(build / "src/cli/warpmem")}

        def warpmem(*words):
            subprocess.run(["warpmem", *words], cwd=folder, env=environment, check=True,
                           stdout=subprocess.DEVNULL, timeout=240)

        # A source with everything that markup could trip over.
        text = Path(source, "workloads/transpose.cu").read_text()
        text = text.replace("\n        if (x <", "\n        // <b>&amp; \"x\" </td></table>\n        if (x <")
        Path(folder, "odd.cu").write_text(text)
        shutil.copy(Path(source, "workloads/workload.h"), folder)
        warpmem("cc", "odd.cu", "-o", "odd")
        warpmem("annotate", "-q", "--html", "page.html", "--json", "page.json", "./odd")
        page = Path(folder, "page.html")
        annotation = json.loads(Path(folder, "page.json").read_text())
        assert annotation["format"] == "warpmem-annotation"
        check(parse(page.read_text()), annotation, page.read_text())
        shown = in_browser(page)
        if shown is not None:
            check(parse(shown), annotation, shown)
        # The same again, to the byte.
        warpmem("annotate", "-q", "--html", "again.html", "./odd")
        first = page.read_text()
        assert Path(folder, "again.html").read_text() == first
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()))
