// One read-modify-write each, relaxed, at the scope of the device (CUDA C++ Programming Guide,
// "Atomic Functions"; PTX ISA, atom). The address space is found by the compiler: atom.global,
// atom.shared, or generic where it cannot know.
#ifndef WARPMEM_CUDA_DEVICE_ATOMIC_FUNCTIONS_H
#define WARPMEM_CUDA_DEVICE_ATOMIC_FUNCTIONS_H

#include "host_defines.h"

#if defined(__CUDA__) && defined(__clang__) && defined(__cplusplus)

WARPMEM_DEVICE_ int atomicAdd(int *address, int value)
{
    return __nvvm_atom_add_gen_i(address, value);
}
WARPMEM_DEVICE_ unsigned int atomicAdd(unsigned int *address, unsigned int value)
{
    return (unsigned int)__nvvm_atom_add_gen_i((int *)address, (int)value);
}
WARPMEM_DEVICE_ unsigned long long atomicAdd(unsigned long long *address, unsigned long long value)
{
    return (unsigned long long)__nvvm_atom_add_gen_ll((long long *)address, (long long)value);
}
WARPMEM_DEVICE_ float atomicAdd(float *address, float value)
{
    return __nvvm_atom_add_gen_f(address, value);
}
WARPMEM_DEVICE_ double atomicAdd(double *address, double value)
{
    return __nvvm_atom_add_gen_d(address, value);
}

WARPMEM_DEVICE_ int atomicSub(int *address, int value)
{
    return __nvvm_atom_add_gen_i(address, (int)(0u - (unsigned int)value));
}
WARPMEM_DEVICE_ unsigned int atomicSub(unsigned int *address, unsigned int value)
{
    return atomicAdd(address, 0u - value);
}

WARPMEM_DEVICE_ int atomicExch(int *address, int value)
{
    return __nvvm_atom_xchg_gen_i(address, value);
}
WARPMEM_DEVICE_ unsigned int atomicExch(unsigned int *address, unsigned int value)
{
    return (unsigned int)__nvvm_atom_xchg_gen_i((int *)address, (int)value);
}
WARPMEM_DEVICE_ unsigned long long atomicExch(unsigned long long *address, unsigned long long value)
{
    return (unsigned long long)__nvvm_atom_xchg_gen_ll((long long *)address, (long long)value);
}
WARPMEM_DEVICE_ float atomicExch(float *address, float value)
{
    return __builtin_bit_cast(
        float, __nvvm_atom_xchg_gen_i((int *)address, __builtin_bit_cast(int, value)));
}

WARPMEM_DEVICE_ int atomicMin(int *address, int value)
{
    return __nvvm_atom_min_gen_i(address, value);
}
WARPMEM_DEVICE_ unsigned int atomicMin(unsigned int *address, unsigned int value)
{
    return __nvvm_atom_min_gen_ui(address, value);
}
WARPMEM_DEVICE_ long long atomicMin(long long *address, long long value)
{
    return __nvvm_atom_min_gen_ll(address, value);
}
WARPMEM_DEVICE_ unsigned long long atomicMin(unsigned long long *address, unsigned long long value)
{
    return __nvvm_atom_min_gen_ull(address, value);
}

WARPMEM_DEVICE_ int atomicMax(int *address, int value)
{
    return __nvvm_atom_max_gen_i(address, value);
}
WARPMEM_DEVICE_ unsigned int atomicMax(unsigned int *address, unsigned int value)
{
    return __nvvm_atom_max_gen_ui(address, value);
}
WARPMEM_DEVICE_ long long atomicMax(long long *address, long long value)
{
    return __nvvm_atom_max_gen_ll(address, value);
}
WARPMEM_DEVICE_ unsigned long long atomicMax(unsigned long long *address, unsigned long long value)
{
    return __nvvm_atom_max_gen_ull(address, value);
}

// Counts up and wraps to 0 after `limit`; counts down and wraps to `limit` after 0.
WARPMEM_DEVICE_ unsigned int atomicInc(unsigned int *address, unsigned int limit)
{
    return __nvvm_atom_inc_gen_ui(address, limit);
}
WARPMEM_DEVICE_ unsigned int atomicDec(unsigned int *address, unsigned int limit)
{
    return __nvvm_atom_dec_gen_ui(address, limit);
}

// Stores `value` where `compare` was found; returns what was found.
WARPMEM_DEVICE_ int atomicCAS(int *address, int compare, int value)
{
    return __nvvm_atom_cas_gen_i(address, compare, value);
}
WARPMEM_DEVICE_ unsigned int atomicCAS(unsigned int *address, unsigned int compare,
                                       unsigned int value)
{
    return (unsigned int)__nvvm_atom_cas_gen_i((int *)address, (int)compare, (int)value);
}
WARPMEM_DEVICE_ unsigned long long atomicCAS(unsigned long long *address,
                                             unsigned long long compare, unsigned long long value)
{
    return (unsigned long long)__nvvm_atom_cas_gen_ll((long long *)address, (long long)compare,
                                                      (long long)value);
}

WARPMEM_DEVICE_ int atomicAnd(int *address, int value)
{
    return __nvvm_atom_and_gen_i(address, value);
}
WARPMEM_DEVICE_ unsigned int atomicAnd(unsigned int *address, unsigned int value)
{
    return (unsigned int)__nvvm_atom_and_gen_i((int *)address, (int)value);
}
WARPMEM_DEVICE_ unsigned long long atomicAnd(unsigned long long *address, unsigned long long value)
{
    return (unsigned long long)__nvvm_atom_and_gen_ll((long long *)address, (long long)value);
}

WARPMEM_DEVICE_ int atomicOr(int *address, int value)
{
    return __nvvm_atom_or_gen_i(address, value);
}
WARPMEM_DEVICE_ unsigned int atomicOr(unsigned int *address, unsigned int value)
{
    return (unsigned int)__nvvm_atom_or_gen_i((int *)address, (int)value);
}
WARPMEM_DEVICE_ unsigned long long atomicOr(unsigned long long *address, unsigned long long value)
{
    return (unsigned long long)__nvvm_atom_or_gen_ll((long long *)address, (long long)value);
}

WARPMEM_DEVICE_ int atomicXor(int *address, int value)
{
    return __nvvm_atom_xor_gen_i(address, value);
}
WARPMEM_DEVICE_ unsigned int atomicXor(unsigned int *address, unsigned int value)
{
    return (unsigned int)__nvvm_atom_xor_gen_i((int *)address, (int)value);
}
WARPMEM_DEVICE_ unsigned long long atomicXor(unsigned long long *address, unsigned long long value)
{
    return (unsigned long long)__nvvm_atom_xor_gen_ll((long long *)address, (long long)value);
}

#endif

#endif
