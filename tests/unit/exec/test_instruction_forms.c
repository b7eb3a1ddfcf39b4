// Every form of instruction in forms/*.txt is parsed, survives being printed, and is decoded: what
// can be executed cannot become less unnoticed. The files list one instruction a line, with
// alternatives as <a|b>; "#" begins a comment.
#include "exec_harness.h"

static const char prologue[] = ".version 9.0\n.target sm_90a\n.address_size 64\n"
                               ".visible .entry k(.param .align 16 .b8 arg[64])\n{\n"
                               ".reg .pred %p<8>;\n.reg .b16 %h<16>;\n.reg .b32 %r<64>;\n"
                               ".reg .b64 %d<32>;\n.shared .align 16 .b8 block[256];\n"
                               ".param .align 16 .b8 slot[64];\n";

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
    struct wm_program_options options = {.warp_width = 32, .isa = wm_lane_best_isa()};
    wm_text_init(&text);
    wm_text_format(&text, "%s%s;\nnext:\nret;\n}\n", prologue, form);
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

static void check_form(struct count *count, const char *form)
{
    struct wm_error error;
    char text[2048];
    count->forms++;
    if (decode(count, form, &error) == WM_OK)
        return;
    if (count->refused++ < 40)
        cr_log_error("%s: %s", form, wm_error_format(&error, text, sizeof(text)));
}

// Replaces the first <a|b> of `line` by each alternative in turn.
static void expand(struct count *count, const char *line)
{
    const char *open = strchr(line, '<'), *close = open ? strchr(open, '>') : NULL;
    if (!close) {
        check_form(count, line);
        return;
    }
    for (const char *at = open + 1; at <= close;) {
        char chosen[1024];
        size_t length = strcspn(at, "|>");
        snprintf(chosen, sizeof(chosen), "%.*s%.*s%s", (int)(open - line), line, (int)length, at,
                 close + 1);
        expand(count, chosen);
        at += length + 1;
    }
}

static void check_file(const char *name, unsigned least)
{
    struct count count = {0};
    struct wm_error error;
    char path[1024], line[1024];
    snprintf(path, sizeof(path), "%s/%s", INSTRUCTION_FORMS, name);
    FILE *file = fopen(path, "r");
    cr_assert_not_null(file, "%s", path);
    cr_assert_eq(wm_device_memory_new(UINT64_C(1) << 24, &count.memory, &error), WM_OK);
    while (fgets(line, sizeof(line), file)) {
        line[strcspn(line, "\n")] = '\0';
        if (line[0] && line[0] != '#')
            expand(&count, line);
    }
    fclose(file);
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
