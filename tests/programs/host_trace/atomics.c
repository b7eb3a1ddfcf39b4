// Atomic operations of each size, which do what they should, and are traced: prints "NAME ADDRESS"
// of each object, then "OPERATION BYTES" of each operation, in order.
#include "marks.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

typedef unsigned __int128 uint128_t;

static int failures;

static void expect(const char *what, int bits, int holds)
{
    if (!holds) {
        printf("%s of %d bits is wrong\n", what, bits);
        failures++;
    }
}

// `high` has bits in both halves.
#define OPERATIONS(bits)                                                              \
    static uint##bits##_t atomic_##bits, plain_##bits[16];                            \
    __attribute__((noinline)) static void operate_##bits(volatile uint##bits##_t *at, \
                                                         uint##bits##_t high)         \
    {                                                                                 \
        uint##bits##_t *to = plain_##bits, expected = 0;                              \
        uint##bits##_t found[13];                                                     \
        begin();                                                                      \
        __atomic_store_n(at, high, __ATOMIC_RELEASE);                                 \
        found[0] = __atomic_load_n(at, __ATOMIC_ACQUIRE);                             \
        found[1] = __atomic_exchange_n(at, 5, __ATOMIC_SEQ_CST);                      \
        found[2] = __atomic_fetch_add(at, high, __ATOMIC_RELAXED);                    \
        found[3] = __atomic_fetch_sub(at, 7, __ATOMIC_RELAXED);                       \
        found[4] = __atomic_fetch_and(at, high, __ATOMIC_RELAXED);                    \
        found[5] = __atomic_fetch_or(at, 9, __ATOMIC_RELAXED);                        \
        found[6] = __atomic_fetch_xor(at, 3, __ATOMIC_RELAXED);                       \
        found[7] = __atomic_fetch_nand(at, high, __ATOMIC_RELAXED);                   \
        found[8] = __sync_val_compare_and_swap(at, expected, 1);                      \
        found[9] = __sync_val_compare_and_swap(at, found[8], 2);                      \
        __atomic_thread_fence(__ATOMIC_SEQ_CST);                                      \
        found[10] = __atomic_load_n(at, __ATOMIC_SEQ_CST);                            \
        end();                                                                        \
        memcpy(to, found, sizeof found);                                              \
    }                                                                                 \
    static void check_##bits(void)                                                    \
    {                                                                                 \
        uint##bits##_t high = (uint##bits##_t)3 << (bits - 3) | 6, is = 5;            \
        operate_##bits(&atomic_##bits, high);                                         \
        uint##bits##_t *found = plain_##bits;                                         \
        expect("load", bits, found[0] == high);                                       \
        expect("exchange", bits, found[1] == high);                                   \
        expect("add", bits, found[2] == is);                                          \
        expect("sub", bits, found[3] == (is = (uint##bits##_t)(is + high)));          \
        expect("and", bits, found[4] == (is = (uint##bits##_t)(is - 7)));             \
        expect("or", bits, found[5] == (is = (uint##bits##_t)(is & high)));           \
        expect("xor", bits, found[6] == (is = (uint##bits##_t)(is | 9)));             \
        expect("nand", bits, found[7] == (is = (uint##bits##_t)(is ^ 3)));            \
        expect("comparison", bits, found[8] == (is = (uint##bits##_t) ~(is & high))); \
        expect("second comparison", bits, found[9] == is && is != 0);                 \
        expect("last load", bits, found[10] == 2);                                    \
    }

OPERATIONS(8)
OPERATIONS(16)
OPERATIONS(32)
OPERATIONS(64)
OPERATIONS(128)

int main(void)
{
    printf("%p %p %p %p %p\n", (void *)&atomic_8, (void *)&atomic_16, (void *)&atomic_32,
           (void *)&atomic_64, (void *)&atomic_128);
    check_8();
    check_16();
    check_32();
    check_64();
    check_128();
    return failures != 0;
}
