#include "engine/issue/issue_table.h"

#include "base/containers/arena.h"
#include "base/containers/array.h"
#include "base/containers/string_map.h"
#include "engine/issue/instruction_text.h"
#include "engine/issue/memory_order.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_REGISTERS = UINT16_MAX + 1, MOST_OPERANDS = UINT8_MAX };

struct building {
    struct wm_issue_table *table;
    struct wm_arena arena;       // of names, and what the map has for them
    struct wm_string_map known;  // name → its number, a uint16_t
    uint32_t used, capacity;     // of the table's registers
    struct wm_issue_facts *next; // of the instruction that is read
    bool no_memory, too_many, too_many_operands;
};

// --- Registers ---

static bool give_number(struct building *building, const char *name, size_t length)
{
    if (building->table->register_count == MOST_REGISTERS) {
        building->too_many = true;
        return false;
    }
    char *copy = wm_arena_copy_text(&building->arena, name, length);
    uint16_t *number = WM_ARENA_NEW(&building->arena, uint16_t);
    if (copy == NULL || number == NULL ||
        !wm_string_map_put(&building->known, copy, length, number)) {
        building->no_memory = true;
        return false;
    }
    *number = (uint16_t)building->table->register_count++;
    return true;
}

static bool append(struct building *building, uint16_t number)
{
    building->no_memory |=
        !WM_ARRAY_ADD(building->table->registers, building->used, building->capacity, number);
    return !building->no_memory;
}

// Whether the instruction that is read has it in that role already.
static bool is_there(const struct building *building, uint16_t number, bool destination)
{
    const struct wm_issue_facts *facts = building->next;
    uint32_t at = facts->first_register + (destination ? 0 : facts->destinations);
    for (; at < building->used; at++)
        if (building->table->registers[at] == number)
            return true;
    return false;
}

static void take(void *context, const char *name, size_t length, bool destination, bool bare)
{
    struct building *building = context;
    const uint16_t *number = wm_string_map_get(&building->known, name, length);
    if (number == NULL) {
        if (bare && !destination)
            return;
        if (!give_number(building, name, length))
            return;
        number = wm_string_map_get(&building->known, name, length);
    }
    if (is_there(building, *number, destination))
        return;
    uint8_t *count = destination ? &building->next->destinations : &building->next->sources;
    if (*count == MOST_OPERANDS)
        building->too_many_operands = true;
    else if (append(building, *number))
        ++*count;
}

// Before any source can be read: what has no "%" and is written to is a register.
static void take_written(void *context, const char *name, size_t length, bool destination,
                         bool bare)
{
    struct building *building = context;
    if (destination && bare && wm_string_map_get(&building->known, name, length) == NULL)
        give_number(building, name, length);
}

// --- Instructions ---

// Opcodes are in capital letters in SASS, and in small ones in PTX.
static bool is_sass(const char *text)
{
    return isupper((unsigned char)text[0]);
}

// Recordings of CPU cores have sentences: "core 1: 0x401000 load, store".
static bool is_ptx(const char *text)
{
    return islower((unsigned char)text[0]) && strncmp(text, "core ", 5) != 0 &&
           strncmp(text, "load", 4) != 0 && strncmp(text, "store", 5) != 0;
}

static void read_instruction(struct building *building, const struct wm_instruction_facts *known,
                             const char *text)
{
    struct wm_issue_listener listener = {take, building};
    building->next->first_register = building->used;
    if (is_sass(text))
        wm_issue_read_sass(text, &listener, building->next);
    else if (is_ptx(text))
        wm_issue_read_ptx(text, &listener, building->next);
    if (known->guard != NULL)
        take(building, known->guard, strlen(known->guard), false, false);
    // Whatever it is called.
    if (known->is_memory)
        building->next->unit = WM_UNIT_MEMORY;
}

// Calls `read` with each instruction's text.
static void for_each(struct building *building, const struct wm_work *work,
                     void (*read)(struct building *, const struct wm_instruction_facts *,
                                  const char *))
{
    struct wm_text text;
    wm_text_init(&text);
    for (uint32_t pc = 0; pc < work->instruction_count && !text.failed; pc++) {
        struct wm_instruction_facts known;
        text.length = 0;
        work->ops->describe(work, pc, &known, &text);
        building->next = &building->table->facts[pc];
        building->next->unit = WM_UNIT_INTEGER;
        building->next->passes = 1;
        building->next->slots = 1;
        read(building, &known, text.length != 0 ? text.data : "");
    }
    building->table->facts[work->instruction_count] =
        (struct wm_issue_facts){.unit = WM_UNIT_INTEGER, .passes = 1, .slots = 1};
    building->no_memory |= text.failed;
    wm_text_release(&text);
}

static void find_bare(struct building *building, const struct wm_instruction_facts *known,
                      const char *text)
{
    struct wm_issue_listener listener = {take_written, building};
    struct wm_issue_facts facts = {0};
    if (is_ptx(text))
        wm_issue_read_ptx(text, &listener, &facts);
    if (known->guard != NULL && known->guard[0] != '%')
        take_written(building, known->guard, strlen(known->guard), true, true);
}

static enum wm_status outcome(const struct building *building, const struct wm_work *work,
                              struct wm_error *error)
{
    if (building->no_memory)
        return wm_fail_no_memory(error, "the registers of a kernel");
    if (building->too_many)
        wm_fail(error, WM_UNSUPPORTED, "kernel %.200s has more than %d registers", work->kernel,
                (int)MOST_REGISTERS);
    else if (building->too_many_operands)
        wm_fail(error, WM_UNSUPPORTED, "kernel %.200s has an instruction of more than %d registers",
                work->kernel, (int)MOST_OPERANDS);
    else
        return WM_OK;
    return wm_error_hint(error, "the walk engine runs it: it does not follow registers");
}

enum wm_status wm_issue_table_init(struct wm_issue_table *table, const struct wm_work *work,
                                   struct wm_error *error)
{
    *table = (struct wm_issue_table){.instruction_count = work->instruction_count};
    WM_TRY(WM_ARRAY_NEW(table->facts, work->instruction_count + UINT64_C(1), error,
                        "the instructions of a kernel"));
    struct building building = {.table = table};
    wm_arena_init(&building.arena);
    wm_string_map_init(&building.known);
    for_each(&building, work, find_bare);
    for_each(&building, work, read_instruction);
    enum wm_status status = outcome(&building, work, error);
    wm_string_map_release(&building.known);
    wm_arena_release(&building.arena);
    if (status != WM_OK)
        wm_issue_table_release(table);
    return status;
}

// Which units the steps of a sequence take, and how long. Products of integers are multiply-adds,
// of the unit that multiplies floats too (Nsight Compute, "Kernel Profiling Guide", pipelines: FMA
// also does IMAD; ALU the other integers). The steps of a division are multiply-adds by about half;
// the other half are reciprocals, conversions, corrections, tests and branches of other units.
static void divide_among_units(struct wm_issue_facts *facts)
{
    if (facts->slots == 0)
        return;
    // Of a function of the special unit one step is, and what stands around it is of others.
    if (facts->unit == WM_UNIT_INTEGER)
        facts->passes = facts->slots;
    if (facts->kind == WM_ISSUE_DIVISION)
        facts->interval_passes = (uint8_t)((facts->slots + 1) / 2);
    if (facts->kind == WM_ISSUE_PRODUCT)
        facts->unit = WM_UNIT_SINGLE;
}

void wm_issue_table_set_machine_code(struct wm_issue_table *table, const uint8_t *slots,
                                     const uint8_t *rounds)
{
    for (uint32_t pc = 0; pc < table->instruction_count; pc++) {
        struct wm_issue_facts *facts = &table->facts[pc];
        facts->slots = slots[pc];
        facts->is_folded = slots[pc] == 0;
        facts->unrolled = rounds[pc];
        divide_among_units(facts);
    }
}

void wm_issue_table_set_orders(struct wm_issue_table *table, const uint8_t *orders)
{
    for (uint32_t pc = 0; pc < table->instruction_count; pc++) {
        struct wm_issue_facts *facts = &table->facts[pc];
        bool fence = (orders[pc] & WM_ORDER_FENCE) != 0;
        facts->acquires = (orders[pc] & WM_ORDER_ACQUIRES) != 0;
        facts->is_membar |= fence || (orders[pc] & WM_ORDER_RELEASES) != 0;
        if (facts->acquires && !fence)
            table->facts[pc + 1].is_membar = true;
    }
}

static uint32_t count_registers(const struct wm_issue_table *table)
{
    uint32_t used = 0;
    for (uint32_t pc = 0; pc <= table->instruction_count; pc++) {
        const struct wm_issue_facts *facts = &table->facts[pc];
        uint32_t end = facts->first_register + facts->destinations + facts->sources;
        used = end > used ? end : used;
    }
    return used;
}

enum wm_status wm_issue_table_append(struct wm_issue_table *table,
                                     const struct wm_issue_table *more, struct wm_error *error)
{
    uint32_t first = table->instruction_count + 1, count = more->instruction_count + 1;
    uint32_t used = count_registers(table), added = count_registers(more);
    if (!WM_ARRAY_RESIZE(table->facts, (size_t)first + count) ||
        !WM_ARRAY_RESIZE(table->registers, (size_t)used + added + 1))
        return wm_fail_no_memory(error, "the instructions of a kernel");
    for (uint32_t i = 0; i < count; i++) {
        table->facts[first + i] = more->facts[i];
        table->facts[first + i].first_register += used;
    }
    if (added != 0)
        memcpy(table->registers + used, more->registers, added * sizeof *table->registers);
    table->instruction_count = first + count - 1;
    if (more->register_count > table->register_count)
        table->register_count = more->register_count;
    return WM_OK;
}

void wm_issue_table_release(struct wm_issue_table *table)
{
    free(table->facts);
    free(table->registers);
    free(table->steps);
    *table = (struct wm_issue_table){0};
}
