#include "bypass/program.h"

#include "base/names/demangle.h"
#include "bypass/forced_loads.h"
#include "bypass/program_parts.h"
#include "engine/session/launch_filter.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

const char *const wm_bypass_solver_names[WM_BYPASS_SOLVERS] = {"bypass-all", "cache-all",
                                                               "heuristic", "exact"};

static enum wm_status out_of_memory(struct wm_error *error)
{
    return wm_fail_no_memory(error, "a program's loads");
}

// --- PTX ---

// A module of the recording, and its loads by their line.
struct text_of_code {
    uint64_t hash;
    struct wm_ptx_module *module; // the program's
};

struct place {
    const struct wm_ptx_function *function;
    const struct wm_ptx_statement *statement;
};

struct building {
    struct wm_bypass_program *program;
    const struct wm_recording *recording;
    const struct wm_machine *machine;
    struct text_of_code *texts; // owned; by code, in their order
};

static enum wm_status read_module(struct building *it, uint32_t code, struct wm_error *error)
{
    const struct wm_recorded_code *recorded = &it->recording->codes[code];
    it->texts[code] = (struct text_of_code){.hash = recorded->ptx_hash};
    if (recorded->ptx_hash == 0)
        return WM_OK;
    for (uint32_t i = 0; i < code; i++)
        if (it->texts[i].hash == recorded->ptx_hash) {
            it->texts[code] = it->texts[i];
            return WM_OK;
        }
    char *text;
    WM_TRY(wm_recording_ptx(it->recording, recorded->ptx_hash, &text, error));
    if (text == NULL)
        return WM_OK;
    enum wm_status status =
        wm_ptx_parse(text, strlen(text), recorded->module, &it->texts[code].module, error);
    free(text);
    if (status == WM_OK)
        it->program->modules[it->program->module_count++] = it->texts[code].module;
    return status;
}

static enum wm_status read_modules(struct building *it, struct wm_error *error)
{
    uint32_t count = it->recording->code_count;
    it->texts = calloc(count + UINT64_C(1), sizeof *it->texts);
    it->program->modules = WM_ARENA_ARRAY(&it->program->arena, struct wm_ptx_module *, count);
    if (it->texts == NULL || it->program->modules == NULL)
        return out_of_memory(error);
    for (uint32_t code = 0; code < count; code++)
        WM_TRY(read_module(it, code, error));
    return WM_OK;
}

// The recorded code of a kernel; the recording's code_count when there is none.
static uint32_t find_code(const struct building *it, uint64_t fingerprint, const char *kernel)
{
    uint32_t code = 0;
    while (code < it->recording->code_count &&
           (it->recording->codes[code].fingerprint != fingerprint ||
            strcmp(it->recording->codes[code].name, kernel) != 0))
        code++;
    return code;
}

// The instruction `ld` in that line whose text is `text`.
static bool find_load(const struct wm_ptx_module *module, uint32_t line, const char *text,
                      struct place *place)
{
    for (uint32_t i = 0; i < module->item_count; i++) {
        if (module->items[i].kind != WM_PTX_ITEM_FUNCTION)
            continue;
        const struct wm_ptx_function *function = module->items[i].function;
        for (uint32_t s = 0; s < function->statement_count; s++) {
            const struct wm_ptx_statement *statement = &function->statements[s];
            if (statement->line != line || statement->kind != WM_PTX_STATEMENT_INSTRUCTION ||
                statement->instruction->opcode != WM_PTX_OP_ld)
                continue;
            struct wm_text printed;
            wm_text_init(&printed);
            wm_ptx_print_instruction(function, statement->instruction, &printed);
            bool same = !printed.failed && strcmp(printed.data, text) == 0;
            wm_text_release(&printed);
            *place = (struct place){function, statement};
            if (same)
                return true;
        }
    }
    return false;
}

// --- The profile ---

// Whether the load can be decided on the machine. A texture cache serves read-only loads in L1's
// place (docs/memory-system.md, R10): the profile's L1s never see them, nor does a bypass list, and
// .cg would take them around the texture cache. `*why` is as of wm_ptx_may_choose_cache.
static bool can_be_decided(const struct building *it, const struct wm_ptx_instruction *instruction,
                           const char **why)
{
    if (!wm_ptx_may_choose_cache(instruction, why))
        return false;
    bool textured =
        it->machine->memory.levels[WM_LEVEL_SIDE + WM_SIDE_CACHE_TEXTURE].cache.present &&
        wm_ptx_has(instruction, WM_PTX_nc);
    if (textured)
        *why = "is read-only (.nc), which the machine has a texture cache for";
    return !textured;
}

static bool may_decide(void *context, const struct wm_work *work,
                       const struct wm_instruction_facts *facts, uint32_t pc)
{
    const struct building *it = context;
    uint32_t code = find_code(it, work->fingerprint, work->kernel);
    struct place place;
    const char *why;
    return code < it->recording->code_count && it->texts[code].module != NULL &&
           find_load(it->texts[code].module, facts->ptx_line,
                     it->recording->codes[code].instructions[pc].text, &place) &&
           can_be_decided(it, place.statement->instruction, &why);
}

// --- Kernels ---

static const char *copy_text(struct wm_arena *arena, const char *text)
{
    return text != NULL ? wm_arena_copy_text(arena, text, strlen(text)) : NULL;
}

static enum wm_status fill_load(const struct building *it, const struct wm_recorded_code *code,
                                struct wm_bypass_kernel *kernel, uint32_t number,
                                struct wm_error *error)
{
    struct wm_bypass_load *load = &kernel->loads[number];
    load->profiled = &kernel->profiled->loads[number];
    load->number = number + 1;
    const struct wm_recorded_instruction *instruction = &code->instructions[load->profiled->pc];
    struct place place;
    bool found = find_load(kernel->module, instruction->ptx_line, instruction->text, &place);
    assert(found); // may_decide found it
    load->function = place.function;
    load->statement = found ? place.statement : NULL;
    load->text = copy_text(&it->program->arena, instruction->text);
    load->source_file = copy_text(&it->program->arena, instruction->source_file);
    load->source_line = instruction->source_line;
    bool failed =
        load->text == NULL || (load->source_file == NULL && instruction->source_file != NULL);
    return failed ? out_of_memory(error) : WM_OK;
}

// Global loads that are executed and not decided.
static enum wm_status find_fixed(const struct building *it, const struct wm_recorded_code *code,
                                 struct wm_bypass_kernel *kernel, struct wm_error *error)
{
    kernel->fixed =
        WM_ARENA_ARRAY(&it->program->arena, struct wm_bypass_fixed, code->instruction_count);
    if (kernel->fixed == NULL)
        return out_of_memory(error);
    for (uint32_t pc = 0; pc < code->instruction_count; pc++) {
        const struct wm_recorded_instruction *instruction = &code->instructions[pc];
        struct place place;
        const char *why;
        if (!instruction->is_memory || instruction->kind != WM_ACCESS_LOAD ||
            (instruction->space != WM_SPACE_GLOBAL && !instruction->generic) ||
            !find_load(kernel->module, instruction->ptx_line, instruction->text, &place) ||
            can_be_decided(it, place.statement->instruction, &why))
            continue;
        kernel->fixed[kernel->fixed_count++] =
            (struct wm_bypass_fixed){.statement = place.statement, .why = why};
    }
    return WM_OK;
}

static enum wm_status add_kernel(const struct building *it,
                                 const struct wm_profiled_kernel *profiled, struct wm_error *error)
{
    struct wm_bypass_program *program = it->program;
    uint32_t code = find_code(it, profiled->fingerprint, profiled->name);
    assert(code < it->recording->code_count);
    const struct wm_recorded_code *recorded = &it->recording->codes[code];
    if (profiled->load_count == 0 || profiled->launches == 0)
        return WM_OK;
    struct wm_bypass_kernel *kernel = &program->kernels[program->kernel_count];
    *kernel = (struct wm_bypass_kernel){
        .profiled = profiled, .module = it->texts[code].module, .ptx_hash = recorded->ptx_hash};
    kernel->loads = WM_ARENA_ARRAY(&program->arena, struct wm_bypass_load, profiled->load_count);
    kernel->forced = WM_ARENA_ARRAY(&program->arena, enum wm_bypass_forced, profiled->load_count);
    if (kernel->loads == NULL || kernel->forced == NULL)
        return out_of_memory(error);
    for (uint32_t load = 0; load < profiled->load_count; load++)
        WM_TRY(fill_load(it, recorded, kernel, load, error));
    WM_TRY(find_fixed(it, recorded, kernel, error));
    program->kernel_count++;
    return WM_OK;
}

// Of what the profile has: nothing that was launched and chosen, no PTX, or no loads in it.
static enum wm_status no_loads(const struct building *it, const struct wm_bypass_options *options,
                               struct wm_error *error)
{
    const struct wm_load_profile *profile = it->program->profile;
    bool any_text = false;
    uint64_t launches = 0;
    for (uint32_t code = 0; code < it->recording->code_count; code++)
        any_text |= it->texts[code].module != NULL;
    for (uint32_t k = 0; k < profile->kernel_count; k++)
        launches += profile->kernels[k].launches;
    if (!any_text) {
        wm_fail(error, WM_NOT_FOUND, "the recording has no PTX, whose loads could be decided");
        wm_error_hint(error, "record the program with warpmem record");
    } else if (launches == 0) {
        wm_fail(error, WM_NOT_FOUND, "no launch was profiled");
        if (options->filter != NULL)
            wm_error_hint(error, "%s leaves none", options->filter->text);
    } else {
        wm_fail(error, WM_NOT_FOUND,
                "no kernel that ran has a global load whose caching can be chosen");
        wm_error_hint(error,
                      "stores, atomics, volatile and ordered loads are left as they are, and "
                      "read-only ones (.nc) on a machine with a texture cache");
    }
    return wm_error_place(error, "%s",
                          options->name != NULL ? options->name : it->recording->file.path);
}

void wm_bypass_symbol_title(const char *symbol, struct wm_text *text)
{
    struct wm_text signature;
    wm_text_init(&signature);
    wm_demangle(symbol, &signature);
    size_t length = 0;
    if (signature.failed || signature.data == NULL) {
        text->failed = true;
    } else {
        const char *name = wm_demangled_name(signature.data, &length);
        wm_text_format(text, "%.*s", (int)length, name);
    }
    wm_text_release(&signature);
}

const char *wm_bypass_kernel_title(const struct wm_bypass_kernel *kernel)
{
    return wm_kernel_name_within(&kernel->shown, WM_KERNEL_NAME_COLUMNS);
}

static enum wm_status name_kernels(struct wm_bypass_program *program, struct wm_error *error)
{
    uint32_t count = program->kernel_count;
    const char **signatures = WM_ARENA_ARRAY(&program->arena, const char *, count);
    struct wm_kernel_name *names = WM_ARENA_ARRAY(&program->arena, struct wm_kernel_name, count);
    for (uint32_t k = 0; k < count && signatures != NULL; k++) {
        struct wm_text text;
        wm_text_init(&text);
        wm_demangle(program->kernels[k].profiled->name, &text);
        signatures[k] = text.failed
                            ? NULL
                            : wm_arena_copy_text(&program->arena,
                                                 text.data != NULL ? text.data : "", text.length);
        wm_text_release(&text);
        if (signatures[k] == NULL)
            return out_of_memory(error);
    }
    if (signatures == NULL || names == NULL ||
        !wm_kernel_names_find(signatures, count, &program->arena, names))
        return out_of_memory(error);
    for (uint32_t k = 0; k < count; k++)
        program->kernels[k].shown = names[k];
    return WM_OK;
}

static enum wm_status build(struct building *it, struct wm_recording *recording,
                            const struct wm_machine *machine,
                            const struct wm_bypass_options *options, struct wm_error *error)
{
    struct wm_bypass_program *program = it->program;
    WM_TRY(read_modules(it, error));
    const struct wm_load_profile_options profiling = {.decided = may_decide,
                                                      .context = it,
                                                      .progress = options->progress,
                                                      .filter = options->filter};
    WM_TRY(wm_load_profile_new(recording, machine, &profiling, &program->profile, error));
    program->kernels =
        WM_ARENA_ARRAY(&program->arena, struct wm_bypass_kernel, program->profile->kernel_count);
    if (program->kernels == NULL)
        return out_of_memory(error);
    for (uint32_t i = 0; i < program->profile->kernel_count; i++)
        WM_TRY(add_kernel(it, &program->profile->kernels[i], error));
    if (program->kernel_count == 0)
        return no_loads(it, options, error);
    WM_TRY(name_kernels(program, error));
    WM_TRY(wm_bypass_forces_apply(program, options->forces, options->force_count, error));
    WM_TRY(wm_bypass_find_efficiencies(program, error));
    return wm_bypass_decide(program, error);
}

enum wm_status wm_bypass_program_init(struct wm_bypass_program *program,
                                      struct wm_recording *recording,
                                      const struct wm_machine *machine,
                                      const struct wm_bypass_options *options,
                                      struct wm_error *error)
{
    *program = (struct wm_bypass_program){.source = options->source};
    wm_arena_init(&program->arena);
    struct building it = {.program = program, .recording = recording, .machine = machine};
    enum wm_status status = build(&it, recording, machine, options, error);
    free(it.texts);
    return status;
}

void wm_bypass_program_release(struct wm_bypass_program *program)
{
    for (uint32_t i = 0; i < program->module_count; i++)
        wm_ptx_module_free(program->modules[i]);
    wm_load_profile_free(program->profile);
    wm_arena_release(&program->arena);
    *program = (struct wm_bypass_program){0};
}

uint32_t wm_bypass_count_cached(const struct wm_bypass_kernel *kernel,
                                const struct wm_bypass_solution *solution)
{
    uint32_t count = 0;
    for (uint32_t load = 0; load < kernel->profiled->load_count; load++)
        count += solution->cached[load];
    return count;
}
