#include "forms.h"

#include "exec/lanes/lane_kernels.h"

#include <stdio.h>
#include <string.h>

bool forms_each_line(const char *name, form_function *function, void *context)
{
    char path[1024], line[FORMS_LONGEST];
    snprintf(path, sizeof(path), "%s/%s", INSTRUCTION_FORMS, name);
    FILE *file = fopen(path, "r");
    if (!file)
        return false;
    while (fgets(line, sizeof(line), file)) {
        line[strcspn(line, "\n")] = '\0';
        if (line[0] && line[0] != '#')
            function(context, line);
    }
    fclose(file);
    return true;
}

static void expand(const char *line, form_function *function, void *context)
{
    const char *open = strchr(line, '<'), *close = open ? strchr(open, '>') : NULL;
    if (!close) {
        function(context, line);
        return;
    }
    for (const char *at = open + 1; at <= close;) {
        char chosen[FORMS_LONGEST];
        size_t length = strcspn(at, "|>");
        snprintf(chosen, sizeof(chosen), "%.*s%.*s%s", (int)(open - line), line, (int)length, at,
                 close + 1);
        expand(chosen, function, context);
        at += length + 1;
    }
}

struct expansion {
    form_function *function;
    void *context;
};

static void expand_line(void *context, const char *line)
{
    const struct expansion *expansion = context;
    expand(line, expansion->function, expansion->context);
}

bool forms_each(const char *name, form_function *function, void *context)
{
    return forms_each_line(name, expand_line, &(struct expansion){function, context});
}

void forms_module(const char *form, struct wm_text *text)
{
    wm_text_format(text,
                   ".version 9.0\n.target sm_90a\n.address_size 64\n"
                   ".visible .entry k(.param .align 16 .b8 arg[64])\n{\n"
                   ".reg .pred %%p<8>;\n.reg .b16 %%h<16>;\n.reg .b32 %%r<64>;\n"
                   ".reg .b64 %%d<32>;\n.reg .b128 %%q<4>;\n.shared .align 16 .b8 block[256];\n"
                   ".param .align 16 .b8 slot[64];\n%s;\nnext:\nret;\n}\n",
                   form);
}

static const struct wm_ptx_operand *special_of(const struct wm_ptx_operand *operand)
{
    if (operand->kind == WM_PTX_OPERAND_SPECIAL)
        return operand;
    for (unsigned i = 0; i < operand->list_count; i++) {
        const struct wm_ptx_operand *found = special_of(&operand->list[i]);
        if (found)
            return found;
    }
    return NULL;
}

void forms_name(const struct wm_ptx_instruction *instruction, char *name, size_t size)
{
    if (instruction->opcode == WM_PTX_OP_unknown) {
        snprintf(name, size, "%.*s", (int)strcspn(instruction->text, " \t\n"), instruction->text);
        return;
    }
    for (unsigned i = 0; i < instruction->operand_count; i++) {
        const struct wm_ptx_operand *special = special_of(&instruction->operands[i]);
        if (special) {
            snprintf(name, size, "%s", wm_ptx_special_text(special->special));
            return;
        }
    }
    size_t at = (size_t)snprintf(name, size, "%s", wm_ptx_opcode_text(instruction->opcode));
    for (unsigned i = 0; i < instruction->modifier_count && at < size; i++)
        at +=
            (size_t)snprintf(name + at, size - at, ".%s",
                             wm_ptx_modifier_text((enum wm_ptx_modifier)instruction->modifiers[i]));
}

void forms_lane_name(const struct wm_lane_key *key, char *name, size_t size)
{
    enum wm_ptx_opcode opcode = WM_PTX_OP_unknown;
    uint64_t packed = 0;
    wm_lane_key_pack(key, &opcode, &packed);
    snprintf(name, size, "lanes %s %llx", wm_ptx_opcode_text(opcode), (unsigned long long)packed);
}
