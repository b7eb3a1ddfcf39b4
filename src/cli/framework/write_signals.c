#include "cli/framework/write_signals.h"

#include <signal.h>
#include <stddef.h>

static struct sigaction pipe_before, size_before;
static bool ignored;

void wm_write_signals_ignore(void)
{
    const struct sigaction ignore = {.sa_handler = SIG_IGN};
    sigaction(SIGPIPE, &ignore, &pipe_before);
    sigaction(SIGXFSZ, &ignore, &size_before);
    ignored = true;
}

void wm_write_signals_restore(void)
{
    if (!ignored)
        return;
    sigaction(SIGPIPE, &pipe_before, NULL);
    sigaction(SIGXFSZ, &size_before, NULL);
}

bool wm_write_signals_pipe_ends(void)
{
    return ignored && pipe_before.sa_handler != SIG_IGN;
}

void wm_write_signals_end_by_pipe(void)
{
    if (!wm_write_signals_pipe_ends())
        return;
    wm_write_signals_restore();
    raise(SIGPIPE);
}
