// What instructions order beyond their block, from the syntax lines of the PTX ISA (8.5, sections
// 9.7.9 and 9.7.13), and of SASS.
#include "engine/issue/memory_order.h"

#include <criterion/criterion.h>

enum {
    NOTHING = 0,
    ACQUIRES = WM_ORDER_ACQUIRES,
    RELEASES = WM_ORDER_RELEASES,
    BOTH = ACQUIRES | RELEASES,
    FENCE = WM_ORDER_FENCE,
};

static const struct {
    const char *text;
    int order;
} expected[] = {
    {"fence.sc.gpu", FENCE | BOTH},
    {"fence.acq_rel.sys", FENCE | BOTH},
    {"fence.acq_rel.cluster", FENCE | BOTH},
    {"fence.gpu", FENCE | BOTH},
    {"fence.acquire.gpu", FENCE | ACQUIRES},
    {"fence.release.gpu", FENCE | RELEASES},
    {"fence.sc.cta", NOTHING},
    {"fence.acq_rel.cta;", NOTHING},
    {"fence.proxy.async", NOTHING},
    {"fence.proxy.tensormap::generic.acquire.gpu [%rd1], 128", NOTHING},
    {"fence.mbarrier_init.release.cluster", NOTHING},
    {"fence.acquire.sync_restrict::shared::cluster.cluster", NOTHING},
    {"membar.gl", FENCE | BOTH},
    {"membar.sys;", FENCE | BOTH},
    {"membar.cta", NOTHING},
    {"membar.proxy.alias", NOTHING},
    {"ld.acquire.gpu.global.u32 %r1, [%rd1]", ACQUIRES},
    {"ld.acquire.sys.u32 %r1, [%rd1]", ACQUIRES},
    {"ld.acquire.cta.global.u32 %r1, [%rd1]", NOTHING},
    {"ld.relaxed.gpu.global.u32 %r1, [%rd1]", NOTHING},
    {"ld.volatile.global.u32 %r1, [%rd1]", NOTHING},
    {"ld.global.u32 %r1, [%rd1]", NOTHING},
    {"st.release.gpu.global.u32 [%rd1], %r1", RELEASES},
    {"st.release.cta.global.u32 [%rd1], %r1", NOTHING},
    {"st.relaxed.sys.global.u32 [%rd1], %r1", NOTHING},
    {"atom.acquire.gpu.global.add.u32 %r1, [%rd1], 1", ACQUIRES},
    {"atom.global.acquire.sys.cas.b32 %r1, [%rd1], 0, 1", ACQUIRES},
    {"atom.acq_rel.gpu.global.exch.b32 %r1, [%rd1], 1", BOTH},
    {"atom.acq_rel.global.exch.b32 %r1, [%rd1], 1", BOTH},
    {"atom.release.gpu.global.add.u32 %r1, [%rd1], 1", RELEASES},
    {"atom.global.add.u32 %r1, [%rd1], 1", NOTHING},
    {"atom.acq_rel.cta.shared.add.u32 %r1, [%rd1], 1", NOTHING},
    {"red.release.gpu.global.add.u32 [%rd1], 1", RELEASES},
    {"red.global.add.u32 [%rd1], 1", NOTHING},
    {"bar.sync 0", NOTHING},
    {"barrier.cluster.wait.acquire", NOTHING}, // a cluster is one block
    {"mbarrier.try_wait.acquire.cta.shared::cta.b64 %p1, [%rd1], %rd2", NOTHING},
    {"ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r1}, [%r2]", NOTHING},
    {"CCTL.IVALL", FENCE | ACQUIRES},
    {"CCTL.IV [R2]", NOTHING},
    {"MEMBAR.SC.GPU", NOTHING}, // waits anyway
    {"LDG.E.STRONG.GPU R1, [R2]", NOTHING},
    {"", NOTHING},
};

Test(memory_order, of_each_form)
{
    for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++)
        cr_expect_eq(wm_memory_order_of(expected[i].text), expected[i].order, "%s: %d",
                     expected[i].text, wm_memory_order_of(expected[i].text));
}
