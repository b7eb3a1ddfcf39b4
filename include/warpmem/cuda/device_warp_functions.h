// Shuffles, votes, matches and reductions of one warp (CUDA C++ Programming Guide, "Warp Shuffle
// Functions", "Warp Vote Functions", "Warp Match Functions", "Warp Reduce Functions"; PTX ISA,
// shfl.sync, vote.sync, match.sync, redux.sync). They need a warp of 32 lanes.
#ifndef WARPMEM_CUDA_DEVICE_WARP_FUNCTIONS_H
#define WARPMEM_CUDA_DEVICE_WARP_FUNCTIONS_H

#include "host_defines.h"

#if defined(__CUDA__) && defined(__clang__) && defined(__cplusplus)

// The third operand of shfl.sync packs the segment mask of `width` lanes and the clamp. Values of 8
// bytes go as two shuffles, as PTX has none wider than 4.
#define WARPMEM_SHUFFLE_(name, mode, operand, clamp)                                             \
    WARPMEM_DEVICE_ int name(unsigned int mask, int value, int operand, int width = 32)          \
    {                                                                                            \
        return __nvvm_shfl_sync_##mode##_i32(mask, value, operand, (32 - width) << 8 | (clamp)); \
    }                                                                                            \
    WARPMEM_DEVICE_ unsigned int name(unsigned int mask, unsigned int value, int operand,        \
                                      int width = 32)                                            \
    {                                                                                            \
        return (unsigned int)name(mask, (int)value, operand, width);                             \
    }                                                                                            \
    WARPMEM_DEVICE_ float name(unsigned int mask, float value, int operand, int width = 32)      \
    {                                                                                            \
        return __builtin_bit_cast(float,                                                         \
                                  name(mask, __builtin_bit_cast(int, value), operand, width));   \
    }                                                                                            \
    WARPMEM_DEVICE_ unsigned long long name(unsigned int mask, unsigned long long value,         \
                                            int operand, int width = 32)                         \
    {                                                                                            \
        unsigned int low = name(mask, (unsigned int)value, operand, width);                      \
        unsigned int high = name(mask, (unsigned int)(value >> 32), operand, width);             \
        return (unsigned long long)high << 32 | low;                                             \
    }                                                                                            \
    WARPMEM_DEVICE_ long long name(unsigned int mask, long long value, int operand,              \
                                   int width = 32)                                               \
    {                                                                                            \
        return (long long)name(mask, (unsigned long long)value, operand, width);                 \
    }                                                                                            \
    WARPMEM_DEVICE_ long name(unsigned int mask, long value, int operand, int width = 32)        \
    {                                                                                            \
        return (long)name(mask, (unsigned long long)value, operand, width);                      \
    }                                                                                            \
    WARPMEM_DEVICE_ unsigned long name(unsigned int mask, unsigned long value, int operand,      \
                                       int width = 32)                                           \
    {                                                                                            \
        return (unsigned long)name(mask, (unsigned long long)value, operand, width);             \
    }                                                                                            \
    WARPMEM_DEVICE_ double name(unsigned int mask, double value, int operand, int width = 32)    \
    {                                                                                            \
        return __builtin_bit_cast(                                                               \
            double, name(mask, __builtin_bit_cast(unsigned long long, value), operand, width));  \
    }

WARPMEM_SHUFFLE_(__shfl_sync, idx, source, 0x1f)
WARPMEM_SHUFFLE_(__shfl_up_sync, up, delta, 0)
WARPMEM_SHUFFLE_(__shfl_down_sync, down, delta, 0x1f)
WARPMEM_SHUFFLE_(__shfl_xor_sync, bfly, lanes, 0x1f)

#undef WARPMEM_SHUFFLE_

WARPMEM_DEVICE_ int __all_sync(unsigned int mask, int predicate)
{
    return __nvvm_vote_all_sync(mask, predicate != 0);
}
WARPMEM_DEVICE_ int __any_sync(unsigned int mask, int predicate)
{
    return __nvvm_vote_any_sync(mask, predicate != 0);
}
WARPMEM_DEVICE_ int __uni_sync(unsigned int mask, int predicate)
{
    return __nvvm_vote_uni_sync(mask, predicate != 0);
}
WARPMEM_DEVICE_ unsigned int __ballot_sync(unsigned int mask, int predicate)
{
    return __nvvm_vote_ballot_sync(mask, predicate != 0);
}
WARPMEM_DEVICE_ unsigned int __activemask(void)
{
    unsigned int mask;
    asm volatile("activemask.b32 %0;" : "=r"(mask));
    return mask;
}

WARPMEM_DEVICE_ unsigned int __match_any_sync(unsigned int mask, unsigned int value)
{
    return __nvvm_match_any_sync_i32(mask, value);
}
WARPMEM_DEVICE_ unsigned int __match_any_sync(unsigned int mask, int value)
{
    return __nvvm_match_any_sync_i32(mask, (unsigned int)value);
}
WARPMEM_DEVICE_ unsigned int __match_any_sync(unsigned int mask, unsigned long long value)
{
    return (unsigned int)__nvvm_match_any_sync_i64(mask, (long long)value);
}
WARPMEM_DEVICE_ unsigned int __match_any_sync(unsigned int mask, long long value)
{
    return (unsigned int)__nvvm_match_any_sync_i64(mask, value);
}
WARPMEM_DEVICE_ unsigned int __match_any_sync(unsigned int mask, float value)
{
    return __match_any_sync(mask, __builtin_bit_cast(unsigned int, value));
}

WARPMEM_DEVICE_ unsigned int __match_all_sync(unsigned int mask, unsigned int value, int *predicate)
{
    return __nvvm_match_all_sync_i32p(mask, value, predicate);
}
WARPMEM_DEVICE_ unsigned int __match_all_sync(unsigned int mask, int value, int *predicate)
{
    return __nvvm_match_all_sync_i32p(mask, (unsigned int)value, predicate);
}
WARPMEM_DEVICE_ unsigned int __match_all_sync(unsigned int mask, unsigned long long value,
                                              int *predicate)
{
    return (unsigned int)__nvvm_match_all_sync_i64p(mask, (long long)value, predicate);
}

// From compute capability 8.0, as the instruction.
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800

#define WARPMEM_REDUCTION_(name, operation, type)            \
    WARPMEM_DEVICE_ type name(unsigned int mask, type value) \
    {                                                        \
        type result;                                         \
        asm volatile("redux.sync." operation " %0, %1, %2;"  \
                     : "=r"(result)                          \
                     : "r"(value), "r"(mask));               \
        return result;                                       \
    }

WARPMEM_REDUCTION_(__reduce_add_sync, "add.u32", unsigned int)
WARPMEM_REDUCTION_(__reduce_add_sync, "add.s32", int)
WARPMEM_REDUCTION_(__reduce_min_sync, "min.u32", unsigned int)
WARPMEM_REDUCTION_(__reduce_min_sync, "min.s32", int)
WARPMEM_REDUCTION_(__reduce_max_sync, "max.u32", unsigned int)
WARPMEM_REDUCTION_(__reduce_max_sync, "max.s32", int)
WARPMEM_REDUCTION_(__reduce_and_sync, "and.b32", unsigned int)
WARPMEM_REDUCTION_(__reduce_or_sync, "or.b32", unsigned int)
WARPMEM_REDUCTION_(__reduce_xor_sync, "xor.b32", unsigned int)

#undef WARPMEM_REDUCTION_

#endif

#endif

#endif
