#include "cli/cc/struct_copy.h"

#include <stdio.h>
#include <string.h>

// One access: `count` elements of a type, or `count` 0 for the type itself.
struct part {
    uint32_t offset, size, count;
    struct wm_ir_slice type;
};

// A scalar of 16 bytes becomes two parts of 8 where only its bytes count.
enum { MOST_PARTS = 2 * WM_IR_SCALARS };

struct plan {
    struct part parts[MOST_PARTS];
    uint32_t count;
};

static struct wm_ir_slice word(const char *text)
{
    return (struct wm_ir_slice){text, strlen(text)};
}

static bool same(struct wm_ir_slice a, struct wm_ir_slice b)
{
    return a.length == b.length && memcmp(a.text, b.text, a.length) == 0;
}

static struct wm_ir_slice integer_of(uint32_t size)
{
    return word(size == 1 ? "i8" : size == 2 ? "i16" : size == 4 ? "i32" : "i64");
}

static void add_part(struct plan *plan, uint32_t offset, uint32_t size, uint32_t count,
                     struct wm_ir_slice type)
{
    plan->parts[plan->count++] = (struct part){offset, size, count, type};
}

// What lies in `width` bytes from scalar `first` on.
struct window {
    uint32_t count;      // scalars
    uint32_t size;       // of each; 0 when they differ
    uint32_t end;        // of the last
    bool is_full;        // no bytes between them or behind
    bool has_pointer;    // or a vector
    bool is_of_one_type; // as written
};

static struct window look(const struct wm_ir_layout *layout, uint32_t first, uint32_t width)
{
    const struct wm_ir_scalar *scalars = layout->scalars;
    uint32_t begin = scalars[first].offset;
    struct window window = {0, scalars[first].size, begin, true, false, true};
    for (uint32_t i = first; i < layout->count && scalars[i].offset < begin + width; i++) {
        window.count++;
        window.is_full = window.is_full && scalars[i].offset == window.end;
        window.end = scalars[i].offset + scalars[i].size;
        if (scalars[i].size != window.size)
            window.size = 0;
        if (scalars[i].kind == WM_IR_POINTER || scalars[i].kind == WM_IR_VECTOR)
            window.has_pointer = true;
        if (!same(scalars[i].name, scalars[first].name))
            window.is_of_one_type = false;
    }
    window.is_full = window.is_full && window.end == begin + width;
    return window;
}

// Plans the `width` bytes from scalar `first` on as one access. False when the members need one
// each. Two of 8 bytes that lie together in 16 aligned ones are joined by the back end; as integers
// they leave a variable of the thread in registers whatever its members are, which a vector does
// only if its elements cut none.
static bool plan_window(const struct wm_struct_copy *copy, uint32_t first, uint32_t width,
                        struct plan *plan)
{
    const struct wm_ir_layout *layout = &copy->layout;
    uint32_t offset = layout->scalars[first].offset;
    if (offset % width || offset + width > layout->size || width > copy->to.alignment ||
        width > copy->from.alignment)
        return false;
    struct window window = look(layout, first, width);
    if (window.has_pointer || window.end > offset + width)
        return false;
    if (window.size && window.is_full && window.count >= 2 && !copy->is_of_one_member) {
        if (window.count <= 4 && (window.size >= 4 || layout->size <= 8 || width < 8))
            add_part(plan, offset, width, window.count,
                     window.is_of_one_type ? layout->scalars[first].name : integer_of(window.size));
        else if (width <= 8)
            add_part(plan, offset, width, 0, integer_of(width));
        return width <= 8 || window.size >= 4;
    }
    // From memory to memory nothing but the bytes counts.
    if (width < 8 || copy->is_local)
        return false;
    for (uint32_t eight = 0; eight < width; eight += 8)
        add_part(plan, offset + eight, 8, 0, integer_of(8));
    return true;
}

static void make_plan(const struct wm_struct_copy *copy, struct plan *plan)
{
    const struct wm_ir_layout *layout = &copy->layout;
    plan->count = 0;
    for (uint32_t i = 0; i < layout->count;) {
        uint32_t covered = 0;
        for (uint32_t width = 16; width >= 2 && !covered; width /= 2)
            if (plan_window(copy, i, width, plan))
                covered = layout->scalars[i].offset + width;
        if (!covered) {
            const struct wm_ir_scalar *scalar = &layout->scalars[i];
            add_part(plan, scalar->offset, scalar->size, 0, scalar->name);
            covered = scalar->offset + scalar->size;
        }
        while (i < layout->count && layout->scalars[i].offset < covered)
            i++;
    }
}

// A union's scalars are those of one member: its bytes count, whatever they are.
static bool plan_bytes(const struct wm_struct_copy *copy, struct plan *plan)
{
    if (copy->size % 8 || copy->size / 8 > WM_IR_SCALARS || copy->to.alignment < 8 ||
        copy->from.alignment < 8)
        return false;
    plan->count = 0;
    for (uint32_t offset = 0; offset < copy->size; offset += 8)
        add_part(plan, offset, 8, 0, integer_of(8));
    return true;
}

static bool is_whole(const struct wm_struct_copy *copy, const struct plan *plan)
{
    uint64_t covered = 0;
    for (uint32_t i = 0; i < plan->count; i++)
        covered += plan->parts[i].size;
    return covered == copy->size;
}

static void put_type(struct wm_text *output, const struct part *part)
{
    if (part->count)
        wm_text_format(output, "<%u x ", part->count);
    wm_text_append(output, part->type.text, part->type.length);
    if (part->count)
        wm_text_add(output, ">");
}

static void end_line(struct wm_text *output, const struct wm_struct_copy *copy)
{
    if (copy->debug.length) {
        wm_text_add(output, ", ");
        wm_text_append(output, copy->debug.text, copy->debug.length);
    }
    wm_text_add(output, "\n");
}

// The place of a part as a pointer to its type, with the name that ends in `suffix`.
static void put_place(struct wm_text *output, const struct wm_struct_copy *copy,
                      const struct part *part, uint32_t index, struct wm_ir_slice operand,
                      const char *suffix)
{
    char name[64];
    snprintf(name, sizeof name, "%%copy.%u.%u.%s", copy->number, index, suffix);
    wm_text_format(output, "  %s.at = getelementptr inbounds i8, i8* ", name);
    wm_text_append(output, operand.text, operand.length);
    wm_text_format(output, ", i64 %u", part->offset);
    end_line(output, copy);
    wm_text_format(output, "  %s = bitcast i8* %s.at to ", name, name);
    put_type(output, part);
    wm_text_add(output, "*");
    end_line(output, copy);
}

static uint32_t alignment_at(uint32_t alignment, uint32_t offset)
{
    while (offset % alignment)
        alignment /= 2;
    return alignment;
}

static void put_load(struct wm_text *output, const struct wm_struct_copy *copy,
                     const struct part *part, uint32_t index)
{
    put_place(output, copy, part, index, copy->from.operand, "from");
    wm_text_format(output, "  %%copy.%u.%u = load ", copy->number, index);
    put_type(output, part);
    wm_text_add(output, ", ");
    put_type(output, part);
    wm_text_format(output, "* %%copy.%u.%u.from, align %u", copy->number, index,
                   alignment_at(copy->from.alignment, part->offset));
    end_line(output, copy);
}

static void put_store(struct wm_text *output, const struct wm_struct_copy *copy,
                      const struct part *part, uint32_t index)
{
    put_place(output, copy, part, index, copy->to.operand, "to");
    wm_text_add(output, "  store ");
    put_type(output, part);
    wm_text_format(output, " %%copy.%u.%u, ", copy->number, index);
    put_type(output, part);
    wm_text_format(output, "* %%copy.%u.%u.to, align %u", copy->number, index,
                   alignment_at(copy->to.alignment, part->offset));
    end_line(output, copy);
}

bool wm_struct_copy_write(const struct wm_struct_copy *copy, struct wm_text *output)
{
    struct plan plan;
    if (!copy->layout.has_union)
        make_plan(copy, &plan);
    else if (!plan_bytes(copy, &plan))
        return false;
    if (plan.count == 0 || (!copy->is_assignment && !is_whole(copy, &plan)))
        return false;
    // All loads before the stores: nothing then stands between accesses that can be joined.
    for (uint32_t i = 0; i < plan.count; i++)
        put_load(output, copy, &plan.parts[i], i);
    for (uint32_t i = 0; i < plan.count; i++)
        put_store(output, copy, &plan.parts[i], i);
    return true;
}

uint32_t wm_struct_copy_vector_alignment(struct wm_ir_slice type)
{
    static const struct {
        const char *name;
        uint32_t two, four;
    } vectors[] = {
        {"char", 2, 4},       {"uchar", 2, 4},       {"short", 4, 8},  {"ushort", 4, 8},
        {"int", 8, 16},       {"uint", 8, 16},       {"long", 16, 16}, {"ulong", 16, 16},
        {"longlong", 16, 16}, {"ulonglong", 16, 16}, {"float", 8, 16}, {"double", 16, 16},
    };
    static const char prefix[] = "%struct.";
    if (type.length <= strlen(prefix) || memcmp(type.text, prefix, strlen(prefix)) != 0)
        return 0;
    struct wm_ir_slice name = {type.text + strlen(prefix), type.length - strlen(prefix) - 1};
    char last = type.text[type.length - 1];
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++)
        if (same(name, word(vectors[i].name)))
            return last == '2' ? vectors[i].two : last == '4' ? vectors[i].four : 0;
    return 0;
}
