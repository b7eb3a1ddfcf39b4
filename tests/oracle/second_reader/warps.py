"""What a warp did in a chunk: items and accesses, as docs/formats/recording.md has them."""
from collections import namedtuple

from frames import GOES_ON, U32, WAITS, Shape, parse_rows, parse_words
from sections import MASK64, Cursor

# Events of items, and how often each memory instruction of an ordinary item accesses memory.
NO_EVENT, ARRIVAL, EXIT, WAIT = range(4)
CLUSTER_OPERATIONS, CORE_OPERATIONS = 8, 11  # from the first on
FENCE, ISSUES, AWAITS, TURN_ENDS = 12, 13, 14, 15
ONE_ACCESS_EACH = 0x5555555555555555

Item = namedtuple("Item", "pc count lanes event accesses skipped details event_lanes")


def parse_control(control, steps, code):
    """The items of a control string."""
    cursor = Cursor(control, "a control string")
    places = [None] * 16
    item = Item(0, 0, 0, NO_EVENT, ONE_ACCESS_EACH, 0, (), 0)
    items = []
    while cursor.left():
        token = cursor.number()
        cursor.check(0 < token and (token < 32 or token % 2 == 0), f"has the token {token}")
        for _ in range(1 if token & 1 else token >> 1):
            place = (7 * item.pc + item.count) % 16
            if token & 1:
                places[place] = parse_item(cursor, token, item, code)
            item = places[place] or cursor.fail("has an item that nothing predicts")
            items.append(item)
            steps -= 1 + (item.count + item.skipped) // 4096
            cursor.check(steps >= 0, "has more steps than were told")
    return items if steps == 0 else cursor.fail("has fewer steps than were told")


def parse_item(cursor, token, before, code):
    """An item told in full."""
    event = token >> 1 & 3
    pc = before.pc + before.count + cursor.signed()
    count = cursor.number()
    lanes = before.lanes ^ cursor.number()
    accesses = ONE_ACCESS_EACH ^ (cursor.number() if token & 8 else 0)
    skipped, skipped_lanes = cursor.numbers(2) if token & 16 else (0, 0)
    cursor.check((skipped > 0) == (token & 16 > 0) and skipped_lanes <= skipped * code.lanes,
                 "skips what cannot be")
    details = parse_details(cursor, event)
    event_lanes = lanes ^ cursor.number() if event != NO_EVENT else 0
    cursor.check(skipped <= 1 << 36 and (count > 0 or event in (EXIT, WAIT)) and
                 (lanes | event_lanes) >> code.lanes == 0, "has an item that cannot be")
    last = pc + max(count, 1) - 1
    cursor.check(0 <= pc and last < len(code.texts), "has an item outside the code")
    cursor.check(event != WAIT or code.flags[last] & WAITS,
                 "has an operation of an instruction that has none")
    cursor.check(event != WAIT or details[0] & 15 < CORE_OPERATIONS or
                 count == 0 and code.lanes == 1, "has an operation of a core that cannot be")
    cursor.check(sum(at in code.slots for at in range(pc, last + 1)) <= 32, "has a long item")
    return Item(pc, count, lanes, event, accesses, skipped, details, event_lanes)


def parse_details(cursor, event):
    """The barrier or the object of an event, with its operation, and the operand."""
    if event not in (ARRIVAL, WAIT):
        return ()
    word = cursor.limited(63 if event == ARRIVAL else (1 << 19) - 1, "the barrier")
    operand = cursor.limited(U32, "the operand")
    of_cluster = event == WAIT and (CLUSTER_OPERATIONS <= word & 15 < CORE_OPERATIONS or
                                    word & 15 in (FENCE, TURN_ENDS))
    of_command = event == WAIT and word & 15 in (ISSUES, AWAITS)
    cursor.check(not of_cluster or word < 16 and operand == 0, "has an object that cannot be")
    cursor.check(not of_command or word < 16 and operand != 0, "has a command that cannot be")
    return word, operand


class DataReader:
    """The accesses of a warp in a chunk."""

    def __init__(self, part, lanes):
        self.lanes = lanes
        self.cursor = Cursor(part.data, "a data string")
        self.firsts = iter(part.firsts)
        self.slots = {}  # base, step and shape of each slot's access before
        self.predicted = 0  # accesses to come

    def access(self, slot):
        """The shape and the addresses of the next access, which is of `slot`."""
        cursor = self.cursor
        token = 0 if self.predicted else cursor.number()
        cursor.check(token < 4 or token % 4 == 0, f"has the token {token}")
        base, step, shape = self.slots.get(slot, (0, 0, None))
        if token == 3:
            first, base, shape = next(self.firsts, (None, 0, None))
            cursor.check(first == slot and slot not in self.slots, "has another first")
            step = 0
        cursor.check(shape, "has an access before the slot's first")
        if token % 4 == 0:
            self.predicted += token // 4 - 1
            cursor.check(self.predicted >= 0 and not shape.irregular, "has a wrong prediction")
        if token == 2:
            shape = self.parse_change(shape)
        if token in (1, 2):
            step = cursor.signed()
        cursor.check(shape.mask and not shape.mask >> self.lanes, "has lanes that are not there")
        base = base + step & MASK64
        self.slots[slot] = (base, step, shape)
        return shape, self.addresses(base, shape)

    def accesses(self, count, slot):
        """Those of an instruction; from the third on one more, as long as they say so."""
        made = 0
        while made < count:
            shape, addresses = self.access(slot)
            yield shape, addresses
            made += 1
            count += made == count >= 3 and shape.kind >= GOES_ON
        self.cursor.check(made <= 16, "has an instruction of too many accesses")

    def parse_change(self, last):
        """The shape of an access that differs from the last one's."""
        cursor = self.cursor
        flags = cursor.limited(31, "a change of")
        mask = last.mask ^ cursor.number() if flags & 2 else last.mask
        stride = last.stride + cursor.signed() if flags & 4 else last.stride
        rows = parse_rows(cursor, flags & 1) if flags & 16 else (0, 0)
        words = parse_words(cursor) if flags & 8 else last[5:]
        return Shape(bool(flags & 1), mask, stride, *rows, *words)

    def addresses(self, base, shape):
        """Of each active lane."""
        lanes = [lane for lane in range(shape.mask.bit_length()) if shape.mask >> lane & 1]
        if shape.irregular:
            addresses = [base]
            for _ in lanes[1:]:
                addresses.append(addresses[-1] + self.cursor.signed() & MASK64)
            return addresses
        columns = 1 << (shape.shift or 6)
        return [base + lane % columns * shape.stride + lane // columns * shape.row_stride & MASK64
                for lane in lanes]

    def end(self):
        self.cursor.check(not self.predicted and not list(self.firsts), "has too many accesses")
        self.cursor.end()
