// Sizes of textures and surfaces, against rows of the CUDA C++ Programming Guide's table "Technical
// Specifications per Compute Capability" (CUDA 11; of 2.x, which it no longer has, only parts of an
// older one were at hand).
#include "cuda/device/device_properties.h"

#include <criterion/criterion.h>

// What capabilities have in common.
struct sizes {
    int line, plane[2], linear[2]; // 1D and 2D textures of an array, 2D ones of linear memory
    int side, cube;                // layered, gather and cubemap textures; 3D textures
    int surface_line, surface_plane[2], surface_layered[2], surface_volume[3], surface_cubemap;
};

static const struct sizes of_2_0 = {
    65536,          {65536, 65535}, {65000, 65000},       16384, 2048, 65536,
    {65536, 32768}, {65536, 32768}, {65536, 32768, 2048}, 32768};
static const struct sizes of_3_7 = {
    65536,          {65536, 65536}, {65000, 65000},       16384, 4096, 65536,
    {65536, 32768}, {65536, 32768}, {65536, 32768, 2048}, 32768};
static const struct sizes of_5_2 = {
    65536,          {65536, 65536}, {65536, 65536},     16384, 4096, 16384,
    {65536, 65536}, {16384, 16384}, {4096, 4096, 4096}, 16384};
static const struct sizes from_6_0 = {
    131072,          {131072, 65536}, {131072, 65000},       32768, 16384, 32768,
    {131072, 65536}, {32768, 32768},  {16384, 16384, 16384}, 32768};

static const struct row {
    uint32_t major, minor;
    int linear_bits; // 1D textures of linear memory: a power of two
    const struct sizes *sizes;
} rows[] = {
    {2, 0, 27, &of_2_0},   {3, 7, 27, &of_3_7},   {5, 2, 27, &of_5_2},   {6, 0, 28, &from_6_0},
    {6, 1, 27, &from_6_0}, {7, 0, 28, &from_6_0}, {7, 2, 27, &from_6_0}, {8, 6, 28, &from_6_0},
};

static void expect(const char *what, const struct row *row, const int *got, const int *sizes,
                   int count)
{
    for (int i = 0; i < count; i++)
        cr_expect_eq(got[i], sizes[i], "%u.%u: %s[%d] is %d, not %d", row->major, row->minor, what,
                     i, got[i], sizes[i]);
}

Test(device_properties, sizes_of_textures_and_surfaces)
{
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct row *row = &rows[i];
        const struct sizes *wanted = row->sizes;
        static struct wm_machine machine;
        struct wm_cuda_properties is;
        machine.device.compute_major = row->major;
        machine.device.compute_minor = row->minor;
        wm_cuda_properties_fill(&machine, 0, &is);
        const int layered[3] = {wanted->side, wanted->side, 2048}, two[2] = {wanted->side, 2048},
                  cubes[2] = {wanted->side, 2046},
                  cube[3] = {wanted->cube, wanted->cube, wanted->cube},
                  linear = 1 << row->linear_bits;
        expect("maxTexture1D", row, &is.maxTexture1D, &wanted->line, 1);
        expect("maxTexture1DLinear", row, &is.maxTexture1DLinear, &linear, 1);
        expect("maxTexture1DLayered", row, is.maxTexture1DLayered, two, 2);
        expect("maxTexture2D", row, is.maxTexture2D, wanted->plane, 2);
        expect("maxTexture2DLinear", row, is.maxTexture2DLinear, wanted->linear, 2);
        expect("maxTexture2DGather", row, is.maxTexture2DGather, layered, 2);
        expect("maxTexture2DLayered", row, is.maxTexture2DLayered, layered, 3);
        expect("maxTexture3D", row, is.maxTexture3D, cube, 3);
        expect("maxTextureCubemap", row, &is.maxTextureCubemap, &wanted->side, 1);
        expect("maxTextureCubemapLayered", row, is.maxTextureCubemapLayered, cubes, 2);
        const int lines[2] = {wanted->surface_line, 2048};
        const int sheets[3] = {wanted->surface_layered[0], wanted->surface_layered[1], 2048};
        expect("maxSurface1D", row, &is.maxSurface1D, &wanted->surface_line, 1);
        expect("maxSurface1DLayered", row, is.maxSurface1DLayered, lines, 2);
        expect("maxSurface2D", row, is.maxSurface2D, wanted->surface_plane, 2);
        expect("maxSurface2DLayered", row, is.maxSurface2DLayered, sheets, 3);
        expect("maxSurface3D", row, is.maxSurface3D, wanted->surface_volume, 3);
        expect("maxSurfaceCubemap", row, &is.maxSurfaceCubemap, &wanted->surface_cubemap, 1);
    }
}
