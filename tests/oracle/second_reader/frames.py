"""Header, kernels, launches and frames of a recording, as docs/formats/recording.md has them."""
import math
from collections import namedtuple

from sections import MASK64, Cursor

# Flags of a kernel's instructions.
MEMORY, SAME_FILE, CODE_KNOWN, GUARDED, WAITS, ALL_FLAGS = 2, 8, 16, 32, 64, 127
SPACES = ("global", "local", "shared", "constant", "parameter", "texture")
KINDS = ("load", "store", "atomic", "reduction")
HINTS = ("", ", past L1", ", streaming", ", last use", ", volatile", ", read-only", ", no L1")
U32 = (1 << 32) - 1
GOES_ON = 4  # added to the kind of an access: the instruction has another one

Code = namedtuple("Code", "name lanes texts flags slots")  # of a warp; by pc; those of memory
Launch = namedtuple("Launch", "number code stream grid block shared carve_out local blocks warps"
                    " order frames")  # warps of a block; each frame is a list of chunks
# What waits for what: launches by number, or None for all before; below which number the host had
# waited for all, and for which others; None twice when it is not told.
Order = namedtuple("Order", "behind below ended priority alone gpu command")
BEHIND_ALL = Order(None, None, None, 0, False, 0, 0)
BESIDE, WAITED, PRIORITY, ALONE, ON_GPU, COMMAND = 1, 2, 4, 8, 16, 32
Chunk = namedtuple("Chunk", "block mark warps")  # mark: 2 * its number, + 1 when it is the last
WarpPart = namedtuple("WarpPart", "control data steps firsts")  # a warp in a chunk
Shape = namedtuple("Shape", "irregular mask stride shift row_stride space kind hint size")


def parse_header(cursor):
    """The lanes of a warp."""
    for _ in range(4):  # the writer, the source, the machine and its description
        cursor.text()
    lanes = cursor.number()
    cursor.check(lanes in (1, 32, 64), f"has warps of {lanes} lanes")
    cursor.limited(1, "the flag")  # only memory instructions are told one by one
    for _ in range(cursor.number()):
        cursor.text()
    cursor.end()
    return lanes


def parse_code(cursor, modules, lanes):
    name = cursor.text()
    cursor.text()  # the module
    cursor.u64()  # the fingerprint
    module = cursor.u64()
    cursor.check(not module or module in modules, "is of a module that is not there")
    cursor.limited(U32, "the shared bytes")
    cursor.limited(U32, "the registers")
    code = Code(name, lanes, [], [], {})
    end = 0  # of the code of the instruction before
    for pc in range(cursor.number()):
        flags = cursor.limited(ALL_FLAGS, "the flags")
        code.flags.append(flags)
        code.texts.append(cursor.text())
        if flags & MEMORY:
            code.slots[pc] = len(code.slots)
        for _ in range(bool(flags & GUARDED) + (not flags & SAME_FILE)):
            cursor.text()  # the register of its guard, its source file
        cursor.numbers(2)  # signed: its line in the source and in the PTX
        cursor.limited(len(KINDS) - 1, "the kind")
        cursor.limited(len(SPACES) - 1, "the space")
        end = parse_place(cursor, end) if flags & CODE_KNOWN else 0
    cursor.end()
    return code


def parse_place(cursor, end):
    """Where an instruction's code ends; `end` is where that of the one before does."""
    at = end + cursor.signed() & MASK64
    size = cursor.limited(4096, "the code bytes")
    cursor.check(size > 0 and at + size - 1 <= MASK64, "has an instruction without a place")
    return at + size & MASK64


def parse_earlier(cursor, at):
    """Numbers of launches before launch `at`, each told by how much less than the one before it is."""
    numbers = []
    for _ in range(cursor.number()):
        apart = cursor.number()
        cursor.check(1 <= apart <= at, "waits for a launch that is not before it")
        at -= apart
        numbers.insert(0, at)
    return numbers


def parse_order(cursor, at, flags):
    """What launch `at`, or a command before it, waits for; which flags there may be."""
    told = cursor.number()
    cursor.check(told & ~flags == 0, "has flags of an order that cannot be")
    behind = parse_earlier(cursor, at) if told & BESIDE else None
    below = ended = None
    priority = 0
    if told & WAITED:
        below = at - cursor.limited(at, "the launches")
        ended = parse_earlier(cursor, at)
    if told & PRIORITY:
        priority = cursor.signed()
        cursor.check(priority != 0 and -1 << 31 <= priority < 1 << 31, "has a priority that cannot be")
    gpu = cursor.limited(7, "the GPU") if told & ON_GPU else 0
    cursor.check(gpu != 0 or not told & ON_GPU, "names GPU 0, which goes without saying")
    command = cursor.limited(U32, "the command") if told & COMMAND else 0
    cursor.check(command != 0 or not told & COMMAND, "names command 0")
    return Order(behind, below, ended, priority, bool(told & ALONE), gpu, command)


def parse_launch(cursor, number, codes, lanes, orders):
    told, code, stream, *sizes, shared, carve_out, local = cursor.numbers(12)
    order = BEHIND_ALL
    if cursor.left() and orders:
        order = parse_order(cursor, number, BESIDE | WAITED | PRIORITY | ALONE | ON_GPU | COMMAND)
        cursor.check(order != BEHIND_ALL, "has an order that says nothing")
    cursor.end()
    cursor.check(told == number and code < len(codes), "is of a launch or code that is not there")
    grid, block = sizes[:3], sizes[3:]
    warps = (math.prod(block) + lanes - 1) // lanes
    cursor.check(1 <= warps <= 64, f"has blocks of {warps} warps")
    cursor.check(max(grid) < 1 << 31 and 1 <= grid[1] * grid[2] <= 1 << 32 and grid[0] > 0 and
                 max(block) <= 1024 and math.prod(block) <= 2048 and stream <= U32 and
                 shared <= U32 and carve_out <= 101 and local <= 1 << 40, "has what cannot be")
    return Launch(number, codes[code], stream, grid, block, shared, carve_out, local,
                  math.prod(grid), warps, order, frames=[])


def parse_launch_end(cursor, launch):
    """Compares the end of a launch with its frames; true when the launch ran to its end."""
    cursor.check(cursor.number() == launch.number, "is of another launch")
    whole = cursor.limited(1, "the flag")
    told = [parse_chunks(cursor, cursor.number(), launch.blocks) for _ in range(cursor.number())]
    have = [[chunk._replace(warps=[]) for chunk in frame] for frame in launch.frames]
    cursor.check(told == have, "has other chunks than its frames")
    cursor.end()
    return whole == 1


def parse_frame(cursor, launch):
    """The chunks of a frame."""
    cursor.check(cursor.number() == launch.number, "is of another launch")
    chunk_count, string_count = cursor.numbers(2)
    names = ("chunks", "ids", "lengths", "slots", "bases", "shapes", "strings")
    columns = {name: Cursor(cursor.take(cursor.number()), f"{cursor.what}, {name},")
               for name in names}
    cursor.end()
    lengths = columns["lengths"].numbers(string_count)
    strings = [columns["strings"].take(length) for length in lengths]
    chunks = parse_chunks(columns["chunks"], chunk_count, launch.blocks)
    last = [(0, 0, None)] * len(launch.code.slots)
    ids = columns["ids"]
    control = data = steps = 0
    for chunk in chunks:
        for _ in range(launch.warps):
            control = ids.index(control, string_count, "the control string")
            data = ids.index(data, string_count, "the data string")
            steps = ids.index(steps, 1 + (1 << 32), "the steps")
            firsts = parse_firsts(columns, last)
            chunk.warps.append(WarpPart(strings[control], strings[data], steps, firsts))
    for column in columns.values():
        column.end()
    return chunks


def parse_chunks(column, count, blocks):
    chunks = []
    block = 0
    for _ in range(count):
        block = column.index(block, blocks, "the block")
        chunks.append(Chunk(block, column.number(), []))
    return chunks


def parse_firsts(columns, last):
    """The firsts of the next warp; `last` has base, step and shape of each slot's first before."""
    slots = columns["slots"]
    firsts = []
    behind = 0
    for _ in range(slots.number()):
        slot = slots.index(behind, len(last), "the slot")
        behind = slot + 1
        base, step, shape = last[slot]
        step = step + columns["bases"].signed() & MASK64
        base = base + step & MASK64
        shape = parse_shape(columns["shapes"], shape)
        last[slot] = (base, step, shape)
        firsts.append((slot, base, shape))
    return firsts


def parse_shape(cursor, before):
    flags = cursor.limited(7, "the flags")
    if not flags & 1:
        return before if flags == 0 and before else cursor.fail("has no shape before")
    mask, stride = cursor.number(), cursor.signed()
    rows = parse_rows(cursor, flags & 2) if flags & 4 else (0, 0)
    return Shape(bool(flags & 2), mask, stride, *rows, *parse_words(cursor))


def parse_rows(cursor, irregular):
    """The shift of rows, and their stride."""
    shift = cursor.limited(5, "the shift of rows")
    cursor.check(shift > 0 and not irregular, "has rows that cannot be")
    return shift, cursor.signed()


def parse_words(cursor):
    """Space, kind, hint, bytes a lane."""
    return (cursor.limited(len(SPACES) - 1, "the space"),
            cursor.limited(len(KINDS) - 1 + GOES_ON, "the kind"),
            cursor.limited(len(HINTS) - 1, "the hint"),
            cursor.limited(256, "the bytes a lane") or cursor.fail("has an empty access"))
