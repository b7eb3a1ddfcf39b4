#include "base/names/kernel_names.h"

#include "base/containers/string_map.h"
#include "base/names/demangle.h"
#include "base/text/text.h"
#include "base/text/text_width.h"

#include <inttypes.h>
#include <stddef.h>
#include <string.h>

#define LEFT_OUT "…"

// ---- Names as trees ----------------------------------------------------------------------------

// An item is a name, an argument or a parameter: components with "::" between them. A component is
// text and lists of items in <>; what stands in other brackets is text.
enum kind { ITEM, COMPONENT, TEXT, LIST };

// The same place in all names of a group, found by the position in its parent, from the end for
// components: what of it is left out.
struct shape {
    struct shape *first, *next; // children, and the next of its parent's
    uint32_t position;
    bool dropped; // in all names of the group
    bool own;     // in that of one kernel besides
    size_t bytes; // of all names in it
};

struct node {
    enum kind kind;
    const char *text; // with all that is in it
    size_t length;
    struct node *first, *last, *next;
    uint32_t count; // children
    struct shape *shape;
};

enum { MOST_DEPTH = 32 };

struct parser {
    struct wm_arena *arena;
    const char *at, *end;
    char close; // of the list that it is in; '\0' outside
    unsigned depth;
    bool failed; // no such name, or no memory
};

static struct node *new_node(struct wm_arena *arena, enum kind kind, const char *text)
{
    struct node *node = WM_ARENA_NEW(arena, struct node);
    if (node)
        *node = (struct node){.kind = kind, .text = text};
    return node;
}

static void add_child(struct parser *parser, struct node *parent, struct node *child)
{
    if (!parent || !child) {
        parser->failed = true;
        return;
    }
    *(parent->last ? &parent->last->next : &parent->first) = child;
    parent->last = child;
    parent->count++;
}

static void add_text(struct parser *parser, struct node *parent, const char *from)
{
    if (parser->at == from && parent)
        return;
    struct node *node = new_node(parser->arena, TEXT, from);
    if (node)
        node->length = (size_t)(parser->at - from);
    add_child(parser, parent, node);
}

static void end_node(struct parser *parser, struct node *node)
{
    if (node)
        node->length = (size_t)(parser->at - node->text);
    else
        parser->failed = true;
}

// Behind the bracket that closes the one here.
static void skip_brackets(struct parser *parser)
{
    size_t open = 0;
    for (; parser->at < parser->end; parser->at++) {
        char c = *parser->at;
        open += c == '(' || c == '[' || c == '{';
        if ((c == ')' || c == ']' || c == '}') && --open == 0) {
            parser->at++;
            return;
        }
    }
    parser->failed = true;
}

static bool is_at(const struct parser *parser, const char *text)
{
    size_t length = strlen(text);
    return (size_t)(parser->end - parser->at) >= length && memcmp(parser->at, text, length) == 0;
}

static struct node *parse_list(struct parser *parser, char close);

static struct node *parse_component(struct parser *parser)
{
    struct node *component = new_node(parser->arena, COMPONENT, parser->at);
    const char *text = parser->at;
    while (parser->at < parser->end && !parser->failed && !is_at(parser, "::")) {
        char c = *parser->at;
        if (parser->close && (c == ',' || c == parser->close))
            break;
        if (c == '<') {
            add_text(parser, component, text);
            add_child(parser, component, parse_list(parser, '>'));
            text = parser->at;
        } else if (c == '(' || c == '[' || c == '{') {
            skip_brackets(parser);
        } else {
            parser->at++;
        }
    }
    add_text(parser, component, text);
    end_node(parser, component);
    return component;
}

static struct node *parse_item(struct parser *parser)
{
    struct node *item = new_node(parser->arena, ITEM, parser->at);
    for (bool more = true; more && !parser->failed;) {
        add_child(parser, item, parse_component(parser));
        more = !parser->failed && is_at(parser, "::");
        parser->at += more ? 2 : 0;
    }
    end_node(parser, item);
    return item;
}

// From its opening bracket on.
static struct node *parse_list(struct parser *parser, char close)
{
    struct node *list = new_node(parser->arena, LIST, parser->at);
    char outer = parser->close;
    parser->close = close;
    parser->failed = parser->failed || parser->depth++ == MOST_DEPTH;
    for (char c = ','; c == ',' && !parser->failed;) {
        parser->at++;
        while (parser->at < parser->end && *parser->at == ' ')
            parser->at++;
        add_child(parser, list, parse_item(parser));
        parser->failed = parser->failed || parser->at >= parser->end;
        c = parser->failed ? close : *parser->at;
    }
    parser->at += !parser->failed;
    parser->close = outer;
    parser->depth--;
    end_node(parser, list);
    return list;
}

// ---- Rendering ---------------------------------------------------------------------------------

static void render(const struct node *node, struct wm_text *text);

// Of an argument, or a component that is not the name itself, which is the last.
static bool is_left_out(const struct node *parent, const struct node *node)
{
    return (node->shape->dropped || node->shape->own) &&
           (parent->kind == LIST || (parent->kind == ITEM && node->next));
}

static unsigned width_of(const struct node *node)
{
    return wm_text_width(node->text, node->length);
}

// Children one after the other, with `between` between them; one "…" for those that follow each
// other and are left out, where that is shorter.
static void render_row(const struct node *node, const char *between, struct wm_text *text)
{
    bool first = true;
    for (const struct node *it = node->first, *next; it; it = next) {
        bool left_out = is_left_out(node, it);
        for (next = it->next; left_out && next && is_left_out(node, next);)
            next = next->next;
        wm_text_add(text, first ? "" : between);
        first = false;
        if (!left_out)
            render(it, text);
        else if (next == it->next && width_of(it) <= 1)
            wm_text_append(text, it->text, it->length);
        else
            wm_text_add(text, LEFT_OUT);
    }
}

static void render(const struct node *node, struct wm_text *text)
{
    enum { LEAST = 3 }; // "<…>"
    switch (node->kind) {
    case TEXT: wm_text_append(text, node->text, node->length); break;
    case COMPONENT: render_row(node, "", text); break;
    case ITEM: render_row(node, "::", text); break;
    case LIST:
        wm_text_append(text, node->text, 1);
        if (!node->shape->dropped && !node->shape->own)
            render_row(node, ", ", text);
        else if (width_of(node) <= LEAST)
            wm_text_append(text, node->text + 1, node->length - 2);
        else
            wm_text_add(text, LEFT_OUT);
        wm_text_append(text, node->text + node->length - 1, 1);
        break;
    }
}

// ---- What is left out --------------------------------------------------------------------------

struct kernel {
    const char *signature;
    const char *name; // within it
    size_t name_length;
    struct node *item;
    struct node *parameters; // NULL: none
    struct kernel *next;     // of its group
    // From short to long, the last the signature.
    const char *parts[3], *wholes[3];
};

// Kernels of one name but for namespaces and arguments.
struct group {
    struct kernel *first, *last;
    uint32_t count;
    struct shape name, parameters;
    const struct kernel *one; // what is left out is of this one's name; NULL: of all
    bool failed;
};

static void render_kernel(const struct kernel *kernel, struct wm_text *text)
{
    render(kernel->item, text);
    const struct shape *parameters = kernel->parameters ? kernel->parameters->shape : NULL;
    if (parameters && !parameters->dropped && !parameters->own)
        render(kernel->parameters, text);
}

// Whether no two of the group are the same, by what is not left out.
static bool are_distinct(struct group *group)
{
    if (group->count == 1)
        return true;
    struct wm_text text;
    struct wm_string_map map;
    wm_text_init(&text);
    wm_string_map_init(&map);
    for (const struct kernel *it = group->first; it; it = it->next) {
        render_kernel(it, &text);
        wm_text_append(&text, "", 1);
    }
    size_t at = 0;
    for (uint32_t i = 0; i < group->count && !text.failed; i++) {
        size_t length = strlen(text.data + at);
        text.failed = !wm_string_map_put(&map, text.data + at, length, group);
        at += length + 1;
    }
    bool distinct = map.count == group->count;
    group->failed = group->failed || text.failed;
    wm_string_map_release(&map);
    wm_text_release(&text);
    return distinct;
}

// Whether what is left of the kernel's name is no other kernel's too.
static bool is_distinct(struct group *group)
{
    bool distinct = true;
    struct wm_text text, other;
    wm_text_init(&text);
    wm_text_init(&other);
    render_kernel(group->one, &text);
    for (const struct kernel *it = group->first; it && distinct; it = it->next) {
        other.length = 0;
        if (it != group->one)
            render_kernel(it, &other);
        distinct = it == group->one || other.length != text.length ||
                   (text.length > 0 && memcmp(text.data, other.data, text.length) != 0);
    }
    group->failed = group->failed || text.failed || other.failed;
    wm_text_release(&text);
    wm_text_release(&other);
    return distinct;
}

static void attach(struct group *group, struct wm_arena *arena, struct node *node,
                   struct shape *shape)
{
    node->shape = shape;
    shape->bytes += node->length;
    uint32_t at = 0;
    for (struct node *child = node->first; child && !group->failed; child = child->next, at++) {
        uint32_t position = node->kind == ITEM ? node->count - 1 - at : at;
        struct shape **link = &shape->first;
        while (*link && (*link)->position < position)
            link = &(*link)->next;
        if (!*link || (*link)->position != position) {
            struct shape *made = WM_ARENA_NEW(arena, struct shape);
            if (!made) {
                group->failed = true;
                return;
            }
            *made = (struct shape){.next = *link, .position = position};
            *link = made;
        }
        attach(group, arena, child, *link);
    }
}

// The largest of those not yet tried, of equals the last.
static struct shape *largest(struct shape *parent, const struct shape *before)
{
    struct shape *found = NULL;
    for (struct shape *it = parent->first; it; it = it->next) {
        bool tried = before && (it->bytes > before->bytes ||
                                (it->bytes == before->bytes && it->position >= before->position));
        if (!tried && (!found || it->bytes >= found->bytes))
            found = it;
    }
    return found;
}

static bool is_enough(struct group *group)
{
    return group->one ? is_distinct(group) : are_distinct(group);
}

// Leaves out all that the group's names, or the one, can do without, the largest first: of what is
// needed, parts. `of_item`: the shape's children are components, of which the name stays.
static void shrink(struct group *group, struct shape *shape, bool of_item, bool of_component)
{
    for (struct shape *it = NULL; !group->failed && (it = largest(shape, it)) != NULL;) {
        bool stays = of_item && it->position == 0, *left_out = group->one ? &it->own : &it->dropped;
        if (it->dropped)
            continue;
        *left_out = !stays;
        if (!stays && is_enough(group))
            continue;
        *left_out = false;
        shrink(group, it, !of_item && !of_component, of_item);
    }
}

static void shrink_all(struct group *group)
{
    struct shape *parameters = &group->parameters;
    bool *left_out = group->one ? &parameters->own : &parameters->dropped;
    *left_out = true;
    *left_out = is_enough(group);
    shrink(group, &group->name, true, false);
    if (!parameters->dropped && !parameters->own)
        shrink(group, parameters, false, false);
}

static void forget_own(struct shape *shape)
{
    shape->own = false;
    for (struct shape *it = shape->first; it; it = it->next)
        forget_own(it);
}

static void shorten(struct group *group, struct wm_arena *arena)
{
    enum { MOST = 256 }; // the work for one by one grows with the square
    for (struct kernel *it = group->first; it && !group->failed; it = it->next) {
        attach(group, arena, it->item, &group->name);
        if (it->parameters)
            attach(group, arena, it->parameters, &group->parameters);
    }
    if (!group->failed)
        shrink_all(group);
    for (struct kernel *it = group->first; it && !group->failed; it = it->next) {
        struct wm_text text;
        wm_text_init(&text);
        if (group->count > 1 && group->count <= MOST) {
            group->one = it;
            shrink_all(group);
        }
        render_kernel(it, &text);
        it->parts[0] =
            text.failed ? NULL : wm_arena_copy_text(arena, text.data ? text.data : "", text.length);
        group->failed = group->failed || !it->parts[0];
        wm_text_release(&text);
        forget_own(&group->name);
        forget_own(&group->parameters);
    }
}

// ---- Kernels -----------------------------------------------------------------------------------

static struct node *parse(struct wm_arena *arena, const char *text, size_t length, bool list)
{
    struct parser parser = {.arena = arena, .at = text, .end = text + length};
    struct node *node = list ? parse_list(&parser, ')') : parse_item(&parser);
    if (!parser.failed && (list || parser.at == parser.end))
        return node;
    if (list)
        return NULL;
    // Not as a compiler names kernels: in one piece.
    parser = (struct parser){.arena = arena, .at = text + length, .end = text + length};
    struct node *component = new_node(arena, COMPONENT, text);
    node = new_node(arena, ITEM, text);
    add_text(&parser, component, text);
    add_child(&parser, node, component);
    end_node(&parser, component);
    end_node(&parser, node);
    return parser.failed ? NULL : node;
}

static bool read_kernel(struct kernel *kernel, const char *signature, struct wm_arena *arena)
{
    *kernel = (struct kernel){.signature = signature};
    kernel->name = wm_demangled_name(signature, &kernel->name_length);
    const char *rest = kernel->name + kernel->name_length;
    kernel->item = parse(arena, kernel->name, kernel->name_length, false);
    if (*rest == '(')
        kernel->parameters = parse(arena, rest, strlen(rest), true);
    size_t parameters = kernel->parameters ? kernel->parameters->length : 0;
    kernel->wholes[0] = wm_arena_copy_text(arena, kernel->name, kernel->name_length);
    kernel->wholes[1] = wm_arena_copy_text(arena, kernel->name, kernel->name_length + parameters);
    kernel->wholes[2] = kernel->parts[2] = signature;
    return kernel->item && kernel->wholes[0] && kernel->wholes[1];
}

// Chooses for each kernel the shortest of its choices that no other kernel has: of two that are the
// same, both take the next. It ends, since signatures differ.
static bool choose_shortest(const struct kernel *kernels, uint32_t count, size_t choices,
                            const char **chosen, struct wm_arena *scratch)
{
    uint8_t *levels = WM_ARENA_ARRAY(scratch, uint8_t, count);
    bool *clashes = WM_ARENA_ARRAY(scratch, bool, count);
    bool again = true, good = levels && clashes;
    while (again && good) {
        struct wm_string_map map;
        wm_string_map_init(&map);
        again = false;
        for (uint32_t i = 0; i < count; i++)
            chosen[i] = ((const char *const *)(const void *)((const char *)&kernels[i] +
                                                             choices))[levels[i]];
        for (uint32_t i = 0; i < count && good; i++) {
            size_t length = strlen(chosen[i]);
            bool *other = wm_string_map_get(&map, chosen[i], length);
            if (other)
                *other = clashes[i] = again = true;
            else
                good = wm_string_map_put(&map, chosen[i], length, &clashes[i]);
        }
        for (uint32_t i = 0; i < count; i++) {
            levels[i] = (uint8_t)(levels[i] + (clashes[i] && levels[i] < 2));
            clashes[i] = false;
        }
        wm_string_map_release(&map);
    }
    return good;
}

// No part is wider than the whole.
static bool choose_parts(struct kernel *kernels, uint32_t count, const char *const *wholes,
                         const char **chosen, struct wm_arena *scratch)
{
    for (uint32_t i = 0; i < count; i++) {
        const char **parts = kernels[i].parts;
        parts[1] = wholes[i];
        if (wm_text_width(parts[0], strlen(parts[0])) >=
            wm_text_width(wholes[i], strlen(wholes[i])))
            parts[0] = wholes[i];
    }
    return choose_shortest(kernels, count, offsetof(struct kernel, parts), chosen, scratch);
}

// By the text that begins the last component: "reduce" of "ns::reduce<256>".
static bool shorten_groups(struct kernel *kernels, uint32_t count, struct wm_arena *arena)
{
    struct wm_string_map map;
    wm_string_map_init(&map);
    bool good = true;
    for (uint32_t i = 0; i < count && good; i++) {
        const struct node *text = kernels[i].item->last->first;
        const char *name = text && text->kind == TEXT ? text->text : "";
        size_t length = text && text->kind == TEXT ? text->length : 0;
        struct group *group = wm_string_map_get(&map, name, length);
        if (!group) {
            group = WM_ARENA_NEW(arena, struct group);
            good = group && wm_string_map_put(&map, name, length, group);
        }
        if (good) {
            *(group->last ? &group->last->next : &group->first) = &kernels[i];
            group->last = &kernels[i];
            group->count++;
        }
    }
    for (size_t i = 0; i < map.count && good; i++) {
        struct group *group = map.entries[i].value;
        shorten(group, arena);
        good = !group->failed;
    }
    wm_string_map_release(&map);
    return good;
}

// Kernels of different signatures. `scratch` keeps what is needed meanwhile.
static bool find_names(struct kernel *kernels, uint32_t count, struct wm_arena *arena,
                       struct wm_arena *scratch, struct wm_kernel_name *names)
{
    const char **wholes = WM_ARENA_ARRAY(scratch, const char *, count);
    const char **parts = WM_ARENA_ARRAY(scratch, const char *, count);
    bool good = wholes && parts && shorten_groups(kernels, count, scratch) &&
                choose_shortest(kernels, count, offsetof(struct kernel, wholes), wholes, scratch) &&
                choose_parts(kernels, count, wholes, parts, scratch);
    for (uint32_t i = 0; i < count && good; i++) {
        names[i].whole = wm_arena_copy_text(arena, wholes[i], strlen(wholes[i]));
        names[i].part = wm_arena_copy_text(arena, parts[i], strlen(parts[i]));
        good = names[i].whole && names[i].part;
    }
    return good;
}

bool wm_kernel_names_find(const char *const *signatures, uint32_t count, struct wm_arena *arena,
                          struct wm_kernel_name *names)
{
    struct wm_arena scratch;
    struct wm_string_map map; // of signatures
    wm_arena_init(&scratch);
    wm_string_map_init(&map);
    struct kernel *kernels = WM_ARENA_ARRAY(&scratch, struct kernel, count);
    struct wm_kernel_name *found = WM_ARENA_ARRAY(&scratch, struct wm_kernel_name, count);
    bool good = kernels && found;
    uint32_t different = 0;
    for (uint32_t i = 0; i < count && good; i++) {
        if (wm_string_map_get(&map, signatures[i], strlen(signatures[i])))
            continue;
        good = read_kernel(&kernels[different], signatures[i], &scratch) &&
               wm_string_map_put(&map, signatures[i], strlen(signatures[i]), &found[different]);
        different++;
    }
    good = good && find_names(kernels, different, arena, &scratch, found);
    for (uint32_t i = 0; i < count && good; i++) {
        names[i] = *(const struct wm_kernel_name *)wm_string_map_get(&map, signatures[i],
                                                                     strlen(signatures[i]));
        names[i].heading = signatures[i];
    }
    wm_string_map_release(&map);
    wm_arena_release(&scratch);
    return good;
}

static const char *on_gpu(const char *name, uint32_t gpu, struct wm_arena *arena)
{
    struct wm_text text;
    wm_text_init(&text);
    wm_text_format(&text, "%s on gpu%" PRIu32, name, gpu);
    const char *copy = text.failed ? NULL : wm_arena_copy_text(arena, text.data, text.length);
    wm_text_release(&text);
    return copy;
}

bool wm_kernel_name_on_gpu(struct wm_kernel_name *name, uint32_t gpu, struct wm_arena *arena)
{
    name->whole = on_gpu(name->whole, gpu, arena);
    name->part = on_gpu(name->part, gpu, arena);
    name->heading = on_gpu(name->heading, gpu, arena);
    return name->whole != NULL && name->part != NULL && name->heading != NULL;
}

const char *wm_kernel_name_within(const struct wm_kernel_name *name, unsigned columns)
{
    return wm_text_width(name->whole, strlen(name->whole)) <= columns ? name->whole : name->part;
}

const char *wm_kernel_heading_within(const struct wm_kernel_name *name, unsigned columns)
{
    return wm_text_width(name->heading, strlen(name->heading)) <= columns
               ? name->heading
               : wm_kernel_name_within(name, columns);
}
