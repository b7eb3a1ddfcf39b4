#!/usr/bin/env python3
"""The page of warpmem bypass: well-formed, whole, self-contained, and fit to be looked at.

usage: check_bypass_page.py SOURCE BUILD structure
       check_bypass_page.py SOURCE BUILD chromium [FOLDER]
       check_bypass_page.py SOURCE BUILD machine-code

`structure` compares the page with the command's JSON; `chromium` shows it in headless Chromium, in two
widths and both colour schemes, and leaves pictures of it in FOLDER; `machine-code`: a program without
PTX is refused. Exit status 77: skipped, with the reason.
"""
import html.parser
import json
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parents[1] / folder) for folder in ("programs", "", "cli")]
import browser
import check_annotate_page as looks
import compiled
import sanitized

# A kernel of forty loads, as large as a picture must be readable: four tables that rows share.
FORTY = """
#include <cstdio>
__global__ void forty(const float *a, const float *b, const float *c, const float *d, float *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
%s    out[i] = sum; // <b>&amp; "markup" </td></table>
}
int main()
{
    float *in[4], *out;
    for (int i = 0; i < 4; i++) {
        cudaMalloc(&in[i], 1 << 20);
        cudaMemset(in[i], 0, 1 << 20);
    }
    cudaMalloc(&out, 1 << 20);
    forty<<<16, 128>>>(in[0], in[1], in[2], in[3], out);
    return cudaDeviceSynchronize() != cudaSuccess;
}
""" % "".join(f"    sum += {'abcd'[k % 4]}[i * {1 + k % 5 * 8} + {k * 7}];\n" for k in range(40))


class Page(looks.Page):
    """And the drawing's parts: (class, title)."""

    def __init__(self):
        super().__init__()
        self.drawn, self.titles, self.summaries = [], [], []

    def handle_starttag(self, tag, attributes):
        super().handle_starttag(tag, attributes)
        if tag == "circle":
            self.open.pop()
        classes = (dict(attributes).get("class") or "").split()
        drawn = {"path": {"gain", "cost"}, "g": {"node", "set"}}.get(tag, set())
        if drawn & set(classes):
            self.drawn.append((tag, classes))

    def handle_startendtag(self, tag, attributes):
        self.handle_starttag(tag, attributes)

    def handle_data(self, data):
        super().handle_data(data)
        if self.open and self.open[-1] == "title" and "svg" in self.open:
            self.titles.append(data)


def parse(text):
    page = Page()
    page.feed(text)
    page.close()
    assert not page.open, f"left open: {page.open}"
    assert not page.wrong, page.wrong
    assert len(set(page.ids)) == len(page.ids), "an id twice"
    assert not re.search(r"url\(|@import|https?:", text), "the page loads something"
    return page


def members(title):
    """Loads that the title of a dot names."""
    return [int(number) for number in re.findall(r"\d+", title.split(":")[0])]


def check_sets(page, kernels, told):
    """Each set is a dot, the one that is decided the last of its kernel."""
    dots = [classes for _, classes in page.drawn if "set" in classes]
    titles = [title for title in page.titles if "cached: predicted" in title]
    assert len(dots) == len(titles) == sum(len(kernel["all_sets"]["sets"]) for kernel in kernels)
    for kernel in kernels:
        decided = kernel[told["efficiency"]][told["solver"]]["cached"]
        sets = [it["cached"] for it in kernel["all_sets"]["sets"]]
        sets.append(sets.pop(sets.index(decided)))
        assert [members(title) for title in titles[:len(sets)]] == sets
        assert ["decides" in classes for classes in dots[:len(sets)]] == [False] * (len(sets) - 1) + [True]
        assert f"{kernel['all_sets']['rank_correlation']:.3f}" in page.text
        del titles[:len(sets)], dots[:len(sets)]


def check(page, told):
    nodes = [classes for _, classes in page.drawn if "node" in classes]
    edges = [classes for tag, classes in page.drawn if tag == "path"]
    loads = [(kernel, load) for kernel in told["kernels"] for load in kernel["loads"]]
    assert len(nodes) == len(loads) > 0
    for classes, (kernel, load) in zip(nodes, loads):
        view = kernel[told["efficiency"]]
        cached = load["number"] in view[told["solver"]]["cached"]
        assert ("cache" in classes) == cached and ("bypass" in classes) != cached
        assert ("loses" in classes) == (view["nodes"][load["number"] - 1] < 0)
        assert ("forced" in classes) == (load["forced"] is not None)
    signs = [weight > 0 for kernel in told["kernels"]
             for _, _, weight in kernel[told["efficiency"]]["edges"]]
    assert sorted("gain" in classes for classes in edges) == sorted(signs), "other edges than in JSON"
    check_sets(page, [kernel for kernel in told["kernels"] if "all_sets" in kernel], told)
    assert len(page.titles) == len(nodes) + len(edges) + sum("set" in classes for _, classes in page.drawn)
    for number, title in [(load["number"], title) for (_, load), title in zip(
            loads, [title for title in page.titles if "lines, hit rate" in title])]:
        assert title.startswith(f"load {number}, "), title
    # Tables: loads, four solutions of each kernel, and each load by each source of efficiencies.
    rows = [row for row in page.rows if len(row) > 1]
    tables = [row for row in rows if len(row) == 1 + 12]
    assert [int(row[1]) for row in tables] == [load["number"] for _, load in loads]
    for row, (kernel, load) in zip(tables, loads):
        assert row[2].endswith(f":{load['source_line']}"), row
        for solver, cell in (("heuristic", row[11]), ("exact", row[12])):
            cached = load["number"] in kernel[told["efficiency"]][solver]["cached"]
            assert cell.split()[0] == ("cache" if cached else "bypass"), row
        assert (load["forced"] is not None) == ("forced" in row[11]), row
    instructions = [row[2] for row in rows if row[0] == "text"]
    for said, (_, load) in zip(instructions, loads):
        assert said.endswith(load["text"]), (said, load["text"])
    by_source = [row for row in rows if len(row) == 1 + 10]
    assert len(by_source) == len(loads)
    for row, (kernel, load) in zip(by_source, loads):
        for at, source in enumerate(("table", "exact", "profiled")):
            words = row[3 + 3 * at:5 + 3 * at]
            assert words == ["cache" if load["number"] in kernel[source][solver]["cached"] else "bypass"
                             for solver in ("heuristic", "exact")], (row, source)
    for name in ("bypass-all", "cache-all", "heuristic", "exact"):
        assert sum(row[1] == name for row in rows) == len(told["kernels"])
    assert sum(row[0] == "decides" for row in rows) == len(told["kernels"])
    assert told["machine"] in page.text
    check_hints(page, rows, told)


def check_hints(page, rows, told):
    """A row for each load that is to say something else, and the sums, where there are hints at all."""
    assert ("With them:" in page.text) == ("hints" in told)
    hinted = [(load["number"], load["says"]) for kernel in told["kernels"] if "hints" in kernel
              for load in kernel["hints"]["loads"] if load["says"] != load["own"]]
    shown = [(int(row[1]), row[4].split()) for row in rows if len(row) > 4 and re.match(r"(ca |cg )?L[12]::", row[4])]
    assert shown == [(number, [word for word in says if word != "L2::evict_normal"]) for number, says in hinted], (
        shown, hinted)


# --- In Chromium ---

SPILLS = r"""[...document.querySelectorAll('body *')].filter(e => !e.closest('.wide') &&
  e.getClientRects().length && e.getBoundingClientRect().right > innerWidth + 0.5)
  .map(e => e.tagName + ' ' + e.textContent.slice(0, 40))"""
# Labels that lie over one another, or outside of their picture; and how large they are.
LABELS = r"""[...document.querySelectorAll('svg')].map(svg => {
  const boxes = [...svg.querySelectorAll('text')].map(t => t.getBoundingClientRect());
  const whole = svg.getBoundingClientRect();
  let wrong = 0;
  boxes.forEach((a, i) => {
    if (a.left < whole.left - 1 || a.right > whole.right + 1 || a.top < whole.top - 1 ||
        a.bottom > whole.bottom + 1) wrong++;
    boxes.slice(i + 1).forEach(b => {
      if (a.left < b.right && b.left < a.right && a.top < b.bottom - 3 && b.top < a.bottom - 3) wrong++;
    });
  });
  const graph = svg.getAttribute('aria-label').startsWith('Traffic graph');
  return [boxes.length, wrong, Math.min(...boxes.map(b => b.height)), graph];
})"""


def look(path, told, pictures):
    with browser.Browser() as page:
        page.open(path.as_uri())
        for size, phone in ((looks.DESKTOP, False), (looks.PHONE, True)):
            for scheme in ("light", "dark"):
                page.look(*size, scheme, phone)
                assert page.value("innerWidth") == size[0]
                assert page.value("document.documentElement.scrollWidth") <= size[0], "wider than its window"
                assert not page.value(SPILLS), page.value(SPILLS)
                loads = [len(kernel["loads"]) for kernel in told["kernels"]]
                for count, wrong, height, graph in page.value(LABELS):
                    # Of the sets' picture: the ends of its two axes, and what these say.
                    assert count == (loads.pop(0) if graph else 6), "a label is missing"
                    assert wrong == 0, f"{wrong} labels lie over another or outside"
                    assert height >= (6 if phone else 12), f"labels of {height} pixels"
                looks.check_scheme(page, scheme)
                if pictures:
                    page.screenshot(pictures / f"{path.stem}-{size[0]}-{scheme}.png")
        looks.check_folding(page)
        assert page.requests == [path.as_uri()], f"the page asked for {page.requests}"
        assert not page.complaints, page.complaints


def pages(folder, source, build):
    environment = {"PATH": f"{build / 'src/cli'}:/usr/local/bin:/usr/bin:/bin", "HOME": str(folder),
                   "LC_ALL": "C.UTF-8", **sanitized.variables(build / "src/cli/warpmem")}

    def warpmem(*words):
        subprocess.run(["warpmem", *words], cwd=folder, env=environment, check=True,
                       stdout=subprocess.DEVNULL, timeout=240)

    (folder / "forty.cu").write_text(FORTY)
    warpmem("cc", "forty.cu", "-o", "forty")
    shutil.copy(compiled.program(build / "src/cli/warpmem", source / "tests/cli/bypassed.cu"), folder / "two")
    shutil.copy(compiled.program(build / "src/cli/warpmem", source / "tests/cli/hinted.cu"), folder / "app")
    made = {"forty": ["-m", "gtx480", "--load", "7=ca", "--load", "40=cg", "./forty"],
            "sets": ["-m", "gtx480", "--all-sets", "--kernel", "neighbours", "--solver", "heuristic", "./two"],
            "two": ["-m", "gtx480", "--measure", "clock", "--efficiency", "exact", "--solver", "heuristic", "./two"],
            "hinted": ["-m", "v100", "--hints", "./app"]}
    for name, words in made.items():
        warpmem("bypass", "-q", "--set", "gpu.sm.count=2", "--html", f"{name}.html",
                "--json", f"{name}.json", *words)
    told = {name: json.loads((folder / f"{name}.json").read_text()) for name in made}
    assert len(told["forty"]["kernels"][0]["loads"]) == 40
    return told


# Faults of a page: an edge of the other sign, a node decided otherwise; a set's dot with other loads.
FAULTS = {"forty": (("<path class=gain", "<path class=cost"), ('"node bypass', '"node cache'),
                    ("<b>cache</b>", "<b>bypass</b>")),
          "sets": (("<title>ld 1, 3 cached", "<title>ld 1, 2 cached"), ('"set decides"', '"set"'))}


def check_can_fail(path, faults):
    """A page with a fault is refused."""
    told, text = json.loads(path.with_suffix(".json").read_text()), path.read_text()
    for old, new in faults:
        assert old in text, old
        try:
            check(parse(text.replace(old, new, 1)), told)
        except AssertionError:
            continue
        raise AssertionError(f"{new} for {old} was not found out")


def machine_code(folder, source, build):
    """Exit status and words for a program that holds machine code alone."""
    program = compiled.program(build / "src/cli/warpmem", source / "tests/cli/bypassed.cu", compiler="nvcc",
                               flags=["-gencode", "arch=compute_75,code=sm_75"])
    shutil.copy(program, folder / "app")
    done = subprocess.run([build / "src/cli/warpmem", "bypass", "-m", "gtx480", "--json", "x.json", "./app"],
                          cwd=folder, capture_output=True, text=True, timeout=120,
                          env={"PATH": "/usr/bin:/bin", "HOME": str(folder), "LC_ALL": "C.UTF-8",
                               **sanitized.variables(build / "src/cli/warpmem")})
    said = ("error: ./app: its device code is machine code only (sm_75), without PTX\n"
            "hint: rebuild it: nvcc -gencode 'arch=compute_75,code=[sm_75,compute_75]'\n")
    assert (done.returncode, done.stdout, done.stderr) == (2, "", said), done
    assert not (folder / "x.json").exists()


def main(source, build, how, pictures=None):
    compiler = "nvcc" if how == "machine-code" else "clang"
    if not (shutil.which(compiler) or compiler == "clang" and shutil.which("clang-14") or
            compiler == "nvcc" and Path("/usr/local/cuda/bin/nvcc").exists()):
        print(f"skipped: {compiler} is not installed")
        return 77
    if how == "chromium" and not browser.installed():
        print("skipped: chromium is not installed (Debian: apt-get install chromium)")
        return 77
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        if how == "machine-code":
            machine_code(folder, source, build)
            return 0
        for name, told in pages(folder, source, build).items():
            if how == "structure":
                check(parse((folder / f"{name}.html").read_text()), told)
            else:
                look(folder / f"{name}.html", told, pictures and Path(pictures))
        if how == "structure":
            for name, faults in FAULTS.items():
                check_can_fail(folder / f"{name}.html", faults)
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve(), *sys.argv[3:]))
