// Integer and bit intrinsics (CUDA Math API, "Integer Intrinsics" and "Type Casting Intrinsics").
#ifndef WARPMEM_CUDA_DEVICE_BIT_FUNCTIONS_H
#define WARPMEM_CUDA_DEVICE_BIT_FUNCTIONS_H

#include "host_defines.h"

#if defined(__CUDA__) && defined(__clang__) && defined(__cplusplus)

WARPMEM_DEVICE_ int __popc(unsigned int x)
{
    return __builtin_popcount(x);
}
WARPMEM_DEVICE_ int __popcll(unsigned long long x)
{
    return __builtin_popcountll(x);
}
// The count of leading zeros of 0 is defined here (32 and 64) and undefined for clang's builtin;
// the optimizer folds the test into PTX's clz, which defines it the same way.
WARPMEM_DEVICE_ int __clz(int x)
{
    return x == 0 ? 32 : __builtin_clz((unsigned int)x);
}
WARPMEM_DEVICE_ int __clzll(long long x)
{
    return x == 0 ? 64 : __builtin_clzll((unsigned long long)x);
}
WARPMEM_DEVICE_ int __ffs(int x)
{
    return __builtin_ffs(x);
}
WARPMEM_DEVICE_ int __ffsll(long long x)
{
    return __builtin_ffsll(x);
}
WARPMEM_DEVICE_ unsigned int __brev(unsigned int x)
{
    return __builtin_bitreverse32(x);
}
WARPMEM_DEVICE_ unsigned long long __brevll(unsigned long long x)
{
    return __builtin_bitreverse64(x);
}
WARPMEM_DEVICE_ unsigned int __byte_perm(unsigned int x, unsigned int y, unsigned int selector)
{
    return (unsigned int)__nvvm_prmt(x, y, selector);
}
WARPMEM_DEVICE_ unsigned int __funnelshift_l(unsigned int low, unsigned int high,
                                             unsigned int shift)
{
    return (unsigned int)(((unsigned long long)high << 32 | low) << (shift & 31) >> 32);
}
WARPMEM_DEVICE_ unsigned int __funnelshift_r(unsigned int low, unsigned int high,
                                             unsigned int shift)
{
    return (unsigned int)(((unsigned long long)high << 32 | low) >> (shift & 31));
}

// The product of the low 24 bits, sign-extended for the signed form.
WARPMEM_DEVICE_ int __mul24(int x, int y)
{
    return (int)((unsigned int)(x << 8 >> 8) * (unsigned int)(y << 8 >> 8));
}
WARPMEM_DEVICE_ unsigned int __umul24(unsigned int x, unsigned int y)
{
    return (x & 0xffffffu) * (y & 0xffffffu);
}
WARPMEM_DEVICE_ int __mulhi(int x, int y)
{
    return __nvvm_mulhi_i(x, y);
}
WARPMEM_DEVICE_ unsigned int __umulhi(unsigned int x, unsigned int y)
{
    return __nvvm_mulhi_ui(x, y);
}
WARPMEM_DEVICE_ long long __mul64hi(long long x, long long y)
{
    return __nvvm_mulhi_ll(x, y);
}
WARPMEM_DEVICE_ unsigned long long __umul64hi(unsigned long long x, unsigned long long y)
{
    return __nvvm_mulhi_ull(x, y);
}
WARPMEM_DEVICE_ int __hadd(int x, int y)
{
    return (int)(((long long)x + y) >> 1);
}
WARPMEM_DEVICE_ unsigned int __uhadd(unsigned int x, unsigned int y)
{
    return (unsigned int)(((unsigned long long)x + y) >> 1);
}
// |x - y| + z
WARPMEM_DEVICE_ unsigned int __sad(int x, int y, unsigned int z)
{
    return (x > y ? (unsigned int)x - (unsigned int)y : (unsigned int)y - (unsigned int)x) + z;
}
WARPMEM_DEVICE_ unsigned int __usad(unsigned int x, unsigned int y, unsigned int z)
{
    return (x > y ? x - y : y - x) + z;
}

WARPMEM_DEVICE_ int __float_as_int(float x)
{
    return __builtin_bit_cast(int, x);
}
WARPMEM_DEVICE_ unsigned int __float_as_uint(float x)
{
    return __builtin_bit_cast(unsigned int, x);
}
WARPMEM_DEVICE_ float __int_as_float(int x)
{
    return __builtin_bit_cast(float, x);
}
WARPMEM_DEVICE_ float __uint_as_float(unsigned int x)
{
    return __builtin_bit_cast(float, x);
}
WARPMEM_DEVICE_ long long __double_as_longlong(double x)
{
    return __builtin_bit_cast(long long, x);
}
WARPMEM_DEVICE_ double __longlong_as_double(long long x)
{
    return __builtin_bit_cast(double, x);
}
WARPMEM_DEVICE_ int __double2hiint(double x)
{
    return (int)(__builtin_bit_cast(unsigned long long, x) >> 32);
}
WARPMEM_DEVICE_ int __double2loint(double x)
{
    return (int)__builtin_bit_cast(unsigned long long, x);
}
WARPMEM_DEVICE_ double __hiloint2double(int high, int low)
{
    return __builtin_bit_cast(double,
                              (unsigned long long)(unsigned int)high << 32 | (unsigned int)low);
}

#endif

#endif
