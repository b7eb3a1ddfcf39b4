// Smooths a picture of four bytes a point by Deriche's recursive approximation of a Gaussian: the
// filter of a column, whose cost does not depend on how far it reaches, is a walk down in which
// each result comes from the last two, and a walk back up that adds its own. Then the picture is
// transposed, filtered along what had been its rows, and transposed again. Kernels:
//
//   gaussian_columns    a thread takes a column: lanes read neighbouring points row by row, twice,
//                       and write twice. There are few threads, each of which goes a long way; the
//                       rows that it comes from are gone from a small cache on its way back
//   gaussian_transpose  a tile of 16 by 16 points through shared memory
//
// The pattern is that of the AMD APP SDK's sample RecursiveGaussian.
#include "workload.h"
#include <math.h>

#define TILE 16

// In a walk down a result is a0 and a1 of this point and the one before, and in one up a2 and a3 of
// the next point and the one after it, less b1 and b2 of the last two results. `down` and `up` are
// how much of an even picture each of the walks makes: together 1.
struct filter {
    float a0, a1, a2, a3, b1, b2, down, up;
};

// Deriche's coefficients for a standard deviation of `sigma` points.
static struct filter filter_of(float sigma)
{
    float alpha = 1.695f / sigma, decay = expf(-alpha), square = decay * decay;
    float scale = (1.0f - decay) * (1.0f - decay) / (1.0f + 2.0f * alpha * decay - square);
    struct filter filter = {scale,
                            scale * (alpha - 1.0f) * decay,
                            scale * (alpha + 1.0f) * decay,
                            -scale * square,
                            -2.0f * decay,
                            square,
                            0.0f,
                            0.0f};
    filter.down = (filter.a0 + filter.a1) / (1.0f + filter.b1 + filter.b2);
    filter.up = (filter.a2 + filter.a3) / (1.0f + filter.b1 + filter.b2);
    return filter;
}

static __device__ float4 numbers(uchar4 point)
{
    return make_float4(point.x, point.y, point.z, point.w);
}

static inline __host__ __device__ unsigned char rounded(float number)
{
    return (unsigned char)(fminf(fmaxf(number, 0.0f), 255.0f) + 0.5f);
}

static __device__ uchar4 bytes(float4 point)
{
    return make_uchar4(rounded(point.x), rounded(point.y), rounded(point.z), rounded(point.w));
}

static __device__ float4 sum(float4 a, float4 b)
{
    return make_float4(a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w);
}

static __device__ float4 times(float factor, float4 a)
{
    return make_float4(factor * a.x, factor * a.y, factor * a.z, factor * a.w);
}

// Beyond its first and last rows the picture goes on as these are.
__global__ void gaussian_columns(const uchar4 *in, uchar4 *out, unsigned width, unsigned height,
                                 struct filter filter)
{
    unsigned x = blockIdx.x * blockDim.x + threadIdx.x;
    if (x >= width)
        return;
    float4 before = numbers(in[x]), last = times(filter.down, before), last_but_one = last;
    for (unsigned y = 0; y < height; y++) {
        float4 point = numbers(in[y * width + x]);
        float4 result = sum(sum(times(filter.a0, point), times(filter.a1, before)),
                            sum(times(-filter.b1, last), times(-filter.b2, last_but_one)));
        out[y * width + x] = bytes(result);
        before = point;
        last_but_one = last;
        last = result;
    }
    float4 next = numbers(in[(height - 1) * width + x]), after = next;
    last = last_but_one = times(filter.up, next);
    for (unsigned y = height; y-- > 0;) {
        float4 result = sum(sum(times(filter.a2, next), times(filter.a3, after)),
                            sum(times(-filter.b1, last), times(-filter.b2, last_but_one)));
        after = next;
        next = numbers(in[y * width + x]);
        last_but_one = last;
        last = result;
        out[y * width + x] = bytes(sum(numbers(out[y * width + x]), result));
    }
}

__global__ void gaussian_transpose(const uchar4 *in, uchar4 *out, unsigned width, unsigned height)
{
    __shared__ uchar4 tile[TILE][TILE];
    unsigned x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
    if (x < width && y < height)
        tile[threadIdx.y][threadIdx.x] = in[y * width + x];
    __syncthreads();
    x = blockIdx.y * TILE + threadIdx.x;
    y = blockIdx.x * TILE + threadIdx.y;
    if (x < height && y < width)
        out[y * height + x] = tile[threadIdx.x][threadIdx.y];
}

enum { WIDTH, HEIGHT, SIGMA, BLOCK, SEED, SERIAL, OPTIONS };
static struct workload_option options[OPTIONS] = {
    {"width", "of the picture", 512, 16, 16384, NULL},
    {"height", "of the picture", 512, 16, 16384, NULL},
    {"sigma", "standard deviation of the Gaussian, in points", 10, 1, 20, NULL},
    {"block", "threads of a block that filters columns", 64, 1, 1024, NULL},
    {"seed", "of the random picture", 1, 0, 1000000000, NULL},
    WORKLOAD_SERIAL_OPTION,
};

#define CHANNELS 4
#define EVEN 128 // what all points have in the last channel

static size_t place(unsigned x, unsigned y, unsigned width)
{
    return ((size_t)y * width + x) * CHANNELS;
}

static void filter_columns_serially(const unsigned char *in, unsigned char *out, unsigned width,
                                    unsigned height, struct filter filter)
{
    for (unsigned x = 0; x < width; x++) {
        float before[CHANNELS], last[CHANNELS], last_but_one[CHANNELS];
        for (unsigned c = 0; c < CHANNELS; c++) {
            before[c] = in[place(x, 0, width) + c];
            last[c] = last_but_one[c] = filter.down * before[c];
        }
        for (unsigned y = 0; y < height; y++) {
            for (unsigned c = 0; c < CHANNELS; c++) {
                float point = in[place(x, y, width) + c];
                float result = filter.a0 * point + filter.a1 * before[c] - filter.b1 * last[c] -
                               filter.b2 * last_but_one[c];
                out[place(x, y, width) + c] = rounded(result);
                before[c] = point;
                last_but_one[c] = last[c];
                last[c] = result;
            }
        }
        float next[CHANNELS], after[CHANNELS];
        for (unsigned c = 0; c < CHANNELS; c++) {
            next[c] = after[c] = in[place(x, height - 1, width) + c];
            last[c] = last_but_one[c] = filter.up * next[c];
        }
        for (unsigned y = height; y-- > 0;) {
            for (unsigned c = 0; c < CHANNELS; c++) {
                float result = filter.a2 * next[c] + filter.a3 * after[c] - filter.b1 * last[c] -
                               filter.b2 * last_but_one[c];
                after[c] = next[c];
                next[c] = in[place(x, y, width) + c];
                last_but_one[c] = last[c];
                last[c] = result;
                unsigned char *sum = out + place(x, y, width) + c;
                *sum = rounded((float)*sum + result);
            }
        }
    }
}

static void transpose_serially(const unsigned char *in, unsigned char *out, unsigned width,
                               unsigned height)
{
    for (unsigned y = 0; y < height; y++)
        for (unsigned x = 0; x < width; x++)
            for (unsigned c = 0; c < CHANNELS; c++)
                out[place(y, x, height) + c] = in[place(x, y, width) + c];
}

// Leaves the smooth picture in `out`; `other` is as large.
WORKLOAD_SERIAL static void smooth_serially(const unsigned char *in, unsigned char *out,
                                            unsigned char *other, unsigned width, unsigned height,
                                            struct filter filter)
{
    filter_columns_serially(in, other, width, height, filter);
    transpose_serially(other, out, width, height);
    filter_columns_serially(out, other, height, width, filter);
    transpose_serially(other, out, height, width);
}

static void filter_columns(const uchar4 *in, uchar4 *out, unsigned width, unsigned height,
                           struct filter filter)
{
    unsigned block = (unsigned)options[BLOCK].value;
    gaussian_columns<<<(width + block - 1) / block, block>>>(in, out, width, height, filter);
    WORKLOAD_CHECK_LAUNCH();
}

static void transpose(const uchar4 *in, uchar4 *out, unsigned width, unsigned height)
{
    dim3 grid((width + TILE - 1) / TILE, (height + TILE - 1) / TILE), block(TILE, TILE);
    gaussian_transpose<<<grid, block>>>(in, out, width, height);
    WORKLOAD_CHECK_LAUNCH();
}

static void smooth_on_device(const unsigned char *in, unsigned char *out, unsigned width,
                             unsigned height, struct filter filter)
{
    size_t size = (size_t)width * height * CHANNELS;
    uchar4 *device = (uchar4 *)workload_upload(in, size), *other;
    WORKLOAD_CHECK(cudaMalloc((void **)&other, size));
    filter_columns(device, other, width, height, filter);
    transpose(other, device, width, height);
    filter_columns(device, other, height, width, filter);
    transpose(other, device, height, width);
    WORKLOAD_CHECK(cudaMemcpy(out, device, size, cudaMemcpyDeviceToHost));
    WORKLOAD_CHECK(cudaFree(device));
    WORKLOAD_CHECK(cudaFree(other));
}

// Whether the picture got smooth: an even channel changes by half a rounding a walk, and in the
// others points differ from their right neighbours by less than half of what they did, all
// together. The channel that is wrong, or -1.
static long first_wrong_channel(const unsigned char *smooth, const unsigned char *picture,
                                unsigned width, unsigned height)
{
    unsigned long long before[CHANNELS] = {0}, after[CHANNELS] = {0};
    for (unsigned y = 0; y < height; y++) {
        for (unsigned x = 0; x < width; x++) {
            size_t here = place(x, y, width), right = place(x + 1 < width ? x + 1 : x, y, width);
            if (abs(smooth[here + CHANNELS - 1] - EVEN) > 2)
                return CHANNELS - 1;
            for (unsigned c = 0; c < CHANNELS; c++) {
                before[c] += (unsigned long long)abs(picture[right + c] - picture[here + c]);
                after[c] += (unsigned long long)abs(smooth[right + c] - smooth[here + c]);
            }
        }
    }
    for (unsigned c = 0; c < CHANNELS; c++)
        if (2 * after[c] > before[c])
            return (long)c;
    return -1;
}

// Weights are positive and add up to 1. Where one side rounds another way, bytes of a walk down
// differ by 1, so those of both walks by 2; the second time these 2 come through, and two more
// roundings: 4. That is seldom, though, since results differ by less than a thousandth.
static long first_difference(const unsigned char *found, const unsigned char *expected, size_t size)
{
    size_t differ = 0;
    for (size_t i = 0; i < size; i++) {
        differ += found[i] != expected[i];
        if (abs(found[i] - expected[i]) > 4 || differ > 3 + size / 100)
            return (long)i;
    }
    return -1;
}

int main(int argc, char **argv)
{
    workload_parse(argc, argv, "recursive_gaussian", "smooths a picture by a recursive filter",
                   options, OPTIONS);
    unsigned width = (unsigned)options[WIDTH].value, height = (unsigned)options[HEIGHT].value;
    size_t size = (size_t)width * height * CHANNELS;
    unsigned char *picture = (unsigned char *)workload_allocate(size);
    unsigned char *expected = (unsigned char *)workload_allocate(size);
    unsigned char *found = (unsigned char *)workload_allocate(size);
    struct workload_random random = {(unsigned long long)options[SEED].value};
    for (size_t i = 0; i < size; i++)
        picture[i] =
            i % CHANNELS == CHANNELS - 1 ? EVEN : (unsigned char)workload_below(&random, 256);
    struct filter filter = filter_of((float)options[SIGMA].value);

    workload_trace_begin();
    smooth_serially(picture, expected, found, width, height, filter);
    workload_trace_end();
    long wrong = first_wrong_channel(expected, picture, width, height);
    if (wrong < 0 && !options[SERIAL].value) {
        smooth_on_device(picture, found, width, height, filter);
        wrong = first_difference(found, expected, size);
    }
    free(picture);
    free(expected);
    free(found);
    return workload_verdict("recursive_gaussian", wrong);
}
