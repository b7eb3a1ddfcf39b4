#include "cli/cc/struct_copies.h"

#include "base/containers/arena.h"
#include "cli/cc/ir_types.h"
#include "cli/cc/struct_copy.h"

#include <stdlib.h>
#include <string.h>

// How a value of a function, or a variable, comes to its address.
enum origin {
    LOCAL,   // an alloca, or a parameter in the caller's hands: memory of the thread
    STATIC,  // a variable of the module
    DERIVED, // a cast of another, or a place in it
};

struct value {
    enum origin origin;
    struct wm_ir_slice base;    // what it is derived from
    struct wm_ir_slice pointee; // bitcast: what the base points to
    size_t alignment_at;        // where in the output its alignment's digit is; 0 is not to change
};

struct rewriter {
    const char *end;                // of the module
    struct wm_arena arena;          // what lives as long as the module
    struct wm_arena function_arena; // and as long as the function
    struct wm_ir_types types;
    struct wm_string_map statics, values;
    struct wm_ir_slice body; // of the function
    struct wm_text *output;
    uint32_t copies;
    bool failed;
};

static bool begins(struct wm_ir_slice line, const char *prefix)
{
    size_t length = strlen(prefix);
    return line.length >= length && memcmp(line.text, prefix, length) == 0;
}

static const char *find(const char *from, const char *end, const char *needle)
{
    return from < end ? memmem(from, (size_t)(end - from), needle, strlen(needle)) : NULL;
}

static struct wm_ir_slice slice(const char *from, const char *to)
{
    return (struct wm_ir_slice){from, to > from ? (size_t)(to - from) : 0};
}

static struct wm_ir_slice trim(struct wm_ir_slice part)
{
    while (part.length && *part.text == ' ')
        part.text++, part.length--;
    while (part.length && part.text[part.length - 1] == ' ')
        part.length--;
    return part;
}

// Where the operand that begins at `at` ends: at a comma or bracket of its own level, or at `end`.
static const char *operand_end(const char *at, const char *end)
{
    int depth = 0;
    bool quoted = false;
    for (; at < end; at++) {
        if (*at == '"')
            quoted = !quoted;
        if (quoted)
            continue;
        if (strchr("([{<", *at))
            depth++;
        else if (strchr(")]}>", *at) && depth-- == 0)
            return at;
        else if (*at == ',' && depth == 0)
            return at;
    }
    return end;
}

static const char *name_end(const char *at, const char *end)
{
    if (at < end && (*at == '%' || *at == '@'))
        at++;
    if (at < end && *at == '"') {
        const char *quote = memchr(at + 1, '"', (size_t)(end - at - 1));
        return quote ? quote + 1 : end;
    }
    while (at < end && !strchr(" ,()*=\n", *at))
        at++;
    return at;
}

static void put(struct rewriter *rewriter, struct wm_string_map *map, struct wm_arena *arena,
                struct wm_ir_slice name, struct value value)
{
    struct value *kept = WM_ARENA_NEW(arena, struct value);
    if (!kept || !wm_string_map_put(map, name.text, name.length, kept))
        rewriter->failed = true;
    else
        *kept = value;
}

// The last of its kind in the line: what comes before may be text of the program.
static const char *find_last(const char *from, const char *end, const char *needle)
{
    const char *last = NULL;
    while ((from = find(from, end, needle)) != NULL)
        last = from++;
    return last;
}

// Writes the line with room behind its alignment of one digit, so that a later copy can still raise
// it to 16, and gives where the digit is.
static size_t write_raisable(struct rewriter *rewriter, struct wm_ir_slice line)
{
    static const char word[] = ", align ";
    const char *end = line.text + line.length, *at = find_last(line.text, end, word);
    size_t written = rewriter->output->length;
    if (at)
        at += strlen(word);
    if (!at || at >= end || !strchr("1248", *at) || (at + 1 < end && !strchr(",\n ", at[1]))) {
        wm_text_append(rewriter->output, line.text, line.length);
        return 0;
    }
    wm_text_append(rewriter->output, line.text, (size_t)(at + 1 - line.text));
    wm_text_add(rewriter->output, " ");
    wm_text_append(rewriter->output, at + 1, (size_t)(end - at - 1));
    return written + (size_t)(at - line.text);
}

static void raise_to_16(struct rewriter *rewriter, const struct value *value)
{
    if (value->alignment_at && !rewriter->output->failed)
        memcpy(rewriter->output->data + value->alignment_at, "16", 2);
}

// A variable of the module. Dynamic shared memory is aligned to 16 by nvcc, whatever its type.
static void read_static(struct rewriter *rewriter, struct wm_ir_slice line)
{
    const char *end = line.text + line.length;
    struct value value = {.origin = STATIC};
    value.alignment_at = write_raisable(rewriter, line);
    if (find(line.text, end, " external ") && find(line.text, end, "addrspace(3) global [0 x "))
        raise_to_16(rewriter, &value);
    put(rewriter, &rewriter->statics, &rewriter->arena, slice(line.text, name_end(line.text, end)),
        value);
}

static void read_type_name(struct rewriter *rewriter, struct wm_ir_slice line)
{
    const char *end = line.text + line.length, *is = find(line.text, end, " = type ");
    struct wm_ir_slice *body = is ? WM_ARENA_NEW(&rewriter->arena, struct wm_ir_slice) : NULL;
    if (!is)
        return;
    if (!body ||
        !wm_string_map_put(&rewriter->types.names, line.text, (size_t)(is - line.text), body))
        rewriter->failed = true;
    else
        *body = trim(slice(is + strlen(" = type "), end));
}

// "define … @name(…, %struct.S* byval(%struct.S) align 16 %1)": such parameters are local.
static void begin_function(struct rewriter *rewriter, struct wm_ir_slice line)
{
    const char *end = line.text + line.length;
    wm_string_map_release(&rewriter->values);
    wm_string_map_init(&rewriter->values);
    wm_arena_release(&rewriter->function_arena);
    wm_arena_init(&rewriter->function_arena);
    const char *last_line = find(end, rewriter->end, "\n}");
    rewriter->body = slice(end, last_line ? last_line + 1 : rewriter->end);
    for (const char *at = find(line.text, end, " byval("); at; at = find(at, end, " byval(")) {
        at = operand_end(at + strlen(" byval("), end);
        const char *last = operand_end(at < end ? at + 1 : end, end), *first = last;
        while (first > at && *first != '%')
            first--;
        put(rewriter, &rewriter->values, &rewriter->function_arena, slice(first, last),
            (struct value){.origin = LOCAL});
    }
}

// "T* %x to U*" of a cast, behind its opcode.
static struct value read_cast(const char *at, const char *end)
{
    struct wm_ir_slice type = wm_ir_type_at(at, end);
    // The last " to ": the base may itself be a cast.
    const char *base = type.text + type.length, *to = find_last(base, end, " to ");
    struct value value = {.origin = DERIVED, .base = trim(slice(base, to ? to : end))};
    if (type.length && type.text[type.length - 1] == '*')
        value.pointee = trim(slice(type.text, type.text + type.length - 1));
    return value;
}

// "[inbounds] T, T* %x, …" of a getelementptr, behind its opcode.
static struct value read_place(const char *at, const char *end)
{
    const char *comma = operand_end(at, end);
    struct wm_ir_slice type = wm_ir_type_at(comma < end ? comma + 1 : end, end);
    const char *base = type.text + type.length;
    return (struct value){.origin = DERIVED, .base = trim(slice(base, operand_end(base, end)))};
}

// "%x = …". The line is written by the caller, but for an alloca's.
static bool read_value(struct rewriter *rewriter, struct wm_ir_slice line)
{
    const char *end = line.text + line.length, *name = line.text + 2, *last = name_end(name, end);
    struct wm_ir_slice rest = slice(last + strlen(" = "), end);
    struct value value;
    bool is_alloca = begins(rest, "alloca ");
    if (is_alloca)
        value = (struct value){.origin = LOCAL, .alignment_at = write_raisable(rewriter, line)};
    else if (begins(rest, "bitcast ") || begins(rest, "addrspacecast "))
        value = read_cast(memchr(rest.text, ' ', rest.length), operand_end(rest.text, end));
    else if (begins(rest, "getelementptr "))
        value = read_place(rest.text + strlen("getelementptr "), end);
    else
        return false;
    if (!is_alloca && rest.text[0] != 'b')
        value.pointee = (struct wm_ir_slice){NULL, 0};
    put(rewriter, &rewriter->values, &rewriter->function_arena, slice(name, last), value);
    return is_alloca;
}

// What `operand` is made of in the end: a variable, memory of the thread, or NULL for an address
// that comes from elsewhere.
static const struct value *root(struct rewriter *rewriter, struct wm_ir_slice operand)
{
    for (int step = 0; step < 64; step++) {
        const char *end = operand.text + operand.length;
        const char *at = memchr(operand.text, '@', operand.length);
        if (at)
            return wm_string_map_get(&rewriter->statics, at, (size_t)(name_end(at, end) - at));
        const struct value *value =
            wm_string_map_get(&rewriter->values, operand.text, operand.length);
        if (!value || value->origin != DERIVED)
            return value;
        operand = value->base;
    }
    return NULL;
}

// The type that `operand`, an i8*, was cast from; length 0 when that is not to be seen.
static struct wm_ir_slice copied_type(struct rewriter *rewriter, struct wm_ir_slice operand)
{
    static const char cast[] = "bitcast (";
    const char *end = operand.text + operand.length;
    const char *constant = find(operand.text, end, cast);
    if (constant)
        return read_cast(constant + strlen(cast), operand_end(constant + strlen(cast), end))
            .pointee;
    const struct value *value = wm_string_map_get(&rewriter->values, operand.text, operand.length);
    return value ? value->pointee : (struct wm_ir_slice){NULL, 0};
}

// One side of a copy: "i8* align 16 %14".
static bool read_side(const char *at, const char *end, struct wm_struct_copy_side *side)
{
    static const char word[] = "align ";
    struct wm_ir_slice type = wm_ir_type_at(at, end);
    if (type.length != 3 || memcmp(type.text, "i8*", 3) != 0)
        return false;
    const char *operand = type.text + type.length, *align = find(operand, end, word);
    side->alignment = 1;
    if (align) {
        char *behind;
        side->alignment = (uint32_t)strtoul(align + strlen(word), &behind, 10);
        operand = behind;
    }
    side->operand = trim(slice(operand, end));
    return side->operand.length > 0 && side->alignment > 0 && !find(operand, end, " align ");
}

// "i8* align 16 %d, i8* align 16 %s, i64 16, i1 false), …"
static bool read_copy(struct rewriter *rewriter, const char *at, const char *end,
                      struct wm_struct_copy *copy)
{
    const char *part[4], *last[4];
    for (int i = 0; i < 4; i++) {
        part[i] = at;
        last[i] = operand_end(at, end);
        if (last[i] >= end || *last[i] != (i < 3 ? ',' : ')'))
            return false;
        at = last[i] + 1;
    }
    if (!read_side(part[0], last[0], &copy->to) || !read_side(part[1], last[1], &copy->from))
        return false;
    struct wm_ir_slice size = trim(slice(part[2], last[2]));
    struct wm_ir_slice is_volatile = trim(slice(part[3], last[3]));
    if (!begins(size, "i64 ") || !begins(is_volatile, "i1 false"))
        return false;
    copy->size = strtoull(size.text + strlen("i64 "), NULL, 10);
    const char *dbg = find(at, end, "!dbg !");
    copy->debug = dbg ? slice(dbg, name_end(dbg + strlen("!dbg "), end)) : slice(end, end);
    copy->is_assignment = find(at, end, "!tbaa.struct ") != NULL;
    copy->type = copied_type(rewriter, copy->to.operand);
    if (!wm_ir_layout(&rewriter->types, copy->type, &copy->layout) ||
        copy->layout.size != copy->size) {
        copy->type = copied_type(rewriter, copy->from.operand);
        if (!wm_ir_layout(&rewriter->types, copy->type, &copy->layout) ||
            copy->layout.size != copy->size)
            return false;
    }
    return true;
}

// Through a cast that the source wrote, clang trusts the declaration only: in
// `*(float4 *)&tile[i] = v`, with `tile` of floats, it states an alignment of 4. nvcc trusts the
// type. So do we for CUDA's own vectors, whose alignment follows from the name, and see to it that
// the variable behind the address has it.
static void trust_type(struct rewriter *rewriter, struct wm_struct_copy *copy)
{
    uint32_t alignment = wm_struct_copy_vector_alignment(copy->type);
    struct wm_struct_copy_side *sides[] = {&copy->to, &copy->from};
    for (int i = 0; i < 2; i++) {
        if (sides[i]->alignment >= alignment)
            continue;
        const struct value *value = root(rewriter, sides[i]->operand);
        if (value && !value->alignment_at)
            continue;
        if (value)
            raise_to_16(rewriter, value);
        sides[i]->alignment = alignment;
    }
}

// The next line of the function that uses the value `name`, from `from` on; length 0 behind the
// last.
static struct wm_ir_slice next_use(const struct rewriter *rewriter, struct wm_ir_slice name,
                                   const char *from)
{
    const char *end = rewriter->body.text + rewriter->body.length;
    while (from < end) {
        const char *at = memmem(from, (size_t)(end - from), name.text, name.length);
        if (!at)
            break;
        from = at + name.length;
        if (name_end(at, end) != from)
            continue;
        const char *first = at;
        while (first > rewriter->body.text && first[-1] != '\n')
            first--;
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        if (at > first + 2)
            return slice(first, newline ? newline + 1 : end);
    }
    return slice(end, end);
}

// Whether the value `name`, the address of a variable as bytes, only ends or begins its life, but
// in `copy`.
static bool is_for_copy(const struct rewriter *rewriter, struct wm_ir_slice name,
                        struct wm_ir_slice copy)
{
    struct wm_ir_slice use = {rewriter->body.text, 0};
    while ((use = next_use(rewriter, name, use.text + use.length)).length)
        if (use.text != copy.text && !find(use.text, use.text + use.length, "@llvm.lifetime."))
            return false;
    return true;
}

// Whether all that happens to a variable but the copy on line `copy` into it is that one of its
// members is used. nvcc then loads this member alone.
static bool has_one_member_used(const struct rewriter *rewriter, struct wm_ir_slice operand,
                                struct wm_ir_slice copy)
{
    const struct value *cast = wm_string_map_get(&rewriter->values, operand.text, operand.length);
    struct wm_ir_slice use = {rewriter->body.text, 0}, member = {NULL, 0};
    if (!cast || cast->origin != DERIVED)
        return false;
    while ((use = next_use(rewriter, cast->base, use.text + use.length)).length) {
        const char *end = use.text + use.length;
        struct wm_ir_slice name = slice(use.text + 2, name_end(use.text + 2, end));
        if (find(use.text, end, " = bitcast ")) {
            if (!is_for_copy(rewriter, name, copy))
                return false;
            continue;
        }
        const char *index = find(use.text, end, ", i32 0, i32 ");
        if (!index || !find(use.text, end, " = getelementptr "))
            return false;
        struct wm_ir_slice used = slice(index, operand_end(index + strlen(", i32 0, "), end));
        if (member.length &&
            (member.length != used.length || memcmp(member.text, used.text, used.length) != 0))
            return false;
        member = used;
    }
    return member.length > 0;
}

// Replaces the copy on `line`. False when it is to stay.
static bool rewrite_copy(struct rewriter *rewriter, struct wm_ir_slice line)
{
    static const char callee[] = "@llvm.memcpy.p0i8.p0i8.i64(";
    const char *end = line.text + line.length, *call = find(line.text, end, callee);
    struct wm_struct_copy copy = {.number = rewriter->copies};
    if (!call || !read_copy(rewriter, call + strlen(callee), end, &copy))
        return false;
    trust_type(rewriter, &copy);
    const struct value *to = root(rewriter, copy.to.operand);
    const struct value *from = root(rewriter, copy.from.operand);
    copy.is_local = (to && to->origin == LOCAL) || (from && from->origin == LOCAL);
    copy.is_of_one_member =
        to && to->origin == LOCAL && has_one_member_used(rewriter, copy.to.operand, line);
    if (!wm_struct_copy_write(&copy, rewriter->output))
        return false;
    rewriter->copies++;
    return true;
}

static void rewrite_line(struct rewriter *rewriter, struct wm_ir_slice line, bool *inside)
{
    bool written = false;
    if (*inside && begins(line, "}")) {
        *inside = false;
    } else if (*inside) {
        if (begins(line, "  %"))
            written = read_value(rewriter, line);
        else if (begins(line, "  call ") || begins(line, "  tail call "))
            written = rewrite_copy(rewriter, line);
    } else if (begins(line, "define ")) {
        begin_function(rewriter, line);
        *inside = true;
    } else if (begins(line, "@")) {
        read_static(rewriter, line);
        written = true;
    } else if (begins(line, "%")) {
        read_type_name(rewriter, line);
    }
    if (!written)
        wm_text_append(rewriter->output, line.text, line.length);
}

enum wm_status wm_cc_lower_struct_copies(const char *module, size_t length, struct wm_text *output,
                                         struct wm_error *error)
{
    struct rewriter rewriter = {.end = module + length, .output = output};
    wm_arena_init(&rewriter.arena);
    wm_arena_init(&rewriter.function_arena);
    wm_string_map_init(&rewriter.types.names);
    wm_string_map_init(&rewriter.statics);
    wm_string_map_init(&rewriter.values);
    bool inside = false;
    for (const char *at = module; at < rewriter.end && !rewriter.failed;) {
        const char *newline = memchr(at, '\n', (size_t)(rewriter.end - at));
        const char *next = newline ? newline + 1 : rewriter.end;
        rewrite_line(&rewriter, slice(at, next), &inside);
        at = next;
    }
    wm_string_map_release(&rewriter.types.names);
    wm_string_map_release(&rewriter.statics);
    wm_string_map_release(&rewriter.values);
    wm_arena_release(&rewriter.arena);
    wm_arena_release(&rewriter.function_arena);
    if (rewriter.failed || output->failed)
        return wm_fail_no_memory(error, "compiling");
    return WM_OK;
}
