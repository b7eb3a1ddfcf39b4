// A second, plain model of texture fetches, written from the formulas of the CUDA C++ Programming
// Guide's appendix on texture fetching: images of floats in rows, coordinates turned into texels
// one dimension at a time.
#ifndef TEXTURE_REFERENCE_H
#define TEXTURE_REFERENCE_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

enum reference_mode { REFERENCE_WRAP, REFERENCE_CLAMP, REFERENCE_MIRROR, REFERENCE_BORDER };

struct reference_image {
    const float *texels; // x fastest
    int size[3];         // 1 where there is no such dimension
    int dimensions;
    enum reference_mode mode;
    bool linear, normalized;
    float border;
};

// The texel at a position, which may lie outside.
static inline double reference_texel(const struct reference_image *image, const long at[3])
{
    long inside[3] = {0, 0, 0};
    for (int d = 0; d < image->dimensions; d++) {
        long n = image->size[d], i = at[d];
        switch (image->mode) {
        case REFERENCE_CLAMP: i = i < 0 ? 0 : i >= n ? n - 1 : i; break;
        case REFERENCE_BORDER:
            if (i < 0 || i >= n)
                return (double)image->border;
            break;
        case REFERENCE_WRAP:
            while (i < 0)
                i += n;
            while (i >= n)
                i -= n;
            break;
        case REFERENCE_MIRROR: // …2 1 0 0 1 2 … n-1 n-1 n-2 …
            while (i < 0 || i >= n)
                i = i < 0 ? -1 - i : 2 * n - 1 - i;
            break;
        }
        inside[d] = i;
    }
    return (double)
        image->texels[(inside[2] * image->size[1] + inside[1]) * image->size[0] + inside[0]];
}

static inline float reference_fetch(const struct reference_image *image, const float coordinates[3])
{
    long from[3] = {0, 0, 0};
    double share[3] = {0, 0, 0}, sum = 0;
    for (int d = 0; d < image->dimensions; d++) {
        double at = (double)coordinates[d] * (image->normalized ? image->size[d] : 1);
        if (image->linear)
            at -= 0.5;
        from[d] = (long)floor(at);
        // 1.8 fixed point.
        if (image->linear)
            share[d] = floor((at - floor(at)) * 256 + 0.5) / 256;
    }
    int corners = image->linear ? 1 << image->dimensions : 1;
    for (int corner = 0; corner < corners; corner++) {
        long at[3] = {from[0], from[1], from[2]};
        double weight = 1;
        for (int d = 0; d < image->dimensions; d++) {
            int upper = corner >> d & 1;
            at[d] += upper;
            weight *= upper ? share[d] : 1 - share[d];
        }
        if (weight > 0)
            sum += weight * reference_texel(image, at);
    }
    return (float)sum;
}

#endif
