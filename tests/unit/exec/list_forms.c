// usage: list_forms [FILE…]: every instruction of forms/FILE, one a line, for form_coverage.py:
// its name, the name of its lane kernel or "-", whether it is executed ("runs", "nothing" for those
// that have no effect, or "refused"), and what a refusal says.
// usage: list_forms --opcodes: the opcode table's columns that docs/ptx.md shows, one row a line:
// name, section of the ISA, family ("-" of those kept as text), unit, names in SASS.
#include "coverage.h"
#include "exec/interpreter.h"
#include "exec/operations/memory_ops.h"
#include "forms.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct listing {
    struct wm_device_memory *memory;
    bool failed;
};

static const struct wm_ptx_instruction *first_instruction(const struct wm_ptx_module *module)
{
    const struct wm_ptx_function *kernel = wm_ptx_module_function(module, "k");
    for (uint32_t i = 0; i < kernel->statement_count; i++)
        if (kernel->statements[i].kind == WM_PTX_STATEMENT_INSTRUCTION)
            return kernel->statements[i].instruction;
    abort(); // forms_module ends in a ret
}

static void print(const struct wm_ptx_instruction *instruction, const char *state,
                  const char *message)
{
    char name[COVERAGE_LONGEST], lanes[COVERAGE_LONGEST] = "-";
    struct wm_lane_key key = wm_lane_key_of(instruction);
    forms_name(instruction, name, sizeof(name));
    if (!wm_ptx_has(instruction, WM_PTX_cc) && wm_lane_find(WM_HOST_C, &key))
        forms_lane_name(&key, lanes, sizeof(lanes));
    printf("%s\t%s\t%s\t%s\n", name, lanes, state, message);
}

static void list(void *context, const char *form)
{
    struct listing *listing = context;
    struct wm_text text;
    struct wm_error error;
    struct wm_ptx_module *module;
    struct wm_program *program;
    const struct wm_kernel *kernel;
    struct wm_program_options options = {.warp_width = 32, .isa = WM_HOST_C};
    wm_text_init(&text);
    forms_module(form, &text);
    enum wm_status status = wm_ptx_parse(text.data, text.length, "form", &module, &error);
    wm_text_release(&text);
    if (status == WM_OK)
        status = wm_program_load(module, listing->memory, &options, &program, &error);
    if (status != WM_OK) {
        fprintf(stderr, "%s: %s\n", form, error.message);
        listing->failed = true;
        return;
    }
    const struct wm_ptx_instruction *instruction = first_instruction(module);
    if (wm_program_kernel(program, "k", &kernel, &error) != WM_OK) {
        print(instruction, "refused", error.message);
    } else {
        // A kernel is the first member of what it was decoded into.
        const struct wm_decoded_kernel *decoded = (const struct wm_decoded_kernel *)kernel;
        print(instruction, decoded->ops[0].body == wm_run_nothing ? "nothing" : "runs", "");
    }
    wm_program_free(program);
}

static void list_opcode(const char *columns, const char *const sass[5])
{
    printf("%s\t%s", columns, sass[0]);
    for (int type = 1; type < 5; type++)
        if (sass[type] && strcmp(sass[type], sass[0]) != 0)
            printf(", %s", sass[type]);
    printf("\n");
}

static void list_opcodes(void)
{
#define NAMES(...)         \
    (const char *const[5]) \
    {                      \
        __VA_ARGS__        \
    }
#define WM_PTX_OPCODE(name, section, family, operands, traits, unit, sass) \
    list_opcode(#name "\t" section "\t" #family "\t" #unit, NAMES sass);
#define WM_PTX_OPCODE_AS_TEXT(name, section, unit) \
    list_opcode(#name "\t" section "\t-\t" #unit, NAMES("NOP"));
#include "ptx/opcodes.def"
}

int main(int argc, char **argv)
{
    if (argc == 2 && strcmp(argv[1], "--opcodes") == 0) {
        list_opcodes();
        return 0;
    }
    struct listing listing = {0};
    struct wm_error error;
    if (wm_device_memory_new(UINT64_C(1) << 24, &listing.memory, &error) != WM_OK)
        return 1;
    for (int i = 1; i < argc; i++)
        if (!forms_each(argv[i], list, &listing)) {
            fprintf(stderr, "no forms/%s\n", argv[i]);
            listing.failed = true;
        }
    wm_device_memory_free(listing.memory);
    return listing.failed;
}
