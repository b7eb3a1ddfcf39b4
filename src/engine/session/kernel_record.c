#include "base/containers/array.h"
#include "engine/clock/clock.h"
#include "engine/issue/machine_code.h"
#include "engine/issue/memory_order.h"
#include "engine/session/session_state.h"
#include "mem/system/coherent_levels.h"

static const char *copy_text(struct wm_session *session, const char *text)
{
    return text == NULL ? NULL : wm_arena_copy_text(&session->arena, text, strlen(text));
}

static bool copy_places(struct wm_session *session, const struct wm_instruction_facts *facts,
                        struct wm_instruction_record *to)
{
    struct wm_source_location *places;
    if (facts->inlined_count == 0 || !facts->is_memory)
        return true;
    places = WM_ARENA_ARRAY(&session->arena, struct wm_source_location, facts->inlined_count);
    for (uint32_t i = 0; places != NULL && i < facts->inlined_count; i++)
        places[i] = (struct wm_source_location){copy_text(session, facts->inlined[i].file),
                                                facts->inlined[i].line};
    to->inlined = places;
    to->inlined_count = places != NULL ? facts->inlined_count : 0;
    return places != NULL;
}

static bool describe(struct wm_session *session, const struct wm_work *work, uint32_t pc,
                     struct wm_instruction_record *to)
{
    struct wm_instruction_facts facts;
    struct wm_text text;
    wm_text_init(&text);
    work->ops->describe(work, pc, &facts, &text);
    to->text = text.failed ? NULL : copy_text(session, text.data != NULL ? text.data : "");
    wm_text_release(&text);
    to->source_file = copy_text(session, facts.source_file);
    to->ptx_line = facts.ptx_line;
    to->source_line = facts.source_line;
    to->is_memory = facts.is_memory;
    to->generic = facts.generic;
    to->kind = facts.kind;
    to->space = facts.space;
    return to->text != NULL && (to->source_file != NULL || facts.source_file == NULL) &&
           copy_places(session, &facts, to);
}

static bool mark(struct wm_kernel_record *record, uint32_t pc, const struct wm_bypass_word *says,
                 bool prioritises)
{
    if (!says->l2)
        record->listed[pc] = (uint8_t)says->listed;
    return !prioritises || says->keeps ||
           wm_walk_priorities_set(&record->priorities, record->instruction_count, pc, says->l2,
                                  says->priority);
}

// Only memory instructions have their lines kept; only they can bypass.
static bool mark_listed(const struct wm_session *session, struct wm_kernel_record *record)
{
    struct wm_bypass_reader reader;
    struct wm_bypass_selector selector;
    bool prioritises = session->memory != NULL && wm_bypass_list_counts(&session->machine.memory),
         good = true;
    wm_bypass_reader_init(&reader, session->machine.bypass_list, record->name, record->ptx_hash);
    while (good && wm_bypass_reader_next(&reader, &selector))
        for (uint32_t pc = 0; pc < record->instruction_count && good; pc++)
            if (wm_bypass_means_place(&selector, pc, record->details[pc].ptx_line,
                                      record->details[pc].source_line))
                good = mark(record, pc, selector.says, prioritises);
    return good;
}

// Only a list with hashes needs the kernel's: it is that of a whole text.
static enum wm_status check_list(const char *list, const struct wm_work *work, uint64_t *ptx_hash,
                                 struct wm_error *error)
{
    *ptx_hash = 0;
    if (!wm_bypass_names_ptx(list, work->kernel))
        return WM_OK;
    *ptx_hash = work->ops->ptx_hash != NULL ? work->ops->ptx_hash(work) : 0;
    return wm_bypass_check_ptx(list, work->kernel, *ptx_hash, error);
}

static bool estimate_machine_code(struct wm_session *session, struct wm_kernel_record *record,
                                  const struct wm_work *work)
{
    if (session->machine.sm.machine_code != WM_MACHINE_CODE_ESTIMATED)
        return true;
    struct wm_error error;
    record->machine_slots = calloc(work->instruction_count + UINT64_C(1), 1);
    record->machine_rounds = calloc(work->instruction_count + UINT64_C(1), 1);
    return record->machine_slots != NULL && record->machine_rounds != NULL &&
           wm_machine_code_estimate(work, session->machine.device.compute_major,
                                    record->machine_slots, record->machine_rounds, &error) == WM_OK;
}

// What acquires drops lines of scoped levels, and what comes behind it waits in time where L1s are
// made to agree in any way.
static bool has_orders(const struct wm_session *session, uint32_t level)
{
    const struct wm_memory_spec *memory = &session->machine.memory;
    return wm_level_is_scoped(memory, level) ||
           (session->clock != NULL && wm_level_is_coherent(memory, level));
}

static bool find_orders(struct wm_session *session, struct wm_kernel_record *record,
                        const struct wm_work *work)
{
    struct wm_error error;
    for (uint32_t i = 0; i < WM_MOST_LEVELS && session->memory != NULL; i++)
        if (has_orders(session, i))
            return wm_memory_orders_find(work, &record->orders, &error) == WM_OK;
    return true;
}

static bool fill_record(struct wm_session *session, struct wm_kernel_record *record,
                        const struct wm_work *work)
{
    uint32_t count = work->instruction_count;
    record->instruction_count = count;
    record->clocks_count_cycles = work->clocks_count_cycles;
    record->name = copy_text(session, work->kernel);
    record->module = copy_text(session, work->module);
    record->component_values = calloc(session->value_count, sizeof *record->component_values);
    record->details = calloc(count, sizeof *record->details);
    record->counters_by_pc = calloc(count, sizeof *record->counters_by_pc);
    record->spaces = calloc(count, sizeof *record->spaces);
    record->listed = calloc(count + 1, sizeof *record->listed);
    if (record->listed == NULL || record->name == NULL || record->module == NULL ||
        record->component_values == NULL ||
        (count != 0 &&
         (record->details == NULL || record->counters_by_pc == NULL || record->spaces == NULL)))
        return false;
    if (session->options.explain) {
        size_t copies = session->clock != NULL ? wm_clock_counts_apart(session->clock) : 1;
        record->explained = calloc(copies * (count + UINT64_C(1)), sizeof *record->explained);
        record->explained_copies = (uint32_t)copies;
        if (record->explained == NULL)
            return false;
        record->fetches_explained = &record->explained[count];
    }
    // All of them when misses are explained: annotations print the whole kernel.
    for (uint32_t pc = 0; pc < count; pc++) {
        struct wm_instruction_facts facts;
        work->ops->describe(work, pc, &facts, NULL);
        record->reads_clock |= facts.reads_clock;
        if ((facts.is_memory || (session->options.explain && facts.exists)) &&
            !describe(session, work, pc, &record->details[pc]))
            return false;
    }
    if (!estimate_machine_code(session, record, work) || !find_orders(session, record, work))
        return false;
    if (session->memory != NULL && !wm_eviction_priorities_init(&record->priorities, work))
        return false;
    return mark_listed(session, record);
}

bool wm_kernel_records_describe(struct wm_session *session, const struct wm_work *work)
{
    for (uint32_t i = 0; i < session->record_count; i++) {
        struct wm_kernel_record *record = session->records[i];
        if (record->fingerprint != work->fingerprint || record->gpu != work->gpu ||
            strcmp(record->name, work->kernel) != 0)
            continue;
        for (uint32_t pc = 0; pc < record->instruction_count; pc++) {
            struct wm_instruction_facts facts;
            work->ops->describe(work, pc, &facts, NULL);
            if (facts.exists && record->details[pc].text == NULL &&
                !describe(session, work, pc, &record->details[pc]))
                return false;
        }
    }
    return true;
}

void wm_kernel_record_free(struct wm_kernel_record *record)
{
    free(record->component_values);
    free(record->details);
    free(record->counters_by_pc);
    free(record->spaces);
    free(record->listed);
    free(record->machine_slots);
    free(record->machine_rounds);
    free(record->orders);
    wm_eviction_priorities_release(&record->priorities);
    free(record->explained);
    free(record->latency);
    free(record->loads);
    free(record->servers);
    for (uint32_t i = 0; i < record->counts_count; i++) {
        free(record->counts[i].by_pc);
        free(record->counts[i].spaces);
    }
    free(record->counts);
    free(record);
}

enum wm_status wm_kernel_record_counts(struct wm_kernel_record *record, uint32_t threads,
                                       uint32_t thread, struct wm_kernel_counts **counts,
                                       struct wm_error *error)
{
    if (record->counts == NULL) {
        WM_TRY(WM_ARRAY_NEW(record->counts, threads, error, "the counters of a kernel"));
        record->counts_count = threads;
    }
    struct wm_kernel_counts *made = *counts = &record->counts[thread];
    if (made->by_pc != NULL)
        return WM_OK;
    size_t count = record->instruction_count + UINT64_C(1);
    WM_TRY(WM_ARRAY_NEW(made->spaces, count, error, "the counters of a kernel"));
    return WM_ARRAY_NEW(made->by_pc, count, error, "the counters of a kernel");
}

static void move_counters(struct wm_instruction_counters *to, struct wm_instruction_counters *from)
{
    uint64_t *sums = (uint64_t *)to, *values = (uint64_t *)from;
    for (size_t i = 0; i < sizeof *to / sizeof *sums; i++) {
        sums[i] += values[i];
        values[i] = 0;
    }
}

void wm_kernel_record_gather(struct wm_kernel_record *record)
{
    for (uint32_t i = 0; i < record->counts_count; i++) {
        struct wm_kernel_counts *counts = &record->counts[i];
        if (counts->by_pc == NULL)
            continue;
        for (uint32_t pc = 0; pc < record->instruction_count; pc++) {
            move_counters(&record->counters_by_pc[pc], &counts->by_pc[pc]);
            record->spaces[pc] |= counts->spaces[pc];
        }
        move_counters(&record->fetches, &counts->by_pc[record->instruction_count]);
    }
}

static bool grow_records(struct wm_session *session)
{
    return WM_ARRAY_RESERVE(session->records, session->record_count, session->record_capacity, 1);
}

static struct wm_kernel_record *out_of_memory(struct wm_error *error)
{
    wm_fail_no_memory(error, "the counters of a kernel");
    return NULL;
}

struct wm_kernel_record *wm_kernel_record_of(struct wm_session *session, const struct wm_work *work,
                                             struct wm_error *error)
{
    const struct wm_kernel_record *other =
        NULL; // the same kernel's, in a profiler's range or outside
    bool not_counted = !wm_session_is_counting(session);
    for (uint32_t i = 0; i < session->record_count; i++) {
        struct wm_kernel_record *record = session->records[i];
        if (record->fingerprint != work->fingerprint || record->gpu != work->gpu ||
            strcmp(record->name, work->kernel) != 0 || strcmp(record->module, work->module) != 0)
            continue;
        if (record->not_counted == not_counted)
            return record;
        other = record;
    }
    uint64_t ptx_hash = 0;
    if (session->memory != NULL &&
        check_list(session->machine.bypass_list, work, &ptx_hash, error) != WM_OK)
        return NULL;
    struct wm_kernel_record *record = calloc(1, sizeof *record);
    if (record == NULL)
        return out_of_memory(error);
    record->fingerprint = work->fingerprint;
    record->gpu = work->gpu;
    record->ptx_hash = ptx_hash;
    if (!grow_records(session) || !fill_record(session, record, work)) {
        wm_kernel_record_free(record);
        return out_of_memory(error);
    }
    record->code_address = other != NULL
                               ? other->code_address
                               : wm_session_place_code(session, record->instruction_count);
    record->not_counted = not_counted;
    record->number = not_counted ? WM_KERNEL_NOT_COUNTED : session->kernel_count++;
    session->records[session->record_count++] = record;
    return record;
}

void wm_kernel_record_begin(struct wm_session *session)
{
    uint64_t *value = session->values_at_begin;
    for (uint32_t i = 0; i < session->component_count; i++) {
        const struct wm_component_counters *component = &session->components[i];
        memcpy(value, component->values, component->set->count * sizeof *value);
        value += component->set->count;
    }
}

void wm_kernel_record_add_instructions(struct wm_session *session, struct wm_kernel_record *record,
                                       const struct wm_sm_counters *then,
                                       const struct wm_sm_counters *now)
{
    uint64_t warp_instructions = now->warp_instructions - then->warp_instructions;
    wm_add_atomically(&record->warp_instructions, warp_instructions);
    wm_add_atomically(&record->thread_instructions,
                      now->thread_instructions - then->thread_instructions);
    wm_add_atomically(&session->warp_instructions[record->gpu], warp_instructions);
}

// SM counters are the first of the components and hold the launch's instruction counts.
static void add_instructions(struct wm_session *session, struct wm_kernel_record *record)
{
    const uint64_t *before = session->values_at_begin;
    for (uint32_t i = 0; i < wm_session_units(session); i++) {
        wm_kernel_record_add_instructions(session, record, (const struct wm_sm_counters *)before,
                                          &session->sms[i].counters);
        before += wm_sm_counter_set.count;
    }
}

void wm_kernel_record_end(struct wm_session *session, struct wm_kernel_record *record)
{
    uint64_t warps = record->warp_instructions, threads = record->thread_instructions;
    add_instructions(session, record);
    wm_launch_accounting_add(session, record->warp_instructions - warps,
                             record->thread_instructions - threads);
    const uint64_t *before = session->values_at_begin;
    uint64_t *sum = record->component_values;
    for (uint32_t i = 0; i < session->component_count; i++) {
        const struct wm_component_counters *component = &session->components[i];
        for (size_t c = 0; c < component->set->count; c++)
            *sum++ += component->values[c] - *before++;
    }
}
