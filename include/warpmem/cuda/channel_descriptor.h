// The channel format of a type (CUDA Runtime API reference, "C++ API Routines"). Part of
// <cuda_runtime.h>.
#ifndef WARPMEM_CUDA_CHANNEL_DESCRIPTOR_H
#define WARPMEM_CUDA_CHANNEL_DESCRIPTOR_H

#include "cuda_runtime_api.h"

#ifdef __cplusplus

// No type but those below has one.
template <class T> static inline cudaChannelFormatDesc cudaCreateChannelDesc()
{
    return cudaChannelFormatDesc{0, 0, 0, 0, cudaChannelFormatKindNone};
}

#define WARPMEM_CHANNELS_(type, element, kind, y, z, w)                              \
    template <> inline cudaChannelFormatDesc cudaCreateChannelDesc<type>()           \
    {                                                                                \
        const int bits = 8 * (int)sizeof(element);                                   \
        return cudaChannelFormatDesc{bits, y ? bits : 0, z ? bits : 0, w ? bits : 0, \
                                     cudaChannelFormatKind##kind};                   \
    }
#define WARPMEM_CHANNEL_TYPES_(element, name, kind)    \
    WARPMEM_CHANNELS_(element, element, kind, 0, 0, 0) \
    WARPMEM_CHANNELS_(name##1, element, kind, 0, 0, 0) \
    WARPMEM_CHANNELS_(name##2, element, kind, 1, 0, 0) \
    WARPMEM_CHANNELS_(name##4, element, kind, 1, 1, 1)
WARPMEM_CHANNELS_(char, char, Signed, 0, 0, 0)
WARPMEM_CHANNEL_TYPES_(signed char, char, Signed)
WARPMEM_CHANNEL_TYPES_(unsigned char, uchar, Unsigned)
WARPMEM_CHANNEL_TYPES_(short, short, Signed)
WARPMEM_CHANNEL_TYPES_(unsigned short, ushort, Unsigned)
WARPMEM_CHANNEL_TYPES_(int, int, Signed)
WARPMEM_CHANNEL_TYPES_(unsigned int, uint, Unsigned)
WARPMEM_CHANNEL_TYPES_(float, float, Float)
#undef WARPMEM_CHANNEL_TYPES_
#undef WARPMEM_CHANNELS_

static inline cudaChannelFormatDesc cudaCreateChannelDescHalf()
{
    return cudaChannelFormatDesc{16, 0, 0, 0, cudaChannelFormatKindFloat};
}
static inline cudaChannelFormatDesc cudaCreateChannelDescHalf2()
{
    return cudaChannelFormatDesc{16, 16, 0, 0, cudaChannelFormatKindFloat};
}
static inline cudaChannelFormatDesc cudaCreateChannelDescHalf4()
{
    return cudaChannelFormatDesc{16, 16, 16, 16, cudaChannelFormatKindFloat};
}

#endif

#endif
