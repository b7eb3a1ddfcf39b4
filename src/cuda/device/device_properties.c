#include "cuda/device/device_properties.h"

#include "base/numbers/hash.h"
#include "cuda/device/kernel_limits.h"

#include <string.h>

static int whole(uint64_t value)
{
    return value > INT32_MAX ? INT32_MAX : (int)value;
}

// A universally unique number that is the machine's, and the device's, own and the same on every
// run (version 8 of RFC 9562: made by a rule of our own).
static void fill_uuid(const struct wm_machine *machine, uint32_t device, char *uuid)
{
    uint64_t low = wm_hash_bytes(machine->name, strlen(machine->name)), high = wm_hash_u64(low);
    low += device;
    memcpy(uuid, &low, 8);
    memcpy(uuid + 8, &high, 8);
    uuid[6] = (char)((uuid[6] & 0x0f) | 0x80);
    uuid[8] = (char)((uuid[8] & 0x3f) | 0x80);
}

static void fill_sizes(const struct wm_machine *machine, struct wm_cuda_properties *to)
{
    const struct wm_sm_spec *sm = &machine->sm;
    struct wm_cuda_dim3 block = wm_cuda_max_block(machine), grid = wm_cuda_max_grid(machine);
    to->totalGlobalMem = machine->device.memory_bytes;
    to->sharedMemPerBlock = wm_cuda_default_shared_bytes(machine);
    to->sharedMemPerBlockOptin = sm->shared_bytes_per_block;
    to->sharedMemPerMultiprocessor = sm->shared_bytes;
    to->regsPerBlock = to->regsPerMultiprocessor = whole(sm->registers);
    to->warpSize = whole(sm->warp_width);
    to->memPitch = INT32_MAX;
    to->maxThreadsPerBlock = whole(sm->max_threads_per_block);
    to->maxThreadsPerMultiProcessor = whole(sm->max_threads);
    to->maxBlocksPerMultiProcessor = whole(sm->max_blocks);
    to->maxThreadsDim[0] = whole(block.x);
    to->maxThreadsDim[1] = whole(block.y);
    to->maxThreadsDim[2] = whole(block.z);
    to->maxGridSize[0] = whole(grid.x);
    to->maxGridSize[1] = whole(grid.y);
    to->maxGridSize[2] = whole(grid.z);
    to->totalConstMem = 65536; // PTX ISA 5.1.3: constant banks of 64 KiB
    to->multiProcessorCount = whole(sm->count);
    to->textureAlignment = to->surfaceAlignment = WM_CUDA_ALIGNMENT_BYTES;
    to->texturePitchAlignment = 32;
}

// Linear memory of one dimension: not all devices of 6.x and 7.x have more than before.
static int linear_texels(uint32_t major, uint32_t minor)
{
    bool more = major > 7 || (major == 7 && minor != 2) || (major == 6 && minor == 0);
    return more ? 1 << 28 : 1 << 27;
}

static void fill(int *to, int width, int height, int depth)
{
    to[0] = width;
    to[1] = height;
    to[2] = depth;
}

// "Technical Specifications per Compute Capability" of the CUDA C++ Programming Guide (of 11
// for 3.5 and later; for those before what was at hand of older ones): what changed with 3.0, 5.0
// and 6.0.
static void fill_textures(uint32_t major, uint32_t minor, struct wm_cuda_properties *to)
{
    const bool kepler = major >= 3, maxwell = major >= 5, pascal = major >= 6;
    const int side = pascal ? 32768 : 16384, cube = pascal ? 16384 : kepler ? 4096 : 2048;
    const int layers = 2048;
    to->maxTexture1D = pascal ? 131072 : 65536;
    to->maxTexture1DLinear = linear_texels(major, minor);
    to->maxTexture2D[0] = pascal ? 131072 : 65536;
    to->maxTexture2D[1] = kepler ? 65536 : 65535;
    fill(to->maxTexture2DLinear,
         pascal    ? 131072
         : maxwell ? 65536
                   : 65000,
         maxwell && !pascal ? 65536 : 65000, pascal ? 2097120 : 1048544);
    to->maxTexture1DMipmap = to->maxTextureCubemap = side;
    for (int i = 0; i < 2; i++)
        to->maxTexture2DMipmap[i] = to->maxTexture2DGather[i] = side;
    fill(to->maxTexture2DLayered, side, side, layers);
    fill(to->maxTexture3D, cube, cube, cube);
    fill(to->maxTexture3DAlt, cube / 2, cube / 2, cube * 2);
    to->maxTexture1DLayered[0] = to->maxTextureCubemapLayered[0] = side;
    to->maxTexture1DLayered[1] = layers;
    to->maxTextureCubemapLayered[1] = layers - 2;
}

// Before 5.0 surfaces were larger than textures in some dimensions.
static void fill_surfaces(uint32_t major, struct wm_cuda_properties *to)
{
    const bool maxwell = major >= 5, pascal = major >= 6;
    const int side = pascal ? 32768 : 16384, cube = pascal ? 16384 : 4096;
    const int width = maxwell ? side : 65536, height = maxwell ? side : 32768, layers = 2048;
    to->maxSurface1D = to->maxSurface1DLayered[0] = width;
    to->maxSurface1DLayered[1] = layers;
    to->maxSurface2D[0] = pascal ? 131072 : 65536;
    to->maxSurface2D[1] = maxwell ? 65536 : 32768;
    fill(to->maxSurface2DLayered, width, height, layers);
    fill(to->maxSurface3D, maxwell ? cube : 65536, maxwell ? cube : 32768, maxwell ? cube : 2048);
    to->maxSurfaceCubemap = to->maxSurfaceCubemapLayered[0] = maxwell ? side : 32768;
    to->maxSurfaceCubemapLayered[1] = layers - 2;
}

static void fill_abilities(const struct wm_machine *machine, struct wm_cuda_properties *to)
{
    to->canMapHostMemory = to->unifiedAddressing = to->managedMemory = 1;
    to->concurrentManagedAccess = to->directManagedMemAccessFromHost = 1;
    to->canUseHostPointerForRegisteredMem = to->hostRegisterSupported = 1;
    to->concurrentKernels = to->asyncEngineCount = to->deviceOverlap = 1;
    to->cooperativeLaunch = 1;
    to->memoryPoolsSupported = to->ipcEventSupported = 1;
    to->memoryPoolSupportedHandleTypes = 1; // file descriptors
    to->streamPrioritiesSupported = 1;
    to->persistingL2CacheMaxSize = whole(machine->device.persisting_l2_bytes);
    to->accessPolicyMaxWindowSize = whole(machine->device.access_window_bytes);
    to->globalL1CacheSupported =
        machine->memory.levels[WM_LEVEL_L1].cache.present && !machine->sm.global_around_l1;
    to->localL1CacheSupported = machine->memory.levels[WM_LEVEL_L1].cache.present;
    to->hostNumaId = -1;
    to->deviceNumaId = -1;
}

void wm_cuda_properties_fill(const struct wm_machine *machine, uint32_t device,
                             struct wm_cuda_properties *to)
{
    memset(to, 0, sizeof *to);
    snprintf(to->name, sizeof to->name, "%s", machine->device.title);
    fill_uuid(machine, device, to->uuid);
    fill_sizes(machine, to);
    fill_abilities(machine, to);
    fill_textures(machine->device.compute_major, machine->device.compute_minor, to);
    fill_surfaces(machine->device.compute_major, to);
    to->major = whole(machine->device.compute_major);
    to->minor = whole(machine->device.compute_minor);
    to->clockRate = whole(machine->device.clock_hz / 1000);
    to->memoryClockRate = whole(machine->device.memory_clock_hz / 1000);
    to->memoryBusWidth = whole(machine->device.memory_bus_bits);
    to->l2CacheSize = machine->memory.levels[WM_LEVEL_L2].cache.present
                          ? whole(machine->memory.levels[WM_LEVEL_L2].cache.size_bytes)
                          : 0;
    to->singleToDoublePrecisionPerfRatio = 2;
    to->pciBusID = whole(1 + device);
}

#define COPY(type, name, dimension) memcpy(&to->name, &from->name, sizeof to->name);
#define COPY_13_ALL(...) COPY(__VA_ARGS__)
#define COPY_13_UP_TO_12(...)
#define COPY_13_SINCE_12(...) COPY(__VA_ARGS__)
#define COPY_13_SINCE_13(...) COPY(__VA_ARGS__)
#define COPY_12_ALL(...) COPY(__VA_ARGS__)
#define COPY_12_UP_TO_12(...) COPY(__VA_ARGS__)
#define COPY_12_SINCE_12(...) COPY(__VA_ARGS__)
#define COPY_12_SINCE_13(...)
#define COPY_11_ALL(...) COPY(__VA_ARGS__)
#define COPY_11_UP_TO_12(...) COPY(__VA_ARGS__)
#define COPY_11_SINCE_12(...)
#define COPY_11_SINCE_13(...)

void wm_cuda_properties_to_13(const struct wm_cuda_properties *from,
                              struct wm_cuda_properties_13 *to)
{
    memset(to, 0, sizeof *to);
#define X(versions, type, name, dimension) COPY_13_##versions(type, name, dimension)
#include "cuda/device/device_properties.def"
#undef X
}

void wm_cuda_properties_to_12(const struct wm_cuda_properties *from,
                              struct wm_cuda_properties_12 *to)
{
    memset(to, 0, sizeof *to);
#define X(versions, type, name, dimension) COPY_12_##versions(type, name, dimension)
#include "cuda/device/device_properties.def"
#undef X
}

void wm_cuda_properties_to_11(const struct wm_cuda_properties *from,
                              struct wm_cuda_properties_11 *to)
{
    memset(to, 0, sizeof *to);
#define X(versions, type, name, dimension) COPY_11_##versions(type, name, dimension)
#include "cuda/device/device_properties.def"
#undef X
}

static int field_value(const struct wm_cuda_properties *from, int attribute, int *value)
{
    switch (attribute) {
#define X(number, expression)                         \
    case number:                                      \
        *value = whole((uint64_t)(from->expression)); \
        return 1;
#include "cuda/device/device_attributes.def"
#undef X
    default: return 0;
    }
}

bool wm_cuda_device_attribute(const struct wm_machine *machine, uint32_t device, int attribute,
                              int *value)
{
    enum { HOST_NUMA_ID = 134, DEVICE_NUMA_ID = 131, MEMORY_SYNC_DOMAINS = 126, LAST = 147 };
    struct wm_cuda_properties properties;
    wm_cuda_properties_fill(machine, device, &properties);
    if (field_value(&properties, attribute, value))
        return true;
    // Attributes of parts that are not modelled (NUMA, pools, interoperation) and the
    // numbers the interface reserves.
    *value = attribute == HOST_NUMA_ID || attribute == DEVICE_NUMA_ID ? -1
             : attribute == MEMORY_SYNC_DOMAINS                       ? 1
                                                                      : 0;
    return attribute >= 1 && attribute <= LAST;
}
