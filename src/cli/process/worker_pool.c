#include "cli/process/worker_pool.h"

#include "cli/framework/write_signals.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

uint64_t wm_worker_now_ns(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * UINT64_C(1000000000) + (uint64_t)time.tv_nsec;
}

static void child_signal(sigset_t *set)
{
    sigemptyset(set);
    sigaddset(set, SIGCHLD);
}

void wm_worker_pool_init(struct wm_worker_pool *pool, uint32_t limit)
{
    sigset_t set;
    *pool = (struct wm_worker_pool){.limit = limit < WM_MOST_WORKERS ? limit : WM_MOST_WORKERS};
    child_signal(&set);
    sigprocmask(SIG_BLOCK, &set, NULL); // awaited, so that none is missed between two looks
}

// A program has two seconds to end after SIGTERM.
static void end_worker(pid_t pid)
{
    struct timespec pause = {0, 10000000};
    kill(pid, SIGTERM);
    for (int i = 0; i < 200; i++) {
        if (waitpid(pid, NULL, WNOHANG) != 0)
            return;
        nanosleep(&pause, NULL);
    }
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
}

void wm_worker_pool_release(struct wm_worker_pool *pool)
{
    sigset_t set;
    for (uint32_t i = 0; i < WM_MOST_WORKERS; i++)
        if (pool->workers[i].pid > 0) {
            end_worker(pool->workers[i].pid);
            pool->workers[i].pid = 0;
        }
    pool->busy = 0;
    child_signal(&set);
    sigprocmask(SIG_UNBLOCK, &set, NULL);
}

// In the child: its own words go to the log, and it ends with its parent. By a signal that warpmem
// record and cc pass on to what they run.
static _Noreturn void become(const struct wm_worker_start *start, pid_t parent)
{
    sigset_t set;
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    int log = open(start->log, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (getppid() != parent || log < 0 || nothing < 0 || dup2(nothing, STDIN_FILENO) < 0 ||
        dup2(log, STDOUT_FILENO) < 0 || dup2(log, STDERR_FILENO) < 0 ||
        (start->folder && chdir(start->folder) != 0))
        _exit(127);
    child_signal(&set);
    sigprocmask(SIG_UNBLOCK, &set, NULL);
    wm_write_signals_restore();
    execv(start->path, (char *const *)(uintptr_t)start->arguments);
    _exit(127);
}

enum wm_status wm_worker_start(struct wm_worker_pool *pool, uint32_t task,
                               const struct wm_worker_start *start, struct wm_error *error)
{
    uint32_t place = 0;
    while (pool->workers[place].pid != 0)
        place++;
    fflush(NULL);
    pid_t parent = getpid(), pid = fork();
    if (pid == 0)
        become(start, parent);
    if (pid < 0)
        return wm_fail(error, WM_IO, "cannot start a program: %s", strerror(errno));
    pool->workers[place] = (struct wm_worker){pid, task, wm_worker_now_ns()};
    pool->busy++;
    return WM_OK;
}

static bool take_ended(struct wm_worker_pool *pool, struct wm_worker_end *end)
{
    for (uint32_t i = 0; i < WM_MOST_WORKERS; i++) {
        struct wm_worker *worker = &pool->workers[i];
        int status;
        if (worker->pid == 0 || waitpid(worker->pid, &status, WNOHANG) != worker->pid)
            continue;
        *end = (struct wm_worker_end){
            .task = worker->task,
            .signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0,
            .status = WIFEXITED(status) ? WEXITSTATUS(status) : 0,
            .seconds = (double)(wm_worker_now_ns() - worker->begin_ns) * 1e-9,
        };
        worker->pid = 0;
        pool->busy--;
        return true;
    }
    return false;
}

bool wm_worker_wait(struct wm_worker_pool *pool, uint32_t timeout_ms, struct wm_worker_end *end)
{
    struct timespec patience = {timeout_ms / 1000, (long)(timeout_ms % 1000) * 1000000};
    sigset_t set;
    if (take_ended(pool, end))
        return true;
    child_signal(&set);
    sigtimedwait(&set, NULL, &patience);
    return take_ended(pool, end);
}
