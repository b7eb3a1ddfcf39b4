// Counting under a lock: a counter that is read, changed and written back by plain accesses,
// guarded by a word that threads take with atomicCAS and give back with atomicExch. It shows who
// can make progress while somebody waits.
//
//   lanes   all threads of every warp take the lock, so lanes of one warp wait for each other. A
//   GPU
//           whose warps have one program counter hangs here; from sm_70 on, the lane that holds the
//           lock goes on while its neighbours spin
//   blocks  one thread a block takes the lock: blocks wait for each other, which needs the holder's
//           block to stay resident and be scheduled
//   ticket  one thread a block draws a number and waits for its turn: the order is first come,
//   first
//           served, and waiting is by reading, without atomics
#include "workload.h"

struct account {
    unsigned lock;
    unsigned counter;
    unsigned next_ticket;
    unsigned now_serving;
};

static __device__ void add_one(struct account *account)
{
    volatile unsigned *counter = &account->counter;
    *counter = *counter + 1;
}

static __device__ void take_turns(struct account *account, unsigned rounds)
{
    for (unsigned round = 0; round < rounds; round++) {
        while (atomicCAS(&account->lock, 0u, 1u) != 0u) {
        }
        __threadfence(); // nothing of the critical section before the lock is taken
        add_one(account);
        __threadfence(); // everything of it before the lock is given back
        atomicExch(&account->lock, 0u);
    }
}

__global__ void spinlock_lanes(struct account *account, unsigned rounds)
{
    take_turns(account, rounds);
}

__global__ void spinlock_blocks(struct account *account, unsigned rounds)
{
    if (threadIdx.x == 0)
        take_turns(account, rounds);
}

__global__ void spinlock_ticket(struct account *account, unsigned rounds)
{
    if (threadIdx.x != 0)
        return;
    for (unsigned round = 0; round < rounds; round++) {
        unsigned ticket = atomicAdd(&account->next_ticket, 1u);
        while (*(volatile unsigned *)&account->now_serving != ticket) {
        }
        __threadfence();
        add_one(account);
        __threadfence();
        *(volatile unsigned *)&account->now_serving = ticket + 1;
    }
}

enum { GRID, BLOCK, ROUNDS, VARIANT, OPTIONS };
static struct workload_option options[OPTIONS] = {
    {"grid", "blocks", 8, 1, 65535, NULL},
    {"block", "threads of a block", 64, 1, 1024, NULL},
    {"rounds", "times each taker takes the lock", 4, 1, 100000, NULL},
    {"variant", "who takes the lock", 0, 0, 0, "lanes blocks ticket"},
};

int main(int argc, char **argv)
{
    workload_parse(argc, argv, "spinlock", "counts under a lock in global memory", options,
                   OPTIONS);
    unsigned grid = (unsigned)options[GRID].value, block = (unsigned)options[BLOCK].value;
    unsigned rounds = (unsigned)options[ROUNDS].value;
    struct account account = {0, 0, 0, 0};
    struct account *device = (struct account *)workload_upload(&account, sizeof(account));
    unsigned takers = options[VARIANT].value == 0 ? grid * block : grid;
    if (options[VARIANT].value == 0)
        spinlock_lanes<<<grid, block>>>(device, rounds);
    else if (options[VARIANT].value == 1)
        spinlock_blocks<<<grid, block>>>(device, rounds);
    else
        spinlock_ticket<<<grid, block>>>(device, rounds);
    WORKLOAD_CHECK_LAUNCH();
    WORKLOAD_CHECK(cudaMemcpy(&account, device, sizeof(account), cudaMemcpyDeviceToHost));
    WORKLOAD_CHECK(cudaFree(device));
    return workload_verdict("spinlock", account.counter == takers * rounds ? -1 : 0);
}
