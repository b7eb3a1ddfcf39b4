#include "cuda/run/lasting_thread.h"

#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <unistd.h>

static struct {
    void (*work)(void *context);
    void *context;
    sem_t done;
} job;

static void *run_and_stay(void *unused)
{
    (void)unused;
    job.work(job.context);
    sem_post(&job.done);
    for (;;)
        pause();
    return NULL;
}

bool wm_cuda_run_on_lasting_thread(void (*work)(void *context), void *context)
{
    sigset_t all, before;
    pthread_t thread;
    job.work = work;
    job.context = context;
    sigfillset(&all);
    sem_init(&job.done, 0, 0);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    bool started = pthread_create(&thread, NULL, run_and_stay, NULL) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    while (started && sem_wait(&job.done) != 0)
        continue;
    return started;
}
