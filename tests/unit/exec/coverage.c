#include "coverage.h"

#include "forms.h"

#include <criterion/criterion.h>
#include <criterion/hooks.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LONGEST_PATH = 4096, MOST_NAMES = 1 << 14 };

// --- The file: whole under its name, growing beside it ---

static void unfinished_path(const char *seen, char path[LONGEST_PATH])
{
    snprintf(path, LONGEST_PATH, "%s.unfinished", seen);
}

ReportHook(PRE_ALL)(struct criterion_test_set *tests)
{
    (void)tests;
    const char *seen = getenv("PTX_SEEN");
    char path[LONGEST_PATH];
    if (!seen)
        return;
    unfinished_path(seen, path);
    remove(seen);
    FILE *file = fopen(path, "w");
    if (file)
        fclose(file);
}

ReportHook(POST_ALL)(struct criterion_global_stats *statistics)
{
    const char *seen = getenv("PTX_SEEN");
    char path[LONGEST_PATH];
    if (!seen)
        return;
    unfinished_path(seen, path);
    if (statistics->tests_failed == 0 && statistics->tests_crashed == 0)
        rename(path, seen);
    else
        remove(path);
}

// Whether the running test, a process of its own, says this for the first time.
static bool is_new(const char *name)
{
    static struct hsearch_data names;
    if (names.size == 0 && !hcreate_r(MOST_NAMES, &names))
        return true;
    ENTRY *entry;
    if (hsearch_r((ENTRY){.key = (char *)name}, FIND, &entry, &names))
        return false;
    char *copy = strdup(name);
    if (!copy || !hsearch_r((ENTRY){.key = copy}, ENTER, &entry, &names))
        free(copy); // said again at each use: long, but right
    return true;
}

static void note(const char *seen, const char *name)
{
    char path[LONGEST_PATH];
    unfinished_path(seen, path);
    FILE *file = is_new(name) ? fopen(path, "a") : NULL;
    if (!file)
        return;
    fprintf(file, "%s/%s\t%s\n", criterion_current_suite->name, criterion_current_test->name, name);
    fclose(file);
}

// --- Uses ---

bool coverage_use(const char *name)
{
    const char *seen = getenv("PTX_SEEN"), *without = getenv("PTX_WITHOUT");
    if (seen)
        note(seen, name);
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
