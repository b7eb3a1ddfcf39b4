// The discrete cosine transform of a picture, square by square of 8 by 8 points: C X C^T, where row
// u of C is a cosine of frequency u. A block of 8 by 8 threads takes a square, a thread a point of
// the result: it goes along a row of C and down a column of the square, leaves the sum in shared
// memory, and goes along two rows for the second product. Rows of a square are 32 bytes in 8
// different lines, and each block reads all of C, which a cache has for the first block that does.
//
// The pattern is that of the AMD APP SDK's sample DCT.
#include "workload.h"
#include <math.h>

#define SIDE 8 // of a square

__global__ void dct_squares(const float *in, float *out, const float *cosines, unsigned width)
{
    __shared__ float columns[SIDE][SIDE]; // transformed
    unsigned x = threadIdx.x, y = threadIdx.y;
    unsigned corner = blockIdx.y * SIDE * width + blockIdx.x * SIDE;
    float sum = 0.0f;
    for (unsigned k = 0; k < SIDE; k++)
        sum += cosines[y * SIDE + k] * in[corner + k * width + x];
    columns[y][x] = sum;
    __syncthreads();
    sum = 0.0f;
    for (unsigned k = 0; k < SIDE; k++)
        sum += columns[y][k] * cosines[x * SIDE + k];
    out[corner + y * width + x] = sum;
}

enum { WIDTH, HEIGHT, SEED, SERIAL, OPTIONS };
static struct workload_option options[OPTIONS] = {
    {"width", "of the picture, a multiple of 8", 512, SIDE, 16384, NULL},
    {"height", "of the picture, a multiple of 8", 512, SIDE, 16384, NULL},
    {"seed", "of the random picture", 1, 0, 1000000000, NULL},
    WORKLOAD_SERIAL_OPTION,
};

WORKLOAD_SERIAL static void transform_serially(const float *in, float *out, const float *cosines,
                                               unsigned width, unsigned height)
{
    float columns[SIDE][SIDE];
    for (unsigned top = 0; top < height; top += SIDE) {
        for (unsigned left = 0; left < width; left += SIDE) {
            for (unsigned y = 0; y < SIDE; y++) {
                for (unsigned x = 0; x < SIDE; x++) {
                    float sum = 0.0f;
                    for (unsigned k = 0; k < SIDE; k++)
                        sum += cosines[y * SIDE + k] * in[(top + k) * width + left + x];
                    columns[y][x] = sum;
                }
            }
            for (unsigned y = 0; y < SIDE; y++) {
                for (unsigned x = 0; x < SIDE; x++) {
                    float sum = 0.0f;
                    for (unsigned k = 0; k < SIDE; k++)
                        sum += columns[y][k] * cosines[x * SIDE + k];
                    out[(top + y) * width + left + x] = sum;
                }
            }
        }
    }
}

static void transform_on_device(const float *in, float *out, const float *cosines, unsigned width,
                                unsigned height)
{
    size_t bytes = (size_t)width * height * sizeof(float);
    float *device_in = (float *)workload_upload(in, bytes), *device_out;
    float *device_cosines = (float *)workload_upload(cosines, SIDE * SIDE * sizeof(float));
    WORKLOAD_CHECK(cudaMalloc((void **)&device_out, bytes));
    dim3 grid(width / SIDE, height / SIDE), block(SIDE, SIDE);
    dct_squares<<<grid, block>>>(device_in, device_out, device_cosines, width);
    WORKLOAD_CHECK_LAUNCH();
    WORKLOAD_CHECK(cudaMemcpy(out, device_out, bytes, cudaMemcpyDeviceToHost));
    WORKLOAD_CHECK(cudaFree(device_in));
    WORKLOAD_CHECK(cudaFree(device_out));
    WORKLOAD_CHECK(cudaFree(device_cosines));
}

// The corner of the first square that does not have its sum, an eighth of it, as first number, or
// in which another number stands out of place, or -1. C is orthogonal, so the squares of the
// numbers add up to what they did before; 64 roundings of a number change that by less than 1e-4.
static long first_wrong_square(const float *out, const float *in, unsigned width, unsigned height)
{
    for (unsigned top = 0; top < height; top += SIDE) {
        for (unsigned left = 0; left < width; left += SIDE) {
            unsigned corner = top * width + left;
            double sum = 0.0, before = 0.0, after = 0.0;
            for (unsigned y = 0; y < SIDE; y++) {
                for (unsigned x = 0; x < SIDE; x++) {
                    float old = in[corner + y * width + x], now = out[corner + y * width + x];
                    sum += old;
                    before += (double)old * old;
                    after += (double)now * now;
                }
            }
            if (!(fabs(out[corner] - sum / SIDE) <= 0.01 && fabs(after - before) <= 1e-4 * before))
                return (long)corner;
        }
    }
    return -1;
}

int main(int argc, char **argv)
{
    workload_parse(argc, argv, "dct", "discrete cosine transform of squares of 8 by 8", options,
                   OPTIONS);
    unsigned width = (unsigned)options[WIDTH].value, height = (unsigned)options[HEIGHT].value;
    if (width % SIDE != 0 || height % SIDE != 0) {
        fprintf(stderr, "dct: --width and --height take multiples of 8, not '%u' and '%u'\n", width,
                height);
        return 2;
    }
    size_t count = (size_t)width * height, bytes = count * sizeof(float);
    float *in = (float *)workload_allocate(bytes), *found = (float *)workload_allocate(bytes);
    float *expected = (float *)workload_allocate(bytes), cosines[SIDE * SIDE];
    struct workload_random random = {(unsigned long long)options[SEED].value};
    for (size_t i = 0; i < count; i++)
        in[i] = (float)workload_below(&random, 256);
    for (int u = 0; u < SIDE; u++)
        for (int x = 0; x < SIDE; x++)
            cosines[u * SIDE + x] =
                (float)(u == 0 ? sqrt(0.125) : 0.5 * cos((2 * x + 1) * u * acos(-1.0) / 16.0));

    workload_trace_begin();
    transform_serially(in, expected, cosines, width, height);
    workload_trace_end();
    long wrong = first_wrong_square(expected, in, width, height);
    if (wrong < 0 && !options[SERIAL].value) {
        transform_on_device(in, found, cosines, width, height);
        // The first product is of numbers up to 255 and cosines up to 1/2, 8 times: up to 1020, and
        // the second up to 4080. Eight roundings each by 2^-24 of that make 0.004 on either side.
        wrong = workload_first_far(found, expected, count, 0.01f);
    }
    free(in);
    free(found);
    free(expected);
    return workload_verdict("dct", wrong);
}
