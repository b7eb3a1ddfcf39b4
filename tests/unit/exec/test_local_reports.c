// What a listener is told of local memory: the lanes' own words one behind the other, as addresses
// or, where it takes them so, as a base and a stride; by fast moves and without them.
#include "exec_harness.h"

enum { LOCAL_BYTES = 256, APART = 32, WARPS = 2, ACCESSES = 4 };

static struct harness harness;

static struct {
    uint64_t addresses[WARPS * ACCESSES][WM_MAX_LANES], active[WARPS * ACCESSES];
    uint32_t bytes[WARPS * ACCESSES], count, regular;
} seen;

static void see(void *context, const struct wm_warp_access *access)
{
    (void)context;
    if (access->space != WM_SPACE_LOCAL)
        return;
    cr_assert_lt(seen.count, WARPS * ACCESSES);
    uint64_t *addresses = seen.addresses[seen.count];
    if (access->addresses == NULL)
        wm_access_expand(access, addresses);
    else
        memcpy(addresses, access->addresses, access->lanes * sizeof(uint64_t));
    seen.regular += access->addresses == NULL;
    seen.bytes[seen.count] = access->bytes_per_lane;
    seen.active[seen.count++] = access->active;
}

static const struct form {
    const char *type, *stored, *loaded;
    unsigned bytes, words; // words: 32-bit registers of which the stored value is made
} forms[] = {
    {"u8", "%s0", "%v0", 1, 1},
    {"u16", "%s0", "%v0", 2, 1},
    {"b32", "%s0", "%v0", 4, 1},
    {"b64", "%d0", "%d1", 8, 2},
    {"v2.b32", "{%s0, %s1}", "{%v0, %v1}", 8, 2},
    {"v4.b32", "{%s0, %s1, %s2, %s3}", "{%v0, %v1, %v2, %v3}", 16, 4},
    {"v2.u16", "{%s0, %s1}", "{%v0, %v1}", 4, 2},
};

// A store, a load of it, a load over the register of its address, and a guarded store.
static void print(struct wm_text *text, const struct form *form)
{
    wm_text_init(text);
    wm_text_format(text,
                   ".visible .entry k(.param .u64 out, .param .u32 apart) {\n"
                   ".reg .b32 %%i, %%n, %%w, %%v<4>, %%s<4>; .reg .b64 %%o, %%q, %%d<2>; "
                   ".reg .pred %%p;\n.local .align 16 .b8 m[%u];\n"
                   "ld.param.u64 %%o, [out]; ld.param.u32 %%n, [apart]; mov.u32 %%i, %%tid.x;\n"
                   "and.b32 %%w, %%i, 7; mul.lo.u32 %%n, %%n, %%w; mov.u32 %%w, m; "
                   "add.u32 %%w, %%w, %%n;\n"
                   "add.u32 %%s0, %%i, 3; add.u32 %%s1, %%i, 400; add.u32 %%s2, %%i, 5000; "
                   "add.u32 %%s3, %%i, 60000; mov.b64 %%d0, {%%s0, %%s1};\n"
                   "mov.b32 %%v1, 0; mov.b32 %%v2, 0; mov.b32 %%v3, 0; setp.gt.u32 %%p, %%i, 12;\n"
                   "st.local.%s [%%w], %s; ld.local.%s %s, [%%w];\n",
                   LOCAL_BYTES, form->type, form->stored, form->type, form->loaded);
    if (strcmp(form->type, "b64") == 0)
        wm_text_add(text, "mov.b64 {%v0, %v1}, %d1;\n");
    wm_text_format(text,
                   "@%%p st.local.%s [%%w+16], %s; ld.local.b32 %%w, [%%w];\n"
                   "mul.wide.u32 %%q, %%i, 32; add.u64 %%q, %%q, %%o;\n"
                   "st.global.v4.b32 [%%q], {%%v0, %%v1, %%v2, %%v3}; st.global.b32 [%%q+16], %%w;"
                   "\nret; }\n",
                   form->type, form->stored);
}

static void expect_access(const struct form *form, unsigned width, uint32_t apart, uint32_t number)
{
    static const uint32_t extra[ACCESSES] = {0, 0, 16, 0};
    uint32_t warp = number / ACCESSES, which = number % ACCESSES;
    uint32_t bytes = which == 3 ? 4 : form->bytes;
    uint64_t base = WM_LOCAL_BASE + (uint64_t)warp * width * LOCAL_BYTES;
    cr_expect_eq(seen.bytes[number], bytes);
    for (uint32_t lane = 0; lane < width; lane++) {
        if (which == 2 && warp * width + lane <= 12)
            cr_expect_not(seen.active[number] >> lane & 1);
        if (!(seen.active[number] >> lane & 1))
            continue;
        uint64_t offset = (uint64_t)(lane & 7) * apart + extra[which];
        uint64_t row = base + offset / 4 * 4 * width;
        uint64_t address = bytes <= 4 ? row + 4 * lane + offset % 4 : row + (uint64_t)bytes * lane;
        cr_expect_eq(seen.addresses[number][lane], address, "%s access %u lane %u", form->type,
                     number, lane);
    }
}

static void expect_values(const struct form *form, uint32_t thread, const uint32_t *got)
{
    const uint32_t values[] = {thread + 3, thread + 400, thread + 5000, thread + 60000};
    const uint32_t ones = form->bytes / form->words == 1   ? 0xff
                          : form->bytes / form->words == 2 ? 0xffff
                                                           : UINT32_MAX;
    for (unsigned i = 0; i < 4; i++)
        cr_expect_eq(got[i], i < form->words ? values[i] & ones : 0, "%s word %u of thread %u",
                     form->type, i, thread);
    uint32_t low = values[0] & ones;
    cr_expect_eq(form->bytes < 4 ? got[4] & ones : got[4],
                 form->words == 2 && form->bytes == 4 ? low | values[1] << 16 : low);
}

static void check(const struct form *form, enum wm_lane_isa isa, unsigned width, uint32_t apart,
                  bool regular)
{
    struct wm_text text;
    print(&text, form);
    harness_init(&harness, text.data, width, isa, false);
    wm_text_release(&text);
    harness.sink.access = see;
    harness.sink.accepts_strided = regular;
    memset(&seen, 0, sizeof(seen));
    uint32_t *out = harness_allocate(&harness, 32 * WARPS * 64);
    HARNESS_RUN(&harness, "k", 1, WARPS * width, ADDRESS(out), apart);
    cr_assert_eq(seen.count, WARPS * ACCESSES);
    // Of all that lie at one place, but loads over their own address, which are done lane by lane.
    cr_expect_eq(seen.regular, regular && apart == 0 && width == 32 ? WARPS * (ACCESSES - 1) : 0);
    for (uint32_t i = 0; i < seen.count; i++)
        expect_access(form, width, apart, i);
    for (uint32_t thread = 0; thread < WARPS * width; thread++)
        expect_values(form, thread, out + 8 * thread);
    harness_release(&harness);
}

Test(local_reports, of_all_widths)
{
    for (size_t i = 0; i < sizeof(forms) / sizeof(*forms); i++)
        for (int isa = WM_HOST_C; isa <= (int)wm_host_best_isa(); isa++)
            for (unsigned width = 32; width <= 64; width += 32)
                for (int how = 0; how < 4; how++)
                    check(&forms[i], (enum wm_lane_isa)isa, width, how & 1 ? APART : 0, how & 2);
}
