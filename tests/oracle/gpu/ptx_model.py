"""PTX's memory model on litmus tests: which outcomes its axioms allow (PTX ISA, "Memory Consistency Model").

An execution is candidate orders: which write each read reads from, the coherence order of each variable's writes and
the order of fences of kind sc. All are tried, and those that contradict no axiom are kept. The tests are those of
programs/litmus.h, spelled by the threads' accesses: "Wx1" stores 1 in x, "Ry" loads y. This is the second writing
of what litmus.h says in a few rules for tables that programs print; check_measured.py compares them.
"""
import functools
import itertools

TESTS = {"SB": ["Wx1 Ry", "Wy1 Rx"], "MP": ["Wx1 Wy1", "Ry Rx"], "LB": ["Rx Wy1", "Ry Wx1"],
         "IRIW": ["Wx1", "Wy1", "Rx Ry", "Ry Rx"], "2+2W": ["Wx1 Wy2", "Wy1 Wx2"], "R": ["Wx1 Wy1", "Wy2 Rx"],
         "S": ["Wx2 Wy1", "Ry Wx1"], "CoRR": ["Wx1", "Rx Rx"]}
# What the outcome has of the variables in the end.
LAST = {"2+2W": "xy", "R": "y", "S": "x"}
# Of a variant's name: its accesses, and the fence between a thread's two.
VARIANTS = {"weak": ("weak", ""), "volatile": ("strong", ""), "relaxed": ("strong", ""),
            "release-acquire": ("ordered", ""), "relaxed fence.acq_rel": ("strong", "acq_rel"),
            "relaxed fence.sc": ("strong", "sc"), "weak fence.acq_rel": ("weak", "acq_rel"),
            "weak fence.sc": ("weak", "sc")}
SCOPES = ["cta", "gpu", "sys"]
# The smallest scope that has all threads of a test in it.
PLACEMENTS = {"warps": "cta", "blocks": "gpu", "host-gpu": "sys", "gpu-host": "sys"}


class Event:
    """A write, a read or a fence of a thread; the initial writes are those of thread -1."""

    def __init__(self, thread, place, kind, variable="", value=0):
        self.thread, self.place, self.kind, self.variable, self.value = thread, place, kind, variable, value


def events(threads, fence):
    found = [Event(-1, 0, "W", variable) for variable in "xy"]
    for thread, text in enumerate(threads):
        for place, word in enumerate(text.split()):
            if place and fence:
                found.append(Event(thread, 1, "F"))
            found.append(Event(thread, 2 * place, word[0], word[1], int(word[2:] or 0)))
    return found


def closure(pairs):
    found = set(pairs)
    while True:
        more = {(a, d) for a, b in found for c, d in found if b is c} - found
        if not more:
            return found
        found |= more


def cyclic(pairs):
    return any(a is b for a, b in closure(pairs))


class Execution:
    def __init__(self, all_events, accesses, fence, near, reads_from, coherence, fences):
        self.events, self.accesses, self.fence, self.near = all_events, accesses, fence, near
        self.reads_from, self.coherence = reads_from, coherence
        self.program = {(a, b) for a in all_events for b in all_events
                        if a.thread == b.thread >= 0 and a.place < b.place}
        self.observed = {(w, r) for r, w in reads_from.items() if w.thread >= 0 and self.morally_strong(w, r)}
        self.base = closure(self.program | self.synchronizes() | set(fences))
        same = {(a, b) for a, b in self.base if a.variable and a.variable == b.variable}
        self.causes = same | {(w, b) for w, r in self.observed for a, b in same if r is a}
        self.causes |= {(a, b) for a in all_events if a.thread < 0 for b in all_events
                        if b.thread >= 0 and a.variable == b.variable}

    def morally_strong(self, a, b):
        strong = all(it.kind == "F" or self.accesses != "weak" for it in (a, b))
        return a.thread == b.thread or (strong and self.near)

    def first_of_release(self, write):
        """The operations that a pattern may begin with whose write this is."""
        before = [a for a, b in self.program if b is write]
        return [a for a in before if a.kind == "F"] + ([a for a in [write, *before] if a.kind == "W"]
                                                       if self.accesses == "ordered" else [])

    def last_of_acquire(self, read):
        after = [b for a, b in self.program if a is read]
        return [b for b in after if b.kind == "F"] + ([b for b in [read, *after] if b.kind == "R"]
                                                      if self.accesses == "ordered" else [])

    def synchronizes(self):
        """Of a release of one variable alone the pattern is its own store; one before it is of that variable too."""
        return {(a, b) for w, r in self.observed for a in self.first_of_release(w) for b in self.last_of_acquire(r)
                if self.morally_strong(a, b) and all(it.kind == "F" or it.variable == w.variable for it in (a, b))}

    def allowed(self):
        writes_before = {(a, b) for a, b in self.causes if a.kind == b.kind == "W"}
        from_reads = {(r, b) for r, w in self.reads_from.items() for a, b in self.coherence if a is w}
        communication = {(w, r) for r, w in self.reads_from.items()} | self.coherence | from_reads
        at_one_place = {(a, b) for a, b in self.program if a.variable and a.variable == b.variable}
        return (writes_before <= self.coherence and not cyclic(self.base)
                and not cyclic(at_one_place | {it for it in communication if self.morally_strong(*it)})
                and not any((r, w) in self.causes for r, w in self.reads_from.items())
                and not any((b, r) in self.causes for r, b in from_reads))


def coherence_orders(all_events):
    """Those of all variables: two writes of it that race may also have none."""
    choices = []
    for variable in "xy":
        writes = [it for it in all_events if it.kind == "W" and it.variable == variable]
        fixed = {(writes[0], it) for it in writes[1:]}
        racing = list(itertools.combinations(writes[1:], 2))
        choices.append([fixed] + [fixed | {pair} for a, b in racing for pair in ((a, b), (b, a))])
    return [x | y for x, y in itertools.product(*choices)]


def fence_orders(all_events, fence, near):
    fences = [it for it in all_events if it.kind == "F"]
    if fence != "sc" or not near:
        return [()]
    return [tuple(itertools.combinations(order, 2)) for order in itertools.permutations(fences)]


def outcomes(test, execution):
    """Its words, as many as there are last writes of variables."""
    reads = [it for it in execution.events if it.kind == "R"]
    words = [f"r{i}={execution.reads_from[it].value}" for i, it in enumerate(reads)]
    ends = [[f"{v}={it.value}" for it in execution.events if it.kind == "W" and it.variable == v
             and not any(a is it for a, _ in execution.coherence)] for v in LAST.get(test, "")]
    return {" ".join([*words, *end]) for end in itertools.product(*ends)}


@functools.cache
def allowed(test, accesses, fence, near):
    """All outcomes of a test that some allowed execution has. near: the scope has all threads in it."""
    all_events, found = events(TESTS[test], fence), set()
    reads = [it for it in all_events if it.kind == "R"]
    sources = [[w for w in all_events if w.kind == "W" and w.variable == r.variable] for r in reads]
    for chosen in itertools.product(*sources):
        for coherence in coherence_orders(all_events):
            for fences in fence_orders(all_events, fence, near):
                execution = Execution(all_events, accesses, fence, near, dict(zip(reads, chosen)), coherence, fences)
                if coherence_is_whole(execution) and execution.allowed():
                    found |= outcomes(test, execution)
    return frozenset(found)


def coherence_is_whole(execution):
    """Writes of one variable that are morally strong are ordered."""
    writes = [it for it in execution.events if it.kind == "W" and it.thread >= 0]
    return all((a, b) in execution.coherence or (b, a) in execution.coherence
               for a, b in itertools.combinations(writes, 2)
               if a.variable == b.variable and execution.morally_strong(a, b))


def interleaved(test):
    """The outcomes of interleavings of the threads' accesses, which need no model."""
    found = set()

    def step(places, memory, registers):
        ready = [i for i, text in enumerate(threads) if places[i] < len(text)]
        if not ready:
            words = [f"r{i}={registers[key]}" for i, key in enumerate(sorted(registers))]
            found.add(" ".join(words + [f"{v}={memory[v]}" for v in LAST.get(test, "")]))
        for i in ready:
            word, moved = threads[i][places[i]], (*places[:i], places[i] + 1, *places[i + 1:])
            if word[0] == "W":
                step(moved, {**memory, word[1]: int(word[2:])}, registers)
            else:
                step(moved, memory, {**registers, (i, places[i]): memory[word[1]]})

    threads = [text.split() for text in TESTS[test]]
    step((0,) * len(threads), {"x": 0, "y": 0}, {})
    return found


def forbids(test, variant, scope, placement, outcome):
    accesses, fence = VARIANTS[variant]
    near = scope != "none" and SCOPES.index(scope) >= SCOPES.index(PLACEMENTS[placement])
    return outcome not in allowed(test, accesses, fence, near)
