"""Numbers, texts and sections of a recording, as docs/formats/recording.md has them."""
import ctypes
import struct
from collections import namedtuple

HEADER, PTX, CODE, EVENTS, LAUNCH, FRAME, LAUNCH_END, INDEX, ORDER, CORES, TURNS, NAMES = range(1, 13)
SECTION_HEADER = struct.Struct("<4sIQQQQ")
MASK64 = (1 << 64) - 1

Section = namedtuple("Section", "at type stored size content")


class Damaged(Exception):
    """The file is not as the format says."""


class Cursor:
    """Reads numbers and texts, one after the other."""

    def __init__(self, data, what, at=0):
        self.data = data
        self.at = at
        self.what = what

    def fail(self, why):
        raise Damaged(f"{self.what} {why}")

    def check(self, condition, why):
        if not condition:
            self.fail(why)

    def number(self):
        """LEB128: at most ten bytes, and 64 bits."""
        value = 0
        for index, byte in enumerate(self.data[self.at:self.at + 10]):
            value |= (byte & 127) << 7 * index
            if byte < 128:
                self.at += index + 1
                return value if value <= MASK64 else self.fail("has a number above 64 bits")
        return self.fail("has a number that does not end")

    def numbers(self, count):
        return [self.number() for _ in range(count)]

    def signed(self):
        """A zigzag number: a difference modulo 2^64."""
        value = self.number()
        return value >> 1 ^ -(value & 1)

    def limited(self, limit, name):
        """A number that is not above `limit`."""
        value = self.number()
        return value if value <= limit else self.fail(f"has {name} {value}")

    def index(self, before, count, name):
        """A signed number, less `before`, of one of `count` things."""
        value = before + self.signed()
        return value if 0 <= value < count else self.fail(f"has {name} {value}")

    def take(self, count):
        self.check(count <= self.left(), "ends too early")
        self.at += count
        return self.data[self.at - count:self.at]

    def u64(self):
        return int.from_bytes(self.take(8), "little")

    def text(self):
        data = self.take(self.number())
        self.check(0 not in data, "has a text with a NUL")
        return data.decode(errors="surrogateescape")  # command words are as the shell gave them

    def left(self):
        return len(self.data) - self.at

    def end(self):
        self.check(self.left() == 0, "has bytes behind its end")


def fnv_hash(data):
    """FNV-1a with 64 bits, and splitmix64's mixer."""
    x = 0xCBF29CE484222325
    for byte in data:
        x = (x ^ byte) * 0x100000001B3 & MASK64
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9 & MASK64
    x = (x ^ x >> 27) * 0x94D049BB133111EB & MASK64
    return x ^ x >> 31


SIZE, BYTES = ctypes.c_size_t, ctypes.c_char_p
ZSTD, XXHASH = ctypes.CDLL("libzstd.so.1"), ctypes.CDLL("libxxhash.so.0")
zstd_decompress = ctypes.CFUNCTYPE(SIZE, BYTES, SIZE, BYTES, SIZE)(("ZSTD_decompress", ZSTD))
zstd_frame_size = ctypes.CFUNCTYPE(SIZE, BYTES, SIZE)(("ZSTD_findFrameCompressedSize", ZSTD))
xxh3 = ctypes.CFUNCTYPE(ctypes.c_uint64, BYTES, SIZE)(("XXH3_64bits", XXHASH))


def read_section(data, at):
    """The section whose header begins at `at`."""
    cursor = Cursor(data, f"the section at byte {at}", at)
    header = cursor.take(SECTION_HEADER.size)
    magic, kind, stored, size, checksum, header_hash = SECTION_HEADER.unpack(header)
    cursor.check(magic == b"WMSC" and fnv_hash(header[:32] + struct.pack("<Q", at)) == header_hash,
                 "has a damaged header")
    content = cursor.take(stored)
    cursor.check(xxh3(content, stored) == checksum, "has another checksum than its bytes")
    cursor.check(HEADER <= kind <= NAMES, f"is of the unknown type {kind}")
    cursor.check(size <= 1 << 28 and zstd_frame_size(content, stored) == stored, "is no frame")
    result = ctypes.create_string_buffer(size + 1)
    cursor.check(zstd_decompress(result, size, content, stored) == size, "has another size")
    return Section(at, kind, stored, size, result.raw[:size])


def read_sections(data):
    """The sections but the index, and where the file was cut off: None when it was not."""
    if data[:12] != b"\x89WMTRACE\1\0\0\0" or len(data) < 16:
        raise Damaged("not a recording of version 1")
    whole = data[-8:] == b"WMTREND\n"
    trailer = data[-16:]
    data = data[:-16] if whole else data
    sections = []
    at = 16
    try:
        while at < len(data):
            sections.append(read_section(data, at))
            at += SECTION_HEADER.size + sections[-1].stored
    except Damaged:
        if whole:
            raise
    if whole:
        check_index(sections, struct.unpack_from("<Q", trailer)[0])
    if sections and sections[-1].type == INDEX:
        at = sections.pop().at
    return sections, None if whole else at


def check_index(sections, at):
    """Compares the index, which begins at `at`, with the sections that it is of."""
    if not sections or sections[-1].type != INDEX or sections[-1].at != at:
        raise Damaged("the index is not the last section")
    told = [part for section in sections[:-1] for part in section[1:4]]
    cursor = Cursor(sections[-1].content, "the index")
    cursor.check(cursor.numbers(1 + len(told)) == [len(told) // 3, *told], "has other sections")
    cursor.end()
