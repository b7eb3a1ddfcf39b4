#include "forms.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 1200, TEXTS = 128 * 1024 };

struct list {
    struct form *forms;
    size_t count;
    char *texts; // of forms that are put together, kept for ever
    size_t used;
};

static const char *keep(struct list *list, const char *text)
{
    size_t length = strlen(text) + 1;
    if (list->used + length > TEXTS)
        abort();
    char *kept = memcpy(list->texts + list->used, text, length);
    list->used += length;
    return kept;
}

static void add(struct list *list, struct form form)
{
    if (list->count == MOST)
        abort();
    list->forms[list->count++] = form;
}

// ---- Loads and stores: spaces, widths, patterns ------------------------------------------------

static const struct moved {
    const char *type, *values;
    unsigned width, work;
} moved[] = {
    {".u8", "%h2", 1, 1},
    {".s8", "%r8", 1, 1},
    {".u16", "%h2", 2, 1},
    {".u32", "%r8", 4, 1},
    {".f32", "%f8", 4, 1},
    {".u64", "%d8", 8, 1},
    {".f64", "%g8", 8, 1},
    {".v2.u8", "{%h2, %h3}", 2, 2},
    {".v4.u8", "{%h2, %h3, %h4, %h5}", 4, 4},
    {".v2.u16", "{%h2, %h3}", 4, 2},
    {".v4.u16", "{%h2, %h3, %h4, %h5}", 8, 4},
    {".v2.f32", "{%f8, %f9}", 8, 2},
    {".v4.f32", "{%f8, %f9, %f10, %f11}", 16, 4},
    {".v4.u32", "{%r8, %r9, %r10, %r11}", 16, 4},
    {".v2.f64", "{%g8, %g9}", 16, 2},
    {".v2.u64", "{%d8, %d9}", 16, 2},
};

static void add_moves(struct list *list, const char *group, const char *operation,
                      const char *space, const char *address, unsigned patterns)
{
    static const char *const names[] = {"row", "apart", "same", "scattered"};
    for (unsigned pattern = 0; pattern < PATTERNS; pattern++) {
        char text[128], name[64];
        if (!(patterns >> pattern & 1))
            continue;
        snprintf(name, sizeof(name), "%s, %s", group, names[pattern]);
        const char *kept = keep(list, name);
        for (size_t i = 0; i < sizeof(moved) / sizeof(*moved); i++) {
            if (strcmp(operation, "ld") == 0)
                snprintf(text, sizeof(text), "ld%s%s %s, [%s];", space, moved[i].type,
                         moved[i].values, address);
            else
                snprintf(text, sizeof(text), "st%s%s [%s], %s;", space, moved[i].type, address,
                         moved[i].values);
            add(list, (struct form){kept, keep(list, text), pattern, names[pattern], moved[i].width,
                                    moved[i].work, false});
        }
    }
}

// The same with a listener, as every memory system is one: spaces beside each other.
static void add_heard(struct list *list)
{
    static const char *const spaces[][2] = {
        {"global", "%d0"}, {"shared", "%r0"}, {"local", "%d1"}, {"const", "%d2"}};
    static const struct moved heard[] = {{".u32", "%r8", 4, 1},
                                         {".u8", "%h2", 1, 1},
                                         {".f64", "%g8", 8, 1},
                                         {".v4.f32", "{%f8, %f9, %f10, %f11}", 16, 4}};
    for (enum pattern pattern = SAME; pattern <= SCATTERED; pattern++)
        for (unsigned store = 0; store < 2; store++)
            for (unsigned s = 0; s < sizeof(spaces) / sizeof(*spaces) - store; s++)
                for (unsigned i = 0; i < sizeof(heard) / sizeof(*heard); i++) {
                    const char *lies = pattern == SAME ? "same" : "scattered";
                    char text[128], name[64];
                    snprintf(name, sizeof(name), "heard %s, %s", store ? "stores" : "loads", lies);
                    if (store)
                        snprintf(text, sizeof(text), "st.%s%s [%s], %s;", spaces[s][0],
                                 heard[i].type, spaces[s][1], heard[i].values);
                    else
                        snprintf(text, sizeof(text), "ld.%s%s %s, [%s];", spaces[s][0],
                                 heard[i].type, heard[i].values, spaces[s][1]);
                    // An element of 8 bytes of local memory is two words, a row apart.
                    bool two = heard[i].width == 8 && strcmp(spaces[s][0], "local") == 0;
                    add(list, (struct form){keep(list, name), keep(list, text), pattern, lies,
                                            heard[i].width, two ? 2 : heard[i].work, true});
                }
}

static void add_memory(struct list *list)
{
    enum { ALL = 15, ONE = 1 << SAME, FEW = 1 << SAME | 1 << SCATTERED };
    add_moves(list, "ld.global", "ld", ".global", "%d0", ALL);
    add_moves(list, "st.global", "st", ".global", "%d0", ALL);
    add_moves(list, "ld.shared", "ld", ".shared", "%r0", ALL);
    add_moves(list, "st.shared", "st", ".shared", "%r0", ALL);
    add_moves(list, "ld.local", "ld", ".local", "%d1", FEW);
    add_moves(list, "st.local", "st", ".local", "%d1", FEW);
    add_moves(list, "ld.const", "ld", ".const", "%d2", FEW);
    add_moves(list, "ld.param", "ld", ".param", "values", ONE);
    add_moves(list, "ld", "ld", "", "%d0", 1 << ROW);
    add_moves(list, "st", "st", "", "%d0", 1 << ROW);
}

// ---- Atomics -----------------------------------------------------------------------------------

static void add_atomics(struct list *list)
{
    static const char *const operations[] = {
        "add.u32 %r8,",  "add.s32 %r8,", "add.f32 %f8,", "add.u64 %d8,", "add.f64 %g8,",
        "min.u32 %r8,",  "max.s32 %r8,", "and.b32 %r8,", "or.b32 %r8,",  "xor.b32 %r8,",
        "exch.b32 %r8,", "inc.u32 %r8,", "dec.u32 %r8,", "max.u64 %d8,", "exch.b64 %d8,",
    };
    static const char *const values[] = {"%r2", "%r2", "%f2", "%d4", "%g2", "%r2", "%r2", "%r2",
                                         "%r2", "%r2", "%r2", "%r2", "%r2", "%d4", "%d4"};
    static const struct {
        const char *space, *address;
    } spaces[] = {{"global", "%d0"}, {"shared", "%r0"}};
    for (unsigned s = 0; s < 2; s++)
        for (enum pattern pattern = ROW; pattern < PATTERNS; pattern += SAME - ROW) {
            char name[64], text[128];
            snprintf(name, sizeof(name), "atom.%s, %s", spaces[s].space,
                     pattern == ROW ? "row" : "same");
            const char *group = keep(list, name), *lies = pattern == ROW ? "row" : "same";
            for (size_t i = 0; i < sizeof(operations) / sizeof(*operations); i++) {
                snprintf(text, sizeof(text), "atom.%s.%s [%s], %s;", spaces[s].space, operations[i],
                         spaces[s].address, values[i]);
                add(list, (struct form){group, keep(list, text), pattern, lies, 8, 1, false});
                const char *type = strchr(operations[i], ' ');
                if (strncmp(operations[i], "exch", 4) == 0)
                    continue;
                snprintf(text, sizeof(text), "red.%s.%.*s [%s], %s;", spaces[s].space,
                         (int)(type - operations[i]), operations[i], spaces[s].address, values[i]);
                add(list, (struct form){group, keep(list, text), pattern, lies, 8, 1, false});
            }
            snprintf(text, sizeof(text), "atom.%s.cas.b32 %%r8, [%s], %%r2, %%r3;", spaces[s].space,
                     spaces[s].address);
            add(list, (struct form){group, keep(list, text), pattern, lies, 8, 1, false});
        }
}

// ---- Everything else ---------------------------------------------------------------------------

// A form may be more than one step of work beside its neighbours: "n*" before its text.
static const char *const plain[][48] = {
    {"integers",
     "add.u32 %r8, %r2, %r3;",
     "sub.s32 %r8, %r2, %r3;",
     "mul.lo.u32 %r8, %r2, %r3;",
     "mul.hi.u32 %r8, %r2, %r3;",
     "mul.hi.s32 %r8, %r2, %r3;",
     "mul.wide.u32 %d8, %r2, %r3;",
     "mul.wide.s32 %d8, %r2, %r3;",
     "mul24.lo.u32 %r8, %r2, %r3;",
     "mad.lo.u32 %r8, %r2, %r3, %r4;",
     "mad.hi.s32 %r8, %r2, %r3, %r4;",
     "mad.wide.u32 %d8, %r2, %r3, %d4;",
     "min.s32 %r8, %r2, %r3;",
     "max.u32 %r8, %r2, %r3;",
     "abs.s32 %r8, %r2;",
     "neg.s32 %r8, %r2;",
     "shl.b32 %r8, %r2, %r3;",
     "shl.b32 %r8, %r2, 3;",
     "shr.u32 %r8, %r2, %r3;",
     "shr.s32 %r8, %r2, 3;",
     "and.b32 %r8, %r2, %r3;",
     "or.b32 %r8, %r2, 7;",
     "xor.b32 %r8, %r2, %r3;",
     "not.b32 %r8, %r2;",
     "cnot.b32 %r8, %r2;",
     "lop3.b32 %r8, %r2, %r3, %r4, 150;",
     "sad.u32 %r8, %r2, %r3, %r4;",
     "shf.l.wrap.b32 %r8, %r2, %r3, %r4;",
     "shf.r.clamp.b32 %r8, %r2, %r3, 7;",
     "mov.u32 %r8, %r2;",
     "mov.u32 %r8, 5;",
     "add.cc.u32 %r8, %r2, %r3;",
     "addc.u32 %r8, %r2, %r3;",
     "addc.cc.u32 %r8, %r2, %r3;",
     "sub.cc.u32 %r8, %r2, %r3;",
     "mad.lo.cc.u32 %r8, %r2, %r3, %r4;",
     "madc.hi.cc.u32 %r8, %r2, %r3, %r4;",
     "dp4a.u32.u32 %r8, %r2, %r3, %r4;",
     "dp2a.lo.u32.u32 %r8, %r2, %r3, %r4;",
     "add.sat.s32 %r8, %r2, %r3;",
     "isspacep.global %p4, %d0;",
     "cvta.global.u64 %d8, %d0;"},
    {"integers of 64 and 16 bits",
     "add.u64 %d8, %d4, %d5;",
     "sub.s64 %d8, %d4, %d5;",
     "mul.lo.u64 %d8, %d4, %d5;",
     "mul.hi.u64 %d8, %d4, %d5;",
     "mul.hi.s64 %d8, %d4, %d5;",
     "mad.lo.s64 %d8, %d4, %d5, %d6;",
     "min.s64 %d8, %d4, %d5;",
     "max.u64 %d8, %d4, %d5;",
     "abs.s64 %d8, %d4;",
     "neg.s64 %d8, %d4;",
     "shl.b64 %d8, %d4, %r3;",
     "shr.s64 %d8, %d4, 3;",
     "and.b64 %d8, %d4, %d5;",
     "xor.b64 %d8, %d4, %d5;",
     "not.b64 %d8, %d4;",
     "add.u16 %h8, %h2, %h3;",
     "mul.lo.u16 %h8, %h2, %h3;",
     "mul.hi.s16 %h8, %h2, %h3;",
     "mul.wide.u16 %r8, %h2, %h3;",
     "mad.lo.u16 %h8, %h2, %h3, %h4;",
     "min.s16 %h8, %h2, %h3;",
     "shl.b16 %h8, %h2, 3;",
     "shr.u16 %h8, %h2, %r3;",
     "and.b16 %h8, %h2, %h3;",
     "mov.u64 %d8, %d4;",
     "mov.u16 %h8, %h2;",
     "mov.b64 %d8, {%r2, %r3};",
     "mov.b64 {%r8, %r9}, %d4;",
     "mov.b32 %r8, {%h2, %h3};",
     "mov.b32 {%h8, %h9}, %r2;"},
    {"bits", "popc.b32 %r8, %r2;", "popc.b64 %r8, %d4;", "clz.b32 %r8, %r2;", "clz.b64 %r8, %d4;",
     "brev.b32 %r8, %r2;", "brev.b64 %d8, %d4;", "bfind.u32 %r8, %r2;", "bfind.s32 %r8, %r2;",
     "bfind.shiftamt.u64 %r8, %d4;", "bfe.u32 %r8, %r2, 3, 7;", "bfe.s32 %r8, %r2, %r3, %r4;",
     "bfe.u64 %d8, %d4, 3, 7;", "bfi.b32 %r8, %r2, %r3, 5, 9;", "bfi.b32 %r8, %r2, %r3, %r4, %r5;",
     "bfi.b64 %d8, %d4, %d5, 5, 9;", "prmt.b32 %r8, %r2, %r3, 12576;",
     "prmt.b32 %r8, %r2, %r3, %r4;", "prmt.b32.f4e %r8, %r2, %r3, %r4;",
     // No machine has it: ptxas makes a search of some thirty instructions of it.
     "2*fns.b32 %r8, %r2, 0, 2;", "bmsk.clamp.b32 %r8, %r2, %r3;",
     "szext.clamp.u32 %r8, %r2, %r3;"},
    {"integer division of 32 bits", "div.u32 %r8, %r2, %r3;", "div.s32 %r8, %r2, %r3;",
     "rem.u32 %r8, %r2, %r3;", "rem.s32 %r8, %r2, 7;", "div.u32 %r8, %r2, 12;",
     "div.u16 %h8, %h2, %h3;", "rem.s16 %h8, %h2, %h3;"},
    {"integer division of 64 bits", "div.u64 %d8, %d4, %d5;", "div.s64 %d8, %d4, %d5;",
     "rem.u64 %d8, %d4, %d5;", "rem.s64 %d8, %d4, 7;"},
    {"floating point",
     "add.f32 %f8, %f2, %f3;",
     "sub.f32 %f8, %f2, %f3;",
     "mul.f32 %f8, %f2, %f3;",
     "fma.rn.f32 %f8, %f2, %f3, %f4;",
     "mad.rn.f32 %f8, %f2, %f3, %f4;",
     "min.f32 %f8, %f2, %f3;",
     "max.f32 %f8, %f2, %f3;",
     "abs.f32 %f8, %f2;",
     "neg.f32 %f8, %f2;",
     "add.ftz.f32 %f8, %f2, %f3;",
     "fma.rn.ftz.f32 %f8, %f2, %f3, %f4;",
     "mov.f32 %f8, %f2;",
     "copysign.f32 %f8, %f2, %f3;",
     "add.f64 %g8, %g2, %g3;",
     "sub.f64 %g8, %g2, %g3;",
     "mul.f64 %g8, %g2, %g3;",
     "fma.rn.f64 %g8, %g2, %g3, %g4;",
     "min.f64 %g8, %g2, %g3;",
     "max.f64 %g8, %g2, %g3;",
     "abs.f64 %g8, %g2;",
     "neg.f64 %g8, %g2;",
     "mov.f64 %g8, %g2;",
     "add.sat.f32 %f8, %f2, %f3;",
     "testp.finite.f32 %p4, %f2;",
     "testp.normal.f64 %p4, %g2;"},
    {"floating point, directed rounding", "add.rz.f32 %f8, %f2, %f3;", "add.rm.f32 %f8, %f2, %f3;",
     "mul.rp.f32 %f8, %f2, %f3;", "fma.rz.f32 %f8, %f2, %f3, %f4;",
     "fma.rm.f32 %f8, %f2, %f3, %f4;", "add.rz.f64 %g8, %g2, %g3;", "mul.rm.f64 %g8, %g2, %g3;",
     "fma.rp.f64 %g8, %g2, %g3, %g4;", "div.rz.f32 %f8, %f2, %f3;", "sqrt.rm.f32 %f8, %f2;",
     "2*rcp.rp.f64 %g8, %g2;"},
    {"half precision", "add.f16 %h8, %h2, %h3;", "mul.f16 %h8, %h2, %h3;",
     "fma.rn.f16 %h8, %h2, %h3, %h4;", "add.f16x2 %r8, %r2, %r3;", "mul.f16x2 %r8, %r2, %r3;",
     "fma.rn.f16x2 %r8, %r2, %r3, %r4;", "min.f16 %h8, %h2, %h3;", "max.f16x2 %r8, %r2, %r3;",
     "neg.f16 %h8, %h2;", "abs.f16x2 %r8, %r2;", "fma.rn.bf16 %h8, %h2, %h3, %h4;",
     "fma.rn.bf16x2 %r8, %r2, %r3, %r4;", "max.bf16x2 %r8, %r2, %r3;",
     "setp.lt.f16 %p4, %h2, %h3;"},
    {"division and roots", "div.rn.f32 %f8, %f2, %f3;", "div.full.f32 %f8, %f2, %f3;",
     "div.approx.f32 %f8, %f2, %f3;", "rcp.rn.f32 %f8, %f2;", "rcp.approx.ftz.f32 %f8, %f2;",
     "sqrt.rn.f32 %f8, %f2;", "sqrt.approx.f32 %f8, %f2;", "2*rsqrt.approx.f32 %f8, %f2;",
     "div.rn.f64 %g8, %g2, %g3;", "rcp.rn.f64 %g8, %g2;", "sqrt.rn.f64 %g8, %g2;",
     "2*rsqrt.approx.f64 %g8, %g2;", "rcp.approx.ftz.f64 %g8, %g2;"},
    // Those of halves, too: the function is what takes the time, and a pair is two of them.
    {"approximate functions", "ex2.approx.f16 %h8, %h2;", "2*ex2.approx.f16x2 %r8, %r2;",
     "2*tanh.approx.f16x2 %r8, %r2;", "tanh.approx.bf16 %h8, %h2;", "ex2.approx.f32 %f8, %f2;",
     "ex2.approx.ftz.f32 %f8, %f2;", "lg2.approx.f32 %f8, %f2;", "sin.approx.f32 %f8, %f2;",
     "cos.approx.f32 %f8, %f2;", "tanh.approx.f32 %f8, %f2;"},
    {"comparisons",
     "setp.lt.s32 %p4, %r2, %r3;",
     "setp.ge.u32 %p4, %r2, 7;",
     "setp.eq.u64 %p4, %d4, %d5;",
     "setp.lt.f32 %p4, %f2, %f3;",
     "setp.geu.f64 %p4, %g2, %g3;",
     "setp.ne.s16 %p4, %h2, %h3;",
     "setp.lt.and.s32 %p4, %r2, %r3, %p5;",
     "setp.gt.or.f32 %p4, %f2, %f3, %p5;",
     "setp.lt.s32 %p4|%p6, %r2, %r3;",
     "setp.num.f32 %p4, %f2, %f3;",
     "set.lt.u32.s32 %r8, %r2, %r3;",
     "set.gt.f32.f32 %f8, %f2, %f3;",
     "selp.b32 %r8, %r2, %r3, %p4;",
     "selp.f32 %f8, %f2, %f3, %p4;",
     "selp.b64 %d8, %d4, %d5, %p4;",
     "selp.f64 %g8, %g2, %g3, %p4;",
     "selp.b16 %h8, %h2, %h3, %p4;",
     "slct.s32.s32 %r8, %r2, %r3, %r4;",
     "slct.f32.f32 %f8, %f2, %f3, %f4;",
     "and.pred %p4, %p5, %p6;",
     "or.pred %p4, %p5, %p6;",
     "xor.pred %p4, %p5, %p6;",
     "not.pred %p4, %p5;",
     "mov.pred %p4, %p5;",
     "@%p3 add.u32 %r8, %r2, %r3;",
     "@!%p3 mov.f32 %f8, %f2;"},
    {"conversions",
     "cvt.u32.u16 %r8, %h2;",
     "cvt.s32.s8 %r8, %r2;",
     "cvt.u32.u8 %r8, %r2;",
     "cvt.s32.s16 %r8, %h2;",
     "cvt.u16.u32 %h8, %r2;",
     "cvt.u8.u32 %r8, %r2;",
     "cvt.u64.u32 %d8, %r2;",
     "cvt.s64.s32 %d8, %r2;",
     "cvt.u32.u64 %r8, %d4;",
     "cvt.s64.s16 %d8, %h2;",
     "cvt.u16.u64 %h8, %d4;",
     "cvt.rn.f32.s32 %f8, %r2;",
     "cvt.rn.f32.u32 %f8, %r2;",
     "cvt.rn.f32.u64 %f8, %d4;",
     "cvt.rn.f32.s64 %f8, %d4;",
     "cvt.rn.f64.s32 %g8, %r2;",
     "cvt.rn.f64.u32 %g8, %r2;",
     "cvt.rn.f64.u64 %g8, %d4;",
     "cvt.rn.f64.s64 %g8, %d4;",
     "cvt.rn.f32.u16 %f8, %h2;",
     "cvt.rn.f32.s16 %f8, %h2;",
     "cvt.rn.f32.u8 %f8, %h2;",
     "cvt.rzi.s32.f32 %r8, %f2;",
     "cvt.rzi.u32.f32 %r8, %f2;",
     "cvt.rni.s32.f32 %r8, %f2;",
     "cvt.rzi.s64.f32 %d8, %f2;",
     "cvt.rzi.u64.f32 %d8, %f2;",
     "cvt.rzi.s32.f64 %r8, %g2;",
     "cvt.rzi.u32.f64 %r8, %g2;",
     "cvt.rzi.s64.f64 %d8, %g2;",
     "cvt.rzi.u64.f64 %d8, %g2;",
     "cvt.rzi.u16.f32 %h8, %f2;",
     "cvt.f64.f32 %g8, %f2;",
     "cvt.rn.f32.f64 %f8, %g2;",
     "cvt.rmi.f32.f32 %f8, %f2;",
     "cvt.rni.f32.f32 %f8, %f2;",
     "cvt.rpi.f64.f64 %g8, %g2;",
     "cvt.f32.f16 %f8, %h2;",
     "cvt.rn.f16.f32 %h8, %f2;",
     "cvt.sat.f32.f32 %f8, %f2;",
     "cvt.rn.f16x2.f32 %r8, %f2, %f3;",
     "cvt.rn.bf16.f32 %h8, %f2;",
     "cvt.sat.u8.s32 %r8, %r2;",
     "cvt.rzi.sat.s32.f32 %r8, %f2;",
     "cvt.pack.sat.s16.s32 %r8, %r2, %r3;"},
    {"shuffles", "shfl.sync.idx.b32 %r8, %r2, 3, 31, -1;", "shfl.sync.up.b32 %r8, %r2, 1, 0, -1;",
     "shfl.sync.down.b32 %r8, %r2, 1, 31, -1;", "shfl.sync.bfly.b32 %r8, %r2, 16, 31, -1;",
     "shfl.sync.idx.b32 %r8|%p4, %r2, %r3, 31, -1;", "shfl.sync.bfly.b32 %r8, %r2, 1, 31, %r13;"},
    {"votes", "vote.sync.all.pred %p4, %p5, -1;", "vote.sync.any.pred %p4, %p5, -1;",
     "vote.sync.uni.pred %p4, %p5, -1;", "vote.sync.ballot.b32 %r8, %p5, -1;",
     "activemask.b32 %r8;", "elect.sync %r8|%p4, -1;", "redux.sync.add.s32 %r8, %r2, -1;",
     "redux.sync.min.u32 %r8, %r2, -1;", "redux.sync.xor.b32 %r8, %r2, -1;"},
    {"matches", "match.any.sync.b32 %r8, %r2, -1;", "match.all.sync.b32 %r8, %r2, -1;",
     "match.any.sync.b64 %r8, %d4, -1;"},
    // A warp that waits stops, and another one runs; at the others none stops.
    {"barriers at which warps wait", "bar.sync 0;", "barrier.sync 1;",
     "bar.red.popc.u32 %r8, 0, %p5;", "bar.red.and.pred %p4, 0, %p5;",
     "bar.red.or.pred %p4, 0, %p5;"},
    {"barriers at which none waits", "bar.arrive 2, 512;", "bar.warp.sync -1;"},
    {"what has no effect here", "cp.async.commit_group;", "cp.async.wait_group 0;",
     "prefetch.global.L2 [%d0];", "membar.gl;", "membar.cta;", "fence.acq_rel.gpu;"},
    {"special registers", "mov.u32 %r8, %tid.x;", "mov.u32 %r8, %ntid.y;", "mov.u32 %r8, %ctaid.x;",
     "mov.u32 %r8, %laneid;", "mov.u32 %r8, %warpid;", "mov.u32 %r8, %smid;",
     "mov.u32 %r8, %lanemask_lt;", "mov.u32 %r8, %gridid;"},
    {"time", "mov.u32 %r8, %clock;", "mov.u64 %d8, %clock64;", "mov.u64 %d8, %globaltimer;"},
    {"control", "bra NEXT#;\nNEXT#:", "@%p3 bra NEXT#;\nNEXT#:",
     "@%p3 bra NEXT#;\nadd.u32 %r8, %r2, %r3;\nNEXT#:"},
    {"calls",
     "{ .param .b32 v; .param .b32 w; st.param.b32 [v], %r2; call (w), called, (v); ld.param.b32 "
     "%r8, [w]; }"},
    {"video", "vadd.s32.u32.s32 %r8, %r2, %r3;", "vadd4.u32.u32.u32 %r8, %r2, %r3, %r4;",
     "vabsdiff4.u32.u32.u32.add %r8, %r2, %r3, %r4;", "vmax2.s32.s32.s32 %r8, %r2, %r3, %r4;",
     "vset4.u32.u32.lt %r8, %r2, %r3, %r4;", "vmad.s32.s32.s32 %r8, %r2, %r3, %r4;",
     "vshl.u32.u32.u32.wrap %r8, %r2, %r3;"},
    {"matrices", "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r8, %r9, %r10, %r11}, [%r0];",
     "ldmatrix.sync.aligned.m8n8.x1.trans.shared.b16 {%r8}, [%r0];"},
    {"products of matrices",
     "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f8, %f9, %f10, %f11}, {%r2, %r3, %r4, "
     "%r5}, {%r6, %r7}, {%f2, %f3, %f4, %f5};",
     "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%f8, %f9, %f10, %f11}, {%r2, %r3, %r4, "
     "%r5}, {%r6, %r7}, {%f2, %f3, %f4, %f5};",
     "mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%r8, %r9, %r10, %r11}, {%r2, %r3, %r4, "
     "%r5}, {%r6, %r7}, {%r2, %r3, %r4, %r5};"},
    {"texture fetches of one texel", "tex.1d.v4.f32.f32 {%f8, %f9, %f10, %f11}, [%d16, {%f12}];",
     "tex.1d.v4.f32.s32 {%f8, %f9, %f10, %f11}, [%d16, {%r16}];",
     "tex.2d.v4.f32.f32 {%f8, %f9, %f10, %f11}, [%d17, {%f12, %f13}];",
     "tex.2d.v4.f32.s32 {%f8, %f9, %f10, %f11}, [%d17, {%r16, %r17}];",
     "tex.level.2d.v4.f32.f32 {%f8, %f9, %f10, %f11}, [%d17, {%f12, %f13}], %f14;",
     "tex.3d.v4.f32.f32 {%f8, %f9, %f10, %f11}, [%d20, {%f12, %f13, %f14, %f14}];",
     "tex.2d.v2.f16x2.f32 {%r8, %r9}, [%d17, {%f12, %f13}];"},
    {"texture fetches of several texels",
     "tex.2d.v4.f32.f32 {%f8, %f9, %f10, %f11}, [%d18, {%f12, %f13}];",
     "tex.grad.2d.v4.f32.f32 {%f8, %f9, %f10, %f11}, [%d18, {%f12, %f13}], {%f14, %f14}, {%f14, "
     "%f14};",
     "tld4.r.2d.v4.f32.f32 {%f8, %f9, %f10, %f11}, [%d17, {%f12, %f13}];",
     "tld4.a.2d.v4.f32.f32 {%f8, %f9, %f10, %f11}, [%d17, {%f12, %f13}];"},
    {"surfaces", "suld.b.1d.b32.trap {%r8}, [%d22, {%r18}];",
     "suld.b.2d.b32.trap {%r8}, [%d19, {%r18, %r17}];",
     "suld.b.2d.b32.zero {%r8}, [%d19, {%r18, %r17}];",
     "suld.b.2d.b32.clamp {%r8}, [%d19, {%r18, %r17}];",
     "suld.b.2d.v4.b32.trap {%r8, %r9, %r10, %r11}, [%d19, {%r19, %r17}];",
     "suld.b.2d.b8.trap {%h8}, [%d19, {%r18, %r17}];", "sust.b.1d.b32.trap [%d22, {%r18}], {%r2};",
     "sust.b.2d.b32.trap [%d19, {%r18, %r17}], {%r2};",
     "sust.b.2d.v4.b32.trap [%d19, {%r19, %r17}], {%r2, %r3, %r4, %r5};",
     "sust.b.2d.b16.zero [%d19, {%r18, %r17}], {%h2};",
     "sust.p.2d.b32.trap [%d19, {%r16, %r17}], {%r2};",
     "sured.b.add.2d.u32.trap [%d19, {%r18, %r17}], %r2;"},
    {"questions about textures", "txq.width.b32 %r8, [%d17];", "txq.height.b32 %r8, [%d17];",
     "suq.width.b32 %r8, [%d19];"},
    {"asynchronous copies", "cp.async.ca.shared.global [%r0], [%d0], 4;",
     "cp.async.cg.shared.global [%r0], [%d0], 16;"},
};

static void add_plain(struct list *list)
{
    for (size_t i = 0; i < sizeof(plain) / sizeof(*plain); i++)
        for (size_t j = 1; j < sizeof(plain[i]) / sizeof(*plain[i]) && plain[i][j]; j++) {
            const char *text = plain[i][j];
            unsigned work = strstr(text, "call") ? 6 : 1;
            if (text[1] == '*') {
                work = (unsigned)(text[0] - '0');
                text += 2;
            }
            add(list, (struct form){plain[i][0], text, APART, NULL, 16, work, false});
        }
}

size_t make_forms(struct form **forms)
{
    static char texts[TEXTS];
    struct list list = {calloc(MOST, sizeof(struct form)), 0, texts, 0};
    if (!list.forms)
        abort();
    add_memory(&list);
    add_heard(&list);
    add_atomics(&list);
    add_plain(&list);
    *forms = list.forms;
    return list.count;
}
