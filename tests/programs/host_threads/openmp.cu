// OpenMP's threads beside a kernel: barriers, reductions, critical sections, work for one.
#include <cstdio>

extern "C" int omp_get_thread_num(void);
extern "C" int omp_get_max_threads(void);

enum { THREADS = 3, WORDS = 64, ROUNDS = 20 };

static int words[WORDS], seen[THREADS];

__global__ void add(int *sum)
{
    atomicAdd(sum, 1);
}

int main(int argc, char **argv)
{
    (void)argv;
    if (argc > 1) {
        printf("%d threads\n", omp_get_max_threads());
        return 0;
    }
    int *on_device;
    long sum = 0;
    cudaMallocManaged(&on_device, sizeof *on_device);
#pragma omp parallel num_threads(THREADS) reduction(+ : sum)
    {
        int thread = omp_get_thread_num();
        for (int round = 0; round < ROUNDS; round++) {
#pragma omp for
            for (int i = 0; i < WORDS; i++)
                words[i] = i + round;
#pragma omp barrier
            seen[thread] = words[(thread * 7 + round) % WORDS];
#pragma omp barrier
            sum += seen[(thread + 1) % THREADS];
#pragma omp critical
            sum++;
#pragma omp single
            add<<<1, 32>>>(on_device);
        }
    }
    cudaDeviceSynchronize();
    long expected = ROUNDS * THREADS;
    for (int round = 0; round < ROUNDS; round++)
        for (int thread = 0; thread < THREADS; thread++)
            expected += (thread * 7 + round) % WORDS + round;
    printf("openmp: %s\n", sum == expected && *on_device == 32 * ROUNDS ? "PASS" : "FAIL");
    return 0;
}
