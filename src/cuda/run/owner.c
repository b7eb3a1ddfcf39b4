#include "cuda/run/owner.h"

#include "base/files/folder_owner.h"

#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <unistd.h>

// Behind a script the program is no child of warpmem's, and its parent may be a thread that ends
// before the process does: so it is no signal of the parent's end that is waited for.
static void *watch(void *folder)
{
    if (wm_folder_owner_wait(folder))
        kill(getpid(), SIGKILL);
    return NULL;
}

void wm_run_owner_watch(const char *folder)
{
    sigset_t all, before;
    pthread_attr_t attributes;
    pthread_t thread;
    if (!folder)
        return;
    // The program's handlers must not run on a thread it does not know of.
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    pthread_attr_init(&attributes);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    // Without the thread the program itself is none the worse.
    (void)pthread_create(&thread, &attributes, watch, (void *)(uintptr_t)folder);
    pthread_attr_destroy(&attributes);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}
