#include "bypass/output.h"

#include "base/files/output_file.h"
#include "base/numbers/hash.h"
#include "machine/bypass_list.h"
#include "source/program/program_writer.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

// ---- The text of a module ----------------------------------------------------------------------

// What one kernel decides of a load in the text.
struct decision {
    const struct wm_ptx_statement *load;
    const struct wm_ptx_function *function; // that it is in
    uint64_t executions;
    uint32_t kernel;
    struct wm_load_hint hint;
};

// In the order of the text; of one load, what counts first.
static int compare_decisions(const void *a, const void *b)
{
    const struct decision *left = a, *right = b;
    if (left->load->line != right->load->line)
        return left->load->line < right->load->line ? -1 : 1;
    if (left->load->column != right->load->column)
        return left->load->column < right->load->column ? -1 : 1;
    if (left->executions != right->executions)
        return left->executions > right->executions ? -1 : 1;
    return (left->kernel > right->kernel) - (left->kernel < right->kernel);
}

static uint32_t collect(const struct wm_bypass_program *program, enum wm_bypass_solver solver,
                        const struct wm_ptx_module *module, struct decision *decisions)
{
    uint32_t count = 0;
    for (uint32_t k = 0; k < program->kernel_count; k++) {
        const struct wm_bypass_kernel *kernel = &program->kernels[k];
        if (kernel->module != module)
            continue;
        for (uint32_t i = 0; i < kernel->profiled->load_count; i++) {
            if (!wm_bypass_is_decided(&kernel->loads[i]))
                continue;
            decisions[count++] =
                (struct decision){.load = kernel->loads[i].statement,
                                  .function = kernel->loads[i].function,
                                  .executions = kernel->loads[i].profiled->executions,
                                  .kernel = k,
                                  .hint = wm_bypass_hint_of(program, kernel, solver, i)};
        }
    }
    qsort(decisions, count, sizeof *decisions, compare_decisions);
    return count;
}

enum wm_status wm_bypass_rewrite_module(const struct wm_bypass_program *program,
                                        enum wm_bypass_solver solver,
                                        const struct wm_ptx_module *module, struct wm_text *text,
                                        struct wm_error *error)
{
    uint64_t most = 1;
    for (uint32_t k = 0; k < program->kernel_count; k++)
        most += program->kernels[k].profiled->load_count;
    struct decision *decisions = calloc(most, sizeof *decisions);
    struct wm_ptx_cache_choice *choices = calloc(most, sizeof *choices);
    enum wm_status status = WM_NO_MEMORY;
    if (decisions != NULL && choices != NULL) {
        uint32_t count = collect(program, solver, module, decisions), chosen = 0;
        for (uint32_t i = 0; i < count; i++)
            if (i == 0 || decisions[i].load != decisions[i - 1].load)
                choices[chosen++] = (struct wm_ptx_cache_choice){
                    .load = decisions[i].load,
                    .modifier = wm_load_word_modifier(decisions[i].hint.l1),
                    .l2 = wm_load_word_modifier(decisions[i].hint.l2),
                    .function = decisions[i].function};
        status = wm_ptx_rewrite_caches(module, choices, chosen, text, error);
    }
    free(decisions);
    free(choices);
    return decisions != NULL && choices != NULL
               ? status
               : wm_fail_no_memory(error, "what is written of a program's loads");
}

// ---- Files of PTX ------------------------------------------------------------------------------

void wm_bypass_ptx_path(const char *path, uint32_t number, struct wm_text *name)
{
    const char *slash = strrchr(path, '/'), *file = slash != NULL ? slash + 1 : path;
    const char *dot = strrchr(file, '.');
    size_t stem = dot != NULL && dot != file ? (size_t)(dot - path) : strlen(path);
    wm_text_append(name, path, stem);
    if (number != 1)
        wm_text_format(name, ".%" PRIu32, number);
    wm_text_add(name, path + stem);
}

static enum wm_status write_text(const struct wm_text *text, const char *path,
                                 struct wm_error *error)
{
    struct wm_output_file file;
    WM_TRY(wm_output_open(&file, path, WM_OUTPUT_ATOMIC, error));
    bool good = wm_output_write(&file, text->data, text->length);
    return wm_output_close(&file, good, error);
}

static enum wm_status write_module(const struct wm_bypass_program *program,
                                   enum wm_bypass_solver solver, const struct wm_ptx_module *module,
                                   const char *path, uint32_t number, struct wm_error *error)
{
    struct wm_text text, name;
    wm_text_init(&text);
    wm_text_init(&name);
    enum wm_status status = wm_bypass_rewrite_module(program, solver, module, &text, error);
    wm_bypass_ptx_path(path, number, &name);
    if (status == WM_OK && (text.failed || name.failed))
        status = wm_fail_no_memory(error, "what is written of a program's loads");
    if (status == WM_OK)
        status = write_text(&text, name.data, error);
    wm_text_release(&text);
    wm_text_release(&name);
    return status;
}

// Whether the kernel is the first one of its module.
static bool is_first(const struct wm_bypass_program *program, uint32_t kernel)
{
    for (uint32_t k = 0; k < kernel; k++)
        if (program->kernels[k].module == program->kernels[kernel].module)
            return false;
    return program->kernels[kernel].module != NULL;
}

enum wm_status wm_bypass_write_ptx(const struct wm_bypass_program *program,
                                   enum wm_bypass_solver solver, const char *path, uint32_t *count,
                                   struct wm_error *error)
{
    uint32_t written = 0;
    enum wm_status status = WM_OK;
    for (uint32_t k = 0; status == WM_OK && k < program->kernel_count; k++) {
        if (!is_first(program, k))
            continue;
        status =
            write_module(program, solver, program->kernels[k].module, path, written + 1, error);
        written += status == WM_OK;
    }
    if (count != NULL)
        *count = written;
    return status;
}

// ---- A program ---------------------------------------------------------------------------------

struct rewriting {
    const struct wm_bypass_program *program;
    enum wm_bypass_solver solver;
    bool *met; // by kernel: its module is in the program
    uint32_t decided;
};

static enum wm_status rewrite_ptx(void *context, const char *text, uint64_t length,
                                  struct wm_text *rewritten, struct wm_error *error)
{
    struct rewriting *it = context;
    uint64_t hash = wm_hash_bytes(text, length);
    const struct wm_ptx_module *module = NULL;
    for (uint32_t k = 0; k < it->program->kernel_count; k++) {
        const struct wm_bypass_kernel *kernel = &it->program->kernels[k];
        if (kernel->module == NULL || kernel->ptx_hash != hash)
            continue;
        module = kernel->module;
        it->met[k] = true;
    }
    if (module == NULL) {
        wm_text_append(rewritten, text, length);
        return WM_OK;
    }
    it->decided++;
    return wm_bypass_rewrite_module(it->program, it->solver, module, rewritten, error);
}

static enum wm_status none_profiled(const struct wm_program_rewritten *rewritten,
                                    struct wm_error *error)
{
    wm_fail(error, WM_NOT_FOUND,
            "none of its %" PRIu32 " PTX modules is one that was profiled: the program has been "
            "rebuilt, or its kernels come from elsewhere",
            rewritten->total.modules);
    return wm_error_hint(error, "profile this program, or write the PTX instead: -o NAME.ptx");
}

static enum wm_status write_program(struct rewriting *it, const struct wm_elf_file *file,
                                    const char *executable, const char *path,
                                    struct wm_program_rewritten *rewritten, struct wm_error *error)
{
    const struct wm_ptx_rewriter rewriter = {rewrite_ptx, it};
    struct wm_text bytes;
    wm_text_init(&bytes);
    enum wm_status status = wm_program_rewrite(file, &rewriter, &bytes, rewritten, error);
    if (status == WM_OK && it->decided == 0)
        status = none_profiled(rewritten, error);
    if (status != WM_OK)
        wm_error_place(error, "%s", executable);
    else
        status = wm_program_write(&bytes, executable, path, error);
    wm_text_release(&bytes);
    return status;
}

enum wm_status wm_bypass_write_program(const struct wm_bypass_program *program,
                                       enum wm_bypass_solver solver, const char *executable,
                                       const char *path, struct wm_bypass_written *written,
                                       struct wm_error *error)
{
    struct rewriting it = {.program = program, .solver = solver};
    struct wm_program_rewritten rewritten = {0};
    struct wm_elf_file file;
    WM_TRY(wm_elf_open(executable, &file, error));
    it.met = calloc(program->kernel_count + UINT64_C(1), sizeof *it.met);
    enum wm_status status = it.met != NULL
                                ? write_program(&it, &file, executable, path, &rewritten, error)
                                : wm_fail_no_memory(error, "what is written of a program's loads");
    wm_elf_close(&file);
    if (status == WM_OK && written != NULL) {
        *written = (struct wm_bypass_written){.modules = rewritten.total.modules,
                                              .decided = it.decided,
                                              .machine_code = rewritten.total.dropped};
        for (uint32_t k = 0; k < program->kernel_count; k++)
            written->left += is_first(program, k) && !it.met[k];
    }
    free(it.met);
    return status;
}

// ---- Decisions ---------------------------------------------------------------------------------

// Whether a line of PTX holds another memory instruction that is decided: then the line is not
// enough to name one of them.
static bool shares_line(const struct wm_bypass_kernel *kernel, uint32_t load)
{
    for (uint32_t i = 0; i < kernel->profiled->load_count; i++)
        if (i != load &&
            kernel->profiled->loads[i].ptx_line == kernel->profiled->loads[load].ptx_line)
            return true;
    return false;
}

// As a comment may have it: one line.
static void add_comment(struct wm_text *text, const char *from)
{
    for (; from != NULL && *from != '\0'; from++)
        wm_text_append(text, (unsigned char)*from < 0x20 ? " " : from, 1);
}

static void add_place(struct wm_text *text, const struct wm_bypass_load *load)
{
    if (load->source_file != NULL) {
        add_comment(text, load->source_file);
        wm_text_format(text, ":%" PRIu32 "  ", load->source_line);
    }
    add_comment(text, load->text);
    wm_text_add(text, "\n");
}

// Whether the load's text already has the hint, so that no list needs it.
static bool has_already(const struct wm_bypass_load *load, struct wm_load_hint hint)
{
    return hint.l1 == WM_LOAD_CA && hint.l2 == WM_LOAD_L2_NORMAL &&
           !wm_ptx_has(load->statement->instruction, WM_PTX_cg);
}

// `list` is what gpu.l1.bypass_list becomes of the file.
static void add_load(const struct wm_bypass_kernel *kernel, uint32_t number,
                     struct wm_load_hint hint, struct wm_text *text, struct wm_text *list)
{
    const struct wm_bypass_load *load = &kernel->loads[number];
    struct wm_text selector;
    wm_text_init(&selector);
    if (shares_line(kernel, number))
        wm_text_format(&selector, "%s:pc%" PRIu32, kernel->profiled->name, load->profiled->pc);
    else
        wm_text_format(&selector, "%s:ptx%" PRIu32, kernel->profiled->name,
                       load->profiled->ptx_line);
    const char *name = selector.data != NULL ? selector.data : "";
    if (!wm_bypass_is_decided(load)) {
        wm_text_format(text, "# %s never ran   ", name);
    } else if (has_already(load, hint)) {
        wm_text_format(text, "# %s uses L1   ", name);
    } else {
        wm_text_format(text, "%s=%s   # ", name, wm_load_word_name(hint.l1));
        wm_text_format(list, ",%s=%s", name, wm_load_word_name(hint.l1));
    }
    add_place(text, load);
    if (wm_bypass_is_decided(load) && hint.l2 != WM_LOAD_L2_NORMAL) {
        wm_text_format(text, "%s=%s\n", name, wm_load_word_name(hint.l2));
        wm_text_format(list, ",%s=%s", name, wm_load_word_name(hint.l2));
    }
    text->failed |= selector.failed;
    wm_text_release(&selector);
}

static void add_kernel(const struct wm_bypass_program *program, enum wm_bypass_solver solver,
                       const struct wm_bypass_kernel *kernel, struct wm_text *text,
                       struct wm_text *list)
{
    wm_text_add(text, "\n# ");
    add_comment(text, kernel->profiled->module);
    wm_text_format(text, "\n%s:hash=%016" PRIx64 "\n", kernel->profiled->name, kernel->ptx_hash);
    wm_text_format(list, ",%s:hash=%016" PRIx64, kernel->profiled->name, kernel->ptx_hash);
    for (uint32_t i = 0; i < kernel->profiled->load_count; i++)
        add_load(kernel, i, wm_bypass_hint_of(program, kernel, solver, i), text, list);
}

static void add_head(const struct wm_bypass_program *program, enum wm_bypass_solver solver,
                     const char *machine, struct wm_text *text)
{
    wm_text_add(text, "# Global loads that go around L1 (=cg) or use it against their operator "
                      "(=ca), decided by\n# warpmem bypass. Machine: ");
    add_comment(text, machine);
    wm_text_format(text, "; solver: %s.\n", wm_bypass_solver_names[solver]);
    if (program->setting_count == 0)
        wm_text_add(text, "# Use: --set gpu.l1.bypass=per-pc --set gpu.l1.bypass_list=@FILE, with "
                          "this program alone: hash= is\n");
    else
        wm_text_add(text, "# With hints: eviction priorities of L1, and policies for L2.\n# Use:");
    for (uint32_t i = 0; i < program->setting_count; i++)
        wm_text_format(text, " --set %s", program->settings[i]);
    if (program->setting_count != 0)
        wm_text_add(text,
                    "\n# --set gpu.l1.bypass_list=@FILE, with this program alone: hash= is\n");
    wm_text_add(text, "# that of the kernel's PTX. Selectors name lines of "
                      "it; comments have the line of the source.\n");
}

enum wm_status wm_bypass_write_decisions(const struct wm_bypass_program *program,
                                         enum wm_bypass_solver solver, const char *machine,
                                         const char *path, struct wm_error *error)
{
    struct wm_text text, list;
    wm_text_init(&text);
    wm_text_init(&list);
    add_head(program, solver, machine, &text);
    for (uint32_t k = 0; k < program->kernel_count; k++)
        if (program->kernels[k].module != NULL)
            add_kernel(program, solver, &program->kernels[k], &text, &list);
    enum wm_status status = WM_OK;
    if (text.failed || list.failed) {
        status = wm_fail_no_memory(error, "what is written of a program's loads");
    } else if (list.length > WM_BYPASS_LIST_BYTES) { // with the comma before the first
        wm_fail(error, WM_LIMIT,
                "the decisions take %zu bytes as gpu.l1.bypass_list, which holds %d",
                list.length - 1, WM_BYPASS_LIST_BYTES - 1);
        wm_error_place(error, "%s", path);
        status = wm_error_hint(error, "write the program or its PTX instead, or decide for fewer "
                                      "kernels");
    } else {
        status = write_text(&text, path, error);
    }
    wm_text_release(&text);
    wm_text_release(&list);
    return status;
}
