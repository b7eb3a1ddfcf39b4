// warpmem study run: records each workload once, replays every point, and checks the claims.
#include "cli/commands.h"
#include "cli/options/limit_option.h"
#include "cli/process/resources.h"
#include "cli/study/selection.h"
#include "cli/study/study_commands.h"
#include "cli/study/study_work.h"
#include "study/file/file_text.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LARGEST_BINARY = 1 << 30 };

struct run_values {
    struct wm_study_values common;
    const char *jobs, *workloads, *figures;
    struct wm_limit_values limits;
    bool keep, quiet;
};

// What a run has besides the study: where it works, and what it is.
struct run {
    const struct wm_invocation *invocation;
    const struct run_values *values;
    struct wm_study_session session;
    struct wm_error error;
    uint32_t threads;
    uint8_t *selected; // by point
    char executable[PATH_MAX], folder[PATH_MAX];
    char version[64], recorder[WM_STUDY_HASH_BYTES];
    int lock;
};

static enum wm_status read_jobs(struct run *run)
{
    enum { MOST = 256 };
    const char *text = run->values->jobs;
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    run->threads = processors > 0 && processors <= MOST ? (uint32_t)processors : 1;
    if (!text)
        return WM_OK;
    char *end;
    errno = 0;
    unsigned long number = strtoul(text, &end, 10);
    if (errno == 0 && *end == '\0' && end != text && text[0] != '-' && number > 0 &&
        number <= MOST) {
        run->threads = (uint32_t)number;
        return WM_OK;
    }
    wm_fail(&run->error, WM_INVALID, "\"%.32s\" is no number of jobs", text);
    wm_error_place(&run->error, "--jobs");
    return wm_error_hint(&run->error, "give a number from 1 to %d", (int)MOST);
}

static enum wm_status hash_file(const char *path, char hash[WM_STUDY_HASH_BYTES],
                                struct wm_error *error)
{
    struct wm_text text;
    wm_text_init(&text);
    enum wm_status status = wm_study_file_text(path, LARGEST_BINARY, &text, error);
    if (status == WM_OK)
        wm_study_hash(text.data, text.length, hash);
    wm_text_release(&text);
    return status;
}

// Results of one build do not count for another while warpmem is being worked on: the version has
// a mark of the executable's bytes, recordings one of the runtime's that makes them.
static enum wm_status find_build(struct run *run)
{
    char libraries[PATH_MAX], runtime[PATH_MAX + 32], hash[WM_STUDY_HASH_BYTES];
    ssize_t length = readlink("/proc/self/exe", run->executable, sizeof run->executable - 1);
    if (length <= 0)
        return wm_fail(&run->error, WM_IO, "cannot find this program: %s", strerror(errno));
    run->executable[length] = '\0';
    WM_TRY(hash_file(run->executable, hash, &run->error));
    snprintf(run->version, sizeof run->version, "%s build %.8s", WARPMEM_VERSION, hash);
    WM_TRY(wm_resource_find(WM_RESOURCE_CUDA_LIBRARIES, libraries, sizeof libraries, &run->error));
    snprintf(runtime, sizeof runtime, "%s/libcudart.so.13", libraries);
    return hash_file(runtime, run->recorder, &run->error);
}

// Clears away what an earlier run was making when it was ended.
static void clear_parts(const char *folder)
{
    DIR *stream = opendir(folder);
    struct dirent *entry;
    while (stream && (entry = readdir(stream)))
        if (strncmp(entry->d_name, "part.", 5) == 0)
            unlinkat(dirfd(stream), entry->d_name, 0);
    if (stream)
        closedir(stream);
}

// FILE.files in the database's folder, for this run alone.
static enum wm_status take_folder(struct run *run)
{
    char path[PATH_MAX];
    int length = snprintf(path, sizeof path, "%s.files", run->session.database_path);
    if (length < 0 || (size_t)length >= sizeof path)
        return wm_fail(&run->error, WM_INVALID, "the path of the database is too long");
    if ((mkdir(path, 0777) != 0 && errno != EEXIST) || !realpath(path, run->folder))
        return wm_fail(&run->error, WM_IO, "cannot make the folder \"%s\": %s", path,
                       strerror(errno));
    run->lock = open(run->folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (run->lock < 0 || flock(run->lock, LOCK_EX | LOCK_NB) != 0) {
        wm_fail(&run->error, WM_INVALID, "another run is at work on this database");
        wm_error_place(&run->error, "%s", run->session.database_path);
        return wm_error_hint(&run->error, "wait for it, or name another with --database");
    }
    clear_parts(run->folder);
    return WM_OK;
}

static enum wm_status prepare(struct run *run)
{
    struct wm_study_session *session = &run->session;
    const char *other = NULL;
    struct wm_limits limits;
    WM_TRY(wm_study_session_read(session, run->invocation->operands[0], &run->values->common,
                                 &run->error));
    WM_TRY(wm_limit_options_read(&run->values->limits, &limits, &run->error));
    WM_TRY(read_jobs(run));
    WM_TRY(wm_study_select(&session->study, run->values->workloads, run->values->figures,
                           &run->selected, &run->error));
    WM_TRY(find_build(run));
    WM_TRY(wm_database_open(&session->database, session->database_path, WM_DATABASE_CREATE,
                            &run->error));
    WM_TRY(take_folder(run));
    const struct wm_database_version version = {run->version, run->values->keep};
    WM_TRY(
        wm_database_sync_study(&session->database, &session->study, &version, &other, &run->error));
    WM_TRY(wm_database_retry(&session->database, &run->error));
    if (other && !run->values->quiet)
        fprintf(run->invocation->err, "warpmem: results of %s are %s\n", other,
                run->values->keep ? "kept as this build's"
                                  : "made again by this build (--keep keeps them)");
    return WM_OK;
}

// Failures of a workload that have one reason are said once.
struct failures {
    const struct run *run;
    uint32_t workload, machine, count; // of the first machine, and how many more
    char reason[1024];
};

static void print_failures(const struct failures *failures)
{
    const struct wm_study *study = &failures->run->session.study;
    FILE *err = failures->run->invocation->err;
    if (failures->count == 0)
        return;
    fprintf(err, "failed: %s on \"%s\"", study->workloads[failures->workload].label,
            study->machines[failures->machine].label);
    if (failures->count > 1)
        fprintf(err, " and %u more", failures->count - 1);
    fprintf(err, ": %s\n", failures->reason);
}

static void take_failure(void *context, uint32_t workload, uint32_t machine, const char *failure)
{
    struct failures *failures = context;
    char reason[sizeof failures->reason];
    snprintf(reason, sizeof reason, "%s", failure);
    if (failures->count > 0 && failures->workload == workload &&
        strcmp(failures->reason, reason) == 0) {
        failures->count++;
        return;
    }
    print_failures(failures);
    failures->workload = workload;
    failures->machine = machine;
    failures->count = 1;
    memcpy(failures->reason, reason, sizeof reason);
}

static enum wm_status list_failures(struct run *run)
{
    struct failures failures = {.run = run};
    WM_TRY(wm_database_failures(&run->session.database, &run->session.study, take_failure,
                                &failures, &run->error));
    print_failures(&failures);
    return WM_OK;
}

static enum wm_status work(struct run *run, struct wm_study_work_counts *done)
{
    struct wm_study_session *session = &run->session;
    FILE *out = run->invocation->out;
    uint32_t claims[3] = {0};
    const struct wm_study_work points = {&session->study, &session->database, run->executable,
                                         run->folder,     run->recorder,      run->threads,
                                         run->selected,   run->values->limits};
    WM_TRY(wm_study_work(&points, done, &run->error));
    WM_TRY(list_failures(run));
    struct wm_claim_result *results;
    WM_TRY(wm_study_session_claims(session, &results, claims, &run->error));
    free(results);
    if (run->values->quiet)
        return WM_OK;
    fprintf(out, "study %s: %u points, %u %s, %u were there", session->study.name, done->requested,
            done->done, session->study.host_threads ? "run" : "replayed", done->already_done);
    if (done->failed)
        fprintf(out, ", %u failed", done->failed);
    fprintf(out, "\n");
    if (session->study.claim_count)
        fprintf(out, "claims: %u hold, %u do not, %u undecided\n", claims[WM_CLAIM_HOLDS],
                claims[WM_CLAIM_FAILS], claims[WM_CLAIM_UNKNOWN]);
    return WM_OK;
}

static int run_study(const struct wm_invocation *invocation)
{
    struct wm_study_work_counts done = {0};
    struct run *run = calloc(1, sizeof *run);
    if (!run) {
        struct wm_error error;
        wm_fail_no_memory(&error, "the study");
        return wm_command_fail(invocation, &error);
    }
    run->invocation = invocation;
    run->values = invocation->values;
    run->lock = -1;
    wm_error_clear(&run->error);
    enum wm_status status = prepare(run);
    if (status == WM_OK)
        status = work(run, &done);
    int exit_status = status != WM_OK ? wm_command_fail(invocation, &run->error)
                      : done.failed   ? WM_EXIT_FAILURE
                                      : WM_EXIT_OK;
    wm_study_session_release(&run->session);
    if (run->lock >= 0)
        close(run->lock);
    free(run->selected);
    free(run);
    return exit_status;
}

#define VALUE(name) offsetof(struct run_values, name)
static const struct wm_option options[] = {
    WM_STUDY_OPTIONS,
    {'j', "jobs", WM_OPTION_ARGUMENT, "N", VALUE(jobs),
     "programs that run at a time (default: one a processor); the numbers do not depend on it",
     WM_COMPLETES_NOTHING},
    {0, "workload", WM_OPTION_ARGUMENT, "NAMES", VALUE(workloads),
     "these workloads alone, with commas between their names", WM_COMPLETES_NOTHING},
    {0, "figure", WM_OPTION_ARGUMENT, "IDS", VALUE(figures),
     "the points of these figures alone, with commas between them", WM_COMPLETES_NOTHING},
    {0, "limit-instructions", WM_OPTION_ARGUMENT, "N", VALUE(limits.instructions),
     "a workload whose recording comes to N warp instructions fails (2M, 1G)",
     WM_COMPLETES_NOTHING},
    {0, "limit-time", WM_OPTION_ARGUMENT, "DURATION", VALUE(limits.time),
     "a workload whose recording takes longer fails (90s, 500ms)", WM_COMPLETES_NOTHING},
    {0, "keep", WM_OPTION_FLAG, NULL, VALUE(keep),
     "keep results of another build of warpmem instead of making them again", WM_COMPLETES_NOTHING},
    {'q', "quiet", WM_OPTION_FLAG, NULL, VALUE(quiet), "say nothing but failures",
     WM_COMPLETES_NOTHING},
};

static const struct wm_usage usage = {
    .synopsis = "[options] FILE",
    .description =
        "Checks the study file whole; then compiles and records each workload once, replays it on "
        "each machine, stores each point as it ends, and checks the claims at the end. Started "
        "again, it goes on where it was ended. Points that fail are listed, do not stop the "
        "others, and are tried again by the next run; the exit status is then 1. A part of a study "
        "may be run alone: claims that need more are undecided then.",
    .examples = "warpmem study run examples/study.yaml\n"
                "warpmem study run examples/study.yaml -j 8 --database results.db\n"
                "warpmem study run studies/anssari/study.yaml --figure 4.4 --workload spmv,cutcp",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .values_size = sizeof(struct run_values),
    .min_operands = 1,
    .max_operands = 1,
    .operands_are = WM_COMPLETES_FILES,
};

const struct wm_command wm_command_study_run = {
    .name = "run",
    .summary = "record, replay every point, and check the claims",
    .usage = &usage,
    .run = run_study,
};
