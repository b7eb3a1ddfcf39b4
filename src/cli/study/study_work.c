#include "cli/study/study_work.h"

#include "cli/process/worker_pool.h"
#include "study/file/file_text.h"
#include "study/run_report/report_file.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    LARGEST_RESULTS = 1 << 30,
    LARGEST_LOG = 1 << 20,
    MOST_WORDS = 500,
};

// How far a workload is.
enum stage { STAGE_COMPILE, STAGE_RECORD, STAGE_READY, STAGE_FAILED };

struct workload {
    enum stage stage;
    bool busy, needed;
    char program[PATH_MAX], recording[PATH_MAX];
    double seconds; // of its replays so far
    uint32_t replays, left;
};

struct runner {
    const struct wm_study_work *work;
    struct wm_study *study;
    struct wm_error *error;
    struct workload *workloads;
    uint8_t *states; // WM_POINT_…, or STARTED
    struct wm_worker_pool pool;
    struct wm_study_work_counts *done;
    char base[PATH_MAX]; // the machine recorded on
    char plugins[WM_STUDY_MOST_PLUGINS][PATH_MAX];
    uint64_t begin_ns, shown_ns;
    bool terminal;
};

enum { STARTED = 16 }; // a point's state while its replay runs

// A task's number: a workload's preparation, or a point.
static uint32_t point_task(const struct runner *runner, uint32_t workload, uint32_t machine)
{
    return runner->study->workload_count + workload * runner->study->machine_count + machine;
}

// What is next when the workload's program is there.
static enum stage stage_of_program(const struct runner *runner)
{
    return runner->study->host_threads ? STAGE_READY : STAGE_RECORD;
}

// The point is selected and not begun.
static bool is_to_do(const struct runner *runner, uint32_t workload, uint32_t machine)
{
    uint32_t place = workload * runner->study->machine_count + machine;
    return runner->work->selected[place] && runner->states[place] == WM_POINT_ABSENT;
}

// "FOLDER/NAME"; what is being made is named after this process, and cleared away by the next run.
static enum wm_status name_file(const struct runner *runner, char path[PATH_MAX], const char *kind,
                                const char *name, const char *ending)
{
    int length = snprintf(path, PATH_MAX, "%s/%s%s%s", runner->work->folder, kind, name, ending);
    return length > 0 && length < PATH_MAX
               ? WM_OK
               : wm_fail(runner->error, WM_INVALID, "the path of the database is too long");
}

static enum wm_status name_part(const struct runner *runner, char path[PATH_MAX], uint32_t task,
                                const char *ending)
{
    char name[64];
    snprintf(name, sizeof name, "%ld.%u", (long)getpid(), task);
    return name_file(runner, path, "part.", name, ending);
}

static enum wm_status machine_file(const struct runner *runner, const char *hash,
                                   const char *description, char path[PATH_MAX])
{
    WM_TRY(name_file(runner, path, "machine-", hash, ".yaml"));
    if (access(path, R_OK) == 0)
        return WM_OK;
    struct wm_text text;
    wm_text_init(&text);
    wm_text_add(&text, description);
    enum wm_status status = text.failed
                                ? wm_fail_no_memory(runner->error, "the description of a machine")
                                : wm_report_file_write(path, &text, runner->error);
    wm_text_release(&text);
    return status;
}

// A copy of each plug-in, named by its hash: one that is built anew meanwhile is not another's
// results.
static enum wm_status copy_plugin(struct runner *runner, uint32_t index)
{
    const struct wm_study_plugin *plugin = &runner->study->plugins[index];
    char hash[WM_STUDY_HASH_BYTES], *path = runner->plugins[index];
    WM_TRY(name_file(runner, path, "plugin-", plugin->hash, ".so"));
    if (access(path, R_OK) == 0)
        return WM_OK;
    struct wm_text text;
    wm_text_init(&text);
    enum wm_status status =
        wm_study_file_text(plugin->path, WM_STUDY_LARGEST_PLUGIN, &text, runner->error);
    if (status == WM_OK) {
        wm_study_hash(text.data ? text.data : "", text.length, hash);
        if (strcmp(hash, plugin->hash) != 0) {
            wm_fail(runner->error, WM_INVALID, "plug-in %s has changed since it was loaded",
                    plugin->name);
            status = wm_error_hint(runner->error, "run the study again");
        }
    }
    if (status == WM_OK)
        status = wm_report_file_write(path, &text, runner->error);
    wm_text_release(&text);
    return status;
}

// The options that name them; returns the number of words.
static uint32_t add_plugins(const struct runner *runner, uint32_t used, const char **words)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < runner->study->plugin_count; i++)
        if (used >> i & 1) {
            words[count++] = "--plugin";
            words[count++] = runner->plugins[i];
        }
    return count;
}

// ---- Starting -----------------------------------------------------------------------------------

static enum wm_status start(struct runner *runner, uint32_t task, const char *const *words,
                            const char *folder)
{
    char log[PATH_MAX];
    WM_TRY(name_part(runner, log, task, ".log"));
    const struct wm_worker_start program = {runner->work->executable, words, folder, log};
    return wm_worker_start(&runner->pool, task, &program, runner->error);
}

static enum wm_status start_compile(struct runner *runner, uint32_t index)
{
    const struct wm_study_workload *workload = &runner->study->workloads[index];
    char output[PATH_MAX];
    const char *words[MOST_WORDS];
    uint32_t count = 0;
    WM_TRY(name_part(runner, output, index, ".program"));
    words[count++] = "warpmem";
    words[count++] = "cc";
    if (runner->study->host_threads)
        words[count++] = "--trace-host";
    for (uint32_t i = 0; i < workload->options.count && count < MOST_WORDS - 5; i++)
        words[count++] = workload->options.items[i];
    words[count++] = workload->source;
    words[count++] = "-o";
    words[count++] = output;
    words[count] = NULL;
    return start(runner, index, words, NULL);
}

static size_t add_limits(const struct runner *runner, const char **words)
{
    const struct wm_limit_values *limits = &runner->work->limits;
    size_t count = 0;
    if (limits->instructions) {
        words[count++] = "--limit-instructions";
        words[count++] = limits->instructions;
    }
    if (limits->time) {
        words[count++] = "--limit-time";
        words[count++] = limits->time;
    }
    return count;
}

// The program and its arguments, which end the words. It runs in the study file's folder: arguments
// may name files there.
static void add_program(const struct runner *runner, uint32_t index, size_t count,
                        const char *words[MOST_WORDS])
{
    const struct wm_study_workload *workload = &runner->study->workloads[index];
    words[count++] = "--";
    words[count++] = runner->workloads[index].program;
    for (uint32_t i = 0; i < workload->arguments.count && count < MOST_WORDS - 1; i++)
        words[count++] = workload->arguments.items[i];
    words[count] = NULL;
}

static enum wm_status start_record(struct runner *runner, uint32_t index)
{
    char output[PATH_MAX];
    const char *words[MOST_WORDS];
    size_t count = 0;
    WM_TRY(name_part(runner, output, index, ".wmt"));
    words[count++] = "warpmem";
    words[count++] = "record";
    words[count++] = "-q";
    if (runner->study->any_order)
        words[count++] = "--any-order";
    count += add_plugins(runner, runner->study->recorded_plugins, words + count);
    count += add_limits(runner, words + count);
    words[count++] = "-m";
    words[count++] = runner->base;
    words[count++] = "-o";
    words[count++] = output;
    add_program(runner, index, count, words);
    return start(runner, index, words, runner->study->folder);
}

// A point: a replay of the workload's recording, or a run of its program (host_threads).
static enum wm_status start_point(struct runner *runner, uint32_t workload, uint32_t machine)
{
    const struct wm_study *study = runner->study;
    const struct wm_study_machine *on = &study->machines[machine];
    uint32_t task = point_task(runner, workload, machine);
    char output[PATH_MAX], description[PATH_MAX];
    WM_TRY(name_part(runner, output, task, ".json"));
    WM_TRY(machine_file(runner, on->hash, on->description, description));
    const char *words[MOST_WORDS] = {
        "warpmem", study->host_threads ? "run" : "replay", "-q", "-m", description, "--json",
        output};
    size_t count = 7;
    count += add_plugins(runner, on->plugins, words + count);
    if (study->explain)
        words[count++] = "--explain";
    if (study->profiled)
        words[count++] = "--profiled";
    if (study->host_threads) {
        words[count++] = "--host-threads";
        words[count++] = "--fail-on-error";
        words[count++] = study->clock ? "--engine=clock" : "--engine=walk";
        count += add_limits(runner, words + count);
        add_program(runner, workload, count, words);
    } else {
        words[count++] = "-j";
        words[count++] = "1";
        words[count++] = "-e";
        words[count++] = study->clock ? "clock" : "walk";
        words[count++] = runner->workloads[workload].recording;
        words[count] = NULL;
    }
    runner->states[task - study->workload_count] = STARTED;
    return start(runner, task, words, study->host_threads ? study->folder : NULL);
}

// Starts the next thing that can be done; false when there is none at the moment.
static enum wm_status start_next(struct runner *runner, bool *started)
{
    const struct wm_study *study = runner->study;
    *started = true;
    for (uint32_t w = 0; w < study->workload_count; w++) {
        struct workload *workload = &runner->workloads[w];
        if (!workload->needed || workload->busy || workload->stage >= STAGE_READY)
            continue;
        workload->busy = true;
        return workload->stage == STAGE_COMPILE ? start_compile(runner, w)
                                                : start_record(runner, w);
    }
    for (uint32_t w = 0; w < study->workload_count; w++)
        for (uint32_t m = 0; m < study->machine_count; m++)
            if (runner->workloads[w].stage == STAGE_READY && is_to_do(runner, w, m))
                return start_point(runner, w, m);
    *started = false;
    return WM_OK;
}

// ---- Ending -------------------------------------------------------------------------------------

// What a program that failed has said, its last words when there are many.
static void last_words(struct runner *runner, const struct wm_worker_end *end, const char *what,
                       struct wm_text *text)
{
    enum { MOST = 600 };
    char log[PATH_MAX];
    struct wm_text said;
    wm_text_init(&said);
    wm_text_format(text, "%s", what);
    if (end->signal)
        wm_text_format(text, " was ended by signal %d (%s)", end->signal, strsignal(end->signal));
    else if (end->status)
        wm_text_format(text, " ended with status %d", end->status);
    else
        wm_text_add(text, " made nothing");
    if (name_part(runner, log, end->task, ".log") == WM_OK)
        wm_study_file_text(log, LARGEST_LOG, &said, NULL);
    while (said.length > 0 && strchr(" \n", said.data[said.length - 1]))
        said.data[--said.length] = '\0';
    size_t from = said.length > MOST ? said.length - MOST : 0;
    while (from > 0 && from < said.length && said.data[from - 1] != '\n')
        from++;
    if (said.length > from)
        wm_text_format(text, ": %s", said.data + from);
    wm_text_release(&said);
}

static enum wm_status put_failure(struct runner *runner, uint32_t workload, uint32_t machine,
                                  double seconds, const char *failure)
{
    const struct wm_point point = {workload, machine, seconds, NULL, failure};
    runner->states[workload * runner->study->machine_count + machine] = WM_POINT_FAILED;
    runner->workloads[workload].left--;
    runner->done->failed++;
    return wm_database_put_point(runner->work->database, runner->study, &point, runner->error);
}

// Without its recording, none of a workload's points can be.
static enum wm_status fail_workload(struct runner *runner, uint32_t index, const char *failure)
{
    runner->workloads[index].stage = STAGE_FAILED;
    for (uint32_t m = 0; m < runner->study->machine_count; m++)
        if (is_to_do(runner, index, m))
            WM_TRY(put_failure(runner, index, m, 0, failure));
    return WM_OK;
}

static enum wm_status end_preparation(struct runner *runner, const struct wm_worker_end *end)
{
    struct workload *workload = &runner->workloads[end->task];
    bool compiled = workload->stage == STAGE_COMPILE;
    char output[PATH_MAX];
    workload->busy = false;
    WM_TRY(name_part(runner, output, end->task, compiled ? ".program" : ".wmt"));
    // A program without a launch ends well, and leaves no recording.
    if (end->signal || end->status != 0 || access(output, R_OK) != 0) {
        struct wm_text text;
        wm_text_init(&text);
        last_words(runner, end, compiled ? "compiling it" : "recording it", &text);
        enum wm_status status = fail_workload(
            runner, end->task, text.failed ? WM_NO_MEMORY_FOR "its output" : text.data);
        wm_text_release(&text);
        unlink(output);
        return status;
    }
    const char *final = compiled ? workload->program : workload->recording;
    if (rename(output, final) != 0)
        return wm_fail(runner->error, WM_IO, "cannot write \"%s\": %s", final, strerror(errno));
    workload->stage = compiled ? stage_of_program(runner) : STAGE_READY;
    return WM_OK;
}

static enum wm_status end_point(struct runner *runner, const struct wm_worker_end *end)
{
    uint32_t place = end->task - runner->study->workload_count;
    uint32_t index = place / runner->study->machine_count;
    uint32_t machine = place % runner->study->machine_count;
    struct workload *workload = &runner->workloads[index];
    char output[PATH_MAX];
    struct wm_text text;
    wm_text_init(&text);
    WM_TRY(name_part(runner, output, end->task, ".json"));
    enum wm_status status = WM_OK;
    bool good = !end->signal && end->status == 0 && access(output, R_OK) == 0;
    if (good)
        status = wm_study_file_text(output, LARGEST_RESULTS, &text, runner->error);
    else
        last_words(runner, end, runner->study->host_threads ? "the run" : "the replay", &text);
    if (status == WM_OK && text.failed)
        status = wm_fail_no_memory(runner->error, "a point's results");
    if (status == WM_OK && good) {
        const struct wm_point point = {index, machine, end->seconds, text.data, NULL};
        runner->states[place] = WM_POINT_DONE;
        runner->done->done++;
        workload->left--;
        workload->seconds += end->seconds;
        workload->replays++;
        status =
            wm_database_put_point(runner->work->database, runner->study, &point, runner->error);
    } else if (status == WM_OK) {
        status = put_failure(runner, index, machine, end->seconds, text.data);
    }
    wm_text_release(&text);
    unlink(output);
    return status;
}

static enum wm_status take_end(struct runner *runner, const struct wm_worker_end *end)
{
    char log[PATH_MAX];
    enum wm_status status = end->task < runner->study->workload_count ? end_preparation(runner, end)
                                                                      : end_point(runner, end);
    if (name_part(runner, log, end->task, ".log") == WM_OK)
        unlink(log);
    return status;
}

// ---- Progress -----------------------------------------------------------------------------------

// Seconds left: each workload's replays take as long as they did, or as the others' did.
static double estimate(const struct runner *runner)
{
    double seconds = 0, known = 0, left = 0;
    uint32_t replays = 0;
    for (uint32_t w = 0; w < runner->study->workload_count; w++) {
        known += runner->workloads[w].seconds;
        replays += runner->workloads[w].replays;
    }
    for (uint32_t w = 0; w < runner->study->workload_count; w++) {
        const struct workload *workload = &runner->workloads[w];
        seconds = workload->replays ? workload->seconds / workload->replays
                  : replays         ? known / replays
                                    : 0;
        left += seconds * workload->left;
    }
    return left / runner->pool.limit;
}

static void show_progress(struct runner *runner)
{
    uint64_t now = wm_worker_now_ns();
    if (!runner->terminal || now - runner->shown_ns < UINT64_C(200000000))
        return;
    runner->shown_ns = now;
    const struct wm_study_work_counts *done = runner->done;
    uint32_t preparing = 0;
    for (uint32_t w = 0; w < runner->study->workload_count; w++)
        preparing += runner->workloads[w].needed && runner->workloads[w].stage < STAGE_READY;
    fprintf(stderr, "\r\033[K%u of %u points after %.0f s",
            done->already_done + done->done + done->failed, done->requested,
            (double)(now - runner->begin_ns) * 1e-9);
    if (done->failed)
        fprintf(stderr, ", %u failed", done->failed);
    if (done->done)
        fprintf(stderr, ", about %.0f s left", estimate(runner));
    if (preparing)
        fprintf(stderr, ", %u workload%s to %s", preparing, preparing == 1 ? "" : "s",
                runner->study->host_threads ? "compile" : "record");
    fflush(stderr);
}

// ---- All of it ----------------------------------------------------------------------------------

static enum wm_status plan_workload(struct runner *runner, uint32_t index)
{
    const struct wm_study_workload *of = &runner->study->workloads[index];
    struct workload *workload = &runner->workloads[index];
    char name[WM_STUDY_HASH_BYTES + 64];
    if (of->arguments.count + of->options.count > MOST_WORDS - 20 - 2 * WM_STUDY_MOST_PLUGINS)
        return wm_fail(runner->error, WM_LIMIT, "workload %s has too many arguments", of->label);
    snprintf(name, sizeof name, "%s-%s", of->hash, runner->work->build);
    WM_TRY(name_file(runner, workload->program, "program-", name, ""));
    WM_TRY(name_file(runner, workload->recording, "recording-", name, ".wmt"));
    if (of->command && !realpath(of->command, workload->program))
        return wm_fail(runner->error, WM_IO, "cannot find \"%s\": %s", of->command,
                       strerror(errno));
    for (uint32_t m = 0; m < runner->study->machine_count; m++) {
        uint32_t place = index * runner->study->machine_count + m;
        runner->done->requested += runner->work->selected[place];
        runner->done->already_done +=
            runner->work->selected[place] && runner->states[place] != WM_POINT_ABSENT;
        workload->left += is_to_do(runner, index, m);
    }
    workload->needed = workload->left > 0;
    workload->stage = access(workload->recording, R_OK) == 0 ? STAGE_READY
                      : of->command || access(workload->program, X_OK) == 0
                          ? stage_of_program(runner)
                          : STAGE_COMPILE;
    return WM_OK;
}

static enum wm_status plan(struct runner *runner)
{
    const struct wm_study *study = runner->study;
    char hash[WM_STUDY_HASH_BYTES];
    WM_TRY(wm_database_states(runner->work->database, study, runner->states, runner->error));
    for (uint32_t w = 0; w < study->workload_count; w++)
        WM_TRY(plan_workload(runner, w));
    for (uint32_t i = 0; i < study->plugin_count; i++)
        WM_TRY(copy_plugin(runner, i));
    wm_study_hash(study->recorded_on, strlen(study->recorded_on), hash);
    return machine_file(runner, hash, study->recorded_on, runner->base);
}

static enum wm_status run_all(struct runner *runner)
{
    for (;;) {
        bool started = true;
        while (started && runner->pool.busy < runner->pool.limit)
            WM_TRY(start_next(runner, &started));
        if (runner->pool.busy == 0)
            return WM_OK;
        struct wm_worker_end end;
        if (wm_worker_wait(&runner->pool, 250, &end))
            WM_TRY(take_end(runner, &end));
        show_progress(runner);
    }
}

enum wm_status wm_study_work(const struct wm_study_work *work, struct wm_study_work_counts *done,
                             struct wm_error *error)
{
    struct wm_study *study = work->study;
    struct runner *runner = calloc(1, sizeof *runner);
    *done = (struct wm_study_work_counts){0};
    if (!runner)
        return wm_fail_no_memory(error, "the study");
    runner->work = work;
    runner->study = study;
    runner->error = error;
    runner->done = done;
    runner->terminal = isatty(STDERR_FILENO) == 1;
    runner->begin_ns = wm_worker_now_ns();
    runner->workloads = calloc(study->workload_count, sizeof *runner->workloads);
    runner->states = calloc(study->workload_count, study->machine_count);
    wm_worker_pool_init(&runner->pool, work->threads);
    enum wm_status status = wm_fail_no_memory(error, "the study");
    if (runner->workloads && runner->states) {
        wm_error_clear(error);
        status = plan(runner);
        if (status == WM_OK)
            status = run_all(runner);
    }
    if (runner->terminal)
        fputs("\r\033[K", stderr);
    wm_worker_pool_release(&runner->pool);
    free(runner->workloads);
    free(runner->states);
    free(runner);
    return status;
}
