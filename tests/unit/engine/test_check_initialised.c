// The map of what nothing has written, against an array of one flag a byte.
#include "base/numbers/random.h"
#include "engine/check/checker_state.h"
#include "exec/memory/device_memory.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

enum { PAGE = 1 << WM_CHECK_PAGE_SHIFT, SPAN = 3 * PAGE };

static struct wm_random stream;
static uint64_t draw(void)
{
    return wm_random_u64(&stream) >> 33;
}

static uint64_t somewhere(void)
{
    // Around the ends of pages, where ranges are cut.
    uint64_t near = draw() % 3 * PAGE + draw() % 400;
    return draw() % 2 ? near : draw() % SPAN;
}

Test(check_initialised, agrees_with_one_flag_a_byte)
{
    static bool model[SPAN];
    struct wm_uninitialised_bytes unwritten = {0};
    wm_random_init(&stream, 11, "unwritten");
    memset(model, 0, sizeof model);
    for (int step = 0; step < 4000; step++) {
        uint64_t at = somewhere(), from = somewhere();
        uint64_t most = draw() % 20 ? 300 : PAGE + 200;
        uint64_t bytes = 1 + draw() % most;
        if (at + bytes > SPAN || from + bytes > SPAN)
            continue;
        if (draw() % 3 == 0) {
            wm_uninitialised_bytes_copy(&unwritten, WM_DEVICE_BASE + at, WM_DEVICE_BASE + from,
                                        bytes);
            memmove(model + at, model + from, bytes);
        } else {
            bool yes = draw() % 2;
            wm_uninitialised_bytes_mark(&unwritten, WM_DEVICE_BASE + at, bytes, yes);
            memset(model + at, yes, bytes);
        }
        for (int look = 0; look < 30; look++) {
            uint32_t width = 1u << draw() % 6;
            uint64_t place = somewhere() & ~(uint64_t)(width - 1);
            bool wanted = false;
            for (uint32_t i = 0; i < width; i++)
                wanted |= model[place + i];
            cr_assert_eq(wm_uninitialised_bytes_any(&unwritten, WM_DEVICE_BASE + place, width),
                         wanted, "step %d, byte %llu", step, (unsigned long long)place);
        }
    }
    cr_assert_not(unwritten.failed);
    wm_uninitialised_bytes_release(&unwritten);
}

Test(check_initialised, host_memory_is_never_unwritten)
{
    struct wm_uninitialised_bytes unwritten = {0};
    wm_uninitialised_bytes_mark(&unwritten, 4096, 100, true);
    cr_assert_not(wm_uninitialised_bytes_any(&unwritten, 4096, 4));
    wm_uninitialised_bytes_mark(&unwritten, WM_DEVICE_BASE, 100, true);
    cr_assert(wm_uninitialised_bytes_any(&unwritten, WM_DEVICE_BASE + 96, 4));
    wm_uninitialised_bytes_copy(&unwritten, WM_DEVICE_BASE, 4096, 50); // from the host
    cr_assert_not(wm_uninitialised_bytes_any(&unwritten, WM_DEVICE_BASE + 48, 2));
    cr_assert(wm_uninitialised_bytes_any(&unwritten, WM_DEVICE_BASE + 50, 2));
    wm_uninitialised_bytes_release(&unwritten);
}

Test(check_initialised, lists_of_checks_are_read)
{
    uint32_t checks;
    struct wm_error error;
    cr_assert_eq(wm_check_list_read("init,leak", &checks, NULL), WM_OK);
    cr_assert_eq(checks, WM_CHECK_INIT | WM_CHECK_LEAK);
    cr_assert_eq(wm_check_list_read("all", &checks, NULL), WM_OK);
    cr_assert_eq(checks, WM_CHECK_MEMORY | WM_CHECK_INIT | WM_CHECK_RACE | WM_CHECK_LEAK);
    const char *bad[] = {"", ",", "init,", "rac", "races", "init race"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        wm_error_clear(&error);
        cr_assert_eq(wm_check_list_read(bad[i], &checks, &error), WM_INVALID, "%s", bad[i]);
        cr_assert(error.message[0]);
    }
}
