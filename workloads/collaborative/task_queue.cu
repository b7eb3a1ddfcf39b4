// CPU threads put pictures of a film into queues, and blocks of a kernel take them out and count
// their points: a producer and consumer at a time. A queue has three counters, which both change
// with atomics: how many tasks were put into it, how many were taken out, and how many there are. A
// CPU thread fills a queue when all that it put into it has been taken; a block goes from queue to
// queue until all of them are empty and closed. A picture's histogram is one block's alone.
#include "../managed_memory.h"

#define LEVELS 256 // values of a point, each with a counter of its own

// `slots` holds numbers of pictures, of which the first `present` are to be taken.
struct queue {
    unsigned put, taken, present, closed;
    unsigned *slots;
};

struct film {
    const unsigned char *points;
    unsigned *counts; // LEVELS of each picture
    unsigned pictures, size;
};

#define NOTHING 0xffffffffu

// A task of the queue, or NOTHING if it is empty. What is at a slot is read after the count says
// that it is this thread's, and stays there until `taken` says that it was read.
static __device__ unsigned take_task(struct queue *queue)
{
    unsigned present = system_load(&queue->present);
    while (present > 0) {
        unsigned found = system_compare_and_swap(&queue->present, present, present - 1);
        if (found == present) {
            unsigned task = *(volatile unsigned *)&queue->slots[present - 1];
            system_add(&queue->taken, 1);
            return task;
        }
        present = found;
    }
    return NOTHING;
}

// A task of any queue, or NOTHING once all are empty and closed.
static __device__ unsigned find_task(struct queue *queues, unsigned count)
{
    for (;;) {
        bool open = false;
        for (unsigned k = 0; k < count; k++) {
            struct queue *queue = &queues[(blockIdx.x + k) % count];
            bool closed = system_load(&queue->closed) != 0; // before it is found to be empty
            unsigned task = take_task(queue);
            if (task != NOTHING)
                return task;
            open |= !closed;
        }
        if (!open)
            return NOTHING;
    }
}

__global__ void queue_count(struct queue *queues, unsigned count, struct film film)
{
    __shared__ unsigned task;
    for (;;) {
        if (threadIdx.x == 0)
            task = find_task(queues, count);
        __syncthreads();
        unsigned picture = task;
        __syncthreads();
        if (picture == NOTHING)
            return;
        const unsigned char *points = film.points + (size_t)picture * film.size;
        for (unsigned i = threadIdx.x; i < film.size; i += blockDim.x)
            atomicAdd(&film.counts[picture * LEVELS + points[i]], 1u);
    }
}

// Puts the pictures first, first + step, … below `pictures` into the queue, `room` at a time.
static void feed_queue(struct queue *queue, unsigned room, unsigned *first, unsigned step,
                       unsigned pictures)
{
    if (system_load(&queue->taken) != queue->put)
        return;
    unsigned put = 0;
    for (; put < room && *first < pictures; *first += step)
        queue->slots[put++] = *first;
    if (put == 0) {
        system_store(&queue->closed, 1);
        return;
    }
    system_add(&queue->put, put);
    system_store(&queue->present, put);
}

// CPU thread `thread` has every queue of which that is the number, modulo `threads`; queue k has the
// pictures k, k + count, and so on.
static void feed_on_cpu(struct queue *queues, unsigned count, unsigned room, unsigned pictures,
                        unsigned thread, unsigned threads)
{
    std::vector<unsigned> next(count);
    for (unsigned k = 0; k < count; k++)
        next[k] = k;
    for (bool open = true; open; system_pause()) {
        open = false;
        for (unsigned k = thread; k < count; k += threads)
            if (!queues[k].closed) {
                open = true;
                feed_queue(&queues[k], room, &next[k], count, pictures);
            }
    }
}

enum { PICTURES, WIDTH, HEIGHT, QUEUES, ROOM, BLOCKS, BLOCK, THREADS, SEED, OPTIONS };
static struct workload_option options[OPTIONS] = {
    {"pictures", "of the film", 32, 1, 1 << 16, NULL},
    {"width", "of a picture", 44, 1, 4096, NULL},
    {"height", "of a picture", 36, 1, 4096, NULL},
    {"queues", "that pictures go through", 4, 1, 256, NULL},
    {"room", "tasks that a queue holds", 2, 1, 4096, NULL},
    {"blocks", "of the kernel", 4, 1, 1024, NULL},
    {"block", "threads of a block", 64, 1, 1024, NULL},
    {"threads", "of the CPU", 2, 1, 64, NULL},
    {"seed", "of the film", 1, 0, 1000000000, NULL},
};

// Levels of a picture lie around one of its own.
static unsigned char film_point(struct workload_random *random, unsigned picture)
{
    return (unsigned char)(picture * 7 + workload_below(random, 64));
}

static long first_wrong(const struct film *film)
{
    struct workload_random random = {(unsigned long long)options[SEED].value};
    std::vector<unsigned> expected((size_t)film->pictures * LEVELS);
    for (unsigned picture = 0; picture < film->pictures; picture++)
        for (unsigned i = 0; i < film->size; i++)
            expected[picture * LEVELS + film_point(&random, picture)]++;
    return first_difference(film->counts, expected.data(), expected.size());
}

int main(int argc, char **argv)
{
    workload_parse(argc, argv, "task_queue", "CPU threads find tasks, and blocks carry them out",
                   options, OPTIONS);
    unsigned count = (unsigned)options[QUEUES].value, room = (unsigned)options[ROOM].value;
    unsigned threads = (unsigned)options[THREADS].value;
    struct film film = {NULL, NULL, (unsigned)options[PICTURES].value,
                        (unsigned)(options[WIDTH].value * options[HEIGHT].value)};
    unsigned char *points = managed_array<unsigned char>((size_t)film.pictures * film.size);
    film.points = points;
    film.counts = managed_array<unsigned>((size_t)film.pictures * LEVELS);
    struct queue *queues = managed_array<struct queue>(count);
    unsigned *slots = managed_array<unsigned>((size_t)count * room);

    workload_trace_begin();
    struct workload_random random = {(unsigned long long)options[SEED].value};
    for (unsigned picture = 0; picture < film.pictures; picture++)
        for (unsigned i = 0; i < film.size; i++)
            points[(size_t)picture * film.size + i] = film_point(&random, picture);
    memset(film.counts, 0, (size_t)film.pictures * LEVELS * sizeof(unsigned));
    memset(queues, 0, count * sizeof(struct queue));
    for (unsigned k = 0; k < count; k++)
        queues[k].slots = slots + (size_t)k * room;
    managed_work_begin();
    queue_count<<<(unsigned)options[BLOCKS].value, (unsigned)options[BLOCK].value>>>(queues, count,
                                                                                   film);
    run_cpu_threads(threads, [&](unsigned thread) {
        feed_on_cpu(queues, count, room, film.pictures, thread, threads);
    });
    managed_work_end();

    long wrong = first_wrong(&film);
    managed_release(points);
    managed_release(film.counts);
    managed_release(queues);
    managed_release(slots);
    return workload_verdict("task_queue", wrong);
}
