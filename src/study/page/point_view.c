#include "study/page/point_view.h"

#include "base/containers/arena.h"
#include "base/names/kernel_names.h"

#include <stdbool.h>
#include <string.h>

// A copy of the member, or null: what a page lacks it shows as a dash.
static bool copy(json_t *to, const char *name, const json_t *from)
{
    json_t *value = json_object_get(from, name);
    return json_object_set(to, name, value != NULL ? value : json_null()) == 0;
}

static bool copy_all(json_t *to, const char *const *names, const json_t *from)
{
    for (; *names != NULL; names++)
        if (!copy(to, *names, from))
            return false;
    return true;
}

// --- What a program is, on whatever machine ---

// The last name of a path: where the study ran is nothing to the reader.
static json_t *file_name(const json_t *source)
{
    const char *path = json_string_value(json_object_get(source, "file"));
    const char *slash = path != NULL ? strrchr(path, '/') : NULL;
    return path != NULL ? json_string(slash != NULL ? slash + 1 : path) : json_null();
}

static json_t *instruction_code(const json_t *instruction)
{
    static const char *const names[] = {"ptx_line", "text", NULL};
    const json_t *source = json_object_get(instruction, "source");
    json_t *code = json_object();
    if (code != NULL && copy_all(code, names, instruction) &&
        json_object_set_new(code, "file", file_name(source)) == 0 && copy(code, "line", source))
        return code;
    json_decref(code);
    return NULL;
}

static json_t *kernel_code(const json_t *kernel)
{
    static const char *const names[] = {"name", "signature", "module", NULL};
    json_t *code = json_object(), *list = json_array();
    bool good = code != NULL && list != NULL && copy_all(code, names, kernel);
    size_t i;
    json_t *instruction;
    json_array_foreach(json_object_get(kernel, "instructions"), i, instruction) good =
        good && json_array_append_new(list, instruction_code(instruction)) == 0;
    good = json_object_set_new(code, "instructions", list) == 0 && good;
    if (good)
        return code;
    json_decref(code);
    return NULL;
}

// What a heading has room for.
static bool name_kernels(json_t *code, const json_t *kernels)
{
    size_t count = json_array_size(kernels);
    struct wm_arena arena;
    wm_arena_init(&arena);
    const char **signatures = WM_ARENA_ARRAY(&arena, const char *, count);
    struct wm_kernel_name *names = WM_ARENA_ARRAY(&arena, struct wm_kernel_name, count);
    bool good = signatures != NULL && names != NULL;
    for (size_t i = 0; i < count && good; i++) {
        const char *text =
            json_string_value(json_object_get(json_array_get(kernels, i), "signature"));
        signatures[i] = text != NULL ? text : "";
    }
    good = good && wm_kernel_names_find(signatures, (uint32_t)count, &arena, names);
    for (size_t i = 0; i < count && good; i++) {
        const json_t *gpu = json_object_get(json_array_get(kernels, i), "gpu");
        good = gpu == NULL ||
               wm_kernel_name_on_gpu(&names[i], (uint32_t)json_integer_value(gpu), &arena);
        good = good && json_object_set_new(json_array_get(code, i), "shown",
                                           json_string(wm_kernel_heading_within(
                                               &names[i], WM_KERNEL_NAME_COLUMNS))) == 0;
    }
    wm_arena_release(&arena);
    return good;
}

static json_t *program_code(const json_t *kernels)
{
    json_t *code = json_array(), *kernel;
    size_t i;
    bool good = code != NULL;
    json_array_foreach(kernels, i, kernel) good =
        good && json_array_append_new(code, kernel_code(kernel)) == 0;
    if (good && name_kernels(code, kernels))
        return code;
    json_decref(code);
    return NULL;
}

// The index of the code among those seen, to which it is added when it is new; below 0: no memory.
static json_int_t intern(json_t *codes, json_t *code)
{
    size_t i;
    json_t *seen;
    json_array_foreach(codes, i, seen) if (json_equal(seen, code))
    {
        json_decref(code);
        return (json_int_t)i;
    }
    return json_array_append_new(codes, code) == 0 ? (json_int_t)json_array_size(codes) - 1 : -1;
}

// --- What it did ---

// Adds the declarations that are new.
static bool declare(json_t *counters, const json_t *declared)
{
    const char *name;
    json_t *declaration, *known;
    size_t i;
    json_object_foreach((json_t *)declared, name, declaration)
    {
        bool found = false;
        json_array_foreach(counters, i, known) found =
            found || strcmp(json_string_value(json_array_get(known, 0)), name) == 0;
        if (found)
            continue;
        json_t *entry = json_pack("[sOO]", name, json_object_get(declaration, "unit"),
                                  json_object_get(declaration, "sentence"));
        if (entry == NULL || json_array_append_new(counters, entry) != 0)
            return false;
    }
    return true;
}

static json_t *instruction_row(const json_t *instruction, const json_t *counters)
{
    const json_t *values = json_object_get(instruction, "counters");
    json_t *row = json_array(), *counter;
    size_t i;
    json_array_foreach(counters, i, counter)
    {
        json_t *value = json_object_get(values, json_string_value(json_array_get(counter, 0)));
        if (json_array_append(row, value != NULL ? value : json_null()) != 0) {
            json_decref(row);
            return NULL;
        }
    }
    return row;
}

// Adds a component's counters, those that counted something, to the sums of its kind.
static bool add_component(json_t *sums, const json_t *component)
{
    const char *kind = json_string_value(json_object_get(component, "kind")), *name;
    json_t *value;
    if (kind == NULL)
        return true;
    json_object_foreach(json_object_get(component, "counters"), name, value)
    {
        if (!json_is_integer(value) || json_integer_value(value) == 0)
            continue;
        json_t *of_kind = json_object_get(sums, kind);
        if (of_kind == NULL && (json_object_set_new(sums, kind, json_object()) != 0 ||
                                (of_kind = json_object_get(sums, kind)) == NULL))
            return false;
        json_int_t before = json_integer_value(json_object_get(of_kind, name));
        if (json_object_set_new(of_kind, name, json_integer(before + json_integer_value(value))) !=
            0)
            return false;
    }
    return true;
}

// Where the machine has an energy table.
static bool copy_energy(json_t *to, const json_t *from)
{
    json_t *energy = json_object_get(from, "energy");
    return energy == NULL || json_object_set(to, "energy", energy) == 0;
}

static json_t *kernel_view(const json_t *kernel, const json_t *counters)
{
    static const char *const names[] = {"launches",
                                        "grid",
                                        "block",
                                        "warp_instructions",
                                        "thread_instructions",
                                        "registers_per_thread",
                                        "blocks_per_sm",
                                        "occupancy_limiter",
                                        NULL};
    json_t *view = json_object(), *sums = json_object(), *rows = json_array(), *item;
    size_t i;
    bool good = view != NULL && sums != NULL && rows != NULL && copy_all(view, names, kernel);
    json_array_foreach(json_object_get(kernel, "components"), i, item) good =
        good && add_component(sums, item);
    json_array_foreach(json_object_get(kernel, "instructions"), i, item) good =
        good && json_array_append_new(rows, instruction_row(item, counters)) == 0;
    good = json_object_set_new(view, "sums", sums) == 0 && good;
    good = json_object_set_new(view, "rows", rows) == 0 && good;
    good = good && copy_energy(view, kernel);
    if (good)
        return view;
    json_decref(view);
    return NULL;
}

json_t *wm_point_view(const json_t *results, struct wm_view_tables *tables)
{
    const json_t *kernels = json_object_get(results, "kernels");
    const json_t *counted = json_object_get(json_object_get(results, "counters"), "instruction");
    const json_t *declared = json_object_get(counted, "counters");
    if (!json_is_array(kernels) || !declare(tables->counters, declared))
        return NULL;
    json_t *code = program_code(kernels), *views = json_array(), *kernel;
    json_int_t index = code != NULL ? intern(tables->codes, code) : -1;
    bool good = index >= 0 && views != NULL;
    size_t i;
    json_array_foreach(kernels, i, kernel) good =
        good && json_array_append_new(views, kernel_view(kernel, tables->counters)) == 0;
    json_t *view = good ? json_pack("{sIsO}", "code", index, "kernels", views) : NULL;
    json_decref(views);
    if (view == NULL || copy_energy(view, results))
        return view;
    json_decref(view);
    return NULL;
}
