#include "engine/issue/machine_code_reading.h"

#include "base/containers/array.h"
#include "engine/issue/instruction_text.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

struct reading {
    struct wm_code *code;
    uint32_t pc;
};

// --- Registers ---

static uint32_t *number_of(struct wm_code *code, const char *name, size_t length, bool make)
{
    uint32_t *number = wm_string_map_get(&code->known, name, length);
    if (number != NULL || !make)
        return number;
    char *copy = wm_arena_copy_text(&code->arena, name, length);
    number = WM_ARENA_NEW(&code->arena, uint32_t);
    struct wm_code_register none = {.first_reader = WM_CODE_NONE};
    if (copy == NULL || number == NULL || !wm_string_map_put(&code->known, copy, length, number) ||
        !WM_ARRAY_ADD(code->registers, code->register_count, code->register_room, none)) {
        code->no_memory = true;
        return NULL;
    }
    *number = code->register_count - 1;
    return number;
}

static void define(struct wm_code *code, uint32_t pc, uint32_t number)
{
    struct wm_code_register *at = &code->registers[number];
    at->definitions += code->instructions[pc].guarded ? 2 : 1;
    at->defined_at = pc;
}

static void read(struct wm_code *code, struct wm_code_operand *operand, uint32_t index)
{
    struct wm_code_register *at = &code->registers[operand->number];
    operand->next = at->first_reader;
    at->first_reader = index;
    at->readers++;
}

static bool add(struct wm_code *code, struct wm_code_operand operand, bool destination)
{
    if (!WM_ARRAY_ADD(code->operands, code->operand_count, code->operand_room, operand)) {
        code->no_memory = true;
        return false;
    }
    code->instructions[operand.pc].operand_count++;
    uint32_t index = code->operand_count - 1;
    if (destination)
        define(code, operand.pc, operand.number);
    else
        read(code, &code->operands[index], index);
    return true;
}

// Where in the text of its instruction the name stands.
static void find_place(const char *text, const char *name, struct wm_code_operand *operand)
{
    int depth = 0;
    for (const char *at = text; at < name; at++) {
        depth += *at == '[' || *at == '{' || *at == '(';
        depth -= *at == ']' || *at == '}' || *at == ')';
        if (*at == ',' && depth == 0)
            operand->place++;
        operand->address = (operand->address || *at == '[') && *at != ']';
    }
}

static void take(void *context, const char *name, size_t length, bool destination, bool bare)
{
    struct reading *reading = context;
    struct wm_code *code = reading->code;
    const char *text = code->instructions[reading->pc].text;
    const uint32_t *number = number_of(code, name, length, !bare || destination);
    if (number == NULL)
        return;
    struct wm_code_operand operand = {.pc = reading->pc, .number = *number};
    // The carry stands in no text.
    if ((uintptr_t)name - (uintptr_t)text < strlen(text))
        find_place(text, name, &operand);
    else
        operand.place = UINT8_MAX;
    add(code, operand, destination);
}

// --- Types ---

static bool read_type(const char *word, size_t length, struct wm_code_type *type)
{
    if (wm_opcode_is(word, length, "pred")) {
        *type = (struct wm_code_type){.bits = 1};
        return true;
    }
    bool brain = length > 2 && word[0] == 'b' && word[1] == 'f';
    const char *digits = word + (brain ? 2 : 1);
    if (length < 2 || strchr("subf", word[0]) == NULL || !isdigit((unsigned char)*digits))
        return false;
    unsigned long bits = strtoul(digits, NULL, 10);
    if (bits != 8 && bits != 16 && bits != 32 && bits != 64 && bits != 128)
        return false;
    bool pair = word[length - 1] == '2' && word[length - 2] == 'x';
    *type = (struct wm_code_type){.bits = (uint8_t)(pair ? 2 * bits : bits),
                                  .is_float = word[0] == 'f' || brain,
                                  .is_signed = word[0] == 's'};
    return true;
}

static void read_types(struct wm_code_instruction *it)
{
    for (size_t at = 0; at < it->opcode_length; at++) {
        if (it->text[at] != '.')
            continue;
        const char *word = it->text + at + 1;
        size_t rest = it->opcode_length - at - 1, length = 0;
        while (length < rest && word[length] != '.')
            length++;
        struct wm_code_type type;
        if (!read_type(word, length, &type))
            continue;
        if (it->type.bits == 0)
            it->type = type;
        it->source = type;
    }
}

// --- Instructions ---

static void read_instruction(struct wm_code *code, uint32_t pc,
                             const struct wm_instruction_facts *known, const char *text)
{
    struct wm_code_instruction *it = &code->instructions[pc];
    *it = (struct wm_code_instruction){.first_operand = code->operand_count,
                                       .guarded = known->guard != NULL,
                                       .line = known->ptx_line,
                                       .target = WM_CODE_NONE,
                                       .is_ptx = islower((unsigned char)text[0]) &&
                                                 strncmp(text, "core ", 5) != 0};
    it->text = wm_arena_copy_text(&code->arena, text, strlen(text));
    if (it->text == NULL) {
        code->no_memory = true;
        return;
    }
    if (!it->is_ptx)
        return;
    it->opcode_length = strcspn(it->text, " \t\r\n");
    it->opcode = wm_issue_ptx_opcode(it->text, it->opcode_length);
    read_types(it);
    struct reading reading = {code, pc};
    struct wm_issue_listener listener = {take, &reading};
    struct wm_issue_facts facts = {0};
    wm_issue_read_ptx(it->text, &listener, &facts);
    if (known->guard == NULL)
        return;
    const uint32_t *guard = number_of(code, known->guard, strlen(known->guard), true);
    if (guard != NULL)
        add(code, (struct wm_code_operand){.pc = pc, .number = *guard, .place = UINT8_MAX}, false);
}

bool wm_code_read(struct wm_code *code, const struct wm_work *work)
{
    *code = (struct wm_code){.count = work->instruction_count};
    wm_arena_init(&code->arena);
    wm_string_map_init(&code->known);
    code->instructions = calloc(code->count + UINT64_C(1), sizeof *code->instructions);
    if (code->instructions == NULL)
        return false;
    struct wm_text text;
    wm_text_init(&text);
    for (uint32_t pc = 0; pc < code->count && !text.failed && !code->no_memory; pc++) {
        struct wm_instruction_facts known;
        text.length = 0;
        work->ops->describe(work, pc, &known, &text);
        read_instruction(code, pc, &known, text.length != 0 ? text.data : "");
    }
    code->no_memory |= text.failed;
    wm_text_release(&text);
    return !code->no_memory;
}

void wm_code_release(struct wm_code *code)
{
    free(code->instructions);
    free(code->operands);
    free(code->registers);
    wm_string_map_release(&code->known);
    wm_arena_release(&code->arena);
}

// --- Questions ---

bool wm_code_has_word(const struct wm_code_instruction *it, const char *word)
{
    return wm_opcode_has_word(it->text, it->opcode_length, word);
}

int64_t wm_code_register_in(const struct wm_code *code, uint32_t pc, uint8_t place)
{
    const struct wm_code_instruction *it = &code->instructions[pc];
    int64_t found = WM_CODE_NONE;
    for (uint32_t i = it->first_operand; i < it->first_operand + it->operand_count; i++) {
        if (code->operands[i].place != place)
            continue;
        if (found != WM_CODE_NONE) // several: a list
            return WM_CODE_NONE;
        found = code->operands[i].number;
    }
    return found;
}

static uint8_t places_of(const struct wm_code_instruction *it)
{
    int depth = 0;
    uint8_t places = it->text[it->opcode_length] != '\0';
    for (const char *at = it->text + it->opcode_length; *at != '\0'; at++) {
        depth += *at == '[' || *at == '{' || *at == '(';
        depth -= *at == ']' || *at == '}' || *at == ')';
        if (*at == ',' && depth == 0)
            places++;
    }
    return places;
}

bool wm_code_is_constant_in(const struct wm_code *code, uint32_t pc, uint8_t place)
{
    const struct wm_code_instruction *it = &code->instructions[pc];
    if (place >= places_of(it))
        return false;
    for (uint32_t i = it->first_operand; i < it->first_operand + it->operand_count; i++)
        if (code->operands[i].place == place &&
            !code->registers[code->operands[i].number].is_constant)
            return false;
    return true;
}

int64_t wm_code_definition_in(const struct wm_code *code, uint32_t pc, uint8_t place)
{
    int64_t number = wm_code_register_in(code, pc, place);
    if (number == WM_CODE_NONE || code->registers[number].definitions != 1)
        return WM_CODE_NONE;
    return code->registers[number].defined_at;
}

int64_t wm_code_result_of(const struct wm_code *code, uint32_t pc)
{
    int64_t number = wm_code_register_in(code, pc, 0);
    if (number == WM_CODE_NONE || code->registers[number].definitions != 1 ||
        code->registers[number].defined_at != pc)
        return WM_CODE_NONE;
    return number;
}

const char *wm_code_second_operand(const struct wm_code_instruction *it)
{
    const char *comma = strchr(it->text, ',');
    return comma != NULL ? comma + 1 + strspn(comma + 1, " \t") : "";
}

bool wm_code_loads_parameter(const struct wm_code_instruction *it)
{
    return it->opcode == WM_PTX_OP_ld && wm_code_has_word(it, "param");
}

bool wm_code_is_other_branch(const struct wm_code *code, uint32_t pc)
{
    if (pc == 0)
        return false;
    const struct wm_code_instruction *it = &code->instructions[pc], *before = it - 1;
    return it->opcode == WM_PTX_OP_bra && !it->guarded && before->opcode == WM_PTX_OP_bra &&
           before->guarded;
}
