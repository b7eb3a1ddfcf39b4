#!/usr/bin/env python3
"""An independent reader of warpmem's recordings (.wmt).

How to decode is from docs/formats/recording.md alone. `read_recording.py FILE` prints what `warpmem
trace dump FILE` prints, and checks all sections, also those that a dump does not need. It ends with 2
and one line on stderr for a damaged file.
"""
import sys

from frames import (BEHIND_ALL, BESIDE, COMMAND, GOES_ON, HINTS, KINDS, SPACES, U32, WAITED, parse_code,
                    parse_frame, parse_header, parse_launch, parse_launch_end, parse_order)
from sections import (CODE, CORES, EVENTS, FRAME, HEADER, INDEX, LAUNCH, LAUNCH_END, MASK64, NAMES, ORDER, PTX, TURNS,
                      Cursor, Damaged, fnv_hash, read_sections)
from warps import EXIT, NO_EVENT, WAIT, DataReader, parse_control

# What the host's events say, and how many numbers they have: address, source, bytes.
HOST_EVENTS = (("allocate {1} bytes at {0:#x}", 2), ("free at {0:#x}", 1),
               ("host writes {1} bytes at {0:#x}", 2), ("host reads {1} bytes at {0:#x}", 2),
               ("device copies {2} bytes at {0:#x} from {1:#x}", 3),
               ("device fills {1} bytes at {0:#x}", 2),
               ("a profiler's range begins", 0), ("a profiler's range ends", 0))
WAIT_EVENTS = ("make mbarrier {0:#x}, {1} threads", "arrive at mbarrier {0:#x}, {1} each",
               "arrive at and leave mbarrier {0:#x}, {1} each",
               "expect at mbarrier {0:#x}, {1} bytes each",
               "complete at mbarrier {0:#x}, {1} bytes each",
               "are past the wait at mbarrier {0:#x}, {1} phases ended",
               "expect and arrive at mbarrier {0:#x}, {1} bytes each",
               "expect, arrive at and leave mbarrier {0:#x}, {1} bytes each",
               "arrive at the barrier of the cluster", "wait at the barrier of the cluster",
               "wait at the barrier of the cluster")
CORE_EVENTS = ("after {1} accesses of block {0}", "fence", "issues command {1}",
               "after the end of commands up to {1}", "gives its turn away")
CORE_OPERATIONS = 11  # from the first on


def format_order(order):
    line = ""
    if order.ended is not None:
        below = [f"below {order.below}"] if order.below or not order.ended else []
        ended = [", ".join(map(str, order.ended))] if order.ended else []
        line += "; the host waited for launches " + " and ".join(below + ended)
    if order.behind is not None:
        numbers = ", ".join(map(str, order.behind))
        line += "; behind " + ("none" if not numbers else
                               f"launch{'es' if len(order.behind) > 1 else ''} {numbers}")
    if order.priority:
        line += f"; priority {order.priority}"
    line += "; runs alone" if order.alone else ""
    line += f"; on GPU {order.gpu}" if order.gpu else ""
    return line + (f"; command {order.command}" if order.command else "")


def format_host_event(kind, cursor):
    text, count = HOST_EVENTS[kind]
    stream = cursor.limited(U32, "the stream")
    return text.format(*cursor.numbers(count)) + (f", stream {stream}" if stream else "")


def format_launch(launch):
    grid, block = ("x".join(map(str, sizes)) for sizes in (launch.grid, launch.block))
    line = f"launch {launch.number}: kernel {launch.code.name}, grid {grid}, block {block}"
    if launch.shared:
        line += f", {launch.shared} B of dynamic shared memory"
    if launch.carve_out:
        line += f", carve-out {launch.carve_out - 1}%"
    if launch.local:
        line += f", {launch.local} B of local memory a block"
    return f"{line}, stream {launch.stream}{format_order(launch.order)}"


def format_access(shape, addresses, lanes):
    kind = KINDS[shape.kind % GOES_ON]
    line = f"        {SPACES[shape.space]} {kind} {shape.size} B{HINTS[shape.hint]}"
    if shape.mask != lanes:
        line += f", lanes {shape.mask:x}"
    gaps = shape.mask + (shape.mask & -shape.mask) & shape.mask
    strides = {(b - a + (1 << 63) & MASK64) - (1 << 63) for a, b in zip(addresses, addresses[1:])}
    if gaps or len(strides) != 1:
        return f"{line}: " + " ".join(map(hex, addresses))
    stride = strides.pop()
    return f"{line}: {addresses[0]:#x} {'-' if stride < 0 else '+'} {abs(stride)} a lane"


def format_event(item):
    line = f"        lanes {item.event_lanes:x} "
    if item.event == EXIT:
        return line + "end"
    first, operand = item.details
    if item.event == WAIT and first & 15 >= CORE_OPERATIONS:
        return f"        {CORE_EVENTS[(first & 15) - CORE_OPERATIONS]}".format(first >> 4, operand)
    if item.event == WAIT:
        return line + WAIT_EVENTS[first & 15].format(first >> 4 << 3, operand)
    threads = f" of {operand} threads" if operand else ""
    return f"{line}{'wait' if first & 16 else 'arrive'} at barrier {first & 15}{threads}"


def whole_blocks(launch):
    """The blocks that have all their chunks, and these."""
    blocks = {}
    for frame in launch.frames:
        for chunk in frame:
            blocks.setdefault(chunk.block, []).append(chunk)
    for block, chunks in sorted(blocks.items()):
        chunks.sort()
        last = 2 * len(chunks) - 1
        if [chunk.mark for chunk in chunks] == [*range(0, last - 1, 2), last]:
            yield block, chunks


def format_part(part, code, known):
    """What a warp did in a chunk; `known` has the items of control strings: warps share them."""
    key = (part.control, part.steps)
    if key not in known:
        known[key] = parse_control(part.control, part.steps, code)
    lines = []
    data = DataReader(part, code.lanes)
    for item in known[key]:
        format_item(item, code, data, lines)
    data.end()
    return "".join(line + "\n" for line in lines)


def format_item(item, code, data, lines):
    if item.skipped:
        lines.append(f"      ({item.skipped} not listed one by one)")
    lanes = f"{item.lanes:0{8 if item.lanes < 1 << 32 else 16}x}"
    accesses = item.accesses
    for pc in range(item.pc, item.pc + item.count):
        lines.append(f"{pc:5}  {lanes}  {code.texts[pc]}")
        if pc in code.slots:
            for shape, addresses in data.accesses(accesses & 3, code.slots[pc]):
                lines.append(format_access(shape, addresses, item.lanes))
            accesses >>= 2
    if item.event != NO_EVENT:
        lines.append(format_event(item))


def check_names(cursor):
    """What a dump does not print: parts of the program's memory, each with its name."""
    address = 0
    while cursor.left():
        address = address + cursor.signed() & MASK64
        size, name = cursor.number(), cursor.text()
        cursor.check(name and 0 < size <= MASK64 + 1 - address, "has a part of memory that cannot be")


class Dump:
    """Prints a recording, section by section."""

    def __init__(self, write):
        self.write = write
        self.lanes = None  # of a warp, once the header was read
        self.modules = set()
        self.codes = []
        self.launches = 0
        self.launch = None  # the one that is open
        self.orders = False  # what follows may have its order
        self.order = BEHIND_ALL  # of the events that come next
        self.threads = None  # the program's: their launch, and whether it ran to its end and stopped
        self.turns = b""

    def print(self, sections, cut_at):
        for section in sections:
            cursor = Cursor(section.content, f"the section at byte {section.at}")
            cursor.check((section.type == HEADER) == (self.lanes is None) and
                         (section.type in (FRAME, LAUNCH_END)) == (self.launch is not None) and
                         section.type != INDEX, "is not in its place")
            self.print_section(section, cursor)
        if self.lanes is None:
            raise Damaged("the recording ends before its header is whole")
        if self.launch:
            self.end_launch(False, stopped=False)
        if self.threads:
            self.launch, *how = self.threads
            threads = self.launch.grid[0]
            if any(turn >= threads for turn in self.turns):
                raise Damaged("a turn is of a thread that is not there")
            self.write(f"threads: {threads}, {len(self.turns)} turns\n")
            self.close_launch(*how)
        if cut_at is not None:
            self.write(f"(the recording is cut off at byte {cut_at})\n")

    def print_section(self, section, cursor):
        kind = section.type
        if kind == HEADER:
            self.lanes = parse_header(cursor)
        elif kind == PTX:
            known = cursor.u64()  # of the text, which stands behind it without a length
            cursor.check(fnv_hash(cursor.take(cursor.left())) == known, "has another hash")
            self.modules.add(known)
        elif kind == CODE:
            self.codes.append(parse_code(cursor, self.modules, self.lanes))
        elif kind == FRAME:
            self.launch.frames.append(parse_frame(cursor, self.launch))
        elif kind == LAUNCH_END:
            ran = parse_launch_end(cursor, self.launch)
            self.end_launch(ran, stopped=not ran)
        elif kind == CORES:
            cursor.check(not self.threads and self.lanes != 1, "cannot be here")
            launch = parse_launch(cursor, 0, self.codes, 1, self.orders)
            self.launch = launch._replace(code=launch.code._replace(lanes=1))
            self.threads = (self.launch, False, False)
            grid, block = self.launch.grid, self.launch.block
            cursor.check(grid[0] <= 256 and [*grid[1:], *block] == [1] * 5, "has no threads")
        elif kind == TURNS:
            cursor.check(self.threads and not self.turns and section.content, "cannot be here")
            self.turns = section.content
        elif kind == NAMES:
            check_names(cursor)
        elif kind == LAUNCH:
            self.launch = parse_launch(cursor, self.launches, self.codes, self.lanes, self.orders)
            self.launches += 1
            self.order = BEHIND_ALL
            self.write(format_launch(self.launch) + "\n")
        elif kind == EVENTS:
            while cursor.left():
                self.write(self.format_events(cursor) + "\n")
        elif kind == ORDER:
            cursor.check(not self.orders, "is not the first of its kind")
            cursor.check(cursor.number() == 1, "has another version of orders than 1")
            cursor.end()
            self.orders = True

    def format_events(self, cursor):
        """The next event, and the order before it, which is that of all up to the next."""
        kind = cursor.limited(len(HOST_EVENTS), "the kind")
        if kind != len(HOST_EVENTS):
            return format_host_event(kind, cursor)
        cursor.limited(U32, "the stream")
        cursor.check(self.orders, "has an order without the section that says so")
        before, self.order = self.order, parse_order(cursor, self.launches, BESIDE | WAITED | COMMAND)
        text = format_host_event(cursor.limited(len(HOST_EVENTS) - 1, "the kind"), cursor)
        if self.order == BEHIND_ALL and before != BEHIND_ALL:
            return text + "; behind all"
        return text + format_order(self.order)

    def end_launch(self, ran, stopped):
        """Of threads what they did is printed at the end."""
        if self.threads and self.launch is self.threads[0]:
            self.threads = (self.launch, ran, stopped)
            self.launch = None
        else:
            self.close_launch(ran, stopped)

    def close_launch(self, ran_to_its_end, stopped):
        """Prints the blocks of the launch that is open."""
        whole = list(whole_blocks(self.launch))
        items = {}
        of_threads = self.threads and self.launch is self.threads[0]
        for block, chunks in whole:
            for warp in range(self.launch.warps):
                self.write(f"thread {block}\n" if of_threads else f"block {block}, warp {warp}\n")
                for chunk in chunks:
                    self.write(format_part(chunk.warps[warp], self.launch.code, items))
        if stopped:
            self.write("(was stopped before its end)\n")
        elif not ran_to_its_end:
            self.write(f"({len(whole)} of {self.launch.blocks} blocks are whole)\n")
        elif len(whole) != self.launch.blocks:
            raise Damaged(f"launch {self.launch.number} ended with blocks that are not whole")
        self.launch = None


def main(arguments):
    if len(arguments) != 2:
        print("usage: read_recording.py FILE", file=sys.stderr)
        return 2
    sys.stdout.reconfigure(encoding="utf-8", errors="surrogateescape")
    try:
        with open(arguments[1], "rb") as file:
            data = file.read()
        Dump(sys.stdout.write).print(*read_sections(data))
    except (Damaged, OSError) as error:
        sys.stdout.flush()
        print(f"read_recording.py: {arguments[1]}: {error}", file=sys.stderr)
        return 1 if isinstance(error, OSError) else 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv))
