// The readers of CPU cores' traces: what each line and record becomes, and what is refused; and the
// table of instructions.
#include "base/numbers/random.h"
#include "packed_bytes.h"
#include "source/cores/instruction_table.h"

#include <criterion/criterion.h>
#include <string.h>

static void open_text(struct wm_core_reader *reader, const struct wm_core_format *format,
                      const void *bytes, size_t size, bool data_only)
{
    struct wm_trace_input *input;
    cr_assert_eq(wm_trace_input_open_memory(bytes, size, "trace", &input, NULL), WM_OK);
    wm_core_reader_init(reader, format, input, data_only);
}

// Steps as a text: "@ADDRESS/BYTES" of the code ("+" when the instruction goes on, "-" and the
// place's number when it is not known), then "L", "S" or "U" (locked), address and bytes of each
// access. "F" is a fence, "A" thread and accesses that are waited for, "." the end; "(N)" before
// them instructions that are counted alone.
static void print_steps(const struct wm_core_format *format, const void *bytes, size_t size,
                        bool data_only, char *to, size_t room)
{
    struct wm_core_reader reader;
    struct wm_core_step step;
    struct wm_error error;
    size_t length = 0;
    open_text(&reader, format, bytes, size, data_only);
    to[0] = '\0';
    for (bool more = true;;) {
        cr_assert_eq(wm_core_reader_next(&reader, &step, &more, &error), WM_OK, "%s",
                     error.message);
        if (!more)
            break;
        length += (size_t)snprintf(to + length, room - length, length > 0 ? " " : "");
        if (step.skipped > 0)
            length += (size_t)snprintf(to + length, room - length, "(%llu)",
                                       (unsigned long long)step.skipped);
        if (step.kind == WM_CORE_STEP_FOLLOWS)
            length += (size_t)snprintf(to + length, room - length, "A%u/%u", step.awaited,
                                       step.awaited_accesses);
        else if (step.kind != WM_CORE_STEP_EXECUTES)
            length += (size_t)snprintf(to + length, room - length, "%c",
                                       step.kind == WM_CORE_STEP_FENCE ? 'F' : '.');
        else if (step.bytes == 0)
            length +=
                (size_t)(step.place != 0 ? snprintf(to + length, room - length, "-%u", step.place)
                                         : snprintf(to + length, room - length, "-"));
        else
            length += (size_t)snprintf(to + length, room - length, "@%llx/%u%s",
                                       (unsigned long long)step.address, step.bytes,
                                       step.continues ? "+" : "");
        for (uint32_t i = 0; i < step.access_count; i++)
            length += (size_t)snprintf(to + length, room - length, " %c%llx/%u",
                                       step.accesses[i].locked  ? 'U'
                                       : step.accesses[i].store ? 'S'
                                                                : 'L',
                                       (unsigned long long)step.accesses[i].address,
                                       step.accesses[i].bytes);
        cr_assert_lt(length, room);
    }
    wm_core_reader_release(&reader);
}

static void expect_steps(const struct wm_core_format *format, const char *text, bool data_only,
                         const char *expected)
{
    char steps[2048];
    print_steps(format, text, strlen(text), data_only, steps, sizeof steps);
    cr_expect_str_eq(steps, expected);
}

static void expect_refused(const struct wm_core_format *format, const char *text,
                           enum wm_status status, const char *place)
{
    struct wm_core_reader reader;
    struct wm_core_step step;
    struct wm_error error;
    bool more = true;
    wm_error_clear(&error);
    open_text(&reader, format, text, strlen(text), false);
    enum wm_status got = WM_OK;
    while (got == WM_OK && more)
        got = wm_core_reader_next(&reader, &step, &more, &error);
    cr_expect_eq(got, status, "\"%s\" gives %d", text, got);
    cr_expect_str_eq(error.place, place, "\"%s\"", text);
    wm_core_reader_release(&reader);
}

Test(core_readers, lackey)
{
    static const char text[] = "==1== Lackey, an example Valgrind tool\n"
                               "--1-- a note\n"
                               "\n"
                               "I  04016900,3\n"
                               " S 1ffefffe78,8\n"
                               "SB 04016903\n"
                               "I  04016903,5\n"
                               "I  04016908,2\n"
                               " M 0421c7cc,4\n"
                               " L 1ffefffe7f,8\r\n";
    expect_steps(&wm_core_lackey, text, false,
                 "@4016900/3 S1ffefffe78/8 @4016903/5 @4016908/2 L421c7cc/4 "
                 "@4016908/2+ S421c7cc/4 @4016908/2+ L1ffefffe7f/8");
    expect_steps(&wm_core_lackey, text, true,
                 "- S1ffefffe78/8 - L421c7cc/4 - S421c7cc/4 - L1ffefffe7f/8");
}

// An instruction has three accesses a step, an access at most 32 bytes.
Test(core_readers, cuts_what_is_large)
{
    expect_steps(&wm_core_lackey, "I  40,4\n L 10,32\n L 11,32\n L 12,33\n S f0,1\n", false,
                 "@40/4 L10/32 L11/32 L12/14 @40/4+ L20/19 @40/4+ Sf0/1");
    expect_steps(&wm_core_lackey, "I  40,4\n M 10,64\n", false,
                 "@40/4 L10/16 L20/32 L40/16 @40/4+ S10/16 S20/32 S40/16");
    expect_steps(&wm_core_lackey, " L 10,1\n S 11,1\nI  40,1\n", false, "- L10/1 - S11/1 @40/1");
}

Test(core_readers, refuses_what_is_not_lackeys)
{
    static const char *const bad[] = {"I  40",       "X 40,1",
                                      " L 40,",      "L 40,1x",
                                      " L ,4",       "IL 40,4",
                                      " L 4g,1",     " L 40,-1",
                                      "I 40;4",      "L",
                                      "hello",       " L 40,0",
                                      " L 40,99999", " L 10000000000000000,1"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        char text[128];
        snprintf(text, sizeof text, "I  40,4\n%s\n", bad[i]);
        expect_refused(&wm_core_lackey, text, WM_INVALID, "trace:2");
    }
}

Test(core_readers, dinero)
{
    expect_steps(&wm_core_dinero, "0 1003\n1 0x1040 comment\n\n 2\t400000\n3 7\n", false,
                 "- L1000/4 - S1040/4 @400000/4 L4/4");
    expect_steps(&wm_core_dinero, "i 400000 8\nr 103e 4\nw 0x20 a x\nm 7 1\n", false,
                 "@400000/8 L103e/4 @400000/8+ S20/10 @400000/8+ L7/1");
    expect_steps(&wm_core_dinero, "i 400000 8\nr 103e 4\n2 0\n1 8\n", true, "- L103e/4 - S8/4");
    expect_steps(&wm_core_dinero, "0 ffffffffffffffff", false, "- Lfffffffffffffffc/4");
    // Another thread's access belongs to no instruction before.
    expect_steps(&wm_core_dinero, "i 400000 8\nr 10 4\nt 1\nr 20 4\nt 0\nr 30 4\n", false,
                 "@400000/8 L10/4 - L20/4 - L30/4");
}

Test(core_readers, what_threads_do)
{
    expect_steps(&wm_core_dinero, "u 10 4\nf\nn 10\nn 1\nr 20 8\na 1 1c x\nw 30 1\nn 2\n", false,
                 "- U10/4 F (17)- L20/8 A1/28 - S30/1 (2).");
    expect_steps(&wm_core_dinero, "u 10 4\nf\nn 10\nr 20 8\na 1 1c\nn 2\n", true,
                 "- U10/4 F - L20/8 A1/28");
    // What is locked is a step of its own; an instruction goes on behind what it waits for.
    expect_steps(&wm_core_dinero, "i 400 4\nr 10 4\nu 20 4\na 2 1\nr 30 4\nn 3\ni 404 4\n", false,
                 "@400/4 L10/4 @400/4+ U20/4 A2/1 @400/4+ L30/4 (3)@404/4");
    expect_steps(&wm_core_dinero, "t 1\nn 3\na 0 1\nt 0\nf\n", false, "(3)A0/1 F");
}

Test(core_readers, refuses_what_no_thread_does)
{
    static const char *const bad[] = {"u 10", "u 10 11", "u 10 0",  "n",     "n g",
                                      "a 1",  "a 100 1", "a 0 1",   "a 1 g", "a 1 100000000",
                                      "ff",   "a 1 -1",  "u 10 4z", "a",     "n 1000000000000"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        char text[128];
        snprintf(text, sizeof text, "0 10\n\n%s\n", bad[i]);
        expect_refused(&wm_core_dinero, text, WM_INVALID, "trace:3");
    }
    expect_refused(&wm_core_dinero, "n 1000000000\nn 1\nr 0 4\n", WM_LIMIT, "trace:2");
}

Test(core_readers, places_of_code)
{
    static const char text[] = "l 1 11f0 sort 2a src/sort.c\n"
                               "r 10 4 @1\nw 10 4\n"
                               "l 2 20 a.so\n"
                               "t 1\nu 10 8 @2 more\nw 30 28 @1\nr 10 4 note\n"
                               "i 400 4\nr 50 4 @1\n";
    expect_steps(&wm_core_dinero, text, false,
                 "-1 L10/4 - S10/4 -2 U10/8 -1 S30/16 -1 S40/24 - L10/4 @400/4 L50/4");
    expect_steps(&wm_core_dinero, text, true,
                 "- L10/4 - S10/4 - U10/8 - S30/16 - S40/24 - L10/4 - L50/4");
    // Another tool's comments.
    expect_steps(&wm_core_dinero, "r 10 4 @7\n0 10 @x\n", false, "- L10/4 - L10/4");
}

Test(core_readers, what_places_are)
{
    static const char text[] = "l 1 11f0 sort 2a src/a sort.c\nl 2 ffffffffffffffff a.so\nr 0 1\n";
    struct wm_core_reader reader;
    struct wm_core_step step;
    bool more;
    open_text(&reader, &wm_core_dinero, text, strlen(text), false);
    cr_assert_eq(wm_core_reader_next(&reader, &step, &more, NULL), WM_OK);
    const struct wm_core_place *first = wm_core_place_of(&reader.places, 1),
                               *second = wm_core_place_of(&reader.places, 2);
    cr_assert(first != NULL && second != NULL);
    cr_expect_str_eq(first->object, "sort");
    cr_expect_eq(first->offset, 0x11f0);
    cr_expect_str_eq(first->file, "src/a sort.c");
    cr_expect_eq(first->line, 0x2a);
    cr_expect_str_eq(second->object, "a.so");
    cr_expect_eq(second->offset, UINT64_MAX);
    cr_expect_null(second->file);
    cr_expect_eq(second->line, 0);
    cr_expect_null(wm_core_place_of(&reader.places, 0));
    cr_expect_null(wm_core_place_of(&reader.places, 3));
    wm_core_reader_release(&reader);
}

Test(core_readers, refuses_what_are_no_places)
{
    static const char *const bad[] = {
        "l",          "l 2",          "l 2 10",         "l 3 10 a",         "l 1 10 a",
        "l 2 10 a 5", "l 2 10 a 0 f", "l 2 10 a g f",   "r 10 4 @2",        "r 10 4 @0",
        "r 10 4 @",   "r 10 4 @1x",   "0 10 @ffffffff", "u 10 4 @100000001"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        char text[128];
        snprintf(text, sizeof text, "l 1 10 a\n\n%s\n", bad[i]);
        expect_refused(&wm_core_dinero, text, WM_INVALID, "trace:3");
    }
    char text[5000] = "l 1 10 ";
    memset(text + 7, 'a', 256);
    expect_refused(&wm_core_dinero, text, WM_LIMIT, "trace:1");
    memcpy(text + 7, "a 1 ", 4);
    memset(text + 11, 'b', 4097);
    expect_refused(&wm_core_dinero, text, WM_LIMIT, "trace:1");
}

Test(core_readers, refuses_what_is_not_dineros)
{
    static const char *const bad[] = {"5 10",
                                      "0",
                                      "0 ",
                                      "0 g",
                                      "00 10",
                                      "r 10",
                                      "r 10 ",
                                      "r 10 0",
                                      "0 10z",
                                      "x 10 4",
                                      "r 10 4z",
                                      "r ffffffffffffffff 2",
                                      "0 11112222333344445"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        char text[128];
        snprintf(text, sizeof text, "0 10\n\n%s\n", bad[i]);
        expect_refused(&wm_core_dinero, text, WM_INVALID, "trace:3");
    }
    expect_refused(&wm_core_dinero, "r 0 4\nt 100\nr 0 4\n", WM_LIMIT, "trace:2");
    static const char *const unsupported[] = {"4 0", "c 10 4", "v 10 4"};
    for (size_t i = 0; i < 3; i++)
        expect_refused(&wm_core_dinero, unsupported[i], WM_UNSUPPORTED, "trace:1");
}

// A record by its fields.
static void put_record(uint8_t *to, uint64_t ip, const uint64_t stores[2], const uint64_t loads[4])
{
    memset(to, 0, 64);
    memcpy(to, &ip, 8); // the tests' hosts are little-endian, as the format
    to[8] = 1;
    to[10] = 26;
    memcpy(to + 16, stores, 16);
    memcpy(to + 32, loads, 32);
}

Test(core_readers, champsim)
{
    uint8_t bytes[64 * 3];
    put_record(bytes, 0x400000, (const uint64_t[]){0, 0x9000},
               (const uint64_t[]){0x1000, 0, 0x2000, 0});
    put_record(bytes + 64, 0x400004, (const uint64_t[]){0, 0}, (const uint64_t[]){0, 0, 0, 0});
    put_record(bytes + 128, 0x400005, (const uint64_t[]){5, 6}, (const uint64_t[]){1, 2, 3, 4});
    char steps[1024];
    print_steps(&wm_core_champsim, bytes, sizeof bytes, false, steps, sizeof steps);
    cr_expect_str_eq(steps, "@400000/1 L1000/1 L2000/1 @400000/1+ S9000/1 @400004/1 @400005/1 L1/1 "
                            "L2/1 L3/1 @400005/1+ L4/1 @400005/1+ S5/1 S6/1");
    print_steps(&wm_core_champsim, bytes, sizeof bytes, true, steps, sizeof steps);
    cr_expect_str_eq(steps,
                     "- L1000/1 - L2000/1 - S9000/1 - L1/1 - L2/1 - L3/1 - L4/1 - S5/1 - S6/1");
}

Test(core_readers, refuses_what_is_not_champsims)
{
    uint8_t bytes[64 * 2];
    struct wm_core_reader reader;
    struct wm_core_step step;
    struct wm_error error;
    bool more;
    for (int kind = 0; kind < 3; kind++) {
        for (int i = 0; i < 2; i++)
            put_record(bytes + i * 64, 64, (const uint64_t[]){0, 0},
                       (const uint64_t[]){8, 0, 0, 0});
        if (kind > 0)
            bytes[64 + 7 + kind] = 2;
        open_text(&reader, &wm_core_champsim, bytes, kind == 0 ? 127 : 128, false);
        cr_assert_eq(wm_core_reader_next(&reader, &step, &more, &error), WM_OK);
        cr_assert_eq(wm_core_reader_next(&reader, &step, &more, &error), WM_INVALID);
        cr_expect_str_eq(error.place, "trace, byte 64");
        wm_core_reader_release(&reader);
    }
}

Test(core_readers, are_found_by_names)
{
    static const struct {
        const char *path, *format;
    } names[] = {{"a.din", "dinero"},
                 {"a.xdin.gz", "dinero"},
                 {"x/b.lackey", "lackey"},
                 {"605.mcf_s-1554B.champsimtrace.xz", "champsim"},
                 {"srv.trace.zst", "champsim"},
                 {"kernel-1.traceg.xz", NULL},
                 {".din", NULL},
                 {"din", NULL},
                 {"a.din.txt", NULL},
                 {"a.gz", NULL}};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        const struct wm_core_format *format = wm_core_format_of_path(names[i].path);
        if (names[i].format == NULL)
            cr_expect_null(format, "%s", names[i].path);
        else
            cr_expect(format != NULL && strcmp(format->name, names[i].format) == 0, "%s",
                      names[i].path);
    }
    cr_expect_eq(wm_core_format_named("lackey"), &wm_core_lackey);
    cr_expect_null(wm_core_format_named("valgrind"));
}

// Against a list that is searched from its begin.
Test(core_readers, table_has_each_instruction_once)
{
    enum { STEPS = 20000, PLACES = 1500 };
    struct wm_random random;
    wm_random_init(&random, 3, "core table");
    static struct wm_core_step steps[STEPS];
    static uint32_t cores[STEPS];
    struct wm_core_table table = {0};
    for (int i = 0; i < STEPS; i++) {
        cores[i] = (uint32_t)wm_random_below(&random, 3);
        steps[i] = (struct wm_core_step){
            .address = wm_random_below(&random, PLACES) * 3,
            .bytes = (uint32_t)wm_random_below(&random, 4),
            .access_count = 1,
            .accesses[0] = {.bytes = 1, .store = wm_random_below(&random, 2) != 0}};
        steps[i].accesses[0].locked =
            !steps[i].accesses[0].store && wm_random_below(&random, 4) == 0;
        steps[i].continues = steps[i].bytes > 0 && wm_random_below(&random, 5) == 0;
        if (steps[i].bytes == 0)
            steps[i].place = (uint32_t)wm_random_below(&random, 50);
        cr_assert_eq(wm_core_table_add(&table, cores[i], &steps[i], NULL), WM_OK);
    }
    wm_core_table_number(&table);
    uint32_t slots = 0;
    for (uint32_t pc = 0; pc < table.count; pc++) {
        const struct wm_core_instruction *it = &table.instructions[pc], *before = it - 1;
        cr_assert(it->pc == pc && it->slot == slots);
        slots += wm_core_instruction_is_memory(it);
        bool in_order = pc == 0 || before->core < it->core || before->bytes == 0 ||
                        before->address < it->address ||
                        (before->address == it->address &&
                         4 * before->continues + 2 * before->stores + before->locks <
                             4 * it->continues + 2 * it->stores + it->locks);
        cr_assert(in_order, "pc %u", pc);
    }
    for (int i = 0; i < STEPS; i++) {
        const struct wm_core_instruction *it = wm_core_table_find(&table, cores[i], &steps[i]);
        cr_assert_not_null(it);
        cr_assert_eq(it->core, cores[i]);
        cr_assert_eq(it->stores, steps[i].accesses[0].store);
        cr_assert_eq(it->locks, steps[i].accesses[0].locked);
        cr_assert_eq(it->loads, !it->stores && !it->locks);
        cr_assert_eq(wm_core_instruction_place(it), steps[i].place);
        cr_assert(steps[i].bytes == 0 ||
                  (it->address == steps[i].address && it->bytes >= steps[i].bytes &&
                   it->continues == steps[i].continues));
    }
    struct wm_core_step other = {.address = 1, .bytes = 1};
    cr_expect_null(wm_core_table_find(&table, 0, &other));
    wm_core_table_release(&table);
}

Test(core_readers, table_has_a_limit)
{
    struct wm_core_table table = {0};
    struct wm_core_step step = {.bytes = 4};
    struct wm_error error;
    for (step.address = 0; step.address < WM_CORE_MOST_INSTRUCTIONS; step.address++)
        cr_assert_eq(wm_core_table_add(&table, 0, &step, &error), WM_OK);
    cr_assert_eq(wm_core_table_add(&table, 0, &step, &error), WM_LIMIT);
    cr_expect(strstr(error.hint, "--data-only") != NULL, "%s", error.hint);
    step.address = 7; // known
    cr_assert_eq(wm_core_table_add(&table, 0, &step, &error), WM_OK);
    wm_core_table_release(&table);
}
