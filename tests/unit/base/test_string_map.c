#include "base/containers/string_map.h"
#include "base/numbers/random.h"

#include <criterion/criterion.h>

// Against the obvious model: an array searched from its end.
Test(string_map, agrees_with_a_list)
{
    enum { KEYS = 700, STEPS = 20000 };
    static char keys[KEYS][16];
    static void *model[KEYS];
    static int values[STEPS];
    for (int i = 0; i < KEYS; i++)
        snprintf(keys[i], sizeof keys[i], "%%r%d", i);
    struct wm_string_map map;
    struct wm_random random;
    wm_string_map_init(&map);
    wm_random_init(&random, 5, "test");
    for (int step = 0; step < STEPS; step++) {
        size_t k = (size_t)wm_random_below(&random, KEYS);
        if (wm_random_below(&random, 3) == 0) {
            model[k] = &values[step];
            cr_assert(wm_string_map_put(&map, keys[k], strlen(keys[k]), model[k]));
        }
        cr_assert_eq(wm_string_map_get(&map, keys[k], strlen(keys[k])), model[k]);
    }
    cr_assert_null(wm_string_map_get(&map, "absent", 6));
    cr_assert_null(wm_string_map_get(&map, "%r1x", 2), "length counts, not the NUL");
    wm_string_map_release(&map);
    cr_assert_null(wm_string_map_get(&map, "%r1", 3));
}

Test(string_map, keeps_insertion_order)
{
    struct wm_string_map map;
    wm_string_map_init(&map);
    const char *keys[] = {"zebra", "apple", "mango", "apple"};
    for (int i = 0; i < 4; i++)
        wm_string_map_put(&map, keys[i], strlen(keys[i]), &keys[i]);
    cr_assert_eq(map.count, 3);
    cr_assert_str_eq(map.entries[0].key, "zebra");
    cr_assert_str_eq(map.entries[1].key, "apple");
    cr_assert_eq(map.entries[1].value, &keys[3]);
    wm_string_map_release(&map);
}
