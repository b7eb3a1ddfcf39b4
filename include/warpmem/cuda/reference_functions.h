// Binding of texture and surface references, by their host variables and by C++ templates (CUDA
// Runtime API reference 11, "Texture Reference Management"). Part of <cuda_runtime.h>.
#ifndef WARPMEM_CUDA_REFERENCE_FUNCTIONS_H
#define WARPMEM_CUDA_REFERENCE_FUNCTIONS_H

#include "cuda_runtime_api.h"
#include "reference_types.h"

#ifdef __cplusplus
extern "C" {
#endif

cudaError_t cudaBindTexture(size_t *offset, const struct textureReference *texture,
                            const void *memory, const struct cudaChannelFormatDesc *format,
                            size_t size);
cudaError_t cudaBindTexture2D(size_t *offset, const struct textureReference *texture,
                              const void *memory, const struct cudaChannelFormatDesc *format,
                              size_t width, size_t height, size_t pitch);
cudaError_t cudaBindTextureToArray(const struct textureReference *texture, cudaArray_const_t array,
                                   const struct cudaChannelFormatDesc *format);
cudaError_t cudaBindTextureToMipmappedArray(const struct textureReference *texture,
                                            cudaMipmappedArray_const_t mipmapped,
                                            const struct cudaChannelFormatDesc *format);
cudaError_t cudaUnbindTexture(const struct textureReference *texture);
cudaError_t cudaGetTextureAlignmentOffset(size_t *offset, const struct textureReference *texture);
cudaError_t cudaGetTextureReference(const struct textureReference **texture, const void *symbol);
cudaError_t cudaBindSurfaceToArray(const struct surfaceReference *surface, cudaArray_const_t array,
                                   const struct cudaChannelFormatDesc *format);
cudaError_t cudaGetSurfaceReference(const struct surfaceReference **surface, const void *symbol);

#ifdef __cplusplus
}
#endif

#if defined(__CUDA__) && defined(__clang__) && defined(__cplusplus)

template <class T, int dimensions, enum cudaTextureReadMode mode>
static inline cudaError_t cudaBindTexture(size_t *offset,
                                          const texture<T, dimensions, mode> &reference,
                                          const void *memory,
                                          const struct cudaChannelFormatDesc &format,
                                          size_t size = 0xffffffff)
{
    return ::cudaBindTexture(offset, (const textureReference *)&reference, memory, &format, size);
}
template <class T, int dimensions, enum cudaTextureReadMode mode>
static inline cudaError_t cudaBindTexture(size_t *offset,
                                          const texture<T, dimensions, mode> &reference,
                                          const void *memory, size_t size = 0xffffffff)
{
    return cudaBindTexture(offset, reference, memory, reference.channelDesc, size);
}
template <class T, int dimensions, enum cudaTextureReadMode mode>
static inline cudaError_t cudaBindTexture2D(size_t *offset,
                                            const texture<T, dimensions, mode> &reference,
                                            const void *memory,
                                            const struct cudaChannelFormatDesc &format,
                                            size_t width, size_t height, size_t pitch)
{
    return ::cudaBindTexture2D(offset, (const textureReference *)&reference, memory, &format, width,
                               height, pitch);
}
template <class T, int dimensions, enum cudaTextureReadMode mode>
static inline cudaError_t cudaBindTexture2D(size_t *offset,
                                            const texture<T, dimensions, mode> &reference,
                                            const void *memory, size_t width, size_t height,
                                            size_t pitch)
{
    return cudaBindTexture2D(offset, reference, memory, reference.channelDesc, width, height,
                             pitch);
}
template <class T, int dimensions, enum cudaTextureReadMode mode>
static inline cudaError_t cudaBindTextureToArray(const texture<T, dimensions, mode> &reference,
                                                 cudaArray_const_t array,
                                                 const struct cudaChannelFormatDesc &format)
{
    return ::cudaBindTextureToArray((const textureReference *)&reference, array, &format);
}
template <class T, int dimensions, enum cudaTextureReadMode mode>
static inline cudaError_t cudaBindTextureToArray(const texture<T, dimensions, mode> &reference,
                                                 cudaArray_const_t array)
{
    struct cudaChannelFormatDesc format;
    cudaError_t status = cudaGetChannelDesc(&format, array);
    return status == cudaSuccess ? cudaBindTextureToArray(reference, array, format) : status;
}
template <class T, int dimensions, enum cudaTextureReadMode mode>
static inline cudaError_t cudaBindTextureToMipmappedArray(
    const texture<T, dimensions, mode> &reference, cudaMipmappedArray_const_t mipmapped,
    const struct cudaChannelFormatDesc &format)
{
    return ::cudaBindTextureToMipmappedArray((const textureReference *)&reference, mipmapped,
                                             &format);
}
template <class T, int dimensions, enum cudaTextureReadMode mode>
static inline cudaError_t cudaBindTextureToMipmappedArray(
    const texture<T, dimensions, mode> &reference, cudaMipmappedArray_const_t mipmapped)
{
    cudaArray_t level;
    struct cudaChannelFormatDesc format;
    cudaError_t status = cudaGetMipmappedArrayLevel(&level, mipmapped, 0);
    if (status == cudaSuccess)
        status = cudaGetChannelDesc(&format, level);
    return status == cudaSuccess ? cudaBindTextureToMipmappedArray(reference, mipmapped, format)
                                 : status;
}
template <class T, int dimensions, enum cudaTextureReadMode mode>
static inline cudaError_t cudaUnbindTexture(const texture<T, dimensions, mode> &reference)
{
    return ::cudaUnbindTexture((const textureReference *)&reference);
}
template <class T, int dimensions, enum cudaTextureReadMode mode>
static inline cudaError_t cudaGetTextureAlignmentOffset(
    size_t *offset, const texture<T, dimensions, mode> &reference)
{
    return ::cudaGetTextureAlignmentOffset(offset, (const textureReference *)&reference);
}
template <class T, int dimensions, enum cudaTextureReadMode mode>
static inline cudaError_t cudaGetTextureReference(const struct textureReference **found,
                                                  const texture<T, dimensions, mode> &reference)
{
    return ::cudaGetTextureReference(found, (const void *)&reference);
}
template <class T, int dimensions>
static inline cudaError_t cudaBindSurfaceToArray(const surface<T, dimensions> &reference,
                                                 cudaArray_const_t array,
                                                 const struct cudaChannelFormatDesc &format)
{
    return ::cudaBindSurfaceToArray((const surfaceReference *)&reference, array, &format);
}
template <class T, int dimensions>
static inline cudaError_t cudaBindSurfaceToArray(const surface<T, dimensions> &reference,
                                                 cudaArray_const_t array)
{
    struct cudaChannelFormatDesc format;
    cudaError_t status = cudaGetChannelDesc(&format, array);
    return status == cudaSuccess ? cudaBindSurfaceToArray(reference, array, format) : status;
}
template <class T, int dimensions>
static inline cudaError_t cudaGetSurfaceReference(const struct surfaceReference **found,
                                                  const surface<T, dimensions> &reference)
{
    return ::cudaGetSurfaceReference(found, (const void *)&reference);
}

#endif

#endif
