#include "recording_tokens.h"

#include <criterion/criterion.h>

struct walk {
    const uint8_t *bytes;
    size_t at, end;
    struct tokens *tokens;
};

static void add(struct walk *walk, const char *name, enum token_kind kind, size_t from,
                uint64_t value)
{
    cr_assert_lt(walk->tokens->count, MOST_TOKENS);
    walk->tokens->items[walk->tokens->count++] = (struct token){
        .name = name, .kind = kind, .at = from, .length = walk->at - from, .value = value};
}

static uint64_t number(struct walk *walk, const char *name)
{
    uint64_t value = 0;
    size_t from = walk->at;
    unsigned shift = 0;
    do {
        cr_assert(walk->at < walk->end && shift < 64, "%s", name);
        value |= (uint64_t)(walk->bytes[walk->at] & 0x7f) << shift;
        shift += 7;
    } while (walk->bytes[walk->at++] >= 0x80);
    add(walk, name, TOKEN_NUMBER, from, value);
    return value;
}

static void text(struct walk *walk, const char *name)
{
    size_t from = walk->at;
    uint64_t length = number(walk, name);
    walk->tokens->count--;
    walk->at += length;
    cr_assert_leq(walk->at, walk->end);
    add(walk, name, TOKEN_TEXT, from, length);
}

static void u64(struct walk *walk, const char *name)
{
    walk->at += 8;
    cr_assert_leq(walk->at, walk->end);
    add(walk, name, TOKEN_U64, walk->at - 8, 0);
}

// --- Tables ---

static void header(struct walk *walk)
{
    text(walk, "header: writer");
    text(walk, "header: source");
    text(walk, "header: machine");
    text(walk, "header: description");
    number(walk, "header: lanes");
    number(walk, "header: memory only");
    for (uint64_t words = number(walk, "header: words"); words > 0; words--)
        text(walk, "header: word");
}

static void code(struct walk *walk)
{
    text(walk, "code: name");
    text(walk, "code: module");
    u64(walk, "code: fingerprint");
    u64(walk, "code: ptx");
    number(walk, "code: shared");
    number(walk, "code: registers");
    for (uint64_t count = number(walk, "code: instructions"); count > 0; count--) {
        uint64_t flags = number(walk, "instruction: flags");
        text(walk, "instruction: text");
        if ((flags & 32) != 0)
            text(walk, "instruction: guard");
        if ((flags & 8) == 0)
            text(walk, "instruction: file");
        number(walk, "instruction: source line");
        number(walk, "instruction: ptx line");
        number(walk, "instruction: kind");
        number(walk, "instruction: space");
    }
}

static void events(struct walk *walk)
{
    while (walk->at < walk->end) {
        uint64_t kind = number(walk, "event: kind");
        number(walk, "event: stream");
        if (kind < 6)
            number(walk, "event: address");
        if (kind == 4)
            number(walk, "event: from");
        if (kind != 1 && kind < 6)
            number(walk, "event: bytes");
    }
}

static void launch(struct walk *walk)
{
    static const char *const names[] = {"launch: number",  "launch: code",     "launch: stream",
                                        "launch: grid x",  "launch: grid y",   "launch: grid z",
                                        "launch: block x", "launch: block y",  "launch: block z",
                                        "launch: dynamic", "launch: carveout", "launch: local"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        number(walk, names[i]);
}

static void launch_end(struct walk *walk)
{
    number(walk, "end: number");
    number(walk, "end: whole");
    for (uint64_t frames = number(walk, "end: frames"); frames > 0; frames--)
        for (uint64_t chunks = number(walk, "end: chunks"); chunks > 0; chunks--) {
            number(walk, "end: block");
            number(walk, "end: part");
        }
}

// --- Frames ---

struct shape {
    uint64_t mask;
    bool irregular;
};

static void words(struct walk *walk)
{
    number(walk, "access: space");
    number(walk, "access: kind");
    number(walk, "access: hint");
    number(walk, "access: bytes");
}

static void control_string(struct walk *walk)
{
    while (walk->at < walk->end) {
        uint64_t token = number(walk, "item: token");
        if ((token & 1) == 0)
            continue;
        number(walk, "item: pc");
        number(walk, "item: count");
        number(walk, "item: active");
        if ((token & 8) != 0)
            number(walk, "item: accesses");
        if ((token & 16) != 0) {
            number(walk, "item: skipped");
            number(walk, "item: skipped lanes");
        }
        if ((token >> 1 & 3) == 1) {
            number(walk, "arrival: barrier");
            number(walk, "arrival: threads");
        }
        if ((token >> 1 & 3) == 3) {
            number(walk, "phase: operation");
            number(walk, "phase: operand");
        }
        if ((token >> 1 & 3) != 0)
            number(walk, "item: event lanes");
    }
}

static void lanes(struct walk *walk, const struct shape *shape)
{
    for (uint64_t rest = shape->mask & (shape->mask - 1); shape->irregular && rest != 0;
         rest &= rest - 1)
        number(walk, "access: lane");
}

static void data_string(struct walk *walk, struct shape shape)
{
    while (walk->at < walk->end) {
        uint64_t token = number(walk, "access: token");
        if ((token & 3) == 0)
            continue;
        if (token == 2) {
            uint64_t flags = number(walk, "access: flags");
            shape.irregular = (flags & 1) != 0;
            if ((flags & 2) != 0)
                shape.mask ^= number(walk, "access: mask");
            if ((flags & 4) != 0)
                number(walk, "access: stride");
            if ((flags & 8) != 0)
                words(walk);
        }
        if (token != 3)
            number(walk, "access: step");
        lanes(walk, &shape);
    }
}

// Unsigned difference of a zigzag number.
static uint64_t unzigzag(uint64_t value)
{
    return value >> 1 ^ (0 - (value & 1));
}

enum { MOST_WARPS = 4096 };

// What the strings' grammar depends on: which are data, and of what shape their first is.
struct frame {
    bool is_data[MOST_WARPS];
    struct shape firsts[MOST_WARPS], by_string[MOST_WARPS];
    uint64_t data_of[MOST_WARPS], lengths[MOST_WARPS];
    uint32_t first_of[MOST_WARPS]; // number of the warp's first, plus 1; 0: none
};

static struct walk column(struct walk *walk, const char *name)
{
    uint64_t length = number(walk, name);
    struct walk inside = *walk;
    inside.end = walk->at + length;
    cr_assert_leq(inside.end, walk->end);
    walk->at = inside.end;
    return inside;
}

static void first_shapes(struct walk *walk, struct frame *frame, uint32_t firsts)
{
    struct shape last = {0};
    for (uint32_t i = 0; i < firsts; i++) {
        uint64_t flags = number(walk, "first: flags");
        if (flags != 0) {
            last.irregular = (flags & 2) != 0;
            last.mask = number(walk, "first: mask");
            number(walk, "first: stride");
            number(walk, "first: space");
            number(walk, "first: kind");
            number(walk, "first: hint");
            number(walk, "first: bytes");
        }
        frame->firsts[i] = last;
    }
}

static void frame(struct walk *walk, uint32_t warps)
{
    static struct frame frame;
    frame = (struct frame){0};
    number(walk, "frame: launch");
    uint64_t chunks = number(walk, "frame: chunks");
    uint64_t strings = number(walk, "frame: strings");
    struct walk inside = column(walk, "frame: column");
    for (uint64_t i = 0; i < chunks; i++) {
        number(&inside, "chunk: block");
        number(&inside, "chunk: part");
    }
    inside = column(walk, "frame: column");
    uint64_t data = 0;
    for (uint64_t i = 0; i < chunks * warps; i++) {
        number(&inside, "warp: control");
        data += unzigzag(number(&inside, "warp: data"));
        frame.data_of[i] = data;
        frame.is_data[data] = true;
        number(&inside, "warp: steps");
    }
    inside = column(walk, "frame: column");
    for (uint64_t i = 0; i < strings; i++)
        frame.lengths[i] = number(&inside, "string: length");
    inside = column(walk, "frame: column");
    uint32_t firsts = 0;
    for (uint64_t i = 0; i < chunks * warps; i++)
        for (uint64_t n = number(&inside, "warp: firsts"); n > 0; n--) {
            number(&inside, "first: slot");
            frame.first_of[i] = ++firsts;
        }
    inside = column(walk, "frame: column");
    for (uint32_t i = 0; i < firsts; i++)
        number(&inside, "first: base");
    inside = column(walk, "frame: column");
    first_shapes(&inside, &frame, firsts);
    for (uint64_t i = 0; i < chunks * warps; i++)
        if (frame.first_of[i] != 0)
            frame.by_string[frame.data_of[i]] = frame.firsts[frame.first_of[i] - 1];
    inside = column(walk, "frame: column");
    for (uint64_t i = 0; i < strings; i++) {
        struct walk string = inside;
        string.end = inside.at + frame.lengths[i];
        if (frame.is_data[i])
            data_string(&string, frame.by_string[i]);
        else
            control_string(&string);
        inside.at = string.end;
    }
    cr_assert_eq(inside.at, inside.end);
}

void recording_tokens(enum wm_section_type type, const struct wm_bytes *content, uint32_t warps,
                      struct tokens *tokens)
{
    struct walk walk = {.bytes = content->data, .end = content->length, .tokens = tokens};
    tokens->count = 0;
    switch (type) {
    case WM_SECTION_HEADER: header(&walk); break;
    case WM_SECTION_PTX:
        u64(&walk, "ptx: hash");
        walk.at = walk.end;
        break;
    case WM_SECTION_CODE: code(&walk); break;
    case WM_SECTION_EVENTS: events(&walk); break;
    case WM_SECTION_LAUNCH: launch(&walk); break;
    case WM_SECTION_FRAME: frame(&walk, warps); break;
    case WM_SECTION_LAUNCH_END: launch_end(&walk); break;
    default: cr_assert_fail("a section of type %d", (int)type);
    }
    cr_assert_eq(walk.at, walk.end, "a section of type %d", (int)type);
}
