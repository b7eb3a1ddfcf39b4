#include "engine/walk_parts.h"

#include "base/hash.h"

// Enough to tell two kernels of one name apart; equal code gives equal fingerprints.
static uint64_t fingerprint_of(const struct wm_kernel *kernel)
{
    uint64_t hash = wm_hash_u64(kernel->instruction_count);
    for (uint32_t pc = 0; pc < kernel->instruction_count; pc++) {
        const struct wm_kernel_instruction *it = &kernel->instructions[pc];
        hash = wm_hash_u64(hash ^ ((uint64_t)it->ptx_line << 32 | it->source_line));
        if (it->instruction == NULL)
            continue;
        hash = wm_hash_u64(hash ^ ((uint64_t)it->instruction->opcode << 16 |
                                   (uint64_t)it->instruction->operand_count << 8 |
                                   it->instruction->modifier_count));
        hash ^= wm_hash_bytes(it->instruction->modifiers, it->instruction->modifier_count);
    }
    return hash;
}

static const char *copy_text(struct wm_walk *walk, const char *text)
{
    return text == NULL ? NULL : wm_arena_copy_text(&walk->arena, text, strlen(text));
}

static enum wm_access_kind kind_of(const struct wm_ptx_instruction *instruction)
{
    switch (instruction->opcode) {
    case WM_PTX_OP_st: return WM_ACCESS_STORE;
    case WM_PTX_OP_atom: return WM_ACCESS_ATOMIC;
    case WM_PTX_OP_red: return WM_ACCESS_REDUCTION;
    default: return WM_ACCESS_LOAD;
    }
}

// As the instruction says. A generic one is called global until it has run.
static enum wm_address_space space_of(const struct wm_ptx_instruction *instruction)
{
    switch (instruction->space) {
    case WM_PTX_shared: return WM_SPACE_SHARED;
    case WM_PTX_local: return WM_SPACE_LOCAL;
    case WM_PTX_const: return WM_SPACE_CONSTANT;
    case WM_PTX_param: return WM_SPACE_PARAMETER;
    default: return WM_SPACE_GLOBAL;
    }
}

static bool describe(struct wm_walk *walk, const struct wm_kernel_instruction *from,
                     struct wm_walk_instruction *to)
{
    struct wm_text text;
    wm_text_init(&text);
    wm_ptx_print_instruction(from->function, from->instruction, &text);
    to->text = text.failed ? NULL : copy_text(walk, text.data != NULL ? text.data : "");
    wm_text_release(&text);
    to->source_file = copy_text(walk, from->source_file);
    to->ptx_line = from->ptx_line;
    to->source_line = from->source_line;
    to->is_memory = from->is_memory;
    to->generic = from->instruction->space == WM_PTX_none;
    to->kind = kind_of(from->instruction);
    to->space = space_of(from->instruction);
    return to->text != NULL && (to->source_file != NULL || from->source_file == NULL);
}

static bool fill_record(struct wm_walk *walk, struct wm_walk_record *record,
                        const struct wm_kernel *kernel)
{
    uint32_t count = kernel->instruction_count;
    record->instruction_count = count;
    record->name = copy_text(walk, kernel->name);
    record->module = copy_text(walk, kernel->module != NULL ? kernel->module : "");
    record->component_values = calloc(walk->value_count, sizeof *record->component_values);
    record->details = calloc(count, sizeof *record->details);
    record->causes = calloc(count, sizeof *record->causes);
    record->spaces = calloc(count, sizeof *record->spaces);
    record->listed = calloc(count + 1, sizeof *record->listed);
    for (uint32_t pc = 0; record->listed != NULL && pc < count; pc++)
        record->listed[pc] = wm_bypass_list_names(walk->machine.bypass_list, kernel->name, pc,
                                                  kernel->instructions[pc].ptx_line,
                                                  kernel->instructions[pc].source_line);
    if (record->listed == NULL || record->name == NULL || record->module == NULL ||
        record->component_values == NULL ||
        (count != 0 &&
         (record->details == NULL || record->causes == NULL || record->spaces == NULL)))
        return false;
    if (walk->options.explain) {
        record->explained = calloc(count + 1, sizeof *record->explained);
        if (record->explained == NULL)
            return false;
    }
    // All of them when misses are explained: annotations print the whole kernel.
    for (uint32_t pc = 0; pc < count; pc++)
        if ((kernel->instructions[pc].is_memory ||
             (walk->options.explain && kernel->instructions[pc].instruction != NULL)) &&
            !describe(walk, &kernel->instructions[pc], &record->details[pc]))
            return false;
    return true;
}

void wm_walk_record_free(struct wm_walk_record *record)
{
    free(record->component_values);
    free(record->details);
    free(record->causes);
    free(record->spaces);
    free(record->listed);
    free(record->explained);
    free(record);
}

static bool grow_records(struct wm_walk *walk)
{
    if (walk->record_count < walk->record_capacity)
        return true;
    uint32_t capacity = walk->record_capacity == 0 ? 16 : 2 * walk->record_capacity;
    struct wm_walk_record **records = realloc(walk->records, capacity * sizeof *records);
    if (records == NULL)
        return false;
    walk->records = records;
    walk->record_capacity = capacity;
    return true;
}

struct wm_walk_record *wm_walk_record_of(struct wm_walk *walk, const struct wm_kernel *kernel)
{
    uint64_t fingerprint = fingerprint_of(kernel);
    const char *module = kernel->module != NULL ? kernel->module : "";
    for (uint32_t i = 0; i < walk->record_count; i++) {
        struct wm_walk_record *record = walk->records[i];
        if (record->fingerprint == fingerprint && strcmp(record->name, kernel->name) == 0 &&
            strcmp(record->module, module) == 0)
            return record;
    }
    struct wm_walk_record *record = calloc(1, sizeof *record);
    if (record == NULL)
        return NULL;
    record->fingerprint = fingerprint;
    if (!grow_records(walk) || !fill_record(walk, record, kernel)) {
        wm_walk_record_free(record);
        return NULL;
    }
    walk->records[walk->record_count++] = record;
    return record;
}

void wm_walk_record_begin(struct wm_walk *walk)
{
    uint64_t *value = walk->values_at_begin;
    for (uint32_t i = 0; i < walk->component_count; i++) {
        const struct wm_component_counters *component = &walk->components[i];
        memcpy(value, component->values, component->set->count * sizeof *value);
        value += component->set->count;
    }
}

// SM counters are the first of the components and hold the launch's instruction counts.
static void add_instructions(struct wm_walk *walk, struct wm_walk_record *record)
{
    const uint64_t *before = walk->values_at_begin;
    for (uint32_t i = 0; i < walk->machine.sm.count; i++) {
        const struct wm_sm_counters *now = &walk->sms[i].counters;
        const struct wm_sm_counters *then = (const struct wm_sm_counters *)before;
        uint64_t warp_instructions = now->warp_instructions - then->warp_instructions;
        record->warp_instructions += warp_instructions;
        record->thread_instructions += now->thread_instructions - then->thread_instructions;
        walk->warp_instructions += warp_instructions;
        before += wm_sm_counter_set.count;
    }
}

void wm_walk_record_end(struct wm_walk *walk, struct wm_walk_record *record)
{
    add_instructions(walk, record);
    const uint64_t *before = walk->values_at_begin;
    uint64_t *sum = record->component_values;
    for (uint32_t i = 0; i < walk->component_count; i++) {
        const struct wm_component_counters *component = &walk->components[i];
        for (size_t c = 0; c < component->set->count; c++)
            *sum++ += component->values[c] - *before++;
    }
}
