// One thread writes numbers and sets a flag; the other adds them when it has seen it.
#include <pthread.h>
#include <stdatomic.h>

static atomic_int ready;
static int data[16], sum;

static void *produce(void *unused)
{
    for (int i = 0; i < 16; i++)
        data[i] = i;
    atomic_store_explicit(&ready, 1, memory_order_release);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, produce, NULL);
    while (atomic_load_explicit(&ready, memory_order_acquire) == 0)
        continue;
    for (int i = 0; i < 16; i++)
        sum += data[i];
    atomic_fetch_add(&ready, 1);
    atomic_thread_fence(memory_order_seq_cst);
    pthread_join(thread, NULL);
    return sum != 120;
}
