#include "cuda/device/device_properties.h"

#include "base/hash.h"
#include "cuda/device/kernel_limits.h"

#include <string.h>

static int whole(uint64_t value)
{
    return value > INT32_MAX ? INT32_MAX : (int)value;
}

// A universally unique number that is the machine's own and the same on every run (version 8 of
// RFC 9562: made by a rule of our own).
static void fill_uuid(const struct wm_machine *machine, char *uuid)
{
    uint64_t low = wm_hash_bytes(machine->name, strlen(machine->name)), high = wm_hash_u64(low);
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
    to->textureAlignment = to->surfaceAlignment = 512;
    to->texturePitchAlignment = 32;
}

// "Technical Specifications per Compute Capability" of the CUDA C++ Programming Guide: what changed
// with 3.0, 6.0 and 7.0.
static void fill_textures(uint32_t major, struct wm_cuda_properties *to)
{
    const bool kepler = major >= 3, pascal = major >= 6;
    const int side = pascal ? 32768 : 16384, cube = pascal ? 16384 : kepler ? 4096 : 2048;
    const int layers = 2048;
    to->maxTexture1D = pascal ? 131072 : 65536;
    to->maxTexture1DLinear = major >= 7 ? 1 << 28 : 1 << 27;
    to->maxTexture2D[0] = pascal ? 131072 : 65536;
    to->maxTexture2D[1] = kepler ? 65536 : 65535;
    to->maxTexture2DLinear[0] = pascal ? 131072 : 65000;
    to->maxTexture2DLinear[1] = 65000;
    to->maxTexture2DLinear[2] = pascal ? 2097120 : 1048544;
    to->maxTexture1DMipmap = to->maxTextureCubemap = side;
    for (int i = 0; i < 2; i++)
        to->maxTexture2DMipmap[i] = to->maxTexture2DGather[i] = to->maxTexture2DLayered[i] =
            to->maxSurface2DLayered[i] = side;
    for (int i = 0; i < 3; i++)
        to->maxTexture3D[i] = to->maxSurface3D[i] = cube;
    to->maxTexture3DAlt[0] = to->maxTexture3DAlt[1] = cube / 2;
    to->maxTexture3DAlt[2] = cube * 2;
    to->maxTexture1DLayered[0] = to->maxTextureCubemapLayered[0] = side;
    to->maxTexture1DLayered[1] = to->maxTexture2DLayered[2] = layers;
    to->maxTextureCubemapLayered[1] = to->maxSurfaceCubemapLayered[1] = layers - 2;
    to->maxSurface1D = to->maxSurface1DLayered[0] = side;
    to->maxSurface2D[0] = to->maxTexture2D[0];
    to->maxSurface2D[1] = to->maxTexture2D[1];
    to->maxSurface1DLayered[1] = to->maxSurface2DLayered[2] = layers;
    to->maxSurfaceCubemap = to->maxSurfaceCubemapLayered[0] = side;
}

static void fill_abilities(const struct wm_machine *machine, struct wm_cuda_properties *to)
{
    to->canMapHostMemory = to->unifiedAddressing = to->managedMemory = 1;
    to->concurrentManagedAccess = to->directManagedMemAccessFromHost = 1;
    to->canUseHostPointerForRegisteredMem = to->hostRegisterSupported = 1;
    to->concurrentKernels = to->asyncEngineCount = to->deviceOverlap = 1;
    to->cooperativeLaunch = 1;
    to->memoryPoolsSupported = 1;
    to->streamPrioritiesSupported = 1; // a hint, and taken as one
    to->globalL1CacheSupported = machine->memory.l1.present && !machine->sm.global_around_l1;
    to->localL1CacheSupported = machine->memory.l1.present;
    to->hostNumaId = -1;
    to->deviceNumaId = -1;
}

void wm_cuda_properties_fill(const struct wm_machine *machine, struct wm_cuda_properties *to)
{
    memset(to, 0, sizeof *to);
    snprintf(to->name, sizeof to->name, "%s", machine->device.title);
    fill_uuid(machine, to->uuid);
    fill_sizes(machine, to);
    fill_abilities(machine, to);
    fill_textures(machine->device.compute_major, to);
    to->major = whole(machine->device.compute_major);
    to->minor = whole(machine->device.compute_minor);
    to->clockRate = whole(machine->device.clock_hz / 1000);
    to->memoryClockRate = whole(machine->device.memory_clock_hz / 1000);
    to->memoryBusWidth = whole(machine->device.memory_bus_bits);
    to->l2CacheSize = machine->memory.l2.present ? whole(machine->memory.l2.size_bytes) : 0;
    to->singleToDoublePrecisionPerfRatio = 2;
    to->pciBusID = 1;
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

bool wm_cuda_device_attribute(const struct wm_machine *machine, int attribute, int *value)
{
    enum { HOST_NUMA_ID = 134, DEVICE_NUMA_ID = 131, MEMORY_SYNC_DOMAINS = 126, LAST = 147 };
    struct wm_cuda_properties properties;
    wm_cuda_properties_fill(machine, &properties);
    if (field_value(&properties, attribute, value))
        return true;
    // Attributes of parts that are not modelled (NUMA, pools, interoperation) and the
    // numbers the interface reserves.
    *value = attribute == HOST_NUMA_ID || attribute == DEVICE_NUMA_ID ? -1
             : attribute == MEMORY_SYNC_DOMAINS                       ? 1
                                                                      : 0;
    return attribute >= 1 && attribute <= LAST;
}
