// Names of parts of memory: which have bytes of a line, in order, by hand and as a model that
// looks at each byte.
#include "base/names/memory_names.h"

#include "base/numbers/random.h"

#include <criterion/criterion.h>

static void add(struct wm_memory_names *names, uint64_t address, uint64_t bytes, const char *name)
{
    cr_assert(wm_memory_names_add(names, address, bytes, name, strlen(name)));
}

static void expect_in(const struct wm_memory_names *names, uint64_t address, uint64_t bytes,
                      const char *wanted)
{
    const struct wm_memory_name *found[4];
    size_t count = wm_memory_names_in(names, address, bytes, found, 4);
    char text[8] = "";
    for (size_t i = 0; i < count; i++)
        text[i] = found[i]->name[0];
    cr_expect_str_eq(text, wanted, "of 0x%lx", (unsigned long)address);
}

Test(memory_names, in_order_of_addresses)
{
    struct wm_memory_names names;
    wm_memory_names_init(&names);
    add(&names, 0x1078, 16, "c"); // in two lines
    add(&names, 0x1000, 8, "a");
    add(&names, 0x1008, 1, "b");
    add(&names, 0x1000, 8, "d"); // the same bytes by another name
    add(&names, 0x1000, 8, "a"); // again
    add(&names, 0x0f00, 0x100, "e");
    expect_in(&names, 0x1000, 128, "adbc");
    expect_in(&names, 0x1080, 128, "c");
    expect_in(&names, 0x1087, 1, "c");
    expect_in(&names, 0x1088, 1, "");
    expect_in(&names, 0x0fff, 1, "e");
    expect_in(&names, 0x0eff, 1, "");
    expect_in(&names, 0x0e80, 512, "eadb"); // the first four
    wm_memory_names_release(&names);
}

Test(memory_names, of_nothing_are_left_out)
{
    struct wm_memory_names names;
    wm_memory_names_init(&names);
    add(&names, 0x1000, 0, "a");
    add(&names, 0x1000, 8, "");
    add(&names, UINT64_MAX, 2, "b");
    cr_expect_eq(names.count, 0);
    add(&names, UINT64_MAX, 1, "c");
    add(&names, 0, UINT64_MAX, "d");
    expect_in(&names, UINT64_MAX - 127, 128, "dc");
    expect_in(&names, 0, 128, "d");
    wm_memory_names_release(&names);
}

Test(memory_names, as_a_model_that_looks_at_each_byte)
{
    enum { PARTS = 20, SPAN = 256, ROUNDS = 200 };
    struct wm_random random;
    wm_random_init(&random, 7, "memory names");
    for (int round = 0; round < ROUNDS; round++) {
        struct wm_memory_names names;
        wm_memory_names_init(&names);
        bool has[PARTS][2 * SPAN] = {{false}};
        for (uint32_t part = 0; part < PARTS; part++) {
            uint64_t address = wm_random_below(&random, SPAN);
            uint64_t bytes = 1 + wm_random_below(&random, 40);
            add(&names, address, bytes, (char[]){(char)('a' + part), '\0'});
            memset(&has[part][address], 1, bytes);
        }
        for (uint64_t line = 0; line < 2 * SPAN; line += 32) {
            const struct wm_memory_name *found[PARTS];
            size_t count = wm_memory_names_in(&names, line, 32, found, PARTS), wanted = 0;
            for (uint32_t part = 0; part < PARTS; part++)
                wanted += memchr(&has[part][line], 1, 32) != NULL;
            cr_assert_eq(count, wanted);
            for (size_t i = 0; i < count; i++) {
                cr_assert_not_null(memchr(&has[found[i]->name[0] - 'a'][line], 1, 32));
                cr_assert(i == 0 || found[i - 1]->address < found[i]->address ||
                          (found[i - 1]->address == found[i]->address &&
                           found[i - 1]->name[0] < found[i]->name[0]));
            }
        }
        wm_memory_names_release(&names);
    }
}
