// Text of a module, laid out as the compilers lay it out.
#include "ptx/print/printer.h"

static void print_space(struct wm_text *text, wm_ptx_space space)
{
    wm_text_add(text, ".");
    wm_text_add(text, wm_ptx_modifier_text(space));
    wm_text_add(text, " ");
}

static void print_variable_head(const struct wm_ptx_symbol *symbol, struct wm_text *text)
{
    print_space(text, symbol->space);
    if (symbol->managed || symbol->is_unified) {
        wm_text_add(text, ".attribute(");
        wm_text_add(text, symbol->managed ? ".managed" : "");
        wm_text_add(text, symbol->managed && symbol->is_unified ? ", " : "");
        if (symbol->is_unified)
            wm_text_format(text, ".unified(%llu, %llu)", (unsigned long long)symbol->unified[0],
                           (unsigned long long)symbol->unified[1]);
        wm_text_add(text, ") ");
    }
    // A parameter's own alignment stands before its type, its pointer's after ".ptr".
    if (symbol->alignment_declared)
        wm_text_format(text, ".align %u ", symbol->alignment);
    if (symbol->vector_length > 1)
        wm_text_format(text, ".v%u ", symbol->vector_length);
    print_space(text, symbol->type);
    if (symbol->pointer) {
        wm_text_add(text, ".ptr ");
        if (symbol->pointer_space)
            print_space(text, symbol->pointer_space);
        if (symbol->pointer_alignment)
            wm_text_format(text, ".align %u ", symbol->pointer_alignment);
    }
}

void wm_ptx_print_variable(const struct wm_ptx_symbol *symbol, struct wm_text *text)
{
    print_variable_head(symbol, text);
    wm_text_add(text, symbol->name);
    for (unsigned i = 0; i < symbol->dimension_count; i++) {
        if (i == 0 && symbol->unsized)
            wm_text_add(text, "[]");
        else
            wm_text_format(text, "[%llu]", (unsigned long long)symbol->dimensions[i]);
    }
    if (symbol->initializer_count) {
        wm_text_add(text, " = ");
        wm_ptx_print_initializer(symbol, text);
    }
}

static void print_linkage(enum wm_ptx_linkage linkage, struct wm_text *text)
{
    switch (linkage) {
    case WM_PTX_LINKAGE_INTERNAL: break;
    case WM_PTX_LINKAGE_VISIBLE: wm_text_add(text, ".visible "); break;
    case WM_PTX_LINKAGE_EXTERN: wm_text_add(text, ".extern "); break;
    case WM_PTX_LINKAGE_WEAK: wm_text_add(text, ".weak "); break;
    case WM_PTX_LINKAGE_COMMON: wm_text_add(text, ".common "); break;
    }
}

static void print_loc(const struct wm_ptx_loc *loc, struct wm_text *text)
{
    wm_text_format(text, "\t.loc\t%u %u %u", loc->file, loc->line, loc->column);
    if (loc->function_name) {
        wm_text_add(text, ", function_name ");
        wm_text_add(text, loc->function_name);
    }
    if (loc->inlined_file || loc->inlined_line || loc->inlined_column)
        wm_text_format(text, ", inlined_at %u %u %u", loc->inlined_file, loc->inlined_line,
                       loc->inlined_column);
    wm_text_add(text, "\n");
}

static void print_registers(const struct wm_ptx_register_declaration *declaration,
                            struct wm_text *text)
{
    wm_text_add(text, "\t.reg ");
    if (declaration->vector_length > 1)
        wm_text_format(text, ".v%u ", declaration->vector_length);
    wm_text_add(text, ".");
    wm_text_add(text, wm_ptx_modifier_text(declaration->type));
    wm_text_add(text, " \t");
    wm_text_add(text, declaration->name);
    if (declaration->count)
        wm_text_format(text, "<%u>", declaration->count);
    wm_text_add(text, ";\n");
}

static void print_guarded(const struct wm_ptx_function *function,
                          const struct wm_ptx_instruction *instruction, struct wm_text *text)
{
    wm_text_add(text, "\t");
    if (instruction->guard != WM_PTX_NO_REGISTER) {
        wm_text_add(text, instruction->guard_negated ? "@!" : "@");
        wm_text_add(text, function->registers[instruction->guard].name);
        wm_text_add(text, " ");
    }
    wm_ptx_print_instruction(function, instruction, text);
    wm_text_add(text, ";\n");
}

static void print_targets(const struct wm_ptx_function *function,
                          const struct wm_ptx_statement *statement, struct wm_text *text)
{
    wm_text_add(text, function->labels[statement->branch.label]);
    wm_text_add(text, ": .branchtargets\n");
    for (uint32_t i = 0; i < statement->branch.target_count; i++) {
        wm_text_add(text, i ? ",\n\t" : "\t");
        wm_text_add(text, function->labels[statement->branch.targets[i]]);
    }
    wm_text_add(text, ";\n");
}

static void print_statement(const struct wm_ptx_function *function,
                            const struct wm_ptx_statement *statement, struct wm_text *text)
{
    switch (statement->kind) {
    case WM_PTX_STATEMENT_INSTRUCTION: print_guarded(function, statement->instruction, text); break;
    case WM_PTX_STATEMENT_LABEL:
        wm_text_add(text, function->labels[statement->label]);
        wm_text_add(text, ":\n");
        break;
    case WM_PTX_STATEMENT_LOC: print_loc(statement->loc, text); break;
    case WM_PTX_STATEMENT_PRAGMA:
        wm_text_add(text, "\t.pragma ");
        wm_text_add(text, statement->text);
        wm_text_add(text, ";\n");
        break;
    case WM_PTX_STATEMENT_SCOPE_BEGIN: wm_text_add(text, "\t{\n"); break;
    case WM_PTX_STATEMENT_SCOPE_END: wm_text_add(text, "\t}\n"); break;
    case WM_PTX_STATEMENT_REGISTERS: print_registers(statement->registers, text); break;
    case WM_PTX_STATEMENT_VARIABLE:
        wm_text_add(text, "\t");
        wm_ptx_print_variable(statement->variable, text);
        wm_text_add(text, ";\n");
        break;
    case WM_PTX_STATEMENT_BRANCH_TARGETS: print_targets(function, statement, text); break;
    case WM_PTX_STATEMENT_CALL_PROTOTYPE:
        wm_text_add(text, statement->text);
        wm_text_add(text, ";\n");
        break;
    }
}

static void print_parameters(struct wm_ptx_symbol *const *parameters, uint32_t count,
                             struct wm_text *text)
{
    wm_text_add(text, "(");
    for (uint32_t i = 0; i < count; i++) {
        wm_text_add(text, i ? ",\n\t" : "\n\t");
        wm_ptx_print_variable(parameters[i], text);
    }
    wm_text_add(text, "\n)");
}

static void print_function(const struct wm_ptx_function *function, struct wm_text *text)
{
    wm_text_add(text, "\n");
    print_linkage(function->linkage, text);
    wm_text_add(text, function->entry ? ".entry " : ".func ");
    if (function->result_count) {
        print_parameters(function->results, function->result_count, text);
        wm_text_add(text, " ");
    }
    wm_text_add(text, function->name);
    print_parameters(function->parameters, function->parameter_count, text);
    for (uint32_t i = 0; i < function->directive_count; i++) {
        const struct wm_ptx_directive *directive = &function->directives[i];
        wm_text_add(text, "\n");
        wm_text_add(text, directive->name);
        for (unsigned j = 0; j < directive->value_count; j++)
            wm_text_format(text, j ? ", %u" : " %u", directive->values[j]);
    }
    if (!function->defined) {
        wm_text_add(text, "\n;\n");
        return;
    }
    wm_text_add(text, "\n{\n");
    for (uint32_t i = 0; i < function->statement_count; i++)
        print_statement(function, &function->statements[i], text);
    wm_text_add(text, "}\n");
}

static void print_file(const struct wm_ptx_file *file, struct wm_text *text)
{
    wm_text_format(text, "\t.file\t%u ", file->index);
    wm_text_add(text, "\"");
    wm_text_add(text, file->name);
    wm_text_add(text, "\"");
    if (file->has_details)
        wm_text_format(text, ", %llu, %llu", (unsigned long long)file->timestamp,
                       (unsigned long long)file->size);
    wm_text_add(text, "\n");
}

void wm_ptx_print(const struct wm_ptx_module *module, struct wm_text *text)
{
    wm_text_format(text, ".version %u.%u\n.target ", module->version_major, module->version_minor);
    wm_text_add(text, module->target);
    wm_text_add(text, "\n");
    // The directive came with version 2.3 (PTX ISA 11.1.3); before it, addresses were the host's.
    if (module->version_major > 2 || (module->version_major == 2 && module->version_minor >= 3))
        wm_text_format(text, ".address_size %u\n", module->address_size);
    wm_text_add(text, "\n");
    for (uint32_t i = 0; i < module->item_count; i++) {
        const struct wm_ptx_item *item = &module->items[i];
        switch (item->kind) {
        case WM_PTX_ITEM_VARIABLE:
            print_linkage(item->variable->linkage, text);
            wm_ptx_print_variable(item->variable, text);
            wm_text_add(text, ";\n");
            break;
        case WM_PTX_ITEM_FUNCTION: print_function(item->function, text); break;
        case WM_PTX_ITEM_FILE: print_file(item->file, text); break;
        case WM_PTX_ITEM_SECTION:
        case WM_PTX_ITEM_DIRECTIVE:
            wm_text_add(text, "\t");
            wm_text_add(text, item->text);
            wm_text_add(text, "\n");
            break;
        case WM_PTX_ITEM_LOC: print_loc(item->loc, text); break;
        }
    }
}
