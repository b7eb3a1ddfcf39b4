// A matrix that magnetic resonance imaging needs to make pictures of scans that do not lie on a
// grid: Q(x) is the sum over all samples k of |phi(k)|^2 e^(2 pi i k x). First the squares of phi,
// element by element; then a thread a voxel, and every thread reads every sample: a broadcast to
// the whole device, of which each warp asks 16 bytes at a time.
//
// The samples are taken `chunk` at a time, a launch each, as constant memory would ask for, and Q
// is read, added to and written in each.
#include "workload.h"
#include <math.h>

#define TWO_PI 6.28318530717958648
// Places in the scan are multiples of 1/8, in space of 1/64: a product is a multiple of 1/512, and
// so is a sum of three, exactly, in any order. So the phase is exact, and the host looks it up.
#define TURNS 512
#define SAMPLE_REACH 128 // from the centre, in eighths
#define VOXEL_REACH 64   // in sixty-fourths

struct samples {
    float *kx, *ky, *kz, *power;
};

struct voxels {
    float *x, *y, *z, *q_real, *q_imaginary;
};

__global__ void compute_phi_magnitude(const float *phi_real, const float *phi_imaginary,
                                      float *power, unsigned count)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count)
        power[i] = phi_real[i] * phi_real[i] + phi_imaginary[i] * phi_imaginary[i];
}

// One sample's part of Q. Whole turns are taken off first: __cosf is exact enough near 0 only.
static __device__ void add_sample(float kx, float ky, float kz, float power, float x, float y,
                                  float z, float *real, float *imaginary)
{
    float turns = kx * x + ky * y + kz * z;
    float phase = (float)TWO_PI * (turns - rintf(turns));
    *real += power * __cosf(phase);
    *imaginary += power * __sinf(phase);
}

// `first` and `count` are in groups of four samples.
__global__ void compute_q(struct samples samples, struct voxels voxels, unsigned first,
                          unsigned count, unsigned voxel_count)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= voxel_count)
        return;
    float x = voxels.x[i], y = voxels.y[i], z = voxels.z[i];
    float real = voxels.q_real[i], imaginary = voxels.q_imaginary[i];
    for (unsigned k = first; k < first + count; k++) {
        float4 kx = ((const float4 *)samples.kx)[k], ky = ((const float4 *)samples.ky)[k];
        float4 kz = ((const float4 *)samples.kz)[k], power = ((const float4 *)samples.power)[k];
        add_sample(kx.x, ky.x, kz.x, power.x, x, y, z, &real, &imaginary);
        add_sample(kx.y, ky.y, kz.y, power.y, x, y, z, &real, &imaginary);
        add_sample(kx.z, ky.z, kz.z, power.z, x, y, z, &real, &imaginary);
        add_sample(kx.w, ky.w, kz.w, power.w, x, y, z, &real, &imaginary);
    }
    voxels.q_real[i] = real;
    voxels.q_imaginary[i] = imaginary;
}

enum { VOXELS, SAMPLES, CHUNK, BLOCK, SEED, OPTIONS };
static struct workload_option options[OPTIONS] = {
    {"n", "voxels", 4096, 1, 1 << 22, NULL},
    {"samples", "of the scan, a multiple of 4", 2048, 4, 1 << 16, NULL},
    {"chunk", "samples of a launch, a multiple of 4", 1024, 4, 1 << 16, NULL},
    {"block", "threads of a block", 256, 1, 1024, NULL},
    {"seed", "of the random input", 1, 0, 1000000000, NULL},
};

// Multiples of 1 / parts, from -reach up to reach.
static float *random_places(struct workload_random *random, unsigned count, unsigned reach,
                            unsigned parts)
{
    float *places = (float *)workload_allocate(count * sizeof(float));
    for (unsigned i = 0; i < count; i++)
        places[i] = ((float)workload_below(random, 2 * reach + 1) - (float)reach) / (float)parts;
    return places;
}

static void q_on_host(const struct samples *samples, unsigned sample_count,
                      const struct voxels *voxels, unsigned voxel_count)
{
    static double cosine[TURNS], sine[TURNS];
    for (int i = 0; i < TURNS; i++) {
        cosine[i] = cos(TWO_PI * i / TURNS);
        sine[i] = sin(TWO_PI * i / TURNS);
    }
    for (unsigned i = 0; i < voxel_count; i++) {
        double real = 0, imaginary = 0;
        for (unsigned k = 0; k < sample_count; k++) {
            float turns = samples->kx[k] * voxels->x[i] + samples->ky[k] * voxels->y[i] +
                          samples->kz[k] * voxels->z[i];
            int place = (int)(turns * TURNS) & (TURNS - 1);
            real += samples->power[k] * cosine[place];
            imaginary += samples->power[k] * sine[place];
        }
        voxels->q_real[i] = (float)real;
        voxels->q_imaginary[i] = (float)imaginary;
    }
}

static void q_on_device(const struct samples *host, const float *phi_real,
                        const float *phi_imaginary, unsigned sample_count, struct voxels voxels,
                        unsigned voxel_count)
{
    unsigned block = (unsigned)options[BLOCK].value, chunk = (unsigned)options[CHUNK].value / 4;
    size_t bytes = sample_count * sizeof(float);
    struct samples samples = {(float *)workload_upload(host->kx, bytes),
                              (float *)workload_upload(host->ky, bytes),
                              (float *)workload_upload(host->kz, bytes), NULL};
    float *real = (float *)workload_upload(phi_real, bytes);
    float *imaginary = (float *)workload_upload(phi_imaginary, bytes);
    WORKLOAD_CHECK(cudaMalloc((void **)&samples.power, bytes));
    compute_phi_magnitude<<<(sample_count + block - 1) / block, block>>>(
        real, imaginary, samples.power, sample_count);
    WORKLOAD_CHECK_LAUNCH();
    for (unsigned first = 0; first < sample_count / 4; first += chunk) {
        unsigned left = sample_count / 4 - first, count = left < chunk ? left : chunk;
        compute_q<<<(voxel_count + block - 1) / block, block>>>(samples, voxels, first, count,
                                                                voxel_count);
        WORKLOAD_CHECK_LAUNCH();
    }
    WORKLOAD_CHECK(cudaFree(samples.kx));
    WORKLOAD_CHECK(cudaFree(samples.ky));
    WORKLOAD_CHECK(cudaFree(samples.kz));
    WORKLOAD_CHECK(cudaFree(samples.power));
    WORKLOAD_CHECK(cudaFree(real));
    WORKLOAD_CHECK(cudaFree(imaginary));
}

// The errors of single numbers do not all point one way, so they stay far below 2e-6 a sample,
// while a sample left out weighs half on average.
static long first_wrong(const float *found, const float *wanted, unsigned voxels, unsigned samples)
{
    return workload_first_far(found, wanted, voxels, 2e-6f * (float)samples);
}

int main(int argc, char **argv)
{
    workload_parse(argc, argv, "mriq", "Q matrix of a magnetic resonance scan", options, OPTIONS);
    unsigned sample_count = (unsigned)options[SAMPLES].value;
    unsigned voxel_count = (unsigned)options[VOXELS].value;
    if (sample_count % 4 != 0 || options[CHUNK].value % 4 != 0) {
        fprintf(stderr, "mriq: --samples and --chunk take multiples of 4, not '%u' and '%ld'\n",
                sample_count, options[CHUNK].value);
        return 2;
    }
    struct workload_random random = {(unsigned long long)options[SEED].value};
    size_t bytes = voxel_count * sizeof(float);
    struct samples samples = {random_places(&random, sample_count, SAMPLE_REACH, 8),
                              random_places(&random, sample_count, SAMPLE_REACH, 8),
                              random_places(&random, sample_count, SAMPLE_REACH, 8),
                              (float *)workload_allocate(sample_count * sizeof(float))};
    float *phi_real = random_places(&random, sample_count, 8, 8);
    float *phi_imaginary = random_places(&random, sample_count, 8, 8);
    for (unsigned k = 0; k < sample_count; k++)
        samples.power[k] = phi_real[k] * phi_real[k] + phi_imaginary[k] * phi_imaginary[k];
    struct voxels voxels = {random_places(&random, voxel_count, VOXEL_REACH, 64),
                            random_places(&random, voxel_count, VOXEL_REACH, 64),
                            random_places(&random, voxel_count, VOXEL_REACH, 64),
                            (float *)workload_allocate(bytes), (float *)workload_allocate(bytes)};
    memset(voxels.q_real, 0, bytes);
    struct voxels device = {
        (float *)workload_upload(voxels.x, bytes), (float *)workload_upload(voxels.y, bytes),
        (float *)workload_upload(voxels.z, bytes), (float *)workload_upload(voxels.q_real, bytes),
        (float *)workload_upload(voxels.q_real, bytes)};
    q_on_device(&samples, phi_real, phi_imaginary, sample_count, device, voxel_count);
    q_on_host(&samples, sample_count, &voxels, voxel_count);

    float *found = (float *)workload_allocate(bytes);
    WORKLOAD_CHECK(cudaMemcpy(found, device.q_real, bytes, cudaMemcpyDeviceToHost));
    long wrong = first_wrong(found, voxels.q_real, voxel_count, sample_count);
    WORKLOAD_CHECK(cudaMemcpy(found, device.q_imaginary, bytes, cudaMemcpyDeviceToHost));
    if (wrong < 0)
        wrong = first_wrong(found, voxels.q_imaginary, voxel_count, sample_count);
    float *on_device[] = {device.x, device.y, device.z, device.q_real, device.q_imaginary};
    for (size_t i = 0; i < sizeof(on_device) / sizeof(*on_device); i++)
        WORKLOAD_CHECK(cudaFree(on_device[i]));
    float *on_host[] = {samples.kx, samples.ky,    samples.kz, samples.power,
                        phi_real,   phi_imaginary, voxels.x,   voxels.y,
                        voxels.z,   voxels.q_real, found,      voxels.q_imaginary};
    for (size_t i = 0; i < sizeof(on_host) / sizeof(*on_host); i++)
        free(on_host[i]);
    return workload_verdict("mriq", wrong);
}
