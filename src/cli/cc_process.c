#include "cli/cc_process.h"

#include <errno.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>

extern char **environ;

static enum wm_status start(const struct wm_cc_process *process, pid_t *child,
                            struct wm_error *error)
{
    posix_spawnattr_t attributes;
    sigset_t defaults;
    sigemptyset(&defaults);
    sigaddset(&defaults, SIGINT);
    sigaddset(&defaults, SIGQUIT);
    int failure = posix_spawnattr_init(&attributes);
    if (failure)
        return wm_fail(error, WM_NO_MEMORY, "cannot start a process: %s", strerror(failure));
    posix_spawnattr_setsigdefault(&attributes, &defaults);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
    failure = posix_spawnp(child, process->words[0], NULL, &attributes,
                           (char *const *)process->words, environ);
    posix_spawnattr_destroy(&attributes);
    if (failure == ENOENT)
        return wm_fail(error, WM_NOT_FOUND, "there is no program \"%s\"", process->words[0]);
    if (failure)
        return wm_fail(error, WM_IO, "cannot start \"%s\": %s", process->words[0],
                       strerror(failure));
    return WM_OK;
}

enum wm_status wm_cc_process_run(const struct wm_cc_process *process, struct wm_error *error)
{
    struct sigaction ignore = {.sa_handler = SIG_IGN}, old_interrupt, old_quit;
    sigemptyset(&ignore.sa_mask);
    sigaction(SIGINT, &ignore, &old_interrupt);
    sigaction(SIGQUIT, &ignore, &old_quit);
    pid_t child;
    int ending = 0;
    enum wm_status status = start(process, &child, error);
    if (status == WM_OK) {
        while (waitpid(child, &ending, 0) < 0 && errno == EINTR)
            continue;
        if (WIFSIGNALED(ending))
            status = wm_fail(error, WM_IO, "\"%s\" was ended by signal %d (%s)", process->words[0],
                             WTERMSIG(ending), strsignal(WTERMSIG(ending)));
        else if (WEXITSTATUS(ending) != 0)
            status = wm_fail(error, WM_INVALID, "%s", "");
    }
    sigaction(SIGINT, &old_interrupt, NULL);
    sigaction(SIGQUIT, &old_quit, NULL);
    return status;
}

static void print_word(const char *word, FILE *stream)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "_-+=./,:@%";
    if (word[0] != '\0' && word[strspn(word, plain)] == '\0') {
        fputs(word, stream);
        return;
    }
    putc('\'', stream);
    for (; *word; word++)
        if (*word == '\'')
            fputs("'\\''", stream);
        else
            putc(*word, stream);
    putc('\'', stream);
}

void wm_cc_process_print(const struct wm_cc_process *process, FILE *stream)
{
    for (size_t i = 0; process->words[i]; i++) {
        if (i > 0)
            putc(' ', stream);
        print_word(process->words[i], stream);
    }
    putc('\n', stream);
}
