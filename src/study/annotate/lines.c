#include "study/annotate/lines.h"

#include "study/annotate/kernel.h"
#include "study/annotate/source_file.h"
#include "study/run_report/result_sums.h"

// Lines shown around one that has instructions, and how far up a kernel's head is looked for.
enum { AROUND = 1, HEAD_ABOVE = 12, MOST_FILES = 16 };

// A file that a kernel's instructions name.
struct named_file {
    const char *path;
    struct wm_source_file *source; // NULL: not found
    bool has_memory;
};

struct maker {
    struct wm_arena *arena;
    const struct wm_results *results;
    const struct wm_kernel_result *kernel;
    struct wm_annotate_kernel *context; // of that kernel; in the arena, as advice refers to it
    struct named_file files[MOST_FILES];
    uint32_t file_count;
    bool failed;
};

// Kernel parameters come from a constant bank at no cost: every use would have a row of them.
static bool is_counted(const struct wm_instruction_result *it)
{
    return it->space != WM_SPACE_PARAMETER;
}

static struct named_file *file_of(struct maker *maker, const char *path)
{
    if (path == NULL)
        return NULL;
    for (uint32_t i = 0; i < maker->file_count; i++)
        if (strcmp(maker->files[i].path, path) == 0)
            return &maker->files[i];
    if (maker->file_count == MOST_FILES)
        return NULL;
    struct named_file *file = &maker->files[maker->file_count++];
    *file = (struct named_file){.path = path, .source = wm_source_file_read(maker->arena, path)};
    return file;
}

// Whether the instruction is shown in a source file rather than in PTX.
static bool is_in_source(struct maker *maker, const char *path, uint32_t line)
{
    const struct named_file *file = file_of(maker, path);
    return file != NULL && file->source != NULL && line >= 1 && line <= file->source->line_count;
}

// --- What a line did ---

static struct wm_rule_view empty_view(const struct maker *maker,
                                      const struct wm_instruction_result *it)
{
    return wm_annotate_empty_input(maker->context, (uint32_t)(it - maker->kernel->instructions));
}

static struct wm_advice *advice_of(struct maker *maker, struct wm_annotated_line *line,
                                   const struct wm_annotate_rule *rule,
                                   const struct wm_instruction_result *it)
{
    for (uint32_t i = 0; i < line->advice_count; i++)
        if (line->advice[i].rule == rule && line->advice[i].view.kind == it->kind)
            return &line->advice[i];
    // A rule speaks at most once of each kind of access.
    if (line->advice == NULL)
        line->advice = WM_ARENA_ARRAY(maker->arena, struct wm_advice, 4 * wm_annotate_rule_count);
    if (line->advice == NULL) {
        maker->failed = true;
        return NULL;
    }
    struct wm_advice *advice = &line->advice[line->advice_count++];
    *advice = (struct wm_advice){.rule = rule, .view = empty_view(maker, it)};
    return advice;
}

static bool same_chain(const struct wm_instruction_result *a, const struct wm_instruction_result *b)
{
    bool same = a->inlined_count == b->inlined_count;
    for (uint32_t i = 0; same && i < a->inlined_count; i++) {
        const char *x = a->inlined[i].file, *y = b->inlined[i].file;
        same = a->inlined[i].line == b->inlined[i].line &&
               (x == y || (x != NULL && y != NULL && strcmp(x, y) == 0));
    }
    return same;
}

static void add_chain(struct wm_annotated_line *line, const struct wm_instruction_result *it)
{
    for (uint32_t i = 0; i < line->inlined_count; i++)
        if (same_chain(line->inlined[i], it))
            return;
    if (it->inlined_count != 0 && line->inlined_count < WM_MOST_CHAINS)
        line->inlined[line->inlined_count++] = it;
}

static void add_times(struct wm_annotated_line *line, const struct wm_instruction_result *it)
{
    if (it->timed == NULL || it->served == NULL)
        return;
    line->timed.loads += it->timed->loads;
    line->timed.load_cycles += it->timed->load_cycles;
    line->timed.loads_cached += it->timed->loads_cached;
    line->timed.requests_waited += it->timed->requests_waited;
    for (uint32_t i = 0; i < WM_SERVERS; i++)
        line->served.loads[i] += it->served->loads[i];
}

static void add_instruction(struct maker *maker, struct wm_annotated_line *line,
                            const struct wm_instruction_result *it)
{
    struct wm_rule_view view = empty_view(maker, it);
    wm_annotate_add_input(maker->context, &view, it);
    line->has_memory = true;
    add_chain(line, it);
    line->accesses += it->counters.executions;
    line->shared_accesses += it->space == WM_SPACE_SHARED ? it->counters.executions : 0;
    wm_instruction_counters_add_result(&line->counters, it);
    wm_instruction_misses_add(&line->explained, it->explained);
    add_times(line, it);
    for (uint32_t i = 0; i < wm_annotate_rule_count; i++) {
        const struct wm_annotate_rule *rule = &wm_annotate_rule_table[i];
        if (rule->trials != WM_TRIALS_NONE && maker->results->notes_written_lines)
            continue; // coherent levels go with no variant that would show what is gained
        struct wm_advice *advice = rule->applies(&view) ? advice_of(maker, line, rule, it) : NULL;
        if (advice == NULL)
            continue;
        advice->instructions++;
        wm_annotate_add_input(maker->context, &advice->view, it);
    }
}

// --- Source ---

// Marks which lines of a file are shown: those with instructions and a few around them, and the
// kernel's head above the first.
static void mark_lines(struct maker *maker, const struct named_file *file, bool *shown)
{
    const struct wm_kernel_result *kernel = maker->kernel;
    uint32_t count = file->source->line_count, first = UINT32_MAX;
    for (uint32_t i = 0; i < kernel->listing_count; i++) {
        const struct wm_listing_line *it = &kernel->listing[i];
        if (it->source_file == NULL || strcmp(it->source_file, file->path) != 0 ||
            it->source_line < 1 || it->source_line > count)
            continue;
        if (it->source_line < first)
            first = it->source_line;
        uint32_t from = it->source_line > AROUND ? it->source_line - AROUND : 1;
        for (uint32_t line = from; line <= count && line <= it->source_line + AROUND; line++)
            shown[line] = true;
    }
    for (uint32_t up = 0; first != UINT32_MAX && up <= HEAD_ABOVE && up < first; up++)
        if (strstr(file->source->lines[first - up - 1], "__global__") != NULL) {
            for (uint32_t line = first - up; line <= first; line++)
                shown[line] = true;
            return;
        }
}

static void fill_source(struct maker *maker, const struct named_file *file,
                        struct wm_annotated_section *section)
{
    uint32_t count = file->source->line_count;
    bool *shown = WM_ARENA_ARRAY(maker->arena, bool, count + 1);
    uint32_t *place = WM_ARENA_ARRAY(maker->arena, uint32_t, count + 1);
    section->file = section->title = file->path;
    section->lines = WM_ARENA_ARRAY(maker->arena, struct wm_annotated_line, count);
    if (shown == NULL || place == NULL || section->lines == NULL) {
        maker->failed = true;
        return;
    }
    mark_lines(maker, file, shown);
    for (uint32_t number = 1; number <= count; number++)
        if (shown[number]) {
            place[number] = section->line_count;
            section->lines[section->line_count++] = (struct wm_annotated_line){
                .number = number, .text = file->source->lines[number - 1]};
        }
    for (uint32_t i = 0; i < maker->kernel->instruction_count; i++) {
        const struct wm_instruction_result *it = &maker->kernel->instructions[i];
        if (is_counted(it) && it->source_file != NULL && strcmp(it->source_file, file->path) == 0 &&
            is_in_source(maker, it->source_file, it->source_line))
            add_instruction(maker, &section->lines[place[it->source_line]], it);
    }
}

// --- PTX ---

// The instructions that no source file shows.
static void fill_ptx(struct maker *maker, struct wm_annotated_section *section)
{
    const struct wm_kernel_result *kernel = maker->kernel;
    section->title = kernel->on_cores ? "Code without lines" : "PTX";
    section->lines = WM_ARENA_ARRAY(maker->arena, struct wm_annotated_line, kernel->listing_count);
    if (section->lines == NULL) {
        maker->failed = true;
        return;
    }
    uint32_t next = 0;
    for (uint32_t i = 0; i < kernel->listing_count; i++) {
        const struct wm_listing_line *from = &kernel->listing[i];
        if (is_in_source(maker, from->source_file, from->source_line))
            continue;
        struct wm_annotated_line *line = &section->lines[section->line_count++];
        *line = (struct wm_annotated_line){.number = from->ptx_line, .text = from->text};
        while (next < kernel->instruction_count && kernel->instructions[next].pc < from->pc)
            next++;
        if (next < kernel->instruction_count && kernel->instructions[next].pc == from->pc &&
            is_counted(&kernel->instructions[next]))
            add_instruction(maker, line, &kernel->instructions[next]);
    }
}

static void fill_kernel(struct maker *maker, struct wm_annotated_kernel *to)
{
    const struct wm_kernel_result *kernel = maker->kernel;
    bool rest = false;
    for (uint32_t i = 0; i < kernel->instruction_count; i++) {
        const struct wm_instruction_result *it = &kernel->instructions[i];
        if (!is_counted(it))
            continue;
        if (is_in_source(maker, it->source_file, it->source_line))
            file_of(maker, it->source_file)->has_memory = true;
        else
            rest = true;
    }
    maker->context = WM_ARENA_NEW(maker->arena, struct wm_annotate_kernel);
    if (maker->context == NULL ||
        !wm_annotate_kernel_init(maker->context, maker->arena, maker->results, kernel)) {
        maker->failed = true;
        return;
    }
    to->kernel = kernel;
    to->sections = WM_ARENA_ARRAY(maker->arena, struct wm_annotated_section, MOST_FILES + 1);
    if (to->sections == NULL) {
        maker->failed = true;
        return;
    }
    for (uint32_t i = 0; i < maker->file_count && !maker->failed; i++)
        if (maker->files[i].has_memory)
            fill_source(maker, &maker->files[i], &to->sections[to->section_count++]);
    if (rest && !maker->failed)
        fill_ptx(maker, &to->sections[to->section_count++]);
}

bool wm_annotation_is_timed(const struct wm_results *results)
{
    return strcmp(results->engine, "clock") == 0;
}

bool wm_annotation_gather(struct wm_annotation *annotation, const struct wm_results *results)
{
    *annotation = (struct wm_annotation){0};
    wm_arena_init(&annotation->arena);
    annotation->kernels =
        WM_ARENA_ARRAY(&annotation->arena, struct wm_annotated_kernel, results->kernel_count);
    if (annotation->kernels == NULL)
        return false;
    struct maker maker = {.arena = &annotation->arena, .results = results};
    for (uint32_t i = 0; i < results->kernel_count && !maker.failed; i++) {
        maker.kernel = &results->kernels[i];
        maker.file_count = 0;
        fill_kernel(&maker, &annotation->kernels[annotation->kernel_count++]);
    }
    return !maker.failed;
}

void wm_annotation_release(struct wm_annotation *annotation)
{
    wm_arena_release(&annotation->arena);
    *annotation = (struct wm_annotation){0};
}
