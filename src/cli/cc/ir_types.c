#include "cli/cc/ir_types.h"

#include <ctype.h>
#include <string.h>

enum { MOST_DEPTH = 32, MOST_SIZE = 1 << 20 };

struct cursor {
    const char *at, *end;
};

static void skip_spaces(struct cursor *cursor)
{
    while (cursor->at < cursor->end && *cursor->at == ' ')
        cursor->at++;
}

static bool take(struct cursor *cursor, const char *word)
{
    size_t length = strlen(word);
    skip_spaces(cursor);
    if ((size_t)(cursor->end - cursor->at) < length || memcmp(cursor->at, word, length) != 0)
        return false;
    cursor->at += length;
    return true;
}

// A number without sign, at most `most`; `most` + 1 when there is none or it is larger.
static uint32_t take_number(struct cursor *cursor, uint32_t most)
{
    uint32_t value = 0;
    bool any = false;
    skip_spaces(cursor);
    for (; cursor->at < cursor->end && isdigit((unsigned char)*cursor->at); cursor->at++) {
        any = true;
        if (value <= most)
            value = value * 10 + (uint32_t)(*cursor->at - '0');
    }
    return any && value <= most ? value : most + 1;
}

// Moves behind what the bracket at the cursor encloses. A name in quotes may hold brackets.
static bool skip_enclosed(struct cursor *cursor)
{
    int depth = 0;
    bool quoted = false;
    for (; cursor->at < cursor->end; cursor->at++) {
        char c = *cursor->at;
        if (c == '"')
            quoted = !quoted;
        if (quoted)
            continue;
        if (strchr("([{<", c))
            depth++;
        else if (strchr(")]}>", c) && --depth == 0) {
            cursor->at++;
            return true;
        }
    }
    return false;
}

static void skip_name(struct cursor *cursor)
{
    if (cursor->at < cursor->end && *cursor->at == '"') {
        do
            cursor->at++;
        while (cursor->at < cursor->end && *cursor->at != '"');
        cursor->at += cursor->at < cursor->end;
        return;
    }
    while (cursor->at < cursor->end &&
           (isalnum((unsigned char)*cursor->at) || strchr("_.$-", *cursor->at)))
        cursor->at++;
}

// Moves behind a type without the stars that make a pointer of it.
static bool skip_base(struct cursor *cursor)
{
    skip_spaces(cursor);
    if (cursor->at >= cursor->end)
        return false;
    if (strchr("[{<", *cursor->at))
        return skip_enclosed(cursor);
    const char *first = cursor->at;
    if (*cursor->at == '%')
        cursor->at++;
    skip_name(cursor);
    return cursor->at > first;
}

// Moves behind the stars and parameter lists that follow a type. True when there was one.
static bool skip_pointers(struct cursor *cursor)
{
    bool any = false;
    for (;;) {
        struct cursor ahead = *cursor;
        if (take(&ahead, "addrspace(")) {
            take_number(&ahead, 1u << 24);
            if (!take(&ahead, ")") || !take(&ahead, "*"))
                return any;
        } else if (take(&ahead, "(")) {
            ahead.at--;
            if (!skip_enclosed(&ahead) || !take(&ahead, "*"))
                return any;
        } else if (!take(&ahead, "*")) {
            return any;
        }
        *cursor = ahead;
        any = true;
    }
}

struct wm_ir_slice wm_ir_type_at(const char *text, const char *end)
{
    struct cursor cursor = {text, end};
    skip_spaces(&cursor);
    const char *first = cursor.at;
    if (!skip_base(&cursor))
        return (struct wm_ir_slice){first, 0};
    skip_pointers(&cursor);
    return (struct wm_ir_slice){first, (size_t)(cursor.at - first)};
}

struct reader {
    const struct wm_ir_types *types;
    struct wm_ir_layout *layout;
};

struct extent {
    uint32_t size, alignment;
};

static bool read_type(struct reader *reader, struct cursor *cursor, uint32_t depth,
                      struct extent *extent);

static uint32_t round_up(uint32_t value, uint32_t alignment)
{
    return (value + alignment - 1) / alignment * alignment;
}

static bool add_scalar(struct reader *reader, const char *first, const char *last,
                       enum wm_ir_scalar_kind kind, uint32_t size, struct extent *extent)
{
    struct wm_ir_layout *layout = reader->layout;
    if (layout->count == WM_IR_SCALARS)
        return false;
    layout->scalars[layout->count++] =
        (struct wm_ir_scalar){0, size, kind, {first, (size_t)(last - first)}};
    *extent = (struct extent){size, size};
    return true;
}

// The scalars from `from` on were read as if at 0.
static void shift(struct wm_ir_layout *layout, uint32_t from, uint32_t offset)
{
    for (uint32_t i = from; i < layout->count; i++)
        layout->scalars[i].offset += offset;
}

// "{ T, T }", or "<{ T, T }>" without padding; the cursor is behind the opening bracket.
static bool read_fields(struct reader *reader, struct cursor *cursor, uint32_t depth, bool packed,
                        struct extent *extent)
{
    *extent = (struct extent){0, 1};
    if (!take(cursor, "}")) {
        do {
            uint32_t from = reader->layout->count;
            struct extent field;
            if (!read_type(reader, cursor, depth, &field))
                return false;
            if (packed)
                field.alignment = 1;
            uint32_t offset = round_up(extent->size, field.alignment);
            shift(reader->layout, from, offset);
            extent->size = offset + field.size;
            if (field.alignment > extent->alignment)
                extent->alignment = field.alignment;
            if (extent->size > MOST_SIZE)
                return false;
        } while (take(cursor, ","));
        if (!take(cursor, "}"))
            return false;
    }
    extent->size = round_up(extent->size, extent->alignment);
    return !packed || take(cursor, ">");
}

// "[N x T]"; the cursor is behind the opening bracket.
static bool read_array(struct reader *reader, struct cursor *cursor, uint32_t depth,
                       struct extent *extent)
{
    struct wm_ir_layout *layout = reader->layout;
    uint32_t count = take_number(cursor, MOST_SIZE), from = layout->count;
    struct extent element;
    if (count > MOST_SIZE || !take(cursor, "x") || !read_type(reader, cursor, depth, &element) ||
        !take(cursor, "]"))
        return false;
    uint32_t each = layout->count - from;
    if ((uint64_t)count * element.size > MOST_SIZE || (uint64_t)count * each > WM_IR_SCALARS - from)
        return false;
    for (uint32_t i = 1; i < count; i++)
        for (uint32_t j = 0; j < each; j++) {
            struct wm_ir_scalar scalar = layout->scalars[from + j];
            scalar.offset += i * element.size;
            layout->scalars[layout->count++] = scalar;
        }
    if (count == 0)
        layout->count = from;
    *extent = (struct extent){count * element.size, element.alignment};
    return true;
}

// "<N x T>", one scalar for us; the cursor is behind the opening bracket.
static bool read_vector(struct reader *reader, struct cursor *cursor, uint32_t depth,
                        const char *first, struct extent *extent)
{
    uint32_t count = take_number(cursor, MOST_SIZE), from = reader->layout->count;
    struct extent element;
    if (count > MOST_SIZE || !take(cursor, "x") || !read_type(reader, cursor, depth, &element) ||
        !take(cursor, ">"))
        return false;
    reader->layout->count = from;
    uint64_t size = (uint64_t)count * element.size;
    if (size == 0 || size > 16 || (size & (size - 1)))
        return false;
    return add_scalar(reader, first, cursor->at, WM_IR_VECTOR, (uint32_t)size, extent);
}

static bool read_named(struct reader *reader, struct wm_ir_slice name, uint32_t depth,
                       struct extent *extent)
{
    static const char unions[] = "%union.", quoted[] = "%\"union.";
    const struct wm_ir_slice *body =
        wm_string_map_get(&reader->types->names, name.text, name.length);
    if (!body)
        return false;
    if ((name.length >= strlen(unions) && memcmp(name.text, unions, strlen(unions)) == 0) ||
        (name.length >= strlen(quoted) && memcmp(name.text, quoted, strlen(quoted)) == 0))
        reader->layout->has_union = true;
    struct cursor cursor = {body->text, body->text + body->length};
    return read_type(reader, &cursor, depth, extent);
}

static bool read_scalar(struct reader *reader, struct cursor *cursor, struct extent *extent)
{
    static const struct {
        const char *name;
        uint32_t size;
    } floats[] = {{"half", 2}, {"bfloat", 2}, {"float", 4}, {"double", 8}};
    const char *first = cursor->at;
    for (size_t i = 0; i < sizeof floats / sizeof *floats; i++)
        if (take(cursor, floats[i].name))
            return add_scalar(reader, first, cursor->at, WM_IR_FLOAT, floats[i].size, extent);
    if (!take(cursor, "i"))
        return false;
    uint32_t bits = take_number(cursor, 128);
    if (bits == 1)
        bits = 8;
    if (bits > 128 || bits < 8 || (bits & (bits - 1)))
        return false;
    return add_scalar(reader, first, cursor->at, WM_IR_INTEGER, bits / 8, extent);
}

static bool read_base(struct reader *reader, struct cursor *cursor, uint32_t depth,
                      struct extent *extent)
{
    const char *first = cursor->at;
    if (take(cursor, "<{"))
        return read_fields(reader, cursor, depth, true, extent);
    if (take(cursor, "{"))
        return read_fields(reader, cursor, depth, false, extent);
    if (take(cursor, "["))
        return read_array(reader, cursor, depth, extent);
    if (take(cursor, "<"))
        return read_vector(reader, cursor, depth, first, extent);
    if (*cursor->at != '%')
        return read_scalar(reader, cursor, extent);
    return skip_base(cursor) &&
           read_named(reader, (struct wm_ir_slice){first, (size_t)(cursor->at - first)}, depth,
                      extent);
}

static bool read_type(struct reader *reader, struct cursor *cursor, uint32_t depth,
                      struct extent *extent)
{
    skip_spaces(cursor);
    if (depth == 0 || cursor->at >= cursor->end)
        return false;
    // What a pointer points to is of no interest, and may well lead back here.
    struct cursor behind = *cursor;
    if (skip_base(&behind) && skip_pointers(&behind)) {
        const char *first = cursor->at;
        *cursor = behind;
        return add_scalar(reader, first, behind.at, WM_IR_POINTER, 8, extent);
    }
    return read_base(reader, cursor, depth - 1, extent);
}

bool wm_ir_layout(const struct wm_ir_types *types, struct wm_ir_slice type,
                  struct wm_ir_layout *layout)
{
    struct reader reader = {types, layout};
    struct cursor cursor = {type.text, type.text + type.length};
    struct extent extent;
    layout->count = 0;
    layout->has_union = false;
    if (!read_type(&reader, &cursor, MOST_DEPTH, &extent))
        return false;
    layout->size = extent.size;
    layout->alignment = extent.alignment;
    return true;
}
