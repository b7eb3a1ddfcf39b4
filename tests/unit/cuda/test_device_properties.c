// Sizes of textures and surfaces, against rows of the CUDA C++ Programming Guide's table "Technical
// Specifications per Compute Capability" (CUDA 11; 2.x and 3.0: CUDA 5).
#include "cuda/device/device_properties.h"

#include <criterion/criterion.h>

static const struct row {
    uint32_t major, minor;
    int line, linear_bits;   // 1D texture: of an array, and of linear memory (a power of two)
    int plane[2], linear[2]; // 2D texture: of an array, of linear memory
    int side, cube;          // layered, gather and cubemap textures; 3D textures
    int surface_line, surface_plane[2], surface_layered[2], surface_volume[3], surface_cubemap;
} rows[] = {
    {2,
     0,
     65536,
     27,
     {65536, 65535},
     {65000, 65000},
     16384,
     2048,
     65536,
     {65536, 32768},
     {65536, 32768},
     {65536, 32768, 2048},
     32768},
    {3,
     7,
     65536,
     27,
     {65536, 65536},
     {65000, 65000},
     16384,
     4096,
     65536,
     {65536, 32768},
     {65536, 32768},
     {65536, 32768, 2048},
     32768},
    {5,
     2,
     65536,
     27,
     {65536, 65536},
     {65536, 65536},
     16384,
     4096,
     16384,
     {65536, 65536},
     {16384, 16384},
     {4096, 4096, 4096},
     16384},
    {6,
     0,
     131072,
     28,
     {131072, 65536},
     {131072, 65000},
     32768,
     16384,
     32768,
     {131072, 65536},
     {32768, 32768},
     {16384, 16384, 16384},
     32768},
    {6,
     1,
     131072,
     27,
     {131072, 65536},
     {131072, 65000},
     32768,
     16384,
     32768,
     {131072, 65536},
     {32768, 32768},
     {16384, 16384, 16384},
     32768},
    {7,
     0,
     131072,
     28,
     {131072, 65536},
     {131072, 65000},
     32768,
     16384,
     32768,
     {131072, 65536},
     {32768, 32768},
     {16384, 16384, 16384},
     32768},
    {7,
     2,
     131072,
     27,
     {131072, 65536},
     {131072, 65000},
     32768,
     16384,
     32768,
     {131072, 65536},
     {32768, 32768},
     {16384, 16384, 16384},
     32768},
    {8,
     6,
     131072,
     28,
     {131072, 65536},
     {131072, 65000},
     32768,
     16384,
     32768,
     {131072, 65536},
     {32768, 32768},
     {16384, 16384, 16384},
     32768},
};

static void expect(const char *what, const struct row *row, const int *got, const int *wanted,
                   int count)
{
    for (int i = 0; i < count; i++)
        cr_expect_eq(got[i], wanted[i], "%u.%u: %s[%d] is %d, not %d", row->major, row->minor, what,
                     i, got[i], wanted[i]);
}

Test(device_properties, sizes_of_textures_and_surfaces)
{
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct row *row = &rows[i];
        static struct wm_machine machine;
        struct wm_cuda_properties is;
        machine.device.compute_major = row->major;
        machine.device.compute_minor = row->minor;
        wm_cuda_properties_fill(&machine, &is);
        const int layered[3] = {row->side, row->side, 2048}, two[2] = {row->side, 2048},
                  cubes[2] = {row->side, 2046}, cube[3] = {row->cube, row->cube, row->cube},
                  linear = 1 << row->linear_bits;
        expect("maxTexture1D", row, &is.maxTexture1D, &row->line, 1);
        expect("maxTexture1DLinear", row, &is.maxTexture1DLinear, &linear, 1);
        expect("maxTexture1DLayered", row, is.maxTexture1DLayered, two, 2);
        expect("maxTexture2D", row, is.maxTexture2D, row->plane, 2);
        expect("maxTexture2DLinear", row, is.maxTexture2DLinear, row->linear, 2);
        expect("maxTexture2DGather", row, is.maxTexture2DGather, layered, 2);
        expect("maxTexture2DLayered", row, is.maxTexture2DLayered, layered, 3);
        expect("maxTexture3D", row, is.maxTexture3D, cube, 3);
        expect("maxTextureCubemap", row, &is.maxTextureCubemap, &row->side, 1);
        expect("maxTextureCubemapLayered", row, is.maxTextureCubemapLayered, cubes, 2);
        const int lines[2] = {row->surface_line, 2048};
        const int sheets[3] = {row->surface_layered[0], row->surface_layered[1], 2048};
        expect("maxSurface1D", row, &is.maxSurface1D, &row->surface_line, 1);
        expect("maxSurface1DLayered", row, is.maxSurface1DLayered, lines, 2);
        expect("maxSurface2D", row, is.maxSurface2D, row->surface_plane, 2);
        expect("maxSurface2DLayered", row, is.maxSurface2DLayered, sheets, 3);
        expect("maxSurface3D", row, is.maxSurface3D, row->surface_volume, 3);
        expect("maxSurfaceCubemap", row, &is.maxSurfaceCubemap, &row->surface_cubemap, 1);
    }
}
