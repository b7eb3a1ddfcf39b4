#include "cli/process/child_process.h"

#include "cli/framework/write_signals.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static void own_signals(sigset_t *set)
{
    static const int passed[] = {SIGCHLD, SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2};
    sigemptyset(set);
    for (size_t i = 0; i < sizeof passed / sizeof passed[0]; i++)
        sigaddset(set, passed[i]);
}

// In the child, which ends with its parent, also when that is killed; `parent` may be gone already.
static void end_with(pid_t parent)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(127);
}

// In the child. What stops exec goes through the pipe; a pipe closed by exec is a start.
static _Noreturn void start(const struct wm_child *child, pid_t parent, const sigset_t *mask,
                            int pipe_end)
{
    end_with(parent);
    for (uint32_t i = 0; i < child->environment_count; i++) {
        const char *name = child->environment[2 * i], *value = child->environment[2 * i + 1];
        if (value)
            setenv(name, value, 1);
        else
            unsetenv(name);
    }
    int output = child->output ? open(child->output, O_WRONLY | O_CREAT | O_TRUNC, 0600) : -1;
    if (output >= 0)
        dup2(output, STDOUT_FILENO);
    if (child->output_to_error)
        dup2(STDERR_FILENO, STDOUT_FILENO);
    sigprocmask(SIG_SETMASK, mask, NULL);
    wm_write_signals_restore();
    if (!child->output || output >= 0)
        execv(child->path, (char *const *)(uintptr_t)child->arguments);
    int why = errno;
    ssize_t written = write(pipe_end, &why, sizeof why);
    _exit(written == (ssize_t)sizeof why ? 126 : 127);
}

// Waits for the child. A signal from the terminal has reached the child as well; one that was
// sent to us alone has not. When our own parent has gone, which ends a study's workers by a signal,
// the child has two seconds to follow it: a kernel without an end would take longer.
static void wait_for(pid_t pid, const sigset_t *signals, int *status)
{
    static const struct timespec patience = {2, 0};
    const pid_t parent = getppid();
    bool orphaned = false;
    for (;;) {
        pid_t ended = waitpid(pid, status, WNOHANG);
        if (ended == pid || (ended < 0 && errno != EINTR))
            return;
        siginfo_t info;
        int got = sigtimedwait(signals, &info, orphaned ? &patience : NULL);
        if (got < 0 && errno == EAGAIN)
            kill(pid, SIGKILL);
        if (got > 0 && got != SIGCHLD && info.si_code <= 0)
            kill(pid, got);
        orphaned |= got == SIGTERM && getppid() != parent;
    }
}

enum wm_status wm_child_run(const struct wm_child *child, struct wm_child_end *end,
                            struct wm_error *error)
{
    sigset_t signals, before;
    int ends[2], why = 0, status = 0;
    if (pipe2(ends, O_CLOEXEC) != 0)
        return wm_fail(error, WM_IO, "cannot start a program: %s", strerror(errno));
    own_signals(&signals);
    fflush(NULL);
    sigprocmask(SIG_BLOCK, &signals, &before);
    pid_t parent = getpid(), pid = fork();
    if (pid == 0)
        start(child, parent, &before, ends[1]);
    int fork_error = errno;
    close(ends[1]);
    ssize_t got = pid > 0 ? read(ends[0], &why, sizeof why) : 0;
    close(ends[0]);
    if (pid > 0)
        wait_for(pid, &signals, &status);
    sigprocmask(SIG_SETMASK, &before, NULL);
    if (pid < 0)
        return wm_fail(error, WM_IO, "cannot start a program: %s", strerror(fork_error));
    if (got == (ssize_t)sizeof why) {
        wm_fail(error, WM_IO, "cannot be started: %s", strerror(why));
        return wm_error_place(error, "%s", child->path);
    }
    end->signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    end->status = end->signal ? 128 + end->signal : WEXITSTATUS(status);
    return WM_OK;
}
