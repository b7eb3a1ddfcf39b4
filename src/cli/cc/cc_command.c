// warpmem cc: compiles CUDA C with clang and warpmem's own headers, without NVIDIA's toolkit.
#include "base/files/output_place.h"
#include "cli/cc/command_line.h"
#include "cli/cc/output.h"
#include "cli/cc/steps.h"
#include "cli/commands.h"
#include "cli/options/output_option.h"
#include "cli/process/resources.h"
#include "cli/process/work_folder.h"
#include "cli/run/program_check.h"

#include <errno.h>
#include <limits.h>
#include <unistd.h>

// Reports a file that cannot be read before any step has run.
static enum wm_status check_inputs(const struct wm_cc_line *line, struct wm_error *error)
{
    for (uint32_t i = 0; i < line->input_count; i++) {
        const struct wm_cc_input *input = &line->inputs[i];
        if (input->kind != WM_CC_LINK && access(input->text, R_OK) != 0)
            return wm_fail(error, errno == ENOENT ? WM_NOT_FOUND : WM_IO, "cannot read \"%s\": %s",
                           input->text, strerror(errno));
    }
    return WM_OK;
}

static enum wm_status find_library(enum wm_resource folder, const char *name, char *path,
                                   size_t size, struct wm_error *error)
{
    size_t room = strlen(name) + sizeof "/";
    WM_TRY(wm_resource_find(folder, path, size - room, error));
    size_t length = strlen(path);
    snprintf(path + length, room, "/%s", name);
    if (access(path, R_OK) != 0) {
        wm_fail(error, WM_NOT_FOUND, "cannot read \"%s\": %s", path, strerror(errno));
        return wm_error_hint(error, "build or reinstall warpmem; -c and --ptx work without it");
    }
    return WM_OK;
}

// Debian has the compiler under its plain name when the package "clang" is installed, and under a
// version's when only that version's is.
static enum wm_status find_clang(char *path, size_t size, struct wm_error *error)
{
    const char *name = getenv("WARPMEM_CLANG");
    bool chosen = name && name[0];
    if (!chosen && wm_program_find("clang", path, size, NULL) != WM_OK &&
        wm_program_find("clang-14", path, size, NULL) == WM_OK)
        return WM_OK;
    enum wm_status status = wm_program_find(chosen ? name : "clang", path, size, error);
    if (status != WM_OK)
        wm_error_hint(error, "install the package \"clang\", or set WARPMEM_CLANG to the program");
    return status;
}

// Of the linker's package.
static enum wm_status find_objdump(char *path, size_t size, struct wm_error *error)
{
    enum wm_status status = wm_program_find("objdump", path, size, error);
    if (status != WM_OK)
        wm_error_hint(error, "install the package \"binutils\": it counts instructions");
    return status;
}

// What can never be written is said before anything is compiled.
static enum wm_status check_output(const struct wm_cc_line *line, struct wm_error *error)
{
    struct wm_output_place place;
    if (!line->output || line->dry_run || line->stop == WM_CC_STOP_SYNTAX)
        return WM_OK;
    for (uint32_t i = 0; i < line->input_count; i++)
        WM_TRY(wm_output_option_check(line->output, &line->inputs[i].text, 1, error));
    enum wm_status status = wm_output_place_find(&place, line->output, error);
    if (status == WM_OK && place.descriptor >= 0 && line->stop == WM_CC_STOP_NEVER) {
        wm_fail(error, WM_INVALID, "a program cannot be linked into a stream");
        wm_error_place(error, "-o");
        status = wm_error_hint(error, "name a file; -c and --ptx can go to standard output (-)");
    }
    wm_output_place_release(&place);
    return status;
}

// The steps make the output in the folder, and it takes its place when they are done.
static enum wm_status run_steps(struct wm_cc_job *job, struct wm_error *error)
{
    const char *target = wm_cc_output_target(job->line);
    struct wm_cc_line made;
    if (!target)
        return wm_cc_steps_run(job, error);
    WM_TRY(wm_cc_output_redirect(job->line, job->folder, target, job->arena, &made, error));
    job->line = &made;
    WM_TRY(wm_cc_steps_run(job, error));
    return wm_cc_output_deliver(made.output, target, error);
}

static enum wm_status compile(const struct wm_cc_line *line, struct wm_arena *arena, FILE *log,
                              struct wm_error *error)
{
    char clang[PATH_MAX], headers[PATH_MAX] = "", library[PATH_MAX], recorder[PATH_MAX],
                          objdump[PATH_MAX];
    struct wm_work_folder folder;
    WM_TRY(check_inputs(line, error));
    WM_TRY(find_clang(clang, sizeof clang, error));
    bool links = line->stop == WM_CC_STOP_NEVER, cuda = !line->host_only;
    if (cuda)
        WM_TRY(wm_resource_find(WM_RESOURCE_CUDA_HEADERS, headers, sizeof headers, error));
    if (links && cuda)
        WM_TRY(find_library(WM_RESOURCE_CUDA_LIBRARIES, "libcudart.so.13", library, sizeof library,
                            error));
    if (links && line->trace_host)
        WM_TRY(find_library(WM_RESOURCE_HOST_LIBRARIES, "libwarpmem-host-trace.so", recorder,
                            sizeof recorder, error));
    if (line->trace_host)
        WM_TRY(find_objdump(objdump, sizeof objdump, error));
    WM_TRY(wm_work_folder_make("cc", &folder, error));
    struct wm_cc_job job = {
        .line = line,
        .arena = arena,
        .clang = clang,
        .headers = headers,
        .runtime = links && cuda ? library : NULL,
        .recorder = links && line->trace_host ? recorder : NULL,
        .objdump = line->trace_host ? objdump : NULL,
        .folder = folder.path,
        .log = log,
    };
    enum wm_status status = run_steps(&job, error);
    wm_work_folder_remove(&folder);
    return status;
}

static int run(const struct wm_invocation *invocation)
{
    struct wm_arena arena;
    struct wm_cc_line line;
    struct wm_error error;
    int exit_status = WM_EXIT_OK;
    wm_error_clear(&error);
    wm_arena_init(&arena);
    enum wm_status status = wm_cc_command_line_parse(
        invocation->operands, invocation->operand_count, &arena, &line, &error);
    if (status != WM_OK) {
        wm_error_place(&error, "%s", invocation->path);
        wm_command_fail(invocation, &error);
        exit_status = status == WM_NO_MEMORY ? WM_EXIT_FAILURE : WM_EXIT_MISUSE;
    } else if (check_output(&line, &error) != WM_OK) {
        exit_status = wm_command_fail(invocation, &error);
    } else if (compile(&line, &arena, invocation->err, &error) != WM_OK) {
        // Without a message, clang or the linker has said what is wrong.
        if (error.message[0])
            wm_command_fail(invocation, &error);
        exit_status = WM_EXIT_FAILURE;
    }
    wm_arena_release(&arena);
    return exit_status;
}

static const struct wm_usage usage = {
    .synopsis = "[options] FILE...",
    .description =
        "Compiles CUDA C and C++ into a program for \"warpmem run\", with clang and warpmem's own "
        "headers: NVIDIA's toolkit is not needed.\n"
        "Files are CUDA (.cu), C or C++ (.c .cc .cpp .cxx .C), objects and libraries (.o .a .so). "
        "Every .cu file starts with <cuda_runtime.h> included. The program is linked with "
        "libcudart.so.13, so that it runs on NVIDIA's as well where there is a GPU.\n"
        "With --host-only it compiles plain C and C++: programs without kernels.\n"
        "With --trace-host \"warpmem run --host-threads\" has the program's threads on the cores "
        "of "
        "a machine. The program runs by itself, too, and where WARPMEM_HOST_TRACE names a file it "
        "writes there what its host code loads and stores: a trace for \"warpmem import\". Its "
        "threads run one at a time, in the same order each time.\n"
        "The compiler is clang, or the program that WARPMEM_CLANG names.",
    .examples = "warpmem cc app.cu -o app\n"
                "warpmem cc -O3 -DN=1024 main.cpp kernels.cu -lm -o app\n"
                "warpmem cc --ptx app.cu\n"
                "warpmem cc --host-only --trace-host main.cpp -o main && "
                "WARPMEM_HOST_TRACE=main.din.zst ./main",
    .operands_only = true,
    .words = wm_cc_command_line_words,
    .max_operands = UINT32_MAX,
};

const struct wm_command wm_command_cc = {
    .name = "cc",
    .summary = "compile a CUDA program with clang, without NVIDIA's toolkit",
    .usage = &usage,
    .run = run,
};
