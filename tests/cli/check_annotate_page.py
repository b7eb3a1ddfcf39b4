#!/usr/bin/env python3
"""The annotated page: well-formed, whole, self-contained, and fit to be looked at.

usage: check_annotate_page.py SOURCE BUILD structure
       check_annotate_page.py SOURCE BUILD chromium [FOLDER]

`structure` reads the page; `chromium` shows it in headless Chromium, in several widths and both
colour schemes, and leaves pictures of it in FOLDER. Exit status 77: skipped, with the reason.
"""
import html.parser
import json
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
sys.path.insert(0, str(Path(__file__).resolve().parent))
import browser
import sanitized

VOID = {"meta", "br", "link", "img", "input"}
PHONE, DESKTOP = (390, 844), (1280, 900)


class Page(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.open, self.wrong, self.rows, self.ids, self.links, self.text = [], [], [], [], [], ""

    def handle_starttag(self, tag, attributes):
        for name, value in attributes:
            if name == "href" and value.startswith("#"):
                self.links.append(value[1:])
            elif name in ("src", "href", "srcset", "action") or name.startswith("on"):
                self.wrong.append(f"<{tag} {name}={value}>")
            if name == "id":
                self.ids.append(value)
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
    assert len(set(page.ids)) == len(page.ids), "an id twice"
    assert page.links and set(page.links) <= set(page.ids), "a link that leads nowhere"
    return page


def check(page, annotation, text):
    assert not re.search(r"url\(|@import|https?:", text), "the page loads something"
    lines = [line for kernel in annotation["kernels"] for section in kernel["sections"]
             for line in section["lines"]]
    rows = [row for row in page.rows if len(row) > 3]  # class, number, figures, source
    assert [(int(row[1]), row[-1]) for row in rows] == [
        (line["line"], line["text"]) for line in lines], "other lines than in JSON"
    advised = [(advice["rule"], advice["sentence"]) for line in lines
               for advice in line.get("advice", [])]
    shown = [row[1] for row in page.rows if row[0] == "advice"]
    assert len(shown) == len(advised) > 0
    for (rule, sentence), cell in zip(advised, shown):
        assert cell.startswith(rule) and cell.endswith(": " + sentence), cell
    assert any("__global__" in row[-1] for row in rows), "the kernel's head is missing"
    for line in lines:
        assert ("counters" in line) == ("accesses" in line)
    for fact in ("machine", "found in L1", "DRAM", annotation["machine"]):
        assert fact in page.text, f"the head does not say {fact}"


# --- In Chromium ---

# The contrast of every text against what is painted behind it (WCAG 2.2, "contrast ratio"), the
# worst first. Colours come from a canvas, whatever their notation; a gradient is no background.
CONTRAST = r"""(() => {
  const canvas = document.createElement('canvas').getContext('2d', {willReadFrequently: true});
  const rgba = colour => {
    canvas.clearRect(0, 0, 1, 1); canvas.fillStyle = colour; canvas.fillRect(0, 0, 1, 1);
    return [...canvas.getImageData(0, 0, 1, 1).data];
  };
  const light = ([r, g, b]) => [r, g, b].map(v => v / 255).map(
    v => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
    .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
  const behind = element => {
    for (; element; element = element.parentElement) {
      const colour = rgba(getComputedStyle(element).backgroundColor);
      if (colour[3] == 255) return colour;
    }
    return rgba('Canvas');
  };
  const probe = document.body.appendChild(document.createElement('i'));
  probe.style.color = 'var(--bar)';
  const bar = rgba(getComputedStyle(probe).color);
  probe.remove();
  const found = [];
  for (const element of document.querySelectorAll('body *')) {
    if (![...element.childNodes].some(n => n.nodeType == 3 && n.data.trim())) continue;
    if (!element.getClientRects().length) continue;
    const ink = light(rgba(getComputedStyle(element).color));
    for (const back of element.className == 'bytes' ? [bar, behind(element)] : [behind(element)]) {
      const paper = light(back);
      found.push([(Math.max(ink, paper) + 0.05) / (Math.min(ink, paper) + 0.05),
                  element.tagName + '.' + element.className + ' ' + element.textContent.slice(0, 30)]);
    }
  }
  return found.sort((a, b) => a[0] - b[0]);
})()"""

# Elements that stick out of the window to the right and do not scroll in a box of their own.
SPILLS = r"""[...document.querySelectorAll('body *')].filter(e => !e.closest('.wide') &&
  e.getClientRects().length && e.getBoundingClientRect().right > innerWidth + 0.5)
  .map(e => e.tagName + ' ' + e.textContent.slice(0, 40))"""

CUT = r"""[...document.querySelectorAll('tr.advice td')].filter(e => {
  const box = e.getBoundingClientRect();
  return box.right > innerWidth + 0.5 || box.width < 200 || e.scrollWidth > e.clientWidth;
}).map(e => e.textContent)"""


def check_layout(page, width, phone):
    assert page.value("innerWidth") == width
    assert page.value("document.documentElement.scrollWidth") <= width, "the page is wider than its window"
    assert not page.value(SPILLS), page.value(SPILLS)
    assert not page.value(CUT), f"advice is cut: {page.value(CUT)}"
    # A source line's figures stand beside it where there is room, else below it.
    below = page.value("""(() => { const row = [...document.querySelectorAll('tr[id]')].find(
        r => r.cells[1].textContent); const source = row.cells[row.cells.length - 1];
        return row.cells[1].getBoundingClientRect().top >= source.getBoundingClientRect().bottom - 1
        })()""")
    assert below == phone, "figures are not where they belong"


def check_scheme(page, scheme):
    dark = page.value("""(() => { const c = getComputedStyle(document.body).backgroundColor;
        return Number(c.match(/[0-9.]+/)[0]) < 128 })()""")
    assert dark == (scheme == "dark"), f"the page is not {scheme}"
    found = page.value(CONTRAST)
    assert len(found) > 50, "hardly any text"
    assert found[0][0] >= 4.5, f"hard to read in {scheme}: {found[:5]}"


# Folding is the page's only moving part.
def check_folding(page):
    shown = "document.querySelector('details table').checkVisibility()"
    assert page.value(shown)
    page.value("document.querySelector('details > summary').click()")
    assert not page.value(shown), "a folded kernel is still shown"
    page.value("document.querySelector('details > summary').click()")
    assert page.value(shown)


def check_links(page):
    page.value("document.querySelector('ol.hot a').click()")
    seen = None
    for _ in range(50):  # the window scrolls at the next frame
        seen = page.value("""(() => { const row = document.querySelector('tr:target');
            return row && [row.getBoundingClientRect().top, innerHeight] })()""")
        if seen and 0 <= seen[0] < seen[1]:
            return
        time.sleep(0.1)
    raise AssertionError(f"a link does not lead to its line: {seen}")


def look(path, name, annotation, pictures):
    with browser.Browser() as page:
        page.open(path.as_uri())
        check(parse(page.value("document.documentElement.outerHTML")), annotation,
              page.value("document.documentElement.outerHTML"))
        for size, phone in ((DESKTOP, False), (PHONE, True)):
            for scheme in ("light", "dark"):
                page.look(*size, scheme, phone)
                page.value("scrollTo(0, 0)")
                check_layout(page, size[0], phone)
                check_scheme(page, scheme)
                if pictures:
                    page.screenshot(pictures / f"{name}-{size[0]}-{scheme}.png")
        check_folding(page)
        check_links(page)
        if pictures:
            page.screenshot(pictures / f"{name}-line.png")
        assert page.requests == [path.as_uri()], f"the page asked for {page.requests}"
        assert not page.complaints, page.complaints


# The checks above can fail: a page with every fault in turn is refused.
def check_can_fail(path):
    faults = {
        "check_scheme": ("</style>", "td{color:#999!important}</style>", "hard to read"),
        "check_layout": ("<header>", "<header><div style='width:2000px'>x</div>", "wider"),
    }
    for name, (place, fault, reason) in faults.items():
        broken = path.with_name(f"broken-{name}.html")
        broken.write_text(path.read_text().replace(place, fault, 1))
        with browser.Browser() as page:
            page.open(broken.as_uri())
            page.look(*DESKTOP, "light")
            try:
                check_scheme(page, "light") if name == "check_scheme" else check_layout(page, DESKTOP[0], False)
            except AssertionError as error:
                assert reason in str(error), error
            else:
                raise AssertionError(f"{name} found nothing")
    broken = path.with_name("broken.html")
    broken.write_text(path.read_text().replace(
        "<header>", "<header><img src='http://example.org/x.png'><script>console.error(1);oops()</script>", 1))
    with browser.Browser() as page:
        page.open(broken.as_uri())
        assert len(page.requests) == 2 and len(page.complaints) >= 2, (page.requests, page.complaints)


def annotate(folder, source, build):
    """The pages to look at: their names, and the same as JSON."""
    environment = {"PATH": f"{build / 'src/cli'}:/usr/local/bin:/usr/bin:/bin", "HOME": str(folder),
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
    warpmem("annotate", "-q", "--html", "odd.html", "--json", "odd.json", "./odd", "--width", "256",
            "--height", "256")
    warpmem("cc", source / "workloads/spmv.cu", "-o", "spmv")
    # Fewer rows need fewer measurements, each of which takes seconds under the sanitizers.
    spmv = ["./spmv", *(["--n", "4000"] if sanitized.is_sanitized(build / "src/cli/warpmem") else [])]
    warpmem("annotate", "-q", "--html", "spmv.html", "--json", "spmv.json", *spmv)
    # The same again, to the byte.
    warpmem("annotate", "-q", "--html", "again.html", *spmv)
    assert Path(folder, "again.html").read_bytes() == Path(folder, "spmv.html").read_bytes()
    return {name: json.loads(Path(folder, name + ".json").read_text()) for name in ("odd", "spmv")}


def main(source, build, how, pictures=None):
    if not (shutil.which("clang") or shutil.which("clang-14")):
        print("skipped: clang is not installed")
        return 77
    if how == "chromium" and not browser.installed():
        print("skipped: chromium is not installed (Debian: apt-get install chromium)")
        return 77
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        for name, annotation in annotate(folder, source, build).items():
            path = folder / (name + ".html")
            assert annotation["format"] == "warpmem-annotation"
            if how == "structure":
                check(parse(path.read_text()), annotation, path.read_text())
            else:
                look(path, name, annotation, pictures and Path(pictures))
        if how == "chromium":
            check_can_fail(folder / "spmv.html")
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve(), *sys.argv[3:]))
