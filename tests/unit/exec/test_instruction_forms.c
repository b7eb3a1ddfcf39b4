// Every form of instruction in forms/*.txt is parsed, survives being printed, and is decoded: what
// can be executed cannot become less unnoticed.
#include "exec/decode/operand_types.h"
#include "exec_harness.h"
#include "forms.h"

struct count {
    struct wm_device_memory *memory;
    unsigned forms, refused;
};

static enum wm_status decode(struct count *count, const char *form, struct wm_error *error)
{
    struct wm_text text;
    struct wm_ptx_module *module;
    struct wm_program *program;
    const struct wm_kernel *kernel;
    struct wm_program_options options = {.warp_width = 32, .isa = wm_host_best_isa()};
    wm_text_init(&text);
    forms_module(form, &text);
    enum wm_status status = wm_ptx_parse(text.data, text.length, "form", &module, error);
    wm_text_release(&text);
    if (status != WM_OK)
        return status;
    status = wm_program_load(module, count->memory, &options, &program, error);
    if (status != WM_OK)
        return status;
    status = wm_program_kernel(program, "k", &kernel, error);
    wm_program_free(program);
    return status;
}

static void check_form(void *context, const char *form)
{
    struct count *count = context;
    struct wm_error error;
    char text[2048];
    count->forms++;
    if (decode(count, form, &error) == WM_OK)
        return;
    if (count->refused++ < 40)
        cr_log_error("%s: %s", form, wm_error_format(&error, text, sizeof(text)));
}

static void check_file(const char *name, unsigned least)
{
    struct count count = {0};
    struct wm_error error;
    cr_assert_eq(wm_device_memory_new(UINT64_C(1) << 24, &count.memory, &error), WM_OK);
    cr_assert(forms_each(name, check_form, &count), "no %s", name);
    wm_device_memory_free(count.memory);
    cr_expect_geq(count.forms, least);
    cr_expect_eq(count.refused, 0, "%u of %u forms of %s are refused", count.refused, count.forms,
                 name);
}

Test(instruction_forms, of_794_public_programs)
{
    check_file("measured.txt", 642);
}

Test(instruction_forms, of_the_isa)
{
    check_file("isa.txt", 5400);
}

// The opcode table's column "operands" is read by families that take a lane kernel, by letter.
static void check_operands(const char *opcode, const char *family, const char *letters)
{
    static const char *const readers[] = {"lanes", "carry", "mov", "setp"};
    bool read = false;
    for (size_t i = 0; i < sizeof(readers) / sizeof(readers[0]); i++)
        read |= strcmp(family, readers[i]) == 0;
    size_t known = strspn(letters, "t2upw"), length = strlen(letters);
    bool optional = letters[known] == '?' && known > 0 && letters[known - 1] == 'p';
    cr_expect_eq(known + optional, length, "%s: operands \"%s\"", opcode, letters);
    cr_expect(known <= WM_OPERANDS_MOST && (known >= 2) == read, "%s of family %s: operands \"%s\"",
              opcode, family, letters);
}

Test(instruction_forms, operands_of_the_opcode_table)
{
#define WM_PTX_OPCODE(name, section, family, operands, ...) \
    check_operands(#name, #family, operands);
#include "ptx/opcodes.def"
}
