#include "cli/cc/steps.h"

#include "base/files/output_file.h"
#include "cli/cc/block_counts.h"
#include "cli/cc/not_traced.h"
#include "cli/cc/ptx_container.h"
#include "cli/cc/step_command.h"
#include "cli/cc/struct_copies.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

// What a compilation makes of its source: clang's option for it, and where it goes.
static void add_output(struct wm_cc_command *command, const struct wm_cc_job *job, const char *kind,
                       const char *output, const char *source)
{
    if (job->line->stop == WM_CC_STOP_SYNTAX)
        wm_cc_command_add(command, "-fsyntax-only");
    else
        wm_cc_command_add_all(command, (const char *const[]){kind, "-o", output, NULL});
    wm_cc_command_add(command, source);
}

// What both compilations of a .cu file say. Our headers stand in for the toolkit's, whose absence
// -nocudainc and -nocudalib declare; the SDK version selects the launch interface of CUDA 9.2 and
// later (__cudaPushCallConfiguration, cudaLaunchKernel), the only one left.
static void add_cuda_mode(struct wm_cc_command *command, const struct wm_cc_job *job)
{
    static const char *const mode[] = {
        "-x",         "cuda",    "--cuda-path=/nonexistent", "-nocudainc",
        "-nocudalib", "-Xclang", "-target-sdk-version=11.5", NULL};
    wm_cc_command_add(command, job->clang);
    wm_cc_command_add_all(command, mode);
    wm_cc_command_add(command, "-isystem");
    wm_cc_command_add(command, job->headers);
    wm_cc_command_add(command, "-include");
    wm_cc_command_add(command, wm_cc_text(job->arena, "%s/cuda_runtime.h", job->headers));
    if (!job->line->names_standard)
        wm_cc_command_add(command, "-std=c++17");
    if (!job->line->names_optimization)
        wm_cc_command_add(command, "-O2");
    wm_cc_command_add_words(command, &job->line->both);
}

static void add_target_features(struct wm_cc_command *command, const struct wm_cc_job *job)
{
    // Every instruction of an architecture needs some version of PTX: 6.5 has all of sm_75 and
    // before, 7.1 what clang 14 knows beyond.
    bool is_old = strtoul(job->line->architecture + 3, NULL, 10) < 80;
    wm_cc_command_add_all(command, (const char *const[]){"-Xclang", "-target-feature", "-Xclang",
                                                         is_old ? "+ptx65" : "+ptx71", NULL});
}

// Line tables become .file and .loc, which reports point into the program with.
static void add_device_mode(struct wm_cc_command *command, const struct wm_cc_job *job)
{
    add_cuda_mode(command, job);
    wm_cc_command_add(command, "--cuda-device-only");
    wm_cc_command_add(command,
                      wm_cc_text(job->arena, "--cuda-gpu-arch=%s", job->line->architecture));
    add_target_features(command, job);
    wm_cc_command_add(command, "-gline-tables-only");
}

// The language: what the optimizer starts from.
static enum wm_status compile_device_language(const struct wm_cc_job *job, const char *source,
                                              const char *module, struct wm_error *error)
{
    struct wm_cc_command command;
    wm_cc_command_begin(&command, job);
    add_device_mode(&command, job);
    wm_cc_command_add_all(
        &command, (const char *const[]){"-Xclang", "-disable-llvm-passes", "-emit-llvm", NULL});
    add_output(&command, job, "-S", module, source);
    return wm_cc_command_run(job, &command, error);
}

// The last of the words that begin with `prefix`, without it; NULL when there is none.
static const char *last_word(const struct wm_cc_words *words, const char *prefix)
{
    const char *last = NULL;
    for (uint32_t i = 0; i < words->count; i++)
        if (strncmp(words->items[i], prefix, strlen(prefix)) == 0)
            last = words->items[i] + strlen(prefix);
    return last;
}

// Whether the back end may make one instruction of a multiplication and an addition, which is
// clang's choice for CUDA, and nvcc's.
static bool fuses(const struct wm_cc_line *line)
{
    const char *contract = last_word(&line->both, "-ffp-contract=");
    return !contract || strncmp(contract, "fast", 4) == 0;
}

// Optimizer and back end. There is no C library on the device: zeros stored to members stay stores
// and do not become a memset, which the back end would again cut into 8 bytes. A vector that was
// loaded stays one where some of its elements are used, as with nvcc.
static enum wm_status compile_module(const struct wm_cc_job *job, const char *module,
                                     const char *ptx, struct wm_error *error)
{
    static const char *const mode[] = {"-x",
                                       "ir",
                                       "--target=nvptx64-nvidia-cuda",
                                       "-Qunused-arguments",
                                       "-Xclang",
                                       "-target-cpu",
                                       "-Xclang",
                                       NULL};
    static const char *const passes[] = {"-fno-builtin-memset", "-mllvm", "-disable-vector-combine",
                                         NULL};
    struct wm_cc_command command;
    wm_cc_command_begin(&command, job);
    wm_cc_command_add(&command, job->clang);
    wm_cc_command_add_all(&command, mode);
    wm_cc_command_add(&command, job->line->architecture);
    add_target_features(&command, job);
    wm_cc_command_add_all(&command, passes);
    if (fuses(job->line))
        wm_cc_command_add_all(&command,
                              (const char *const[]){"-mllvm", "-nvptx-fma-level=1", NULL});
    if (!job->line->names_optimization)
        wm_cc_command_add(&command, "-O2");
    wm_cc_command_add_words(&command, &job->line->both);
    add_output(&command, job, "-S", ptx, module);
    return wm_cc_command_run(job, &command, error);
}

static enum wm_status read_file(const char *path, struct wm_text *contents, struct wm_error *error)
{
    FILE *file = fopen(path, "rb");
    if (!file)
        return wm_fail(error, WM_IO, "cannot read \"%s\": %s", path, strerror(errno));
    char buffer[16384];
    size_t got;
    while ((got = fread(buffer, 1, sizeof buffer, file)) > 0)
        wm_text_append(contents, buffer, got);
    bool bad = ferror(file) != 0;
    fclose(file);
    if (bad)
        return wm_fail(error, WM_IO, "cannot read \"%s\"", path);
    if (contents->failed)
        return wm_fail_no_memory(error, "reading \"%s\"", path);
    return WM_OK;
}

static enum wm_status write_file(const char *path, const struct wm_text *contents,
                                 struct wm_error *error)
{
    struct wm_output_file file;
    WM_TRY(wm_output_open(&file, path, WM_OUTPUT_ATOMIC, error));
    wm_output_write(&file, contents->data, contents->length); // what fails is found at the end
    return wm_output_close(&file, true, error);
}

// A step that is no command: what `convert` makes of one file is the other.
static enum wm_status convert_file(const struct wm_cc_job *job, const char *from, const char *to,
                                   enum wm_status (*convert)(const char *text, size_t length,
                                                             struct wm_text *output,
                                                             struct wm_error *error),
                                   struct wm_error *error)
{
    if (job->line->dry_run)
        return WM_OK;
    struct wm_text input, output;
    wm_text_init(&input);
    wm_text_init(&output);
    enum wm_status status = read_file(from, &input, error);
    if (status == WM_OK)
        status = convert(input.data ? input.data : "", input.length, &output, error);
    if (status == WM_OK)
        status = write_file(to, &output, error);
    wm_text_release(&input);
    wm_text_release(&output);
    return status;
}

// Without optimization a copy stays what clang makes of it.
static bool is_optimized(const struct wm_cc_line *line)
{
    const char *level = last_word(&line->both, "-O");
    return !level || strcmp(level, "0") != 0;
}

// Source to PTX, stepping in before clang's optimizer for the sake of struct copies
// (struct_copies.h).
static enum wm_status compile_device(const struct wm_cc_job *job, const char *source,
                                     uint32_t index, const char *ptx, struct wm_error *error)
{
    if (job->line->stop == WM_CC_STOP_SYNTAX || !is_optimized(job->line)) {
        struct wm_cc_command command;
        wm_cc_command_begin(&command, job);
        add_device_mode(&command, job);
        add_output(&command, job, "-S", ptx, source);
        return wm_cc_command_run(job, &command, error);
    }
    const char *module = wm_cc_text(job->arena, "%s/%u.ll", job->folder, index);
    const char *members = wm_cc_text(job->arena, "%s/%u.members.ll", job->folder, index);
    if (!module || !members)
        return wm_fail_no_memory(error, "compiling");
    WM_TRY(compile_device_language(job, source, module, error));
    WM_TRY(convert_file(job, module, members, wm_cc_lower_struct_copies, error));
    return compile_module(job, members, ptx, error);
}

// How host code is compiled.
enum tracing {
    NOT_TRACED,
    TRACED,
    COUNTED, // the code that is traced, without what traces it (block_counts.h)
};

// Behind the line's own words, so that they hold. Loads and stores are recorded by the coverage
// pass, atomics, copies and fills by the race detector's (src/host_trace/instrumentation.c), and
// the begin of each block by the former. Vectors would put several accesses of the source into one,
// and those of more than 16 bytes are not recorded at all.
static void add_tracing(struct wm_cc_command *command, enum tracing tracing)
{
    static const char *const words[] = {"-fsanitize=thread",
                                        "-mllvm",
                                        "-tsan-instrument-memory-accesses=0",
                                        "-mllvm",
                                        "-tsan-instrument-func-entry-exit=0",
                                        "-fno-vectorize",
                                        "-fno-slp-vectorize",
                                        NULL};
    static const char *const traced[] = {
        "-fsanitize-coverage=bb,no-prune,trace-pc-guard,trace-loads,trace-stores", NULL};
    static const char *const counted[] = {
        "-mllvm",
        "-tsan-instrument-atomics=0",
        "-mllvm",
        "-tsan-instrument-memintrinsics=0",
        "-fsanitize-coverage=bb,no-prune,inline-8bit-counters,pc-table",
        "-g0",
        "-w", // has been said
        NULL};
    if (tracing == NOT_TRACED)
        return;
    wm_cc_command_add_all(command, words);
    wm_cc_command_add_all(command, tracing == TRACED ? traced : counted);
}

// Without those that have dependencies written, once more.
static void add_words_again(struct wm_cc_command *command, const struct wm_cc_words *words)
{
    for (uint32_t i = 0; i < words->count; i++) {
        const char *word = words->items[i];
        bool named =
            strcmp(word, "-MF") == 0 || strcmp(word, "-MT") == 0 || strcmp(word, "-MQ") == 0;
        if (strncmp(word, "-M", 2) != 0)
            wm_cc_command_add(command, word);
        i += named; // its argument is the next word
    }
}

static void add_host_words(struct wm_cc_command *command, const struct wm_cc_job *job,
                           enum tracing tracing)
{
    if (tracing == COUNTED)
        add_words_again(command, &job->line->host);
    else
        wm_cc_command_add_words(command, &job->line->host);
    add_tracing(command, tracing);
}

// What is counted is assembled behind that.
static const char *kind_of_output(enum tracing tracing)
{
    return tracing == COUNTED ? "-S" : "-c";
}

static enum wm_status compile_cuda_host(const struct wm_cc_job *job, const char *source,
                                        const char *package, const char *object,
                                        enum tracing tracing, struct wm_error *error)
{
    struct wm_cc_command command;
    wm_cc_command_begin(&command, job);
    add_cuda_mode(&command, job);
    add_host_words(&command, job, tracing);
    wm_cc_command_add(&command, "--cuda-host-only");
    if (job->line->stop != WM_CC_STOP_SYNTAX)
        wm_cc_command_add_all(&command, (const char *const[]){"-Xclang", "-fcuda-include-gpubinary",
                                                              "-Xclang", package, NULL});
    add_output(&command, job, kind_of_output(tracing), object, source);
    return wm_cc_command_run(job, &command, error);
}

static enum wm_status compile_host(const struct wm_cc_job *job, const char *source,
                                   const char *object, enum tracing tracing, struct wm_error *error)
{
    struct wm_cc_command command;
    wm_cc_command_begin(&command, job);
    wm_cc_command_add(&command, job->clang);
    if (!job->line->host_only)
        wm_cc_command_add_all(&command, (const char *const[]){"-isystem", job->headers, NULL});
    if (!job->line->names_optimization)
        wm_cc_command_add(&command, "-O2");
    wm_cc_command_add_words(&command, &job->line->both);
    add_host_words(&command, job, tracing);
    add_output(&command, job, kind_of_output(tracing), object, source);
    return wm_cc_command_run(job, &command, error);
}

static enum wm_status compile_host_side(const struct wm_cc_job *job, uint32_t index,
                                        const char *package, const char *object,
                                        enum tracing tracing, struct wm_error *error)
{
    const struct wm_cc_input *input = &job->line->inputs[index];
    return input->kind == WM_CC_HOST
               ? compile_host(job, input->text, object, tracing, error)
               : compile_cuda_host(job, input->text, package, object, tracing, error);
}

// The numbers of machine instructions of the blocks go into the object.
static enum wm_status count_blocks(const struct wm_cc_job *job, const char *counted,
                                   const char *listing, const char *object, struct wm_error *error)
{
    static const char *const words[] = {"-d", "-r", "--no-show-raw-insn", NULL};
    struct wm_cc_command command;
    struct wm_text text;
    wm_cc_command_begin(&command, job);
    wm_cc_command_add(&command, job->objdump);
    wm_cc_command_add_all(&command, words);
    wm_cc_command_add(&command, counted);
    WM_TRY(wm_cc_command_run_into(job, &command, listing, error));
    if (job->line->dry_run)
        return WM_OK;
    wm_text_init(&text);
    enum wm_status status = read_file(listing, &text, error);
    if (status == WM_OK)
        status = wm_cc_count_blocks(object, counted, text.data != NULL ? text.data : "", error);
    wm_text_release(&text);
    return status;
}

// And says what of the source's code is not followed.
static enum wm_status assemble(const struct wm_cc_job *job, const char *source,
                               const char *assembly, const char *object, struct wm_error *error)
{
    struct wm_cc_command command;
    struct wm_text contents;
    wm_cc_command_begin(&command, job);
    wm_cc_command_add(&command, job->clang);
    add_output(&command, job, "-c", object, assembly);
    WM_TRY(wm_cc_command_run(job, &command, error));
    if (job->line->dry_run)
        return WM_OK;
    wm_text_init(&contents);
    enum wm_status status = read_file(assembly, &contents, error);
    uint32_t pieces = contents.data != NULL ? wm_cc_inline_assembly(contents.data) : 0;
    if (status == WM_OK && pieces != 0)
        fprintf(job->log,
                "note: %s: inline assembly in %u place%s: what it accesses is not followed\n",
                source, pieces, pieces == 1 ? "" : "s");
    wm_text_release(&contents);
    return status;
}

static enum wm_status compile_any_host(const struct wm_cc_job *job, uint32_t index,
                                       const char *package, const char *object,
                                       struct wm_error *error)
{
    const struct wm_cc_line *line = job->line;
    enum tracing tracing = line->trace_host ? TRACED : NOT_TRACED;
    WM_TRY(compile_host_side(job, index, package, object, tracing, error));
    if (tracing == NOT_TRACED || line->stop == WM_CC_STOP_SYNTAX)
        return WM_OK;
    const char *assembly = wm_cc_text(job->arena, "%s/%u.counted.s", job->folder, index);
    const char *counted = wm_cc_text(job->arena, "%s/%u.counted.o", job->folder, index);
    const char *listing = wm_cc_text(job->arena, "%s/%u.counted.txt", job->folder, index);
    if (!assembly || !counted || !listing)
        return wm_fail_no_memory(error, "compiling");
    WM_TRY(compile_host_side(job, index, package, assembly, COUNTED, error));
    WM_TRY(assemble(job, line->inputs[index].text, assembly, counted, error));
    return count_blocks(job, counted, listing, object, error);
}

// Compiles input `index` to `object` (or only to PTX, when the line says so).
static enum wm_status compile(const struct wm_cc_job *job, uint32_t index, const char *object,
                              struct wm_error *error)
{
    const struct wm_cc_line *line = job->line;
    const struct wm_cc_input *input = &line->inputs[index];
    if (input->kind == WM_CC_HOST)
        return compile_any_host(job, index, NULL, object, error);
    const char *stem = wm_cc_stem(job->arena, input->text);
    const char *ptx;
    if (line->stop == WM_CC_STOP_PTX && line->output)
        ptx = line->output;
    else if (line->stop == WM_CC_STOP_PTX || line->keep)
        ptx = wm_cc_text(job->arena, "%s.ptx", stem);
    else
        ptx = wm_cc_text(job->arena, "%s/%u.ptx", job->folder, index);
    const char *package = wm_cc_text(job->arena, "%s/%u.fatbin", job->folder, index);
    if (!stem || !ptx || !package)
        return wm_fail_no_memory(error, "compiling");
    WM_TRY(compile_device(job, input->text, index, ptx, error));
    if (line->stop == WM_CC_STOP_PTX)
        return WM_OK;
    if (line->stop != WM_CC_STOP_SYNTAX)
        WM_TRY(convert_file(job, ptx, package, wm_cc_fatbinary, error));
    return compile_any_host(job, index, package, object, error);
}

// A traced program runs by itself too, so it says where its libraries are; it needs the CUDA
// runtime only where it is one of CUDA. Copies and fills of its own objects, and the calls of
// its blocks, are led to the recorder.
static void add_recorder(struct wm_cc_command *command, const struct wm_cc_job *job)
{
    static const char *const words[] = {
        "-Wl,--wrap=memcpy,--wrap=memmove,--wrap=memset",
        "-Wl,--wrap=__memcpy_chk,--wrap=__memmove_chk,--wrap=__memset_chk",
        "-Wl,--wrap=__sanitizer_cov_trace_pc_guard,--wrap=__sanitizer_cov_trace_pc_guard_init",
        NULL};
    const char *const libraries[] = {job->recorder, job->runtime};
    wm_cc_command_add_all(command, words);
    for (size_t i = 0; i < (job->runtime != NULL ? 2 : 1); i++) {
        int folder = (int)(strrchr(libraries[i], '/') - libraries[i]);
        wm_cc_command_add_all(command,
                              (const char *const[]){"-Xlinker", "-rpath", "-Xlinker", NULL});
        wm_cc_command_add(command, wm_cc_text(job->arena, "%.*s", folder, libraries[i]));
    }
    wm_cc_command_add(command, job->recorder);
    if (job->runtime == NULL)
        return;
    wm_cc_command_add_all(command, (const char *const[]){"-Wl,--push-state,--as-needed",
                                                         job->runtime, "-Wl,--pop-state", NULL});
}

static void say_not_traced(const struct wm_cc_job *job)
{
    for (uint32_t i = 0; i < job->line->input_count && !job->line->dry_run; i++) {
        const struct wm_cc_input *input = &job->line->inputs[i];
        uint32_t functions =
            input->kind == WM_CC_OBJECT ? wm_cc_functions_not_traced(input->text) : 0;
        if (functions != 0)
            fprintf(job->log,
                    "note: %s is not instrumented: what its %u function%s access%s is not "
                    "followed\n",
                    input->text, functions, functions == 1 ? "" : "s", functions == 1 ? "es" : "");
    }
}

static enum wm_status link_program(const struct wm_cc_job *job, const char *const *objects,
                                   struct wm_error *error)
{
    const struct wm_cc_line *line = job->line;
    struct wm_cc_command command;
    wm_cc_command_begin(&command, job);
    wm_cc_command_add(&command, job->clang);
    wm_cc_command_add_all(&command,
                          (const char *const[]){"--driver-mode=g++", "-o",
                                                line->output ? line->output : "a.out", NULL});
    for (uint32_t i = 0; i < line->input_count; i++)
        wm_cc_command_add(&command, objects[i]);
    // No run path: the loader finds the runtime of the environment that starts the program,
    // `warpmem run` or a machine with a GPU.
    if (line->trace_host)
        say_not_traced(job);
    if (line->trace_host)
        add_recorder(&command, job);
    else if (job->runtime != NULL)
        wm_cc_command_add(&command, job->runtime);
    return wm_cc_command_run(job, &command, error);
}

enum wm_status wm_cc_steps_run(const struct wm_cc_job *job, struct wm_error *error)
{
    const struct wm_cc_line *line = job->line;
    const char **objects = WM_ARENA_ARRAY(job->arena, const char *, line->input_count + 1);
    if (!objects)
        return wm_fail_no_memory(error, "compiling");
    for (uint32_t i = 0; i < line->input_count; i++) {
        const struct wm_cc_input *input = &line->inputs[i];
        objects[i] = input->text;
        if (input->kind != WM_CC_CUDA && input->kind != WM_CC_HOST)
            continue;
        if (input->kind == WM_CC_HOST && line->stop == WM_CC_STOP_PTX)
            continue;
        if (line->stop == WM_CC_STOP_NEVER)
            objects[i] = wm_cc_text(job->arena, "%s/%u.o", job->folder, i);
        else if (line->output)
            objects[i] = line->output;
        else
            objects[i] = wm_cc_text(job->arena, "%s.o", wm_cc_stem(job->arena, input->text));
        if (!objects[i])
            return wm_fail_no_memory(error, "compiling");
        WM_TRY(compile(job, i, objects[i], error));
    }
    if (line->stop != WM_CC_STOP_NEVER)
        return WM_OK;
    return link_program(job, objects, error);
}
