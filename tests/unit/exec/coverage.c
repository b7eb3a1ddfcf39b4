#include "coverage.h"

#include "forms.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool coverage_use(const char *name)
{
    const char *seen = getenv("PTX_SEEN"), *without = getenv("PTX_WITHOUT");
    FILE *file = seen ? fopen(seen, "a") : NULL;
    if (file) {
        fprintf(file, "%s/%s\t%s\n", criterion_current_suite->name, criterion_current_test->name,
                name);
        fclose(file);
    }
    return !without || strcmp(name, without) != 0;
}

static void use_function(struct wm_ptx_function *function)
{
    for (uint32_t i = 0; i < function->statement_count; i++) {
        struct wm_ptx_statement *statement = &function->statements[i];
        char name[COVERAGE_LONGEST];
        if (statement->kind != WM_PTX_STATEMENT_INSTRUCTION)
            continue;
        forms_name(statement->instruction, name, sizeof(name));
        if (coverage_use(name))
            continue;
        statement->kind = WM_PTX_STATEMENT_PRAGMA;
        statement->text = "removed";
    }
}

void coverage_use_module(struct wm_ptx_module *module)
{
    if (!getenv("PTX_SEEN") && !getenv("PTX_WITHOUT"))
        return;
    for (uint32_t i = 0; i < module->item_count; i++)
        if (module->items[i].kind == WM_PTX_ITEM_FUNCTION)
            use_function(module->items[i].function);
}
