// What SASS names mean to memory, and the names that PTX instructions are exported by. Each name
// that an export gives a memory instruction has to mean what the instruction did.
#include "source/sass/names.h"
#include "source/sass/opcode.h"

#include <criterion/criterion.h>
#include <string.h>

static struct wm_sass_opcode of(const char *name)
{
    struct wm_sass_opcode opcode;
    wm_sass_opcode(name, strlen(name), &opcode);
    return opcode;
}

static void expect(const char *name, enum wm_access_kind kind, enum wm_address_space space,
                   uint32_t bytes, enum wm_cache_hint hint)
{
    struct wm_sass_opcode opcode = of(name);
    cr_expect_eq(opcode.class, WM_SASS_MEMORY, "%s: class", name);
    cr_expect_eq(opcode.kind, kind, "%s: kind", name);
    cr_expect_eq(opcode.space, space, "%s: space", name);
    cr_expect_eq(opcode.bytes, bytes, "%s: %u bytes", name, opcode.bytes);
    cr_expect_eq(opcode.hint, hint, "%s: hint %d", name, opcode.hint);
}

Test(sass, memory_names)
{
    expect("LDG.E.SYS", WM_ACCESS_LOAD, WM_SPACE_GLOBAL, 0, WM_HINT_DEFAULT);
    expect("LDG.E.128.CONSTANT.SYS", WM_ACCESS_LOAD, WM_SPACE_GLOBAL, 16, WM_HINT_READ_ONLY);
    expect("LDG.E.64.STRONG.GPU", WM_ACCESS_LOAD, WM_SPACE_GLOBAL, 8, WM_HINT_L2_ONLY);
    expect("LDG.E.STRONG.SYS", WM_ACCESS_LOAD, WM_SPACE_GLOBAL, 0, WM_HINT_VOLATILE);
    expect("LDG.E.STRONG.CTA", WM_ACCESS_LOAD, WM_SPACE_GLOBAL, 0, WM_HINT_DEFAULT);
    expect("LDG.E.LTC128B.U8", WM_ACCESS_LOAD, WM_SPACE_GLOBAL, 1, WM_HINT_DEFAULT);
    expect("STG.E.EF.S16", WM_ACCESS_STORE, WM_SPACE_GLOBAL, 2, WM_HINT_STREAMING);
    expect("LDGSTS.E.BYPASS.128", WM_ACCESS_LOAD, WM_SPACE_GLOBAL, 16, WM_HINT_DEFAULT);
    expect("LDL.LU.64", WM_ACCESS_LOAD, WM_SPACE_LOCAL, 8, WM_HINT_LAST_USE);
    expect("STS.U16", WM_ACCESS_STORE, WM_SPACE_SHARED, 2, WM_HINT_DEFAULT);
    expect("RED.E.ADD.F64.RN.STRONG.GPU", WM_ACCESS_REDUCTION, WM_SPACE_GLOBAL, 8, WM_HINT_DEFAULT);
    expect("ATOMS.POPC.INC.32", WM_ACCESS_ATOMIC, WM_SPACE_SHARED, 4, WM_HINT_DEFAULT);
    expect("ATOMG.E.CAS.64.STRONG.GPU", WM_ACCESS_ATOMIC, WM_SPACE_GLOBAL, 8, WM_HINT_DEFAULT);
    expect("LDSM.16.M88.4", WM_ACCESS_LOAD, WM_SPACE_SHARED, 16, WM_HINT_DEFAULT);
    cr_expect(of("LD.E.SYS").generic && of("ST.E").generic && of("ATOM.E.ADD").generic);
    cr_expect(!of("LDG.E").generic && !of("ATOMG.E.ADD").generic);
    cr_expect_eq(of("LDSM.16.M88.4").lanes, UINT32_MAX);
    cr_expect_eq(of("LDSM.16.M88.2").lanes, 0xFFFFu);
    cr_expect_eq(of("LDSM.16.M88").lanes, 0xFFu);
}

Test(sass, other_names)
{
    cr_expect_eq(of("BAR.SYNC.DEFER_BLOCKING").class, WM_SASS_BARRIER);
    cr_expect_eq(of("BAR.RED.POPC").class, WM_SASS_BARRIER);
    cr_expect_eq(of("BAR.ARV").class, WM_SASS_OTHER);
    cr_expect_eq(of("EXIT").class, WM_SASS_EXIT);
    cr_expect_eq(of("TEX.SCR.LL").class, WM_SASS_UNTOLD);
    cr_expect(of("UTMALDG.2D").is_tma && !of("TEX").is_tma);
    cr_expect(of("HGMMA.64x8x16.F32").is_gmma);
    static const char *const others[] = {"LDGDEPBAR", "LDGX",   "REDUX.SUM", "DEPBAR.LE", "MOV",
                                         "E",         "LEA.HI", "LD4",       "STGX.E",    "BARX",
                                         "EXITS",     ".LDG",   ""};
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        cr_expect_eq(of(others[i]).class, WM_SASS_OTHER, "%s", others[i]);
}

Test(sass, what_an_export_calls_a_memory_instruction_means_what_it_did)
{
    static const uint32_t widths[] = {1, 2, 4, 8, 16, 32};
    static const enum wm_address_space spaces[] = {WM_SPACE_GLOBAL, WM_SPACE_LOCAL,
                                                   WM_SPACE_SHARED};
    for (int kind = WM_ACCESS_LOAD; kind <= WM_ACCESS_REDUCTION; kind++)
        for (int hint = WM_HINT_DEFAULT; hint <= WM_HINT_NO_L1; hint++)
            for (size_t s = 0; s < 3; s++)
                for (size_t w = 0; w < sizeof widths / sizeof widths[0]; w++)
                    for (int generic = 0; generic < 2; generic++) {
                        bool atomic = kind == WM_ACCESS_ATOMIC || kind == WM_ACCESS_REDUCTION;
                        const struct wm_warp_access access = {.kind = (enum wm_access_kind)kind,
                                                              .space = spaces[s],
                                                              .hint = (enum wm_cache_hint)hint,
                                                              .bytes_per_lane = widths[w]};
                        char name[96];
                        wm_sass_memory_name("atom.global.add.u32 %r1, [%rd1], 1", &access,
                                            generic != 0, name, sizeof name);
                        struct wm_sass_opcode opcode = of(name);
                        cr_assert_eq(opcode.class, WM_SASS_MEMORY, "%s", name);
                        bool lost = kind == WM_ACCESS_REDUCTION && !generic && s != 0;
                        cr_assert(lost || opcode.kind == access.kind, "%s: kind", name);
                        cr_assert(opcode.generic || opcode.space == access.space, "%s: space",
                                  name);
                        cr_assert(opcode.generic || !generic, "%s: generic", name);
                        cr_assert_eq(opcode.bytes, widths[w] == 4 ? 0 : widths[w], "%s", name);
                        cr_assert(atomic || opcode.hint == access.hint, "%s: hint", name);
                    }
}

static struct wm_sass_line line_of(const char *text, struct wm_sass_registers *registers)
{
    struct wm_sass_line line;
    wm_sass_line_of_ptx(text, registers, &line);
    return line;
}

Test(sass, lines_of_ptx)
{
    struct wm_sass_registers *registers = wm_sass_registers_new();
    static const struct {
        const char *text, *opcode;
        uint32_t destinations, sources;
        const char *first, *second;
    } cases[] = {
        {"ld.global.f32 %f1, [%rd4+8]", "NOP", 1, 1, "R0", "R1"},
        {"fma.rn.f32 %f2, %f1, %f1, 0f3F800000", "FFMA", 1, 2, "R2", "R0"},
        {"fma.rn.f64 %fd1, %fd1, %fd1, %fd1", "DFMA", 1, 3, "R3", "R3"},
        {"add.s32 %r1, %r1, -7", "IADD3", 1, 1, "R4", "R4"},
        {"add.ftz.f32 %f2, %f1, %f2", "FADD", 1, 2, "R2", "R0"},
        {"add.rn.f16x2 %r2, %r1, %r1", "HADD2", 1, 2, "R5", "R4"},
        {"cvt.rn.f32.s32 %f1, %r1", "I2F", 1, 1, "R0", "R4"},
        {"cvt.rzi.s32.f32 %r1, %f1", "F2I", 1, 1, "R4", "R0"},
        {"cvt.f64.f32 %fd1, %f1", "F2F", 1, 1, "R3", "R0"},
        {"cvt.u64.u32 %rd4, %r1", "I2I", 1, 1, "R1", "R4"},
        {"setp.lt.s32 %p1, %r1, %r2", "ISETP.AND", 0, 2, "R4", "R5"},
        {"and.pred %p3, %p1, %p2", "PLOP3.LUT", 0, 0, "", ""},
        {"mov.u32 %r1, %tid.x", "S2R", 1, 0, "R4", ""},
        {"bar.sync 0", "BAR.SYNC", 0, 0, "", ""},
        {"bar.warp.sync -1", "WARPSYNC", 0, 0, "", ""},
        {"st.global.v2.f32 [%rd4], {%f1, %f2}", "NOP", 0, 2, "R1", "R0"},
        {"bra $L__BB0_2", "BRA", 0, 0, "", ""},
        {"made.up %r1, %r2", "NOP", 1, 1, "R4", "R5"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct wm_sass_line line = line_of(cases[i].text, registers);
        cr_expect_str_eq(line.opcode, cases[i].opcode, "%s: %s", cases[i].text, line.opcode);
        cr_expect_eq(line.destination_count, cases[i].destinations, "%s", cases[i].text);
        cr_expect_eq(line.source_count, cases[i].sources, "%s: %u", cases[i].text,
                     line.source_count);
        cr_expect_str_eq(line.registers[0], cases[i].first, "%s: %s", cases[i].text,
                         line.registers[0]);
        cr_expect_str_eq(line.registers[1], cases[i].second, "%s: %s", cases[i].text,
                         line.registers[1]);
    }
    cr_expect_eq(line_of("add.s32 %r1, %r1, -7", registers).immediate, -7);
    cr_expect(line_of("ret", registers).ends && line_of("exit", registers).ends);
    cr_expect(!line_of("call (retval0), f, (param0)", registers).ends);
    // Many registers: none is the one that means zero.
    for (uint32_t i = 0; i < 600; i++) {
        char text[64];
        snprintf(text, sizeof text, "mov.u32 %%r%u, 1", 1000 + i);
        cr_assert_str_neq(line_of(text, registers).registers[0], "R255");
    }
    wm_sass_registers_free(registers);
}

Test(sass, lines_of_sass_come_back)
{
    struct wm_sass_line line;
    wm_sass_line_of_sass("LDG.E.SYS R4, [R2]", &line);
    cr_expect_str_eq(line.opcode, "LDG.E.SYS");
    cr_expect(line.destination_count == 1 && line.source_count == 1);
    cr_expect_str_eq(line.registers[1], "R2");
    wm_sass_line_of_sass("STG.E.SYS [R2], R9", &line);
    cr_expect(line.destination_count == 0 && line.source_count == 2);
    cr_expect_str_eq(line.registers[1], "R9");
    wm_sass_line_of_sass("ISETP.GE.AND _, R6, R5", &line);
    cr_expect(line.destination_count == 0 && line.source_count == 2);
    cr_expect_str_eq(line.registers[0], "R6");
    wm_sass_line_of_sass("EXIT", &line);
    cr_expect(line.ends && line.destination_count == 0 && line.source_count == 0);
    wm_sass_line_of_sass("IMAD.WIDE {R4, P0}, R2, UR5, R7", &line);
    cr_expect_eq(line.destination_count, 1);
    cr_expect_eq(line.source_count, 3, "%u", line.source_count);
    cr_expect_str_eq(line.registers[1], "R2");
}
