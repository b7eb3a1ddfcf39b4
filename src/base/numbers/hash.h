// Hashing for tables and fingerprints: fixed functions, the same on every machine and release.
#ifndef WM_BASE_HASH_H
#define WM_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

// 64-bit FNV-1a with a final avalanche (splitmix64's mixer), over bytes.
uint64_t wm_hash_bytes(const void *data, size_t length);

// splitmix64's mixer: a bijection on 64-bit words.
static inline uint64_t wm_hash_u64(uint64_t word)
{
    word = (word ^ (word >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    word = (word ^ (word >> 27)) * UINT64_C(0x94D049BB133111EB);
    return word ^ (word >> 31);
}

#endif
