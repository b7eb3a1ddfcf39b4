// accesses CASE N: prints where the objects of the case lie, "NAME ADDRESS" a line, and makes its
// accesses between the marks. check_host_trace.py knows them, one by one.
#include "marks.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Read and written through pointers that nobody knows beforehand.
static int ints[2][64];
static unsigned char bytes[2][64];
static short shorts[2][64];
static double doubles[2][64];
static __int128 wides[2][64];
static const unsigned short table[4] = {100, 200, 300, 400};
static struct large {
    char bytes[40];
} larges[2];
static struct pair {
    int first, second;
} pairs[2];
static struct __attribute__((packed)) odd {
    char before;
    int number;
} odds[8];

static void scale(int n)
{
    for (int i = 0; i < n; i++)
        ints[1][i] = ints[0][i] * 3;
}

static void increment(int n)
{
    for (int i = 0; i < n; i++)
        ints[0][i]++;
}

static void look_up(int n)
{
    for (int i = 0; i < n; i++)
        ints[1][i] = table[ints[0][i] & 3];
}

// An array that never leaves its function.
static void count(int n)
{
    unsigned bins[4] = {0};
    for (int i = 0; i < n; i++)
        bins[ints[0][i] & 3]++;
    ints[1][0] = (int)bins[n & 3];
}

static void sizes(int n)
{
    bytes[1][n] = bytes[0][n] ^ 1;
    shorts[1][n] = shorts[0][n] ^ 1;
    doubles[1][n] = doubles[0][n] + 1;
    wides[1][n] = wides[0][n] ^ 1;
}

static void odd_places(int n)
{
    for (int i = 0; i < n; i++)
        odds[i].number += i;
}

static void structs(int n)
{
    larges[n & 1] = larges[~n & 1];
    pairs[n & 1] = pairs[~n & 1];
}

static void copy(int n)
{
    memcpy(bytes[1], bytes[0], (size_t)n * 10);
}

static void move_up(int n)
{
    memmove(bytes[0] + 8, bytes[0], (size_t)n * 10);
}

static void move_down(int n)
{
    memmove(bytes[0], bytes[0] + 8, (size_t)n * 10);
}

static void fill(int n)
{
    memset(bytes[1] + 1, n, (size_t)n * 10);
}

// What lies between two ranges is not traced, nor what lies around them.
static void two_ranges(int n)
{
    ints[0][0] = n;
    end();
    ints[0][1] = n;
    begin();
    ints[0][2] = n;
}

static const struct {
    const char *name;
    void (*function)(int n);
} cases[] = {
    {"scale", scale},     {"increment", increment}, {"look_up", look_up},
    {"count", count},     {"sizes", sizes},         {"odd_places", odd_places},
    {"structs", structs}, {"copy", copy},           {"move_up", move_up},
    {"fill", fill},       {"move_down", move_down}, {"two_ranges", two_ranges},
};

static void print_places(void)
{
    printf("ints %p\nbytes %p\nshorts %p\ndoubles %p\nwides %p\n", (void *)ints, (void *)bytes,
           (void *)shorts, (void *)doubles, (void *)wides);
    printf("table %p\nlarges %p\npairs %p\nodds %p\n", (const void *)table, (void *)larges,
           (void *)pairs, (void *)odds);
}

int main(int argc, char **argv)
{
    if (argc < 3)
        return 2;
    int n = atoi(argv[2]);
    for (int i = 0; i < 64; i++)
        ints[0][i] = i;
    print_places();
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        if (strcmp(cases[i].name, argv[1]) != 0)
            continue;
        void (*function)(int n) = cases[i].function;
        begin();
        function(n);
        end();
        return ints[1][0] == -1; // so that what was stored has a reader
    }
    return 2;
}
