// Every register that an instruction names is found in its text, in its role. What a text names is
// said by the parser's IR, which the text was printed from: of the samples that nvcc and clang made
// and, where WARPMEM_TEST_PTX is set, of the .ptx files in that folder.
#include "engine/issue/issue_table.h"
#include "ptx/ptx.h"

#include <criterion/criterion.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// --- What the IR says ---

struct names {
    const char *names[600];
    uint32_t count, destinations;
};

static void add_name(struct names *names, uint32_t from, const char *name)
{
    for (uint32_t i = from; i < names->count; i++)
        if (strcmp(names->names[i], name) == 0)
            return;
    names->names[names->count++] = name;
}

static void add_operand(struct names *names, uint32_t from, const struct wm_ptx_function *function,
                        const struct wm_ptx_operand *operand)
{
    if (operand->kind == WM_PTX_OPERAND_REGISTER ||
        (operand->kind == WM_PTX_OPERAND_ADDRESS && operand->base_register))
        add_name(names, from, function->registers[operand->index].name);
    for (uint8_t i = 0; i < operand->list_count; i++)
        add_operand(names, from, function, &operand->list[i]);
}

static bool writes_first(const struct wm_ptx_instruction *it)
{
    switch (it->opcode) {
    case WM_PTX_OP_st:
    case WM_PTX_OP_sust:
    case WM_PTX_OP_sured:
    case WM_PTX_OP_red:
    case WM_PTX_OP_bra:
    case WM_PTX_OP_brx:
    case WM_PTX_OP_membar:
    case WM_PTX_OP_fence:
    case WM_PTX_OP_nanosleep:
    case WM_PTX_OP_pmevent:
    case WM_PTX_OP_prefetch:
    case WM_PTX_OP_prefetchu:
    case WM_PTX_OP_discard:
    case WM_PTX_OP_stmatrix:
    case WM_PTX_OP_cp: return false;
    // Some of their forms have a place in memory first.
    case WM_PTX_OP_wmma:
    case WM_PTX_OP_mbarrier: return it->operands[0].kind != WM_PTX_OPERAND_ADDRESS;
    case WM_PTX_OP_bar:
    case WM_PTX_OP_barrier: return wm_ptx_has(it, WM_PTX_red);
    case WM_PTX_OP_call:
        return it->operand_count > 0 && it->operands[0].kind == WM_PTX_OPERAND_LIST;
    default: return it->operand_count > 0;
    }
}

static void names_of(const struct wm_ptx_function *function, const struct wm_ptx_instruction *it,
                     struct names *names)
{
    *names = (struct names){0};
    bool first = writes_first(it), carries = wm_ptx_has(it, WM_PTX_cc);
    if (carries)
        add_name(names, 0, ".cc");
    if (first)
        add_operand(names, 0, function, &it->operands[0]);
    names->destinations = names->count;
    for (uint8_t i = first ? 1 : 0; i < it->operand_count; i++)
        add_operand(names, names->destinations, function, &it->operands[i]);
    if (it->opcode == WM_PTX_OP_addc || it->opcode == WM_PTX_OP_subc ||
        it->opcode == WM_PTX_OP_madc)
        add_name(names, names->destinations, ".cc");
    if (it->guard != WM_PTX_NO_REGISTER)
        add_name(names, names->destinations, function->registers[it->guard].name);
}

// --- Against the table ---

// The instructions of one function that the parser knows.
struct code {
    const struct wm_ptx_function *function;
    const struct wm_ptx_instruction **instructions;
    uint32_t count;
};

static const struct code *described;

static void describe(const void *work, uint32_t pc, struct wm_instruction_facts *facts,
                     struct wm_text *text)
{
    const struct wm_ptx_instruction *it = described->instructions[pc];
    (void)work;
    *facts = (struct wm_instruction_facts){.exists = true};
    if (it->guard != WM_PTX_NO_REGISTER)
        facts->guard = described->function->registers[it->guard].name;
    wm_ptx_print_instruction(described->function, it, text);
}

static const struct wm_work_ops ops = {.describe = describe};

static char *text_of(const struct code *code, uint32_t pc)
{
    struct wm_text text;
    wm_text_init(&text);
    wm_ptx_print_instruction(code->function, code->instructions[pc], &text);
    return wm_text_take(&text);
}

// Each number stands for one name, and each name for one number.
static void check_code(const struct code *code)
{
    struct wm_work work = {.ops = &ops, .kernel = "k", .instruction_count = code->count};
    struct wm_issue_table table;
    struct wm_error error;
    described = code;
    cr_assert_eq(wm_issue_table_init(&table, &work, &error), WM_OK);
    const char **name_of = calloc(table.register_count + 1, sizeof *name_of);
    for (uint32_t pc = 0; pc < code->count; pc++) {
        struct names names;
        const struct wm_issue_facts *facts = &table.facts[pc];
        names_of(code->function, code->instructions[pc], &names);
        char *text = text_of(code, pc);
        cr_assert_eq(facts->destinations, names.destinations, "%s: %u", text, facts->destinations);
        cr_assert_eq(facts->destinations + facts->sources, (int)names.count, "%s: %u", text,
                     facts->sources);
        for (uint32_t i = 0; i < names.count; i++) {
            uint16_t number = table.registers[facts->first_register + i];
            if (name_of[number] == NULL)
                name_of[number] = names.names[i];
            cr_assert_str_eq(name_of[number], names.names[i], "%s", text);
        }
        free(text);
    }
    for (uint32_t a = 0; a < table.register_count; a++)
        for (uint32_t b = 0; b < a && table.register_count < 3000; b++)
            cr_assert_str_neq(name_of[a], name_of[b]);
    free(name_of);
    wm_issue_table_release(&table);
}

static uint32_t check_function(const struct wm_ptx_function *function)
{
    struct code code = {.function = function};
    code.instructions = calloc(function->statement_count + 1, sizeof *code.instructions);
    for (uint32_t i = 0; i < function->statement_count; i++) {
        const struct wm_ptx_statement *statement = &function->statements[i];
        if (statement->kind == WM_PTX_STATEMENT_INSTRUCTION &&
            statement->instruction->opcode != WM_PTX_OP_unknown)
            code.instructions[code.count++] = statement->instruction;
    }
    check_code(&code);
    free(code.instructions);
    return code.count;
}

static uint32_t check_file(const char *path)
{
    FILE *file = fopen(path, "rbe");
    cr_assert_not_null(file, "%s", path);
    fseek(file, 0, SEEK_END);
    size_t length = (size_t)ftell(file);
    rewind(file);
    char *text = calloc(length + 1, 1);
    cr_assert_eq(fread(text, 1, length, file), length);
    fclose(file);
    struct wm_ptx_module *module;
    struct wm_error error;
    uint32_t count = 0;
    cr_assert_eq(wm_ptx_parse(text, length, path, &module, &error), WM_OK, "%s", path);
    for (uint32_t i = 0; i < module->item_count; i++)
        if (module->items[i].kind == WM_PTX_ITEM_FUNCTION)
            count += check_function(module->items[i].function);
    wm_ptx_module_free(module);
    free(text);
    return count;
}

static uint32_t check_folder(const char *folder)
{
    struct dirent **entries;
    int count = scandir(folder, &entries, NULL, alphasort);
    uint32_t instructions = 0;
    cr_assert_geq(count, 0, "%s", folder);
    for (int i = 0; i < count; i++) {
        char path[1200];
        const char *dot = strrchr(entries[i]->d_name, '.');
        snprintf(path, sizeof path, "%s/%.255s", folder, entries[i]->d_name);
        if (dot != NULL && strcmp(dot, ".ptx") == 0)
            instructions += check_file(path);
        free(entries[i]);
    }
    free(entries);
    return instructions;
}

Test(issue_registers, all_that_an_instruction_names_are_found)
{
    const char *folder = getenv("WARPMEM_TEST_PTX");
    uint32_t checked = check_folder(folder != NULL ? folder : PTX_SAMPLES);
    cr_assert_gt(checked, 1000, "%u", checked);
}
