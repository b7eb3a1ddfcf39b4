#include "study/annotate/kernel.h"

#include "study/run_report/result_sums.h"

#include <stdlib.h>
#include <string.h>

// --- Neighbours that could be one access ---

// "ld.global.f32 %f1, [%rd4+8]": the opcode, what it is said to start from, and how far behind
// that.
struct parsed {
    const char *opcode, *base;
    size_t opcode_length, base_length;
    int64_t offset;
};

// Atomicity and order are of each access by itself: it is neither widened nor left out.
static bool is_ordered(const char *text)
{
    static const char *const ordered[] = {".volatile", ".relaxed", ".acquire", ".release", ".mmio"};
    size_t opcode_length = text != NULL ? strcspn(text, " \t") : 0;
    for (size_t i = 0; opcode_length > 0 && i < sizeof ordered / sizeof ordered[0]; i++) {
        const char *word = strstr(text, ordered[i]);
        if (word != NULL && word < text + opcode_length)
            return true;
    }
    return false;
}

static bool parse(const char *text, struct parsed *parsed)
{
    const char *begin = strchr(text, '[');
    const char *end = begin != NULL ? strchr(begin, ']') : NULL;
    if (end == NULL)
        return false;
    parsed->opcode = text;
    parsed->opcode_length = strcspn(text, " \t");
    parsed->base = begin + 1;
    parsed->base_length = strcspn(parsed->base, "+]");
    const char *plus = parsed->base + parsed->base_length;
    parsed->offset = *plus == '+' ? strtoll(plus + 1, NULL, 10) : 0;
    return !is_ordered(text);
}

static uint64_t bytes_of(const struct wm_instruction_result *it)
{
    return it->counters.lanes != 0 ? it->counters.bytes_requested / it->counters.lanes : 0;
}

// Whether `b` is done with `a` each time, as far behind it as `step`.
static bool is_neighbour(const struct wm_instruction_result *a, const struct parsed *from,
                         const struct wm_instruction_result *b, int64_t step)
{
    struct parsed to;
    return a->kind == b->kind && a->space == b->space &&
           a->counters.executions == b->counters.executions &&
           a->counters.lanes == b->counters.lanes && parse(b->text, &to) &&
           from->opcode_length == to.opcode_length && from->base_length == to.base_length &&
           memcmp(from->opcode, to.opcode, from->opcode_length) == 0 &&
           memcmp(from->base, to.base, from->base_length) == 0 && to.offset == from->offset + step;
}

enum { NEAR = 64 }; // instructions that a compiler may put between two of them

// The instruction `step` bytes behind `index`; its own index: there is none.
static uint32_t neighbour(const struct wm_kernel_result *kernel, uint32_t index,
                          const struct parsed *from, int64_t step)
{
    uint32_t first = index > NEAR ? index - NEAR : 0;
    for (uint32_t i = first; i < kernel->instruction_count && i < index + NEAR; i++)
        if (i != index &&
            is_neighbour(&kernel->instructions[index], from, &kernel->instructions[i], step))
            return i;
    return index;
}

// Lanes that lie as far apart as the vector is long, or further: what is between belongs to the
// same thread. Its begin has the vector's alignment every time.
static bool could_begin(const struct wm_instruction_result *it, uint64_t vector_bytes)
{
    const struct wm_instruction_counters *c = &it->counters;
    const struct wm_instruction_misses *e = it->explained;
    uint64_t aligned = vector_bytes == 16 ? e->aligned_16 : e->aligned_8;
    return 2 * e->regular >= c->executions && aligned == c->executions &&
           c->sectors * WM_SECTOR_BYTES >= 2 * c->bytes_requested;
}

// Marks the `count` neighbours that begin with the instruction, if there are so many.
static void mark_vector(struct wm_annotate_kernel *context, uint32_t index, uint32_t count)
{
    const struct wm_kernel_result *kernel = context->kernel;
    const struct wm_instruction_result *it = &kernel->instructions[index];
    uint64_t bytes = bytes_of(it);
    uint32_t members[4] = {index};
    struct parsed from;
    bool stored = it->kind == WM_ACCESS_LOAD || it->kind == WM_ACCESS_STORE;
    if (!stored || it->space != WM_SPACE_GLOBAL || it->explained == NULL ||
        context->covered[index] || (bytes != 4 && bytes != 8) || count * bytes > 16 ||
        !parse(it->text, &from) || !could_begin(it, count * bytes))
        return;
    for (uint32_t found = 1; found < count; found++) {
        members[found] = neighbour(kernel, index, &from, (int64_t)(found * bytes));
        if (members[found] == index || context->covered[members[found]])
            return;
    }
    context->vectors[index] = (uint8_t)count;
    for (uint32_t i = 0; i < count; i++)
        context->covered[members[i]] = true;
}

// --- Results of atomics ---

static bool is_of_name(char c)
{
    return c == '_' || c == '$' || c == '%' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
           (c >= 'A' && c <= 'Z');
}

static size_t length_of_name(const char *name)
{
    size_t length = 0;
    while (is_of_name(name[length]))
        length++;
    return length;
}

// How often a register stands in an instruction.
static uint32_t times_in(const char *text, const char *name, size_t length)
{
    uint32_t times = 0;
    for (const char *at = text; (at = strchr(at, '%')) != NULL;) {
        size_t own = length_of_name(at);
        times += own == length && memcmp(at, name, length) == 0;
        at += own;
    }
    return times;
}

// Compilers write atom for atomics whose result is not used, too. A register stands in its own
// instruction once; where that is not so, or anywhere else, it is read.
static bool returns(const struct wm_kernel_result *kernel, const struct wm_instruction_result *it)
{
    const char *opcode = it->text != NULL && it->text[0] == '@' ? strchr(it->text, ' ') : it->text;
    const char *name = opcode != NULL ? strchr(opcode, '%') : NULL;
    const char *place = opcode != NULL ? strchr(opcode, '[') : NULL;
    if (it->kind != WM_ACCESS_ATOMIC || name == NULL || place == NULL || name > place)
        return false;
    size_t length = length_of_name(name);
    uint32_t times = 0;
    for (uint32_t i = 0; kernel->listing != NULL && i < kernel->listing_count && times < 2; i++)
        times += times_in(kernel->listing[i].text, name, length);
    return times >= 2;
}

// --- What a tile would hold ---

// Unrolled, a load is several instructions of one place. Without places, all of the kernel are.
static bool same_place(const struct wm_instruction_result *a, const struct wm_instruction_result *b)
{
    return a->source_line == b->source_line &&
           (a->source_file == b->source_file || (a->source_file != NULL && b->source_file != NULL &&
                                                 strcmp(a->source_file, b->source_file) == 0));
}

// `own` has the bytes a block of each load that is shared, and 0 of others.
static void add_tiles(struct wm_annotate_kernel *context, const double *own)
{
    const struct wm_kernel_result *kernel = context->kernel;
    for (uint32_t i = 0; i < kernel->instruction_count; i++)
        for (uint32_t j = 0; own[i] > 0 && j < kernel->instruction_count; j++)
            if (own[j] > 0 && same_place(&kernel->instructions[i], &kernel->instructions[j]))
                context->tile_bytes[i] += own[j];
}

// --- The kernel ---

struct wm_rule_view wm_annotate_empty_input(const struct wm_annotate_kernel *context,
                                            uint32_t index)
{
    const struct wm_instruction_result *it = &context->kernel->instructions[index];
    uint32_t line_bytes = context->results->line_bytes;
    return (struct wm_rule_view){
        .kind = it->kind,
        .space = it->space,
        .line_bytes = line_bytes,
        .l1_lines = line_bytes != 0 ? context->kernel->l1_bytes / line_bytes : 0,
        .vector = context->vectors[index],
        .in_vector = context->covered[index],
        .ordered = is_ordered(it->text),
        .returns = returns(context->kernel, it),
        .tile_bytes = context->tile_bytes[index],
        .kernel = &context->traffic,
    };
}

void wm_annotate_add_input(const struct wm_annotate_kernel *context, struct wm_rule_view *sum,
                           const struct wm_instruction_result *it)
{
    const struct wm_level_list *levels = &context->results->counted->levels;
    if (sum->pc_count < WM_RULE_PCS)
        sum->pcs[sum->pc_count++] = it->pc;
    wm_instruction_counters_add(&sum->counters, &it->counters);
    sum->below_l1_bytes += wm_listed_row(levels, wm_place_below_l1(levels), &it->counters).bytes;
    wm_instruction_misses_add(&sum->explained, it->explained);
}

bool wm_annotate_kernel_init(struct wm_annotate_kernel *context, struct wm_arena *arena,
                             const struct wm_results *results,
                             const struct wm_kernel_result *kernel)
{
    uint32_t count = kernel->instruction_count;
    *context = (struct wm_annotate_kernel){.kernel = kernel, .results = results};
    context->traffic.name = kernel->name;
    context->vectors = WM_ARENA_ARRAY(arena, uint8_t, count + 1);
    context->covered = WM_ARENA_ARRAY(arena, bool, count + 1);
    context->tile_bytes = WM_ARENA_ARRAY(arena, double, count + 1);
    double *own = WM_ARENA_ARRAY(arena, double, count + 1);
    if (context->vectors == NULL || context->covered == NULL || context->tile_bytes == NULL ||
        own == NULL)
        return false;
    for (uint32_t vector = 4; vector >= 2; vector /= 2) // the longest first
        for (uint32_t i = 0; i < count; i++)
            mark_vector(context, i, vector);
    for (uint32_t i = 0; i < count; i++) {
        struct wm_rule_view view = wm_annotate_empty_input(context, i);
        if (kernel->instructions[i].explained == NULL)
            continue;
        wm_annotate_add_input(context, &view, &kernel->instructions[i]);
        wm_rule_kernel_totals_add(&context->traffic, &view);
        if (wm_rule_is_shared(&view) && view.explained.block_readers > 0)
            own[i] = (double)view.explained.block_first / (double)view.explained.block_readers;
    }
    add_tiles(context, own);
    return true;
}
