// The litmus tests of litmus.cu: what their threads do, in which variants, and what PTX's memory
// model says of each one's weak outcome, which no interleaving of the threads' instructions gives.
#ifndef LITMUS_H
#define LITMUS_H

enum { MOST_ROLES = 4, MOST_REGISTERS = 4, VARIABLES = 2 };
enum shape { W, WW, WR, RW, RR };                 // of a thread's accesses, in program order
enum access { WEAK, VOLATILE, RELAXED, ORDERED }; // ORDERED: ld.acquire and st.release
enum fence { NO_FENCE, ACQ_REL, SC };
enum scope { CTA, GPU, SYS };
enum placement { WARPS, BLOCKS, HOST_FIRST, HOST_SECOND, PLACEMENTS };
// Where the two variables of an instance lie: each in a line of its own, one behind the other; side
// by side in one line; or each beside those of other instances, far from one another.
enum layout { APART, TOGETHER, PACKED, LAYOUTS };

static const char *const SCOPES[] = {"cta", "gpu", "sys"};
static const char *const PLACES[] = {"warps", "blocks", "host-gpu", "gpu-host"};
static const char *const LAYS[] = {"apart", "together", "packed"};

// What one thread of a test does: two accesses at most, of variables 0 (x) and 1 (y).
struct role {
    int shape, first, first_value, second, second_value;
};

struct litmus {
    const char *name;
    int roles;
    struct role role[MOST_ROLES];
    int registers;
    bool last[VARIABLES]; // whether what the variable is in the end belongs to the outcome
    unsigned weak;        // litmus_outcome of it
    bool with_host;
};

// An outcome as one number: two bits of each register, then of each variable in the end.
static constexpr unsigned litmus_outcome(unsigned r0, unsigned r1, unsigned r2, unsigned r3,
                                         unsigned x, unsigned y)
{
    return r0 | r1 << 2 | r2 << 4 | r3 << 6 | x << 8 | y << 10;
}
enum { OUTCOMES = 1 << 12 };

// x is 0 and y is 1; values are 1 but where two threads store to one variable.
static const struct litmus TESTS[] = {
    {"SB",
     2,
     {{WR, 0, 1, 1, 0}, {WR, 1, 1, 0, 0}},
     2,
     {false, false},
     litmus_outcome(0, 0, 0, 0, 0, 0),
     true},
    {"MP",
     2,
     {{WW, 0, 1, 1, 1}, {RR, 1, 0, 0, 0}},
     2,
     {false, false},
     litmus_outcome(1, 0, 0, 0, 0, 0),
     true},
    {"LB",
     2,
     {{RW, 0, 0, 1, 1}, {RW, 1, 0, 0, 1}},
     2,
     {false, false},
     litmus_outcome(1, 1, 0, 0, 0, 0),
     true},
    {"IRIW",
     4,
     {{W, 0, 1, 0, 0}, {W, 1, 1, 0, 0}, {RR, 0, 0, 1, 0}, {RR, 1, 0, 0, 0}},
     4,
     {false, false},
     litmus_outcome(1, 0, 1, 0, 0, 0),
     false},
    {"2+2W",
     2,
     {{WW, 0, 1, 1, 2}, {WW, 1, 1, 0, 2}},
     0,
     {true, true},
     litmus_outcome(0, 0, 0, 0, 1, 1),
     false},
    {"R",
     2,
     {{WW, 0, 1, 1, 1}, {WR, 1, 2, 0, 0}},
     1,
     {false, true},
     litmus_outcome(0, 0, 0, 0, 0, 2),
     false},
    {"S",
     2,
     {{WW, 0, 2, 1, 1}, {RW, 1, 0, 0, 1}},
     1,
     {true, false},
     litmus_outcome(1, 0, 0, 0, 2, 0),
     false},
    {"CoRR",
     2,
     {{W, 0, 1, 0, 0}, {RR, 0, 0, 0, 0}},
     2,
     {false, false},
     litmus_outcome(1, 0, 0, 0, 0, 0),
     false},
};

__host__ __device__ static inline int litmus_reads(const struct role *role)
{
    return role->shape == RR ? 2 : role->shape == WR || role->shape == RW;
}

// The first register of a role: they are numbered in the order of the roles.
__host__ __device__ static inline int litmus_register(const struct litmus *test, int role)
{
    int number = 0;
    for (int i = 0; i < role; i++)
        number += litmus_reads(&test->role[i]);
    return number;
}

static inline bool litmus_in_scope(int scope, int placement)
{
    return scope >= (placement == WARPS ? CTA : placement == BLOCKS ? GPU : SYS);
}

// Whether the memory model (PTX ISA, "Memory Consistency Model", Axioms) forbids the test's weak
// outcome.
//
// Fence-SC order puts two fence.sc in each other's scope one before the other, and what stands
// before the first is then before what stands behind the second, strong or weak: that contradicts
// all weak outcomes of two threads. In IRIW the fences are the readers', and what they see orders
// the writers only if it is strong. Release and acquire, or the fences in their place, synchronize
// where a strong read sees a strong write, which MP, LB and S have. Coherence of one address holds
// between strong accesses without any of that. All else is allowed.
static inline bool litmus_forbids_weak(const struct litmus *test, int access, int fence, int scope,
                                       int placement)
{
    bool near = litmus_in_scope(scope, placement);
    bool strong = access == VOLATILE || (access != WEAK && near);
    const char *name = test->name;
    if (strcmp(name, "CoRR") == 0)
        return strong;
    if (fence == SC && near)
        return strong || strcmp(name, "IRIW") != 0;
    bool synchronizes = access == ORDERED || fence == ACQ_REL;
    bool reads_of_others =
        strcmp(name, "MP") == 0 || strcmp(name, "LB") == 0 || strcmp(name, "S") == 0;
    return strong && near && synchronizes && reads_of_others;
}

// Nor may a value be one that no thread has stored: registers are 0 or 1, and in the end variables
// of two stores are 1 or 2.
static inline bool litmus_has_values(const struct litmus *test, unsigned outcome)
{
    for (int i = 0; i < test->registers; i++)
        if ((outcome >> 2 * i & 3) > 1)
            return false;
    for (int i = 0; i < VARIABLES; i++) {
        unsigned value = outcome >> (8 + 2 * i) & 3;
        if (test->last[i] && value != 1 && value != 2)
            return false;
    }
    return true;
}

static inline void litmus_print_outcome(const struct litmus *test, unsigned outcome)
{
    const char *space = "";
    for (int i = 0; i < test->registers; i++, space = " ")
        printf("%sr%d=%u", space, i, outcome >> 2 * i & 3);
    for (int i = 0; i < VARIABLES; i++) {
        if (test->last[i]) {
            printf("%s%c=%u", space, "xy"[i], outcome >> (8 + 2 * i) & 3);
            space = " ";
        }
    }
}

#endif
