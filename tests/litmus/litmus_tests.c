#include "litmus_tests.h"

#define W(location, value)    \
    {                         \
        true, location, value \
    }
#define R(location, number)     \
    {                           \
        false, location, number \
    }
enum { X, Y };

static bool sb(const struct litmus_outcome *o)
{
    return o->registers[0] == 0 && o->registers[1] == 0;
}
static bool mp(const struct litmus_outcome *o)
{
    return o->registers[0] == 1 && o->registers[1] == 0;
}
static bool lb(const struct litmus_outcome *o)
{
    return o->registers[0] == 1 && o->registers[1] == 1;
}
static bool iriw(const struct litmus_outcome *o)
{
    return o->registers[0] == 1 && o->registers[1] == 0 && o->registers[2] == 1 &&
           o->registers[3] == 0;
}
static bool two_writes(const struct litmus_outcome *o)
{
    return o->last[X] == 1 && o->last[Y] == 1;
}
static bool r(const struct litmus_outcome *o)
{
    return o->last[Y] == 2 && o->registers[0] == 0;
}
static bool s(const struct litmus_outcome *o)
{
    return o->registers[0] == 1 && o->last[X] == 2;
}

const struct litmus_test litmus_tests[] = {
    {"SB", 2, {2, 2}, {{W(X, 1), R(Y, 0)}, {W(Y, 1), R(X, 1)}}, "r0 = 0, r1 = 0", sb},
    {"MP", 2, {2, 2}, {{W(X, 1), W(Y, 1)}, {R(Y, 0), R(X, 1)}}, "r0 = 1, r1 = 0", mp},
    {"LB", 2, {2, 2}, {{R(X, 0), W(Y, 1)}, {R(Y, 1), W(X, 1)}}, "r0 = 1, r1 = 1", lb},
    {"IRIW",
     4,
     {1, 1, 2, 2},
     {{W(X, 1)}, {W(Y, 1)}, {R(X, 0), R(Y, 1)}, {R(Y, 2), R(X, 3)}},
     "r0 = 1, r1 = 0, r2 = 1, r3 = 0",
     iriw},
    {"2+2W", 2, {2, 2}, {{W(X, 1), W(Y, 2)}, {W(Y, 1), W(X, 2)}}, "x = 1, y = 1", two_writes},
    {"R", 2, {2, 2}, {{W(X, 1), W(Y, 1)}, {W(Y, 2), R(X, 0)}}, "y = 2, r0 = 0", r},
    {"S", 2, {2, 2}, {{W(X, 2), W(Y, 1)}, {R(Y, 0), W(X, 1)}}, "r0 = 1, x = 2", s},
};
const size_t litmus_test_count = sizeof litmus_tests / sizeof litmus_tests[0];
