// What reduce() and the scans combine values with (CUDA C++ Programming Guide, "Cooperative
// Groups", "Reduce Operators").
#ifndef WARPMEM_CUDA_COOPERATIVE_GROUPS_OPERATORS_H
#define WARPMEM_CUDA_COOPERATIVE_GROUPS_OPERATORS_H

#include "../cooperative_groups.h"

#if defined(__CUDA__) && defined(__clang__) && defined(__cplusplus)

namespace cooperative_groups
{

#define WARPMEM_OPERATOR_(name, result)                            \
    template <typename T> struct name {                            \
        WARPMEM_MEMBER_ T operator()(const T &a, const T &b) const \
        {                                                          \
            return result;                                         \
        }                                                          \
    };

WARPMEM_OPERATOR_(plus, a + b)
WARPMEM_OPERATOR_(less, b < a ? b : a)
WARPMEM_OPERATOR_(greater, a < b ? b : a)
WARPMEM_OPERATOR_(bit_and, a &b)
WARPMEM_OPERATOR_(bit_or, a | b)
WARPMEM_OPERATOR_(bit_xor, a ^ b)

#undef WARPMEM_OPERATOR_

} // namespace cooperative_groups

#endif

#endif
