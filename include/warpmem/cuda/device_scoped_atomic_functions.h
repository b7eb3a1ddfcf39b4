// The read-modify-writes of device_atomic_functions.h at the scope of a block and of the system,
// the host's threads included (CUDA C++ Programming Guide, "Atomic Functions"; PTX ISA, atom: .cta,
// .sys). From compute capability 6.0.
#ifndef WARPMEM_CUDA_DEVICE_SCOPED_ATOMIC_FUNCTIONS_H
#define WARPMEM_CUDA_DEVICE_SCOPED_ATOMIC_FUNCTIONS_H

#include "host_defines.h"

#if defined(__CUDA__) && defined(__clang__) && defined(__cplusplus) && \
    (!defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 600)

// FUNCTION(type *, type) by an operation of the compiler that knows `known` only.
#define WARPMEM_ATOMIC_(function, operation, type, known)       \
    WARPMEM_DEVICE_ type function(type *address, type value)    \
    {                                                           \
        return (type)operation((known *)address, (known)value); \
    }
#define WARPMEM_ATOMIC_CAS_(function, operation, type, known)                   \
    WARPMEM_DEVICE_ type function(type *address, type compare, type value)      \
    {                                                                           \
        return (type)operation((known *)address, (known)compare, (known)value); \
    }
// clang 14 takes a scoped minimum or maximum of unsigned numbers for one of signed numbers.
#define WARPMEM_ATOMIC_UNSIGNED_(function, instruction, type, constraint) \
    WARPMEM_DEVICE_ type function(type *address, type value)              \
    {                                                                     \
        type old;                                                         \
        __asm__ volatile(instruction " %0, [%1], %2;"                     \
                         : "=" constraint(old)                            \
                         : "l"(address), constraint(value)                \
                         : "memory");                                     \
        return old;                                                       \
    }

// All functions whose name ends with `suffix`, at the compiler's scope `scope`.
#define WARPMEM_ATOMICS_(suffix, scope)                                                          \
    WARPMEM_ATOMIC_(atomicAdd##suffix, __nvvm_atom_##scope##_add_gen_i, int, int)                \
    WARPMEM_ATOMIC_(atomicAdd##suffix, __nvvm_atom_##scope##_add_gen_i, unsigned int, int)       \
    WARPMEM_ATOMIC_(atomicAdd##suffix, __nvvm_atom_##scope##_add_gen_ll, unsigned long long,     \
                    long long)                                                                   \
    WARPMEM_ATOMIC_(atomicAdd##suffix, __nvvm_atom_##scope##_add_gen_f, float, float)            \
    WARPMEM_ATOMIC_(atomicAdd##suffix, __nvvm_atom_##scope##_add_gen_d, double, double)          \
    WARPMEM_DEVICE_ int atomicSub##suffix(int *address, int value)                               \
    {                                                                                            \
        return atomicAdd##suffix(address, (int)(0u - (unsigned int)value));                      \
    }                                                                                            \
    WARPMEM_DEVICE_ unsigned int atomicSub##suffix(unsigned int *address, unsigned int value)    \
    {                                                                                            \
        return atomicAdd##suffix(address, 0u - value);                                           \
    }                                                                                            \
    WARPMEM_ATOMIC_(atomicExch##suffix, __nvvm_atom_##scope##_xchg_gen_i, int, int)              \
    WARPMEM_ATOMIC_(atomicExch##suffix, __nvvm_atom_##scope##_xchg_gen_i, unsigned int, int)     \
    WARPMEM_ATOMIC_(atomicExch##suffix, __nvvm_atom_##scope##_xchg_gen_ll, unsigned long long,   \
                    long long)                                                                   \
    WARPMEM_DEVICE_ float atomicExch##suffix(float *address, float value)                        \
    {                                                                                            \
        return __builtin_bit_cast(                                                               \
            float, atomicExch##suffix((int *)address, __builtin_bit_cast(int, value)));          \
    }                                                                                            \
    WARPMEM_ATOMIC_(atomicMin##suffix, __nvvm_atom_##scope##_min_gen_i, int, int)                \
    WARPMEM_ATOMIC_UNSIGNED_(atomicMin##suffix, "atom." #scope ".min.u32", unsigned int, "r")    \
    WARPMEM_ATOMIC_(atomicMin##suffix, __nvvm_atom_##scope##_min_gen_ll, long long, long long)   \
    WARPMEM_ATOMIC_UNSIGNED_(atomicMin##suffix, "atom." #scope ".min.u64", unsigned long long,   \
                             "l")                                                                \
    WARPMEM_ATOMIC_(atomicMax##suffix, __nvvm_atom_##scope##_max_gen_i, int, int)                \
    WARPMEM_ATOMIC_UNSIGNED_(atomicMax##suffix, "atom." #scope ".max.u32", unsigned int, "r")    \
    WARPMEM_ATOMIC_(atomicMax##suffix, __nvvm_atom_##scope##_max_gen_ll, long long, long long)   \
    WARPMEM_ATOMIC_UNSIGNED_(atomicMax##suffix, "atom." #scope ".max.u64", unsigned long long,   \
                             "l")                                                                \
    WARPMEM_ATOMIC_(atomicInc##suffix, __nvvm_atom_##scope##_inc_gen_ui, unsigned int,           \
                    unsigned int)                                                                \
    WARPMEM_ATOMIC_(atomicDec##suffix, __nvvm_atom_##scope##_dec_gen_ui, unsigned int,           \
                    unsigned int)                                                                \
    WARPMEM_ATOMIC_CAS_(atomicCAS##suffix, __nvvm_atom_##scope##_cas_gen_i, int, int)            \
    WARPMEM_ATOMIC_CAS_(atomicCAS##suffix, __nvvm_atom_##scope##_cas_gen_i, unsigned int, int)   \
    WARPMEM_ATOMIC_CAS_(atomicCAS##suffix, __nvvm_atom_##scope##_cas_gen_ll, unsigned long long, \
                        long long)                                                               \
    WARPMEM_ATOMIC_(atomicAnd##suffix, __nvvm_atom_##scope##_and_gen_i, int, int)                \
    WARPMEM_ATOMIC_(atomicAnd##suffix, __nvvm_atom_##scope##_and_gen_i, unsigned int, int)       \
    WARPMEM_ATOMIC_(atomicAnd##suffix, __nvvm_atom_##scope##_and_gen_ll, unsigned long long,     \
                    long long)                                                                   \
    WARPMEM_ATOMIC_(atomicOr##suffix, __nvvm_atom_##scope##_or_gen_i, int, int)                  \
    WARPMEM_ATOMIC_(atomicOr##suffix, __nvvm_atom_##scope##_or_gen_i, unsigned int, int)         \
    WARPMEM_ATOMIC_(atomicOr##suffix, __nvvm_atom_##scope##_or_gen_ll, unsigned long long,       \
                    long long)                                                                   \
    WARPMEM_ATOMIC_(atomicXor##suffix, __nvvm_atom_##scope##_xor_gen_i, int, int)                \
    WARPMEM_ATOMIC_(atomicXor##suffix, __nvvm_atom_##scope##_xor_gen_i, unsigned int, int)       \
    WARPMEM_ATOMIC_(atomicXor##suffix, __nvvm_atom_##scope##_xor_gen_ll, unsigned long long,     \
                    long long)

WARPMEM_ATOMICS_(_block, cta)
WARPMEM_ATOMICS_(_system, sys)

#undef WARPMEM_ATOMICS_
#undef WARPMEM_ATOMIC_CAS_
#undef WARPMEM_ATOMIC_UNSIGNED_
#undef WARPMEM_ATOMIC_

#endif

#endif
