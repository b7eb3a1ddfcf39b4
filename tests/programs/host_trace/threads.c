// threads HOW: threads that wait for each other by one kind of call; each prints what came of it.
// check_host_trace.py knows what that is, and that it is the same each time.
#define _GNU_SOURCE
#include "marks.h"

#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

enum { MOST = 64, ROUNDS = 300 };

static int wanted = 4;
static long sum, outside[MOST];
static __thread long own;
static pthread_t threads[MOST];

static void run(void *(*function)(void *number))
{
    for (int i = 0; i < wanted; i++)
        if (pthread_create(&threads[i], NULL, function, (void *)(long)i) != 0)
            abort();
    for (int i = 0; i < wanted; i++)
        pthread_join(threads[i], NULL);
}

// A sum that is wrong where two are between the load and the store.
__attribute__((noinline)) static void add(volatile long *to)
{
    long seen = *to;
    own++;
    sched_yield();
    *to = seen + 1;
}

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t shared = PTHREAD_RWLOCK_INITIALIZER;
static pthread_spinlock_t spin;
static sem_t semaphore;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static pthread_barrier_t barrier;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static mtx_t c11_mutex;
static cnd_t c11_condition;
static atomic_int turn, ready;

static void *by_mutex(void *number)
{
    for (int i = 0; i < ROUNDS; i++) {
        if (i % 3 == 0)
            while (pthread_mutex_trylock(&mutex) != 0)
                continue;
        else
            pthread_mutex_lock(&mutex);
        add(&sum);
        pthread_mutex_unlock(&mutex);
    }
    outside[(long)number] = own;
    return NULL;
}

static void *by_kinds(void *unused)
{
    (void)unused;
    pthread_mutexattr_t kind;
    pthread_mutex_t checked, recursive = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
    pthread_mutexattr_init(&kind);
    pthread_mutexattr_settype(&kind, PTHREAD_MUTEX_ERRORCHECK);
    pthread_mutex_init(&checked, &kind);
    pthread_mutex_lock(&checked);
    pthread_mutex_lock(&recursive);
    int good = pthread_mutex_lock(&checked) == EDEADLK && pthread_mutex_lock(&recursive) == 0 &&
               pthread_mutex_unlock(&recursive) == 0 && pthread_mutex_unlock(&recursive) == 0 &&
               pthread_mutex_unlock(&recursive) == EPERM;
    pthread_mutex_lock(&mutex);
    sum += good;
    pthread_mutex_unlock(&mutex);
    return NULL;
}

static void *by_shared(void *number)
{
    for (int i = 0; i < ROUNDS; i++) {
        pthread_rwlock_rdlock(&shared);
        long before = sum;
        sched_yield();
        outside[(long)number] += before != sum; // nobody writes meanwhile
        pthread_rwlock_unlock(&shared);
        pthread_rwlock_wrlock(&shared);
        add(&sum);
        pthread_rwlock_unlock(&shared);
    }
    return NULL;
}

static void *by_spin(void *unused)
{
    for (int i = 0; i < ROUNDS; i++) {
        pthread_spin_lock(&spin);
        add(&sum);
        pthread_spin_unlock(&spin);
    }
    return unused;
}

static void *by_semaphore(void *unused)
{
    for (int i = 0; i < ROUNDS; i++) {
        sem_wait(&semaphore);
        add(&sum);
        sem_post(&semaphore);
    }
    return unused;
}

// Each in its turn.
static void *by_condition(void *number)
{
    for (int i = 0; i < ROUNDS; i++) {
        pthread_mutex_lock(&mutex);
        while (turn % wanted != (long)number)
            pthread_cond_wait(&condition, &mutex);
        sum = sum * 31 % 1000003 + (long)number;
        turn++;
        pthread_cond_broadcast(&condition);
        pthread_mutex_unlock(&mutex);
    }
    return NULL;
}

static void *by_c11(void *number)
{
    for (int i = 0; i < ROUNDS; i++) {
        mtx_lock(&c11_mutex);
        while (turn % wanted != (long)number)
            cnd_wait(&c11_condition, &c11_mutex);
        sum = sum * 31 % 1000003 + (long)number;
        turn++;
        cnd_broadcast(&c11_condition);
        mtx_unlock(&c11_mutex);
    }
    return NULL;
}

static void *by_loop(void *number)
{
    for (int i = 0; i < ROUNDS; i++) {
        while (turn % wanted != (long)number)
            continue;
        sum = sum * 31 % 1000003 + (long)number;
        turn++;
    }
    return NULL;
}

static void *by_barrier(void *number)
{
    for (int i = 0; i < ROUNDS; i++) {
        outside[(long)number] = i;
        if (pthread_barrier_wait(&barrier) == PTHREAD_BARRIER_SERIAL_THREAD)
            for (int k = 0; k < wanted; k++)
                sum += outside[k] == i;
        pthread_barrier_wait(&barrier);
    }
    return NULL;
}

static void begin_once(void)
{
    sched_yield();
    sum++;
}

static void *by_once(void *number)
{
    pthread_once(&once, begin_once);
    outside[(long)number] = sum;
    return NULL;
}

// The one that sleeps longer is later, and a time-out comes when nobody can run.
static void *by_time(void *number)
{
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += 3600;
    usleep((unsigned)(1000000 - 1000 * (long)number));
    pthread_mutex_lock(&mutex);
    sum = sum * 10 + (long)number;
    if (number == 0)
        outside[0] = pthread_cond_timedwait(&condition, &mutex, &until) == ETIMEDOUT;
    pthread_mutex_unlock(&mutex);
    return NULL;
}

static void *detached(void *unused)
{
    sum += 5;
    atomic_fetch_add(&ready, 1);
    return unused;
}

// Makes a thread itself, which is detached.
static void *by_makers(void *unused)
{
    pthread_t made;
    pthread_create(&made, NULL, detached, NULL);
    pthread_detach(made);
    return unused;
}

static volatile sig_atomic_t signals;

static void note(int signal)
{
    (void)signal;
    signals = signals + 1;
}

static void *by_signal(void *unused)
{
    while (signals == 0)
        continue;
    sum++;
    return unused;
}

static void *locks_both(void *number)
{
    static pthread_mutex_t both[2] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
    pthread_mutex_lock(&both[(long)number]);
    sched_yield();
    pthread_mutex_lock(&both[1 - (long)number]); // deadlock
    return NULL;
}

static void *do_nothing(void *unused)
{
    while (ready == 0)
        continue;
    return unused;
}

static int by_clone(void *unused)
{
    (void)unused;
    return 0;
}

static const struct way {
    const char *name;
    void *(*function)(void *number);
} ways[] = {
    {"mutex", by_mutex},         {"kinds", by_kinds}, {"shared", by_shared},
    {"spin", by_spin},           {"loop", by_loop},   {"semaphore", by_semaphore},
    {"condition", by_condition}, {"c11", by_c11},     {"barrier", by_barrier},
    {"once", by_once},           {"time", by_time},   {"deadlock", locks_both},
};

static void run_by_name(const char *how)
{
    for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++)
        if (strcmp(how, ways[i].name) == 0)
            run(ways[i].function);
    if (strcmp(how, "makers") == 0) {
        run(by_makers);
        while (ready < wanted)
            continue;
    } else if (strcmp(how, "signal") == 0) {
        signal(SIGUSR1, note);
        pthread_create(&threads[0], NULL, by_signal, NULL);
        pthread_kill(threads[0], SIGUSR1);
        pthread_join(threads[0], NULL);
    } else if (strcmp(how, "many") == 0) {
        for (int i = 0; i < 256; i++) // and the first
            pthread_create(&threads[0], NULL, do_nothing, NULL);
    } else if (strcmp(how, "clone") == 0) {
        static char stack[65536];
        clone(by_clone, stack + sizeof stack, CLONE_VM | CLONE_THREAD | CLONE_SIGHAND, NULL);
    } else if (strcmp(how, "futex") == 0) {
        static int words[2];
        syscall(SYS_futex, &words[0], FUTEX_REQUEUE, 1, NULL, &words[1], 0);
    } else if (strcmp(how, "cancel") == 0) {
        pthread_create(&threads[0], NULL, do_nothing, NULL);
        pthread_cancel(threads[0]);
    }
}

int main(int count, char **arguments)
{
    if (count > 2)
        wanted = atoi(arguments[2]);
    pthread_spin_init(&spin, PTHREAD_PROCESS_PRIVATE);
    sem_init(&semaphore, 0, 1);
    pthread_barrier_init(&barrier, NULL, (unsigned)wanted);
    mtx_init(&c11_mutex, mtx_plain);
    cnd_init(&c11_condition);
    run_by_name(arguments[1]);
    long all = 0;
    for (int i = 0; i < wanted; i++)
        all += outside[i];
    printf("%ld %ld\n", sum, all);
    return 0;
}
