#include "host_trace/supervisor.h"

#include "host_trace/access_word.h"
#include "host_trace/environment.h"
#include "host_trace/restart.h"
#include "host_trace/trace_file.h"

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum { EXIT_NO_TRACE = 2 };

// What came of the program's messages.
struct traced {
    uint64_t accesses;
    bool ended, refused; // by the marks of these names
    bool unwritten;
};

static void report(struct wm_error *error)
{
    char text[sizeof *error + 64];
    if (error->place[0] == '\0')
        wm_error_place(error, "WARPMEM_HOST_TRACE");
    fputs(wm_error_format(error, text, sizeof text), stderr);
}

// --- The program, started anew ---

_Noreturn static void become_program(int channel, char **arguments, pid_t supervisor)
{
    char **variables = wm_host_environment_for(channel, !wm_host_names_marks());
    prctl(PR_SET_PDEATHSIG, SIGKILL); // nobody would take what it sends
    if (variables != NULL && getppid() == supervisor)
        execve("/proc/self/exe", arguments, variables);
    struct wm_error error;
    wm_fail(&error, WM_IO, "the program cannot be started again: %s", strerror(errno));
    report(&error);
    const uint64_t frame[] = WM_HOST_MARK_FRAME(WM_HOST_MARK_REFUSED);
    send(channel, frame, sizeof frame, MSG_NOSIGNAL);
    _exit(EXIT_NO_TRACE);
}

static enum wm_status start_program(char **arguments, int *channel, pid_t *program,
                                    struct wm_error *error)
{
    int ends[2];
    WM_TRY(wm_host_stop_randomisation(error));
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0)
        return wm_fail(error, WM_IO, "no socket: %s", strerror(errno));
    pid_t self = getpid();
    signal(SIGCHLD, SIG_DFL); // else how the program ends is not to be known
    *program = fork();
    if (*program < 0)
        return wm_fail(error, WM_IO, "no process: %s", strerror(errno));
    close(ends[*program == 0 ? 0 : 1]);
    if (*program == 0)
        become_program(ends[1], arguments, self);
    *channel = ends[0];
    return WM_OK;
}

// --- Signals ---

static volatile pid_t forward_to;

// The terminal's signals go to the program by themselves.
static void forward(int signal, siginfo_t *from, void *context)
{
    (void)context;
    if (from->si_code <= 0)
        kill(forward_to, signal);
}

static void forward_signals(pid_t program)
{
    static const int signals[] = {SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2};
    struct sigaction action = {.sa_sigaction = forward, .sa_flags = SA_SIGINFO | SA_RESTART};
    forward_to = program;
    for (size_t i = 0; i < sizeof signals / sizeof signals[0]; i++)
        sigaction(signals[i], &action, NULL);
}

// --- What it sends ---

static void take_mark(struct traced *traced, struct wm_host_trace_file *file, uint64_t word)
{
    switch (wm_host_word_mark(word)) {
    case WM_HOST_MARK_END: traced->ended = true; break;
    case WM_HOST_MARK_REFUSED: traced->refused = true; break;
    default: traced->unwritten |= !wm_host_trace_mark(file, word);
    }
}

// By word the address of its code.
static void take_words(struct traced *traced, struct wm_host_trace_file *file,
                       const uint64_t *words, const uint64_t *codes, size_t count)
{
    for (size_t at = 0; at < count && !traced->unwritten;) {
        size_t accesses = 0;
        while (at + accesses < count && wm_host_word_bytes(words[at + accesses]) > 0)
            accesses++;
        traced->accesses += accesses;
        traced->unwritten = !wm_host_trace_add(file, words + at, codes + at, accesses);
        at += accesses;
        if (at < count)
            take_mark(traced, file, words[at++]);
    }
}

static bool receive(int channel, uint64_t *words, size_t count)
{
    char *to = (char *)words;
    size_t left = count * sizeof *words;
    while (left > 0) {
        ssize_t got = recv(channel, to, left, MSG_WAITALL);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return false;
        to += got;
        left -= (size_t)got;
    }
    return true;
}

static void take_all(struct traced *traced, struct wm_host_trace_file *file, int channel)
{
    static uint64_t words[WM_HOST_FRAME_WORDS];
    uint64_t first;
    while (!traced->ended && !traced->refused && !traced->unwritten) {
        if (!receive(channel, &first, 1))
            break;
        size_t count = wm_host_frame_length(first);
        if (count > WM_HOST_FRAME_WORDS || !receive(channel, words, count))
            break;
        if (wm_host_frame_kind(first) == WM_HOST_FRAME_ACCESSES)
            take_words(traced, file, words, words + count / 2, count / 2);
        else
            traced->unwritten = !wm_host_trace_object(file, words[0], (const char *)&words[1]);
    }
    close(channel); // a program that still sends ends with status 2
}

// --- The end ---

// Why there is no trace; WM_OK when there is one.
static enum wm_status judge(const struct traced *traced, int status, struct wm_error *error)
{
    if (traced->ended && traced->accesses > 0)
        return WM_OK;
    if (traced->ended) {
        wm_fail(error, WM_INVALID, "no trace: the program has made no access that is traced");
        return wm_error_hint(error, "traced is what happens between warpmem_trace_begin() and "
                                    "warpmem_trace_end(), in a program that calls them");
    }
    if (WIFSIGNALED(status))
        return wm_fail(error, WM_INVALID, "no trace: the program was ended by signal %d (%s)",
                       WTERMSIG(status), strsignal(WTERMSIG(status)));
    wm_fail(error, WM_INVALID, "no trace: the program has left without its end");
    return wm_error_hint(error, "let main() return, or call exit(): not _exit(), nor exec");
}

_Noreturn static void end_as(int status, bool traced)
{
    if (WIFSIGNALED(status)) {
        setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0}); // the program's own is there
        signal(WTERMSIG(status), SIG_DFL);
        raise(WTERMSIG(status));
    }
    int own = WEXITSTATUS(status);
    _exit(own != 0 || traced ? own : EXIT_NO_TRACE);
}

_Noreturn static void finish(const struct traced *traced, struct wm_host_trace_file *file,
                             int status)
{
    struct wm_error error;
    wm_error_clear(&error);
    if (traced->refused || traced->unwritten) {
        if (wm_host_trace_close(file, false, &error) != WM_OK)
            report(&error);
        _exit(EXIT_NO_TRACE);
    }
    bool good = judge(traced, status, &error) == WM_OK;
    struct wm_error unwritten;
    wm_error_clear(&unwritten);
    if (wm_host_trace_close(file, good, &unwritten) != WM_OK) {
        report(&unwritten);
        _exit(EXIT_NO_TRACE);
    }
    if (!good)
        report(&error);
    end_as(status, good);
}

_Noreturn void wm_host_supervise(const char *path, char **arguments)
{
    struct wm_host_trace_file *file;
    struct traced traced = {0};
    struct wm_error error;
    int channel = -1, status = 0;
    pid_t program = 0;
    wm_error_clear(&error);
    if (wm_host_trace_open(path, &file, &error) != WM_OK) {
        report(&error);
        _exit(EXIT_NO_TRACE);
    }
    if (start_program(arguments, &channel, &program, &error) != WM_OK) {
        wm_host_trace_close(file, false, NULL);
        report(&error);
        _exit(EXIT_NO_TRACE);
    }
    forward_signals(program);
    take_all(&traced, file, channel);
    while (waitpid(program, &status, 0) < 0 && errno == EINTR)
        continue;
    finish(&traced, file, status);
}
