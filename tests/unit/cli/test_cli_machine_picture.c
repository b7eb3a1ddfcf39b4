// Pictures of machines of many shapes: all is drawn, nothing is cut, and nothing covers anything.
#include "../../rounds.h"
#include "base/numbers/random.h"
#include "base/text/text_width.h"
#include "machine/preset.h"
#include "study/picture/picture.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_SETTINGS = 12 };

// What a machine of any shape is changed by.
static const char *const shapes[][MOST_SETTINGS] = {
    {NULL},
    {"gpu.l1.present=false"},
    {"gpu.l2.present=false", "gpu.l2.inclusion=non-inclusive"},
    {"gpu.l1.present=false", "gpu.l2.present=false"},
    {"gpu.sm.unified=0B", "gpu.l1.sms_each=4", "gpu.l1.victim_lines=8"},
    {"gpu.interconnect.topology=butterfly", "gpu.interconnect.latency=1000",
     "gpu.l2.atomic_buffer=64"},
    {"gpu.tlb.present=true", "gpu.tlb.l2_entries=65536", "gpu.tlb.walks_use_l2=true"},
    {"gpu.tlb.present=true", "gpu.tlb.l2_entries=512", "gpu.tlb.walks_use_l2=false"},
    {"gpu.tlb.present=true", "gpu.tlb.l2_entries=0", "gpu.tlb.sms_each=1024"},
    {"gpu.constant.present=true", "gpu.constant.line=32B", "gpu.texture.present=true",
     "gpu.texture.line=32B", "gpu.scalar.present=true", "gpu.scalar.line=32B",
     "gpu.scalar.sms_each=512", "gpu.scalar.loads=read-only", "gpu.instruction.present=true",
     "gpu.instruction.line=32B", "gpu.tlb.present=true"},
    {"gpu.constant.present=false", "gpu.texture.present=false", "gpu.scalar.present=false",
     "gpu.instruction.present=false", "gpu.l2.atomic_buffer=0"},
};

static bool is_within(const struct wm_picture_box *box, uint32_t x, uint32_t y)
{
    return x >= box->x && x < box->x + box->width && y >= box->y && y < box->y + box->height;
}

static void check_boxes(const char *name, const struct wm_picture *picture)
{
    for (uint32_t i = 0; i < picture->box_count; i++) {
        const struct wm_picture_box *box = &picture->boxes[i];
        cr_expect_leq(box->x + box->width, picture->width, "%s", name);
        cr_expect_leq(box->y + box->height, picture->height, "%s", name);
        cr_expect_eq(box->height, box->line_count + 2, "%s", name);
        for (uint32_t n = 0; n < box->line_count; n++) {
            uint32_t width = wm_text_width(box->lines[n], strlen(box->lines[n]));
            cr_expect(width > 0 && width <= box->width - 4, "%s: \"%s\" is %u wide", name,
                      box->lines[n], width);
        }
        for (uint32_t j = 0; j < i; j++) {
            const struct wm_picture_box *other = &picture->boxes[j];
            bool apart = box->x >= other->x + other->width || other->x >= box->x + box->width ||
                         box->y >= other->y + other->height || other->y >= box->y + box->height;
            cr_expect(apart, "%s: \"%s\" lies on \"%s\"", name, box->lines[0], other->lines[0]);
        }
    }
}

// A wire ends at boxes' borders or at another wire, and crosses no box.
static void check_wires(const char *name, const struct wm_picture *picture)
{
    for (uint32_t i = 0; i < picture->wire_count; i++) {
        const struct wm_picture_wire *wire = &picture->wires[i];
        bool down = wire->x == wire->to_x;
        cr_expect(down ? wire->y < wire->to_y : wire->y == wire->to_y && wire->x < wire->to_x,
                  "%s: wire %u is neither down nor to the right", name, i);
        uint32_t length = down ? wire->to_y - wire->y : wire->to_x - wire->x;
        for (uint32_t step = 1; step < length; step++)
            for (uint32_t b = 0; b < picture->box_count; b++)
                cr_expect(!is_within(&picture->boxes[b], wire->x + (down ? 0 : step),
                                     wire->y + (down ? step : 0)),
                          "%s: wire %u crosses \"%s\"", name, i, picture->boxes[b].lines[0]);
    }
}

static void check_labels(const char *name, const struct wm_picture *picture)
{
    for (uint32_t i = 0; i < picture->label_count; i++) {
        const struct wm_picture_label *label = &picture->labels[i];
        uint32_t width = wm_text_width(label->text, strlen(label->text));
        cr_expect_leq(label->x + width, picture->width, "%s: \"%s\"", name, label->text);
        for (uint32_t x = label->x; x < label->x + width; x++) {
            for (uint32_t b = 0; b < picture->box_count; b++)
                cr_expect(!is_within(&picture->boxes[b], x, label->y), "%s: \"%s\" lies on \"%s\"",
                          name, label->text, picture->boxes[b].lines[0]);
            for (uint32_t w = 0; w < picture->wire_count; w++) {
                const struct wm_picture_wire *wire = &picture->wires[w];
                cr_expect(x < wire->x || x > wire->to_x || label->y < wire->y ||
                              label->y > wire->to_y,
                          "%s: \"%s\" lies on a wire", name, label->text);
            }
        }
    }
}

// A box for each component, one for both directions of the interconnect.
static void check_whole(const char *name, const struct wm_drawn_machine *drawn,
                        const struct wm_picture *picture)
{
    bool has_networks = drawn->graph.requests != WM_NO_COMPONENT;
    cr_expect_eq(picture->box_count, drawn->graph.component_count - has_networks, "%s", name);
    struct wm_text text;
    wm_text_init(&text);
    wm_picture_print(picture, &text);
    cr_assert(!text.failed);
    uint32_t lines = 0;
    for (const char *line = text.data; *line != '\0'; lines++) {
        size_t length = strcspn(line, "\n");
        cr_expect_leq(wm_text_width(line, length), 80, "%s", name);
        line += length + 1;
    }
    cr_expect_eq(lines, picture->height);
    for (uint32_t i = 0; i < picture->box_count; i++)
        for (uint32_t n = 0; n < picture->boxes[i].line_count; n++)
            cr_expect_not_null(strstr(text.data, picture->boxes[i].lines[n]), "%s: no \"%s\"", name,
                               picture->boxes[i].lines[n]);
    wm_text_release(&text);
}

// Where misses go can be seen: a wire leads away from each box, or it says so.
static void check_ways(const char *name, const struct wm_drawn_machine *drawn,
                       const struct wm_picture *picture)
{
    for (uint32_t b = 0; b < picture->box_count; b++) {
        const struct wm_picture_box *box = &picture->boxes[b];
        bool leads = strncmp(box->lines[0], "DRAM", 4) == 0;
        for (uint32_t n = 0; n < box->line_count; n++)
            leads = leads || strncmp(box->lines[n], "below:", 6) == 0;
        for (uint32_t w = 0; w < picture->wire_count; w++) {
            const struct wm_picture_wire *wire = &picture->wires[w];
            leads =
                leads || is_within(box, wire->x, wire->y) || is_within(box, wire->to_x, wire->to_y);
        }
        cr_expect(leads, "%s (%u components): no wire at \"%s\"", name,
                  drawn->graph.component_count, box->lines[0]);
    }
}

static void check_machine(const char *name, const struct wm_machine *machine)
{
    static struct wm_drawn_machine drawn;
    static struct wm_picture picture;
    struct wm_error error;
    cr_assert_eq(wm_drawn_machine_of(machine, &drawn, &error), WM_OK);
    wm_picture_lay_out(&drawn, &picture);
    check_boxes(name, &picture);
    check_wires(name, &picture);
    check_labels(name, &picture);
    check_whole(name, &drawn, &picture);
    check_ways(name, &drawn, &picture);
}

// Returns whether such a machine can be.
static bool check_picture(const char *name, const char *const settings[MOST_SETTINGS])
{
    static struct wm_machine machine;
    struct wm_error error;
    uint32_t count = 0;
    while (count < MOST_SETTINGS && settings[count] != NULL)
        count++;
    if (wm_machine_load(name, settings, count, &machine, &error) != WM_OK)
        return false;
    check_machine(name, &machine);
    return true;
}

Test(cli_machine_picture, machines_of_all_shapes_are_drawn_whole)
{
    enum { SHAPES = sizeof shapes / sizeof shapes[0] };
    struct wm_arena arena;
    struct wm_error error;
    const char *const *names;
    size_t count;
    uint32_t drawn[SHAPES] = {0};
    wm_arena_init(&arena);
    cr_assert_eq(wm_preset_names(&arena, &names, &count, &error), WM_OK);
    for (size_t i = 0; i < count; i++)
        for (size_t s = 0; s < SHAPES; s++)
            drawn[s] += check_picture(names[i], shapes[s]);
    cr_expect_eq(drawn[0], count);
    for (size_t s = 0; s < SHAPES; s++)
        cr_expect_geq(drawn[s], count / 2, "shape %zu was drawn of %u machines", s, drawn[s]);
    wm_arena_release(&arena);
}

Test(cli_machine_picture, a_machine_with_every_part_is_drawn_whole)
{
    static const char *const settings[MOST_SETTINGS] = {
        "gpu.tracker.present=true", "gpu.tracker.sms_each=8",    "gpu.tracker.sets=512",
        "gpu.tlb.present=true",     "gpu.tlb.l2_entries=512",    "gpu.constant.present=true",
        "gpu.constant.line=32B",    "gpu.instruction.line=32B",  "gpu.instruction.present=true",
        "gpu.l2.atomic_buffer=64",  "gpu.instruction.sms_each=5"};
    cr_expect(check_picture("anssari", settings));
}

// --- Random levels ---

static void add_level(struct wm_text *text, struct wm_random *random, const char *name,
                      const char *per, const char *below)
{
    static const char *const served[] = {
        "[constant]", "[instructions]", "[read-only]", "[uniform]", "[]", "[]", "[]"};
    wm_text_format(text,
                   "  %s: {per: %s, below: %s, size: 64KiB, ways: 4, victim_lines: %d, "
                   "slices: %d, serves: %s}\n",
                   name, per, below, wm_random_below(random, 4) == 0 ? 4 : 0,
                   (int)wm_random_below(random, 3),
                   served[wm_random_below(random, sizeof served / sizeof served[0])]);
}

// Levels of some SMs, from few to many, then of all: each has one below that is as wide, or wider.
static void describe_levels(struct wm_text *text, struct wm_random *random)
{
    static const char *const names[] = {"a2", "b2",       "c4",       "d4",
                                        "e8", "f_of_all", "g_of_all", "memory"};
    static const char *const pers[] = {"2 sm", "2 sm", "4 sm", "4 sm", "8 sm", "all", "all"};
    enum { LEVELS = sizeof pers / sizeof pers[0] };
    static const char *const sides[] = {"constant", "texture", "scalar", "instruction"};
    bool has[LEVELS];
    const char *known[LEVELS + 2];
    size_t count = 0;
    for (size_t i = 0; i < LEVELS; i++)
        if ((has[i] = wm_random_below(random, 3) != 0))
            known[count++] = names[i];
    known[count++] = "l2";
    known[count++] = "memory";
    wm_text_format(text,
                   "  l1: {below: %s, size: 16KiB, ways: 4, write: through-update, "
                   "write_allocate: false, victim_lines: %d}\n",
                   known[wm_random_below(random, count)], (int)wm_random_below(random, 2) * 4);
    for (size_t i = 0; i < sizeof sides / sizeof sides[0]; i++)
        if (wm_random_below(random, 2))
            wm_text_format(text, "  %s: {present: true, per: sm, below: %s, line: 32B}\n", sides[i],
                           known[wm_random_below(random, count)]);
    for (size_t i = 0, k = 0; i < LEVELS; i++)
        if (has[i]) {
            k++;
            add_level(text, random, names[i], pers[i],
                      known[k + wm_random_below(random, count - k)]);
        }
    wm_text_format(text,
                   "  l2: {present: %s, slices: 8, size: 1MiB, ways: 8, write: back, "
                   "write_allocate: true, below: %s, atomic_buffer: %d}\n",
                   wm_random_below(random, 3) ? "true" : "false",
                   wm_random_below(random, 2) ? "/llc" : "memory", 0);
    wm_text_format(text, "  tlb: {present: %s, l2_entries: %d, walks_use_l2: %s}\n",
                   wm_random_below(random, 2) ? "true" : "false",
                   (int)wm_random_below(random, 2) * 8,
                   wm_random_below(random, 2) ? "true" : "false");
}

// Without levels that nothing reaches: they are set to be absent, one after the other. False where
// the machine cannot be for another reason.
static bool read_reached(const struct wm_text *text, struct wm_machine *machine)
{
    char absent[WM_MOST_LEVELS][64];
    const char *settings[WM_MOST_LEVELS];
    for (uint32_t count = 0; count < WM_MOST_LEVELS; count++) {
        struct wm_error error;
        if (wm_machine_read(text->data, text->length, "random", settings, count, machine, &error) ==
            WM_OK)
            return true;
        const char *key = strstr(error.message, ", and "), *end = strstr(error.message, ".serves ");
        cr_assert(error.place[0] != '\0' && error.hint[0] != '\0', "%s: %s\n%s", error.place,
                  error.message, text->data);
        if (strncmp(error.message, "nothing reaches", 15) != 0 || !key || !end)
            return false;
        key += strlen(", and ");
        snprintf(absent[count], sizeof absent[count], "%.*s.present=false", (int)(end - key), key);
        settings[count] = absent[count];
    }
    return false;
}

Test(cli_machine_picture, machines_with_levels_of_their_own_are_drawn_whole)
{
    static struct wm_machine machine;
    struct wm_random random;
    unsigned drawn = 0;
    wm_random_init(&random, 1, "test_cli_machine_picture");
    for (unsigned round = 0; round < TEST_ROUNDS(4000); round++) {
        struct wm_text text;
        wm_text_init(&text);
        wm_text_add(&text, "name: random\n"
                           "device: {title: t, compute_capability: 7.0, clock: 1GHz, "
                           "memory_clock: 1GHz, memory_bus_bits: 64, memory_size: 1GiB}\n"
                           "gpu:\n"
                           "  sm: {count: 32, max_warps: 32, max_threads: 1024, max_blocks: 8, "
                           "registers: 65536, shared: 48KiB, shared_per_block: 48KiB}\n"
                           "  dram: {channels: 8, bandwidth: 100GB/s}\n");
        describe_levels(&text, &random);
        if (wm_random_below(&random, 2))
            wm_text_add(&text, "cpu:\n  core: {count: 4}\n"
                               "  l1: {per: core, below: l2, size: 32KiB, ways: 8}\n"
                               "  l1i: {per: core, below: l2, size: 32KiB, ways: 8, "
                               "serves: [instructions]}\n"
                               "  l2: {per: core, below: /llc, size: 256KiB, ways: 8}\n");
        wm_text_add(&text, "llc: {below: memory, size: 8MiB, ways: 16, slices: 4}\n");
        if (read_reached(&text, &machine)) {
            check_machine(text.data, &machine);
            drawn++;
        }
        wm_text_release(&text);
    }
    cr_expect(drawn > 400 / TEST_SHARE, "%u drawn", drawn);
}

Test(cli_machine_picture, examples_are_drawn_whole)
{
    static const char *const examples[] = {
        "l1-of-2-sms",       "l1-of-4-sms", "l1-of-8-sms",    "l1-of-16-sms", "scalar-of-4-units",
        "l2-of-clusters",    "no-l2",       "cpu-four-cores", "cpu-gpu-llc",  "cpu-gpu-shared-llc",
        "cpu-gpu-split-llc", "grace-hopper"};
    static const char *const none[MOST_SETTINGS] = {NULL};
    for (size_t i = 0; i < sizeof examples / sizeof examples[0]; i++) {
        char path[4096];
        snprintf(path, sizeof path, "%s/examples/%s.yaml", getenv("WARPMEM_MACHINES"), examples[i]);
        cr_expect(check_picture(path, none), "%s", path);
    }
}

Test(cli_machine_picture, a_title_is_no_markup)
{
    static struct wm_picture picture = {.width = 10, .height = 3};
    struct wm_text text;
    wm_text_init(&text);
    wm_picture_svg(&picture, "<b> & \"\x01mine\"", &text);
    cr_expect_not_null(strstr(text.data, "<title>&lt;b&gt; &amp; &quot;mine&quot;</title>"));
    wm_text_release(&text);
}
