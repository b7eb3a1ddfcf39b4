// The matrix Q of a scan at many voxels: for each sample a phase, its cosine and its sine. 1024 samples at a time are in
// constant memory, of which a thread reads two at a time, in halves.
//
// As Parboil's mri-q, whose large input has 64^3 voxels. The SDK's sine and cosine are other arithmetic than these.
#include "../../../../workloads/workload.h"
#include <math.h>

#define CHUNK 1024
#define BLOCK 256
#define TURN 6.2831853071795864769f

// Of a sample: a place in x and y, and in z with its magnitude.
struct sample {
    float2 xy, z_magnitude;
};

__constant__ sample samples[CHUNK];

__device__ void add(const sample &it, float x, float y, float z, float &real, float &imaginary)
{
    float2 xy = it.xy, z_magnitude = it.z_magnitude;
    float phase = TURN * (xy.x * x + xy.y * y + z_magnitude.x * z);
    real += z_magnitude.y * __cosf(phase);
    imaginary += z_magnitude.y * __sinf(phase);
}

__global__ void compute_q(unsigned count, const float *x, const float *y, const float *z, float *real, float *imaginary)
{
    unsigned i = blockIdx.x * BLOCK + threadIdx.x;
    float at_x = x[i], at_y = y[i], at_z = z[i], sum = real[i], other = imaginary[i];
    for (unsigned k = 0; k < count; k += 2) {
        add(samples[k], at_x, at_y, at_z, sum, other);
        add(samples[k + 1], at_x, at_y, at_z, sum, other);
    }
    real[i] = sum;
    imaginary[i] = other;
}

enum { N, SAMPLES, SEED, OPTIONS };
static struct workload_option options[OPTIONS] = {
    {"n", "voxels, a multiple of 256", 1 << 18, 256, 1 << 22, NULL},
    {"samples", "a multiple of 2", CHUNK, 2, CHUNK, NULL},
    {"seed", "of the scan", 1, 0, 1000000000, NULL},
};

int main(int argc, char **argv)
{
    workload_parse(argc, argv, "mriq_constant", "Q of a scan, samples in constant memory", options, OPTIONS);
    unsigned count = (unsigned)options[N].value / BLOCK * BLOCK, of_samples = (unsigned)options[SAMPLES].value & ~1u;
    struct workload_random random = {(unsigned long long)options[SEED].value};
    sample chosen[CHUNK];
    float *host[5], *device[5];
    for (unsigned k = 0; k < of_samples; k++) {
        float *number = (float *)&chosen[k];
        for (unsigned i = 0; i < 4; i++)
            number[i] = (float)workload_below(&random, 65) / 64 - 0.5f;
    }
    for (unsigned k = 0; k < 5; k++) {
        host[k] = (float *)workload_allocate(count * sizeof(float));
        for (unsigned i = 0; i < count; i++)
            host[k][i] = k < 3 ? (float)workload_below(&random, 65) / 64 - 0.5f : 0.0f;
        device[k] = (float *)workload_upload(host[k], count * sizeof(float));
    }
    WORKLOAD_CHECK(cudaMemcpyToSymbol(samples, chosen, sizeof(chosen)));
    compute_q<<<count / BLOCK, BLOCK>>>(of_samples, device[0], device[1], device[2], device[3], device[4]);
    WORKLOAD_CHECK_LAUNCH();
    for (unsigned k = 3; k < 5; k++)
        WORKLOAD_CHECK(cudaMemcpy(host[k], device[k], count * sizeof(float), cudaMemcpyDeviceToHost));
    long wrong = -1;
    for (unsigned i = 0; i < count && wrong < 0; i += 61) { // some of them
        double real = 0, imaginary = 0;
        for (unsigned k = 0; k < of_samples; k++) {
            const sample &it = chosen[k];
            double phase = TURN * (it.xy.x * host[0][i] + it.xy.y * host[1][i] + it.z_magnitude.x * host[2][i]);
            real += it.z_magnitude.y * cos(phase);
            imaginary += it.z_magnitude.y * sin(phase);
        }
        // A thousand sums of up to a few tens are rounded.
        if (!(fabs(real - host[3][i]) < 0.02) || !(fabs(imaginary - host[4][i]) < 0.02))
            wrong = i;
    }
    for (unsigned k = 0; k < 5; k++) {
        WORKLOAD_CHECK(cudaFree(device[k]));
        free(host[k]);
    }
    return workload_verdict("mriq_constant", wrong);
}
