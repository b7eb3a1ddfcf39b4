#!/usr/bin/env python3
"""The page of warpmem report in headless Chromium: what it draws and lists, in several widths, both
colour schemes and on paper.

usage: check_report_page.py SOURCE BUILD charts|tables [FOLDER]

`charts` needs a build that has them; `tables` looks at the page without them. Pictures are left in
FOLDER. Exit status 77: skipped, with the reason.
"""
import json
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
sys.path.insert(0, str(Path(__file__).resolve().parent))
import browser
import results_database
import sanitized
from check_annotate_page import CONTRAST

PHONE, DESKTOP, PAPER = (390, 844), (1280, 900), (718, 1000)

# Elements that stick out of the window and do not scroll in a frame of their own.
SPILLS = r"""[...document.querySelectorAll('body *')].filter(e => !e.closest('.wide') && !e.closest('svg') &&
  e.checkVisibility() && e.getBoundingClientRect().right > innerWidth + 0.5)
  .map(e => e.tagName + ' ' + e.className + ' ' + e.textContent.slice(0, 40))"""
# On paper nothing scrolls: what sticks out of its frame is cut.
CUT = r"""[...document.querySelectorAll('body *')].filter(e => e.checkVisibility() && e.getClientRects().length &&
  !e.closest('svg') && e.getBoundingClientRect().right > innerWidth + 1)
  .map(e => e.tagName + ' ' + e.className + ' ' + e.textContent.slice(0, 40))"""
# Each chart's marks: of bars the rectangles that have a size, of lines the points.
MARKS = r"""[...document.querySelectorAll('.chart')].map(c => [c.dataset.study + '.' + c.dataset.figure + ' ' + c.dataset.of,
  [...c.querySelectorAll('.mark-rect path, .mark-symbol path')].map(p => p.getBoundingClientRect())
    .filter(box => box.height > 0.5 && box.width > 0.5).length])"""


def build_report(folder, build):
    database, page = folder / "results.db", folder / "report.html"
    results_database.make(database)
    warpmem = build / "src/cli/warpmem"
    subprocess.run([warpmem, "report", "-q", database, "-o", page], check=True, timeout=120,
                   env={"PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8", **sanitized.variables(warpmem)})
    return page


def rows_of(page, selector):
    return page.value(f"[...document.querySelectorAll({json.dumps(selector)})].map(r => "
                      "[...r.cells].map(c => c.textContent.trim()))")


def check_tables(page):
    claims = rows_of(page, ".claims tbody tr")
    assert [(row[0], row[-1]) for row in claims] == [
        ("1", "holds"), ("2", "does not hold"), ("3", "undecided")], claims
    assert claims[1][1] == "Sec. 4 <b>" and claims[1][4] == "stencil & others"
    numbers = page.value("document.querySelectorAll('table.numbers').length")
    assert numbers == 5, numbers
    long = rows_of(page, ".long tbody tr")  # too many columns: a row a bar
    assert len(long) == 8 and long[2] == ["1MiB, base", "2.50 M", "4.50 M", "800", "2.50 M", "8.00 M"], long
    assert long[4][:2] == [results_database.ODD, "128KiB, base"] and long[4][-1] == "–", long
    first = rows_of(page, "section.figure:nth-of-type(1) tbody tr")
    # (1000w - 100 machine) over the base's: by hand.
    assert first == [["stencil", "1.000", "1.000", "0.875", "0.900"],
                     [results_database.ODD, "1.000", "1.000", "0.944", "0.750"],
                     ["mean", "1.000", "1.000", "0.910", "0.830"]], first
    assert rows_of(page, ".failures tbody tr") == [
        ["spmv", "128KiB, tracker", "error: gpu.tracker: <no room> & more"]]
    machines = rows_of(page, "article:first-of-type .machines tbody tr")
    assert [row[2] for row in machines] == [
        "gpu.l2.size: 128KiBgpu.tracker.present: false", "gpu.tracker.present: true", "gpu.l2.size: 1MiB",
        "gpu.l2.size: 1MiBgpu.tracker.present: true"], machines
    marked = page.value("[...document.querySelectorAll('article:first-of-type .machine')].map("
                        "d => d.querySelectorAll('mark').length)")
    assert marked == [0, 1, 1, 2], marked
    labels = page.value("[...document.querySelectorAll('table')].filter(t => !t.querySelector('th[scope=col]')).length")
    assert labels == 0, "a table without headings"


def check_loads(page):
    rows = rows_of(page, "article:first-of-type .loads .counts tbody tr")
    assert [row[0] for row in rows] == ["stencil.cu:14", "PTX 33", "stencil.cu:12", "stencil.cu:11", "stencil.cu:10"]
    assert rows[0][1] == "ld.global.f32 %f4, [%rd4+</script>]"
    # 5000 sectors of 1250 executions, 200 hits; 100 of 4800 hit in L2; 32 bytes each.
    assert rows[0][2:] == ["1250", "4.0", "100.0%", "4.0%", "2.1%", "150 KiB", "147 KiB", "66"], rows[0]
    energy = rows_of(page, "article:first-of-type .loads .energy tbody tr")
    assert energy == [["l1 (interpolated)", "15", "1000", "10", "25.3 nJ", "12.5 mW", "25.3%"],
                      ["interconnect", "–", "–", "–", "74.8 nJ", "–", "74.7%"]], energy
    page.value("document.querySelector('.loads .counts th:nth-child(3) button').click()")
    page.value("document.querySelector('.loads .counts th:nth-child(3) button').click()")
    rows = rows_of(page, "article:first-of-type .loads .counts tbody tr")
    assert [row[2] for row in rows] == ["250", "500", "750", "1000", "1250"], "not sorted by requests"
    pick = ("(() => { const s = document.querySelectorAll('.loads select'); s[0].selectedIndex = %d; "
            "s[1].selectedIndex = %d; s[1].dispatchEvent(new Event('change', {bubbles: true})); "
            "return document.querySelector('.loads .view').textContent })()")
    beside = ("(() => { const s = document.querySelectorAll('.loads select'); s[2].selectedIndex = %d; "
              "s[2].dispatchEvent(new Event('change', {bubbles: true})) })()")
    page.value(beside % 2)  # the second machine, whose hits are 200 + 40 * pc
    rows = rows_of(page, "article:first-of-type .loads .counts tbody tr")
    assert rows[0][-4:] == ["7.2%", "2.2%", "145 KiB", "142 KiB"], rows[0]
    head = rows_of(page, "article:first-of-type .loads .counts thead tr")[0]
    assert head[2:] == ["requests", "sect/req", "used", "L1 hit", "L2 hit", "L2 bytes", "DRAM", "remote hits",
                        *(f"{title}, 128KiB, tracker" for title in ("L1 hit", "L2 hit", "L2 bytes", "DRAM"))], head
    # Bars of both machines are shares of the most on either: here the first's, by its dearest line.
    bars = page.value("[...document.querySelectorAll('.loads .counts tbody tr')].map(row => [...row.querySelectorAll('td.bytes')]"
                      ".map(cell => Number(cell.style.getPropertyValue('--v'))))")
    assert bars[0][:2] == [100, 100] and 96 < bars[0][2] < 97 and 96 < bars[0][3] < 97, bars
    page.value(beside % 0)
    assert "There are no results of this point" in page.value(pick % (2, 1))
    assert "on 1MiB, base" in page.value(pick % (1, 2)) and results_database.ODD in page.value(pick % (1, 2))


def check_layout(page, width):
    assert page.value("document.documentElement.scrollWidth") <= width, "the page is wider than its window"
    assert not page.value(SPILLS), page.value(SPILLS)


def check_scheme(page, scheme):
    dark = page.value("""(() => { const c = getComputedStyle(document.body).backgroundColor;
        return Number(c.match(/[0-9.]+/)[0]) < 128 })()""")
    assert dark == (scheme == "dark"), f"the page is not {scheme}"
    found = page.value(CONTRAST)
    assert len(found) > 100 and found[0][0] >= 4.5, f"hard to read in {scheme}: {found[:5]}"


def check_switch(page):
    background = "getComputedStyle(document.body).backgroundColor"
    page.look(*DESKTOP, "light")
    before = page.value(background)
    page.value("document.querySelector('.theme input[value=dark]').click()")
    assert page.value(background) != before, "the switch does not switch"
    page.value("document.querySelector('.theme input[value=auto]').click()")
    assert page.value(background) == before


def check_marks(page):
    # Of 4.3b one part in four is too small to be seen.
    expected = {"0.0 paper": 6, "0.0 ours": 6, "0.1 ours": 2 * 3 * 4 - 4, "0.2 paper": 1, "0.2 ours": 4, "0.3 paper": 1, "0.3 ours": 4 * 2 * 3,
                "0.4 ours": 1}
    for _ in range(50):  # charts are drawn anew some time after the window has changed
        marks = dict(page.value(MARKS))
        if marks == expected:
            break
        time.sleep(0.1)
    assert marks == expected, marks
    legends = page.value("[...document.querySelectorAll('.legend')].map(l => [...l.querySelectorAll('li')].map(i => i.textContent))")
    assert legends[0] == ["1MiB, base", "1MiB, tracker"] and legends[1][-2:] == ["L1", "L2"], legends
    unnamed = page.value("[...document.querySelectorAll('.chart')].filter(c => !c.getAttribute('aria-label')).length")
    assert unnamed == 0, "a chart without a text"
    assert "Redistribution" in page.value("document.querySelector('footer').textContent"), "no licence"


def check_paper(page):
    page.look(*PAPER, "dark")
    page.ask("Emulation.setEmulatedMedia", media="print",
             features=[{"name": "prefers-color-scheme", "value": "dark"}])
    check_scheme(page, "light")
    assert not page.value(CUT), page.value(CUT)
    assert not page.value("document.querySelector('.theme').checkVisibility()")
    page.ask("Emulation.setEmulatedMedia", media="")


def look(path, how, pictures):
    with browser.Browser() as page:
        page.open(path.as_uri())
        check_tables(page)
        check_loads(page)
        for size, phone in ((DESKTOP, False), (PHONE, True)):
            for scheme in ("light", "dark"):
                page.look(*size, scheme, phone)
                check_layout(page, size[0])
                check_scheme(page, scheme)
                if how == "charts":
                    check_marks(page)
                if pictures:
                    page.screenshot(pictures / f"report-{size[0]}-{scheme}.png")
        check_switch(page)
        check_paper(page)
        assert page.requests == [path.as_uri()], f"the page asked for {page.requests}"
        assert not page.complaints, page.complaints


# The checks can fail: a page whose charts' script is broken, or that is too wide, is refused.
def check_can_fail(path):
    text = path.read_text()
    for place, fault in ((".chart')]", ".chart:not([data-figure=\"1\"])')]"), ("<header>", "<header><div style='width:3000px'>x</div>")):
        broken = path.with_name("broken.html")
        assert place in text
        broken.write_text(text.replace(place, fault))
        try:
            look(broken, "charts", None)
        except AssertionError:
            continue
        raise AssertionError(f"a page with {fault} passes")


# What a build without charts writes: no library, no place for charts, a note.
def without_charts(path):
    text = path.read_text()
    text = re.sub(r"<script>!function.*?</script>\n<script>.*?</script>\n", "", text, flags=re.S)
    text = re.sub(r"<div class=legend.*?(?=<div class=wide)", "", text, flags=re.S)
    assert "vega" not in text.split("<footer>")[0]
    path.write_text(text)


def main(source, build, how, pictures=None):
    if not browser.installed():
        print("skipped: chromium is not installed (Debian: apt-get install chromium)")
        return 77
    has_charts = (build / "src/study/chart_library.js").stat().st_size > 0
    if how == "charts" and not has_charts:
        print("skipped: this build has no charts:", (build / "src/study/chart_missing.txt").read_text())
        return 77
    with tempfile.TemporaryDirectory() as folder:
        path = build_report(Path(folder), build)
        if how == "tables" and has_charts:
            without_charts(path)
        look(path, how, pictures and Path(pictures))
        if how == "charts":
            check_can_fail(path)
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve(), *sys.argv[3:]))
