// Loads that name a cache path (CUDA C++ Programming Guide, "Read-Only Data Cache Load Function"
// and "Load Functions Using Cache Hints"): __ldg() is ld.global.nc, __ldcg() and its kin carry a
// cache operator that the memory system may honour.
#ifndef WARPMEM_CUDA_DEVICE_LOAD_FUNCTIONS_H
#define WARPMEM_CUDA_DEVICE_LOAD_FUNCTIONS_H

#include "vector_types.h"

#if defined(__CUDA__) && defined(__clang__) && defined(__cplusplus)

// Vectors of 2 and 4 are one wide load.
#define WARPMEM_LDG_(type, suffix)                  \
    WARPMEM_DEVICE_ type __ldg(const type *pointer) \
    {                                               \
        return __nvvm_ldg_##suffix(pointer);        \
    }
WARPMEM_LDG_(char, c)
WARPMEM_LDG_(short, s)
WARPMEM_LDG_(int, i)
WARPMEM_LDG_(long, l)
WARPMEM_LDG_(long long, ll)
WARPMEM_LDG_(unsigned char, uc)
WARPMEM_LDG_(unsigned short, us)
WARPMEM_LDG_(unsigned int, ui)
WARPMEM_LDG_(unsigned long, ul)
WARPMEM_LDG_(unsigned long long, ull)
WARPMEM_LDG_(float, f)
WARPMEM_LDG_(double, d)
#undef WARPMEM_LDG_

#define WARPMEM_LDG2_(type, element, suffix)                        \
    WARPMEM_DEVICE_ type __ldg(const type *pointer)                 \
    {                                                               \
        typedef element vector __attribute__((ext_vector_type(2))); \
        vector v = __nvvm_ldg_##suffix((const vector *)pointer);    \
        return type{v.x, v.y};                                      \
    }
#define WARPMEM_LDG4_(type, element, suffix)                        \
    WARPMEM_DEVICE_ type __ldg(const type *pointer)                 \
    {                                                               \
        typedef element vector __attribute__((ext_vector_type(4))); \
        vector v = __nvvm_ldg_##suffix((const vector *)pointer);    \
        return type{v.x, v.y, v.z, v.w};                            \
    }
WARPMEM_LDG2_(int2, int, i2)
WARPMEM_LDG2_(uint2, unsigned int, ui2)
WARPMEM_LDG2_(float2, float, f2)
WARPMEM_LDG2_(double2, double, d2)
WARPMEM_LDG2_(longlong2, long long, ll2)
WARPMEM_LDG4_(int4, int, i4)
WARPMEM_LDG4_(uint4, unsigned int, ui4)
WARPMEM_LDG4_(float4, float, f4)
#undef WARPMEM_LDG2_
#undef WARPMEM_LDG4_

// ld.ca, .cg, .cs, .lu, .cv and st.wb, .cg, .cs, .wt (PTX ISA, "Cache Operators").
#define WARPMEM_LOAD_(name, operation, type, ptx_type, constraint)    \
    WARPMEM_DEVICE_ type name(const type *pointer)                    \
    {                                                                 \
        type value;                                                   \
        asm volatile("ld.global." operation "." ptx_type " %0, [%1];" \
                     : "=" constraint(value)                          \
                     : "l"(warpmem_global_address_(pointer))          \
                     : "memory");                                     \
        return value;                                                 \
    }
#define WARPMEM_STORE_(name, operation, type, ptx_type, constraint)             \
    WARPMEM_DEVICE_ void name(type *pointer, type value)                        \
    {                                                                           \
        asm volatile("st.global." operation "." ptx_type " [%0], %1;"           \
                     :                                                          \
                     : "l"(warpmem_global_address_(pointer)), constraint(value) \
                     : "memory");                                               \
    }
#define WARPMEM_TYPES_(macro, name, operation)                                               \
    macro(name, operation, int, "s32", "r") macro(name, operation, unsigned int, "u32", "r") \
        macro(name, operation, long long, "s64", "l")                                        \
            macro(name, operation, unsigned long long, "u64", "l")                           \
                macro(name, operation, float, "f32", "f")                                    \
                    macro(name, operation, double, "f64", "d")

// Inline PTX takes no address space from a C pointer: this is cvta.to.global.
WARPMEM_DEVICE_ unsigned long long warpmem_global_address_(const void *pointer)
{
    return (unsigned long long)(const __attribute__((address_space(1))) void *)pointer;
}

WARPMEM_TYPES_(WARPMEM_LOAD_, __ldca, "ca")
WARPMEM_TYPES_(WARPMEM_LOAD_, __ldcg, "cg")
WARPMEM_TYPES_(WARPMEM_LOAD_, __ldcs, "cs")
WARPMEM_TYPES_(WARPMEM_LOAD_, __ldlu, "lu")
WARPMEM_TYPES_(WARPMEM_LOAD_, __ldcv, "cv")
WARPMEM_TYPES_(WARPMEM_STORE_, __stwb, "wb")
WARPMEM_TYPES_(WARPMEM_STORE_, __stcg, "cg")
WARPMEM_TYPES_(WARPMEM_STORE_, __stcs, "cs")
WARPMEM_TYPES_(WARPMEM_STORE_, __stwt, "wt")

#undef WARPMEM_TYPES_
#undef WARPMEM_LOAD_
#undef WARPMEM_STORE_

#endif

#endif
