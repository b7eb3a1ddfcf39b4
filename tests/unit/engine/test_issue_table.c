// What a warp scheduler is told of single instructions, and the numbers of a kernel's registers.
// Expectations are read off the PTX ISA's syntax lines and, of SASS, the widths that opcodes name.
#include "engine/issue/instruction_text.h"
#include "engine/issue/issue_table.h"
#include "sm/issue/issue_steps.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

// --- One instruction ---

struct told {
    char text[512]; // "%r1 < %r2 %r3"
    bool sources;
};

static void tell(void *context, const char *name, size_t length, bool destination, bool bare)
{
    struct told *told = context;
    size_t used = strlen(told->text);
    (void)bare;
    cr_assert(!(destination && told->sources), "destinations come first");
    if (!destination && !told->sources)
        used += (size_t)snprintf(told->text + used, sizeof told->text - used, "< ");
    told->sources |= !destination;
    snprintf(told->text + used, sizeof told->text - used, "%.*s ", (int)length, name);
}

static const char *const unit_names[WM_UNITS] = {
    [WM_UNIT_INTEGER] = "integer", [WM_UNIT_SINGLE] = "single", [WM_UNIT_DOUBLE] = "double",
    [WM_UNIT_SPECIAL] = "special", [WM_UNIT_TENSOR] = "tensor", [WM_UNIT_MEMORY] = "memory",
    [WM_UNIT_CONTROL] = "control",
};

struct expected {
    const char *text, *registers, *unit;
    uint8_t passes; // 0: 1
};

static void check(const struct expected *expected, bool sass)
{
    struct told told = {0};
    struct wm_issue_facts facts = {.unit = WM_UNITS};
    struct wm_issue_listener listener = {tell, &told};
    (sass ? wm_issue_read_sass : wm_issue_read_ptx)(expected->text, &listener, &facts);
    size_t length = strlen(told.text);
    if (length > 0)
        told.text[length - 1] = '\0';
    cr_expect_str_eq(told.text, expected->registers, "%s: \"%s\"", expected->text, told.text);
    cr_expect_str_eq(unit_names[facts.unit], expected->unit, "%s: %s", expected->text,
                     unit_names[facts.unit]);
    cr_expect_eq(facts.passes, expected->passes != 0 ? expected->passes : 1, "%s: %u passes",
                 expected->text, facts.passes);
}

static const struct expected ptx[] = {
    {"add.s32 %r1, %r2, %r3", "%r1 < %r2 %r3", "integer", 0},
    {"add.s64 %rd1, %rd2, 8", "%rd1 < %rd2", "integer", 2},
    {"add.cc.u32 %r1, %r2, %r3", ".cc %r1 < %r2 %r3", "integer", 0},
    {"addc.u32 %r1, %r2, -1", "%r1 < %r2 .cc", "integer", 0},
    {"madc.lo.cc.u32 %r1, %r2, %r3, %r4", ".cc %r1 < %r2 %r3 %r4 .cc", "integer", 0},
    {"mad.lo.s32 %r1, %r2, %r3, %r4", "%r1 < %r2 %r3 %r4", "integer", 0},
    {"mul.wide.u32 %rd1, %r1, 4", "%rd1 < %r1", "integer", 0},
    {"mul.lo.s64 %rd1, %rd2, %rd3", "%rd1 < %rd2 %rd3", "integer", 4},
    {"and.b64 %rd1, %rd2, 0xFF", "%rd1 < %rd2", "integer", 2},
    {"and.pred %p1, %p2, %p3", "%p1 < %p2 %p3", "integer", 0},
    {"not.pred %p1, %p2", "%p1 < %p2", "integer", 0},
    {"selp.b32 %r1, %r2, %r3, %p1", "%r1 < %r2 %r3 %p1", "integer", 0},
    {"mov.u32 %r1, %tid.x", "%r1", "integer", 0},
    {"mov.u32 %r1, %envreg3", "%r1", "integer", 0},
    {"mov.u64 %rd1, %clock64", "%rd1", "integer", 0},
    {"mov.b64 {%r1, %r2}, %rd1", "%r1 %r2 < %rd1", "integer", 0},
    {"mov.b64 %rd1, {%r1, %r2}", "%rd1 < %r1 %r2", "integer", 0},
    {"mov.b32 %r1, %v1.x", "%r1 < %v1", "integer", 0},
    {"cvta.to.global.u64 %rd1, %rd2", "%rd1 < %rd2", "integer", 0},
    {"cvt.u64.u32 %rd1, %r1", "%rd1 < %r1", "integer", 0},
    {"cvt.rn.f32.u32 %f1, %r1", "%f1 < %r1", "special", 0},
    {"cvt.rni.f32.f32 %f1, %f2", "%f1 < %f2", "special", 0},
    {"cvt.f64.f32 %fd1, %f1", "%fd1 < %f1", "double", 0},
    {"cvt.rn.f32.s64 %f1, %rd1", "%f1 < %rd1", "double", 0},
    {"add.ftz.f32 %f1, %f2, 0f3F800000", "%f1 < %f2", "single", 0},
    {"fma.rn.f32 %f1, %f2, %f3, %f4", "%f1 < %f2 %f3 %f4", "single", 0},
    {"fma.rn.f16x2 %r1, %r2, %r3, %r4", "%r1 < %r2 %r3 %r4", "single", 0},
    {"add.rn.bf16 %rs1, %rs2, %rs3", "%rs1 < %rs2 %rs3", "single", 0},
    {"fma.rn.f64 %fd1, %fd2, %fd3, 0d3FF0000000000000", "%fd1 < %fd2 %fd3", "double", 0},
    {"setp.lt.f64 %p1, %fd1, %fd2", "%p1 < %fd1 %fd2", "double", 0},
    {"setp.ge.u32 %p1|%p2, %r1, %r2", "%p1 %p2 < %r1 %r2", "integer", 0},
    {"setp.eq.and.f32 %p1, %f1, %f2, !%p3", "%p1 < %f1 %f2 %p3", "single", 0},
    {"set.gt.u32.f32 %r1, %f1, %f2", "%r1 < %f1 %f2", "single", 0},
    {"rcp.approx.ftz.f32 %f1, %f2", "%f1 < %f2", "special", 0},
    {"rcp.approx.ftz.f64 %fd1, %fd2", "%fd1 < %fd2", "special", 0},
    {"rcp.rn.f32 %f1, %f2", "%f1 < %f2", "single", 10},
    {"rsqrt.approx.f64 %fd1, %fd2", "%fd1 < %fd2", "double", 41},
    {"sqrt.rn.f64 %fd1, %fd2", "%fd1 < %fd2", "double", 41},
    {"div.full.f32 %f1, %f2, %f3", "%f1 < %f2 %f3", "special", 0},
    {"div.rn.f32 %f1, %f2, %f3", "%f1 < %f2 %f3", "single", 10},
    {"div.rn.f64 %fd1, %fd2, %fd3", "%fd1 < %fd2 %fd3", "double", 41},
    {"div.u32 %r1, %r2, %r3", "%r1 < %r2 %r3", "integer", 20},
    {"rem.s64 %rd1, %rd2, %rd3", "%rd1 < %rd2 %rd3", "integer", 80},
    {"sin.approx.f32 %f1, %f2", "%f1 < %f2", "special", 0},
    {"ex2.approx.ftz.f16x2 %r1, %r2", "%r1 < %r2", "special", 0},
    {"popc.b32 %r1, %r2", "%r1 < %r2", "special", 0},
    {"popc.b64 %r1, %rd2", "%r1 < %rd2", "special", 2},
    {"shfl.sync.bfly.b32 %r1|%p1, %r2, 16, 31, -1", "%r1 %p1 < %r2", "special", 0},
    {"shfl.sync.down.b32 _|%p1, %r2, %r3, 31, %r4", "%p1 < %r2 %r3 %r4", "special", 0},
    {"vote.sync.ballot.b32 %r1, %p1, -1", "%r1 < %p1", "integer", 0},
    {"match.any.sync.b32 %r1, %r2, %r3", "%r1 < %r2 %r3", "special", 0},
    {"activemask.b32 %r1", "%r1", "integer", 0},
    {"ld.param.u64 %rd1, [kernel_param_0]", "%rd1 < kernel_param_0", "integer", 0},
    {"st.param.b32 [param0+0], %r1", "< param0 %r1", "integer", 0},
    {"ld.global.f32 %f1, [%rd1+8]", "%f1 < %rd1", "memory", 0},
    {"ld.global.nc.v4.f32 {%f1, %f2, %f3, %f4}, [%rd1+-16]", "%f1 %f2 %f3 %f4 < %rd1", "memory", 0},
    {"ld.shared.u32 %r1, [tile+128]", "%r1 < tile", "memory", 0},
    {"st.global.v2.f32 [%rd1], {%f1, %f2}", "< %rd1 %f1 %f2", "memory", 0},
    {"st.shared.f64 [%r1], %fd1", "< %r1 %fd1", "memory", 0},
    {"atom.global.add.u32 %r1, [%rd1], 1", "%r1 < %rd1", "memory", 0},
    {"atom.global.cas.b32 %r1, [%rd1], %r2, %r3", "%r1 < %rd1 %r2 %r3", "memory", 0},
    {"atom.shared.exch.b32 _, [%r1], %r2", "< %r1 %r2", "memory", 0},
    {"red.global.add.f32 [%rd1], %f1", "< %rd1 %f1", "memory", 0},
    {"redux.sync.add.s32 %r1, %r2, -1", "%r1 < %r2", "special", 0},
    {"prefetch.global.L2 [%rd1]", "< %rd1", "memory", 0},
    {"cp.async.ca.shared.global [%r1], [%rd1], 16", "< %r1 %rd1", "memory", 0},
    {"tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd1, {%f5, %f6}]", "%f1 %f2 %f3 %f4 < %rd1 %f5 %f6",
     "memory", 0},
    {"ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%r1, %r2}, [%r3]", "%r1 %r2 < %r3", "memory", 0},
    {"mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%f1, %f2, %f3, %f4}, {%r1, %r2}, {%r3}, "
     "{%f1, %f2, %f3, %f4}",
     "%f1 %f2 %f3 %f4 < %r1 %r2 %r3 %f1 %f2 %f3 %f4", "tensor", 0},
    {"wmma.load.a.sync.aligned.row.m16n16k16.f16 {%r1, %r2}, [%rd1], %r3", "%r1 %r2 < %rd1 %r3",
     "memory", 0},
    {"wmma.mma.sync.aligned.row.col.m16n16k16.f32.f32 {%f1}, {%r1}, {%r2}, {%f1}",
     "%f1 < %r1 %r2 %f1", "tensor", 0},
    {"bra $L__BB0_1", "< $L__BB0_1", "control", 0},
    {"brx.idx %r1, targets", "< %r1 targets", "control", 0},
    {"call.uni (%r1), f, (%r2, %r3)", "%r1 < %r2 %r3", "control", 0},
    {"call.uni (retval0), vprintf, (param0, param1)", "", "control", 0},
    {"call f, (%r1)", "< %r1", "control", 0},
    {"call (%r1), %rd1, (%r2), prototype", "%r1 < %rd1 %r2", "control", 0},
    {"ret", "", "control", 0},
    {"bar.sync 0", "", "control", 0},
    {"bar.sync %r1, %r2", "< %r1 %r2", "control", 0},
    {"bar.red.popc.u32 %r1, 0, %p1", "%r1 < %p1", "control", 0},
    {"bar.warp.sync %r1", "< %r1", "control", 0},
    {"nanosleep.u32 %r1", "< %r1", "control", 0},
    {"membar.gl", "", "memory", 0},
    {"setp.ne.b32 p, %r1, 0", "p < %r1", "integer", 0},
    {"frobnicate.f32 %f1, %f2, %f3", "%f1 < %f2 %f3", "integer", 0},
    {"", "", "integer", 0},
};

Test(issue_table, reads_ptx)
{
    for (size_t i = 0; i < sizeof ptx / sizeof ptx[0]; i++)
        check(&ptx[i], false);
}

static const struct expected sass[] = {
    {"IMAD R0, R0, R3", "R0 < R0 R3", "integer", 0},
    {"IMAD.WIDE R4, R7, R2", "R4 R5 < R7 R2", "integer", 0},
    {"IMAD.WIDE.U32 R4, R7, R8, R2", "R4 R5 < R7 R8 R2 R3", "integer", 0},
    {"IADD3 R5, R4, R255", "R5 < R4", "integer", 0},
    {"IADD3.X R5, RZ, R5, RZ", "R5 < R5", "integer", 0},
    {"MOV R10, R255", "R10", "integer", 0},
    {"S2R R0", "R0", "integer", 0},
    {"ULDC.64 UR4", "UR4 UR5", "integer", 0},
    {"IADD3 R1, UR4, R2", "R1 < UR4 R2", "integer", 0},
    {"IADD3 R1, UR63, R2", "R1 < R2", "integer", 0},
    {"ISETP.GE.AND _, R0, R5", "< R0 R5", "integer", 0},
    {"SHFL.IDX _, R255, R255, R255, R255", "", "special", 0},
    {"SHF.R.U64 R1, R2, R3, R4", "R1 < R2 R3 R4", "integer", 0},
    {"FFMA R10, R13, R10", "R10 < R13 R10", "single", 0},
    {"HFMA2 R10, R13, R10, R11", "R10 < R13 R10 R11", "single", 0},
    {"HADD2.F32 R10, R13", "R10 < R13", "single", 0},
    {"MUFU.RCP R1, R2", "R1 < R2", "special", 0},
    {"I2F.U32.RP R1, R2", "R1 < R2", "special", 0},
    {"I2F.F64 R2, R1", "R2 R3 < R1", "double", 0},
    {"I2F.F64.S64 R2, R4", "R2 R3 < R4 R5", "double", 0},
    {"I2F.S64 R2, R4", "R2 < R4 R5", "double", 0},
    {"F2I.F64.TRUNC R1, R2", "R1 < R2 R3", "double", 0},
    {"F2I.S64.TRUNC R2, R1", "R2 R3 < R1", "double", 0},
    {"F2F.F64.F32 R2, R1", "R2 R3 < R1", "double", 0},
    {"F2F.F32.F64 R1, R2", "R1 < R2 R3", "double", 0},
    {"DFMA R2, R4, R6, R8", "R2 R3 < R4 R5 R6 R7 R8 R9", "double", 0},
    {"DSETP.GT.AND _, R2, R4", "< R2 R3 R4 R5", "double", 0},
    {"HMMA.884.F32.F32.STEP0 R8, R24, R22, R8", "R8 R9 < R24 R25 R22 R23 R8 R9", "tensor", 0},
    {"HMMA.1688.F32 R4, R8, R10, R4", "R4 R5 R6 R7 < R8 R9 R10 R4 R5 R6 R7", "tensor", 0},
    {"HMMA.1688.F32.TF32 R4, R8, R12, R4", "R4 R5 R6 R7 < R8 R9 R10 R11 R12 R13 R4 R5 R6 R7",
     "tensor", 0},
    {"HMMA.16816.F16 R4, R8, R12, R4", "R4 R5 < R8 R9 R10 R11 R12 R13 R4 R5", "tensor", 0},
    {"IMMA.8816.S8.S8 R4, R8, R12, R4", "R4 R5 < R8 R12 R4 R5", "tensor", 0},
    {"LDG.E.SYS R11, [R4]", "R11 < R4 R5", "memory", 0},
    {"LDG.E.128.SYS R8, [R4]", "R8 R9 R10 R11 < R4 R5", "memory", 0},
    {"LDG.E.U8 R8, [R4]", "R8 < R4 R5", "memory", 0},
    {"STG.E.64.SYS [R2], R24", "< R2 R3 R24 R25", "memory", 0},
    {"STG.E.SYS [R2], R255", "< R2 R3", "memory", 0},
    {"LDS.U.64 R2, [R0]", "R2 R3 < R0", "memory", 0},
    {"LDS R2, [R255]", "R2", "memory", 0},
    {"STS.128 [R0], R4", "< R0 R4 R5 R6 R7", "memory", 0},
    {"LDSM.16.M88.4 R4, [R0]", "R4 R5 R6 R7 < R0", "memory", 0},
    {"LDSM.16.MT88.2 R4, [R0]", "R4 R5 < R0", "memory", 0},
    {"LDC R2", "R2", "memory", 0},
    {"ATOMG.E.ADD R1, [R2], R4", "R1 < R2 R3 R4", "memory", 0},
    {"ATOMG.E.CAS.64 R2, [R4], R6, R8", "R2 R3 < R4 R5 R6 R7 R8 R9", "memory", 0},
    {"RED.E.ADD.STRONG.GPU [R2], R5", "< R2 R3 R5", "memory", 0},
    {"TEX.SCR {R1, R2}, R4", "R1 R2 < R4", "memory", 0},
    {"MEMBAR.SC.GPU", "", "memory", 0},
    {"BRA", "", "control", 0},
    {"EXIT", "", "control", 0},
    {"BAR.SYNC", "", "control", 0},
    {"CALL.REL.NOINC _, R20", "< R20", "control", 0},
    {"PLOP3.LUT", "", "integer", 0},
    {"FROBNICATE R1, R2, R3", "R1 < R2 R3", "integer", 0},
};

Test(issue_table, reads_sass)
{
    for (size_t i = 0; i < sizeof sass / sizeof sass[0]; i++)
        check(&sass[i], true);
}

static const struct {
    const char *text;
    bool sass, barrier, membar;
} waits[] = {
    {"bar.sync 0", false, true, false},
    {"bar.red.or.pred %p1, 0, %p2", false, true, false},
    {"barrier.sync.aligned 0", false, true, false},
    {"bar.arrive 0, 64", false, false, false},
    {"bar.warp.sync -1", false, false, false},
    {"barrier.cluster.arrive", false, false, false},
    {"membar.gl", false, false, true},
    {"fence.acq_rel.gpu", false, false, true},
    {"bra L", false, false, false},
    {"BAR.SYNC", true, true, false},
    {"BAR.ARV", true, false, false},
    {"MEMBAR.SC.GPU", true, false, true},
    {"WARPSYNC", true, false, false},
};

static struct wm_issue_facts facts_of_text(const char *text, bool is_sass)
{
    struct told told = {0};
    struct wm_issue_listener listener = {tell, &told};
    struct wm_issue_facts facts = {0};
    (is_sass ? wm_issue_read_sass : wm_issue_read_ptx)(text, &listener, &facts);
    return facts;
}

Test(issue_table, knows_who_waits)
{
    for (size_t i = 0; i < sizeof waits / sizeof waits[0]; i++) {
        struct wm_issue_facts facts = facts_of_text(waits[i].text, waits[i].sass);
        cr_expect_eq(facts.is_barrier, waits[i].barrier, "%s", waits[i].text);
        cr_expect_eq(facts.is_membar, waits[i].membar, "%s", waits[i].text);
    }
}

static const struct {
    const char *text;
    bool sass, loads;
} loads[] = {
    {"ld.global.f32 %f1, [%rd1]", false, true},
    {"ld.global.nc.v4.f32 {%f1, %f2, %f3, %f4}, [%rd1]", false, true},
    {"ld.local.u32 %r1, [%rd1]", false, true},
    {"ld.u32 %r1, [%rd1]", false, true},
    {"ldu.global.u32 %r1, [%rd1]", false, true},
    {"ld.shared.f32 %f1, [%r1]", false, false},
    {"ld.shared::cta.f32 %f1, [%r1]", false, false},
    {"ld.const.f32 %f1, [%r1]", false, false},
    {"ld.param.u64 %rd1, [k_param_0]", false, false},
    {"st.global.f32 [%rd1], %f1", false, false},
    {"atom.global.add.u32 %r1, [%rd1], %r2", false, false},
    {"LDG.E.SYS R2, [R4]", true, true},
    {"LD.E R2, [R4]", true, true},
    {"LDL R2, [R4]", true, true},
    {"LDS.U R2, [R4]", true, false},
    {"LDC R2, c[0x0][R4]", true, false},
    {"STG.E.SYS [R4], R2", true, false},
    {"ATOMG.E.ADD R2, [R4], R3", true, false},
};

// What waits behind stores to shared memory.
Test(issue_table, knows_what_may_be_of_shared_memory)
{
    static const struct {
        const char *text;
        enum wm_issue_shared shared;
    } accesses[] = {
        {"st.shared.f32 [%r1], %f1", WM_SHARED_STORE},
        {"st.shared::cta.v2.u32 [%r1], {%r2, %r3}", WM_SHARED_STORE},
        {"ld.shared.f32 %f1, [%r1]", WM_SHARED_OTHER},
        {"atom.shared.add.u32 %r1, [%r2], 1", WM_SHARED_OTHER},
        {"ld.u32 %r1, [%rd1]", WM_SHARED_OTHER},
        {"st.u32 [%rd1], %r1", WM_SHARED_OTHER},
        {"ld.global.f32 %f1, [%rd1]", WM_SHARED_NOTHING},
        {"st.global.f32 [%rd1], %f1", WM_SHARED_NOTHING},
        {"ld.local.u32 %r1, [%rd1]", WM_SHARED_NOTHING},
        {"ld.const.f32 %f1, [%r1]", WM_SHARED_NOTHING},
        {"add.s32 %r1, %r2, %r3", WM_SHARED_NOTHING},
    };
    for (size_t i = 0; i < sizeof accesses / sizeof accesses[0]; i++)
        cr_expect_eq(facts_of_text(accesses[i].text, false).shared, accesses[i].shared, "%s",
                     accesses[i].text);
}

// What a load throttle holds back.
Test(issue_table, knows_what_loads_through_l1)
{
    for (size_t i = 0; i < sizeof loads / sizeof loads[0]; i++) {
        struct wm_issue_facts facts = facts_of_text(loads[i].text, loads[i].sass);
        cr_expect_eq(facts.is_load, loads[i].loads, "%s", loads[i].text);
    }
}

// --- A kernel ---

struct line {
    const char *guard, *text;
    bool is_memory;
};

static const struct line *kernel;

static void describe(const void *work, uint32_t pc, struct wm_instruction_facts *facts,
                     struct wm_text *text)
{
    (void)work;
    *facts = (struct wm_instruction_facts){
        .guard = kernel[pc].guard, .is_memory = kernel[pc].is_memory, .exists = true};
    wm_text_add(text, kernel[pc].text);
}

static const struct wm_work_ops ops = {.describe = describe};

static enum wm_status build(const struct line *lines, uint32_t count, struct wm_issue_table *table)
{
    struct wm_work work = {.ops = &ops, .kernel = "k", .instruction_count = count};
    struct wm_error error;
    kernel = lines;
    return wm_issue_table_init(table, &work, &error);
}

// "0 1<2 3" of destinations and sources.
static void expect(const struct wm_issue_table *table, uint32_t pc, const char *expected)
{
    char text[256] = "";
    const struct wm_issue_facts *facts = &table->facts[pc];
    const uint16_t *at = table->registers + facts->first_register;
    for (uint32_t i = 0; i < (uint32_t)facts->destinations + facts->sources; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s%u",
                 i == facts->destinations ? "<" : (i > 0 ? " " : ""), at[i]);
    cr_expect_str_eq(text, expected, "pc %u: %s", pc, text);
}

Test(issue_table, numbers_each_name_once)
{
    static const struct line lines[] = {
        {NULL, "mov.u32 %r1, %tid.x", false},
        {NULL, "setp.ge.u32 %p1, %r1, %r2", false},
        {"%p1", "bra $L__BB0_2", false},
        {"%p1", "ld.global.v2.u32 {%r1, %r2}, [%r3]", true},
        {NULL, "fma.rn.f32 %f1, %f2, %f2, %f1", false},
        {NULL, "", false},
    };
    struct wm_issue_table table;
    cr_assert_eq(build(lines, 6, &table), WM_OK);
    cr_assert_eq(table.instruction_count, 6);
    // r1 p1 r2 r3 f1 f2
    cr_expect_eq(table.register_count, 6);
    expect(&table, 0, "0");
    expect(&table, 1, "1<0 2");
    expect(&table, 2, "<1");
    expect(&table, 3, "0 2<3 1");
    expect(&table, 4, "4<5 4");
    expect(&table, 5, "");
    cr_expect_eq(table.facts[3].unit, WM_UNIT_MEMORY);
    wm_issue_table_release(&table);
}

// Inline assembly names registers as it likes; variables, labels and functions are none.
Test(issue_table, tells_bare_registers_from_variables)
{
    static const struct line lines[] = {
        {NULL, "ld.shared.u32 %r1, [tile]", true}, {"p", "bra again", false},
        {NULL, "setp.ne.b32 p, %r1, 0", false},    {NULL, "mov.u64 %rd1, table", false},
        {NULL, "selp.b32 %r1, 1, 0, p", false},    {"q", "ret", false},
    };
    struct wm_issue_table table;
    cr_assert_eq(build(lines, 6, &table), WM_OK);
    cr_expect_eq(table.register_count, 4, "p q r1 rd1");
    expect(&table, 0, "2");
    expect(&table, 1, "<0");
    expect(&table, 2, "0<2");
    expect(&table, 3, "3");
    expect(&table, 4, "2<0");
    expect(&table, 5, "<1");
    wm_issue_table_release(&table);
}

Test(issue_table, overlapping_sass_registers_are_the_same)
{
    static const struct line lines[] = {
        {NULL, "LDG.E.64.SYS R4, [R2]", true},
        {NULL, "FADD R5, R5, R5", false},
        {NULL, "STG.E.SYS [R2], R5", true},
    };
    struct wm_issue_table table;
    cr_assert_eq(build(lines, 3, &table), WM_OK);
    expect(&table, 0, "0 1<2 3");
    expect(&table, 1, "1<1");
    expect(&table, 2, "<2 3 1");
    wm_issue_table_release(&table);
}

// Where machine code is estimated: units that take an instruction every so many cycles, and when
// its result is there. Eight single-precision units for four of integers, as Hopper has them.
Test(issue_table, machine_code_goes_to_several_units)
{
    static const struct line lines[] = {
        {NULL, "add.s64 %rd1, %rd2, %rd3", false},    {NULL, "mul.lo.s32 %r1, %r2, %r3", false},
        {NULL, "mul.lo.s64 %rd1, %rd2, %rd3", false}, {NULL, "div.s32 %r1, %r2, %r3", false},
        {NULL, "div.rn.f32 %f1, %f2, %f3", false},    {NULL, "div.rn.f64 %fd1, %fd2, %fd3", false},
        {NULL, "ex2.approx.f32 %f1, %f2", false},     {NULL, "mov.u32 %r1, %r2", false},
    };
    enum { LINES = sizeof lines / sizeof *lines };
    static const uint8_t slots[LINES + 1] = {2, 1, 4, 20, 10, 18, 4, 0};
    static const uint8_t rounds[LINES + 1] = {0};
    static const struct {
        enum wm_unit unit;
        uint32_t interval, latency;
    } expected[LINES] = {
        {WM_UNIT_INTEGER, 2 * 2, 2 * 4},   // two sums
        {WM_UNIT_SINGLE, 2, 5},            // as slow as a sum of integers, not as one of floats
        {WM_UNIT_SINGLE, 4 * 2, 4 * 5},    // four of them
        {WM_UNIT_INTEGER, 10 * 2, 20 * 4}, // half of the steps
        {WM_UNIT_SINGLE, 5 * 1, 10 * 5},   //
        {WM_UNIT_DOUBLE, 9 * 16, 41 * 8},  // its latency stays PTX's
        {WM_UNIT_SPECIAL, 8, 20},          // one of the steps
        {WM_UNIT_INTEGER, 0, 0},           // an operand
    };
    struct wm_sm_spec spec = {.units = {[WM_UNIT_INTEGER] = {2, 4},
                                        [WM_UNIT_SINGLE] = {1, 5},
                                        [WM_UNIT_DOUBLE] = {16, 8},
                                        [WM_UNIT_SPECIAL] = {8, 20},
                                        [WM_UNIT_MEMORY] = {4, 0}}};
    struct wm_issue_table table;
    struct wm_error error;
    cr_assert_eq(build(lines, LINES, &table), WM_OK);
    wm_issue_table_set_machine_code(&table, slots, rounds);
    cr_assert_eq(wm_issue_steps_find(&table, &spec, &error), WM_OK);
    for (uint32_t pc = 0; pc < LINES; pc++) {
        cr_expect_eq(table.facts[pc].unit, expected[pc].unit, "%s", lines[pc].text);
        cr_expect_eq(table.steps[pc].interval, expected[pc].interval, "%s: every %u cycles",
                     lines[pc].text, table.steps[pc].interval);
        cr_expect_eq(table.steps[pc].latency, expected[pc].latency, "%s: after %u cycles",
                     lines[pc].text, table.steps[pc].latency);
    }
    wm_issue_table_release(&table);
}

// Recordings of CPU cores.
Test(issue_table, sentences_name_no_registers)
{
    static const struct line lines[] = {
        {NULL, "core 1: 0x401000 load, store", true},
        {NULL, "0x401004+", false},
        {NULL, "load", true},
        {NULL, "store", true},
    };
    struct wm_issue_table table;
    cr_assert_eq(build(lines, 4, &table), WM_OK);
    cr_expect_eq(table.register_count, 0);
    for (uint32_t pc = 0; pc < 4; pc++) {
        expect(&table, pc, "");
        cr_expect_eq(table.facts[pc].unit, pc == 1 ? WM_UNIT_INTEGER : WM_UNIT_MEMORY);
        cr_expect_eq(table.facts[pc].passes, 1);
    }
    wm_issue_table_release(&table);
}

Test(issue_table, refuses_what_does_not_fit)
{
    enum { LINES = 65537 };
    struct line *lines = calloc(LINES, sizeof *lines);
    struct wm_issue_table table;
    for (uint32_t i = 0; i < LINES; i++) {
        char text[64];
        snprintf(text, sizeof text, "mov.u32 %%r%u, 0", i);
        lines[i].text = strdup(text);
    }
    cr_assert_eq(build(lines, LINES - 1, &table), WM_OK);
    cr_assert_eq(table.register_count, 65536);
    wm_issue_table_release(&table);
    cr_assert_eq(build(lines, LINES, &table), WM_UNSUPPORTED);
    cr_assert_null(table.facts);
    for (uint32_t i = 0; i < LINES; i++)
        free((char *)(uintptr_t)lines[i].text);
    free(lines);
    char many[4096] = "frob %r0";
    for (int i = 1; i < 300; i++)
        snprintf(many + strlen(many), sizeof many - strlen(many), ", %%r%d", i);
    cr_assert_eq(build(&(struct line){.text = many}, 1, &table), WM_UNSUPPORTED);
}
