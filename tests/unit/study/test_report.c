// The report writers against golden files. WARPMEM_BLESS=1 rewrites these: read the difference.
#include "base/numbers/random.h"
#include "sample_results.h"
#include "study/run_report/report.h"

#include <criterion/criterion.h>
#include <jansson.h>
#include <sys/stat.h>
#include <unistd.h>

static char *read_file(const char *path)
{
    FILE *stream = fopen(path, "rb");
    if (stream == NULL)
        return NULL;
    struct wm_text text;
    wm_text_init(&text);
    char buffer[4096];
    for (size_t length; (length = fread(buffer, 1, sizeof buffer, stream)) > 0;)
        wm_text_append(&text, buffer, length);
    fclose(stream);
    return wm_text_take(&text);
}

static void expect_golden(const char *name, const char *actual)
{
    char path[512];
    snprintf(path, sizeof path, "%s/%s", GOLDEN_FOLDER, name);
    if (getenv("WARPMEM_BLESS") != NULL) {
        FILE *stream = fopen(path, "wb");
        cr_assert_not_null(stream);
        fputs(actual, stream);
        fclose(stream);
    }
    char *expected = read_file(path);
    cr_assert_not_null(expected, "no golden file '%s'", path);
    cr_assert(strcmp(actual, expected) == 0, "'%s' differs:\n%s", name, actual);
    free(expected);
}

static char *text_report(uint32_t kernels, const char *engine, unsigned columns)
{
    struct wm_results *results = wm_sample_results(kernels, engine);
    struct wm_text text;
    wm_text_init(&text);
    wm_report_text(results, columns, &text);
    wm_results_free(results);
    return wm_text_take(&text);
}

static unsigned columns_of(const char *line, const char *end)
{
    unsigned columns = 0;
    for (; line < end; line++)
        columns += ((unsigned char)*line & 0xC0) != 0x80;
    return columns;
}

// One screen whatever the program does: at most 45 lines of at most 80 columns, nothing at line
// ends.
static void expect_one_screen(const char *text)
{
    unsigned lines = 0;
    for (const char *line = text; *line != '\0'; lines++) {
        const char *end = strchr(line, '\n');
        cr_assert_not_null(end, "the last line is not ended");
        cr_assert_leq(columns_of(line, end), 80, "%.*s", (int)(end - line), line);
        cr_assert(end == line || end[-1] != ' ', "blanks at the end: '%.*s'", (int)(end - line),
                  line);
        line = end + 1;
    }
    cr_assert_leq(lines, 45);
}

Test(report, text_of_two_kernels)
{
    char *text = text_report(2, "walk", 80);
    expect_one_screen(text);
    expect_golden("two_kernels.txt", text);
    free(text);
}

Test(report, text_of_many_kernels_stays_on_one_screen)
{
    char *text = text_report(40, "walk", 80);
    expect_one_screen(text);
    expect_golden("many_kernels.txt", text);
    free(text);
}

Test(report, text_without_memory_system_or_kernels)
{
    char *text = text_report(1, "none", 0);
    expect_one_screen(text);
    expect_golden("executed_only.txt", text);
    free(text);
    text = text_report(0, "walk", 80);
    expect_golden("no_kernels.txt", text);
    free(text);
}

static void add_level(struct wm_memory_spec *spec, uint32_t number, const char *name, uint8_t below)
{
    spec->levels[number].cache.present = true;
    spec->levels[number].below = below;
    snprintf(spec->levels[number].name, sizeof spec->levels[number].name, "%s", name);
}

// Columns are the levels that the machine has, in their order, and those beside them where they
// were used.
Test(report, levels_of_any_name_have_their_columns)
{
    enum { CLUSTER = WM_LEVELS_NAMED, LLC };
    struct wm_memory_spec spec = {
        .levels[WM_LEVEL_SIDE + WM_SIDE_CACHE_CONSTANT].cache.present = true,
        .levels[WM_LEVEL_SIDE + WM_SIDE_CACHE_TEXTURE].cache.present = true};
    add_level(&spec, WM_LEVEL_L1, "", WM_BELOW(CLUSTER));
    add_level(&spec, WM_LEVEL_L2, "", WM_BELOW(LLC));
    add_level(&spec, CLUSTER, "cluster", WM_BELOW(WM_LEVEL_L2));
    add_level(&spec, LLC, "llc", WM_BELOW_MEMORY);
    struct wm_instruction_counter_set of_four;
    wm_instruction_counter_set_make(&spec, &of_four);
    struct wm_results *results = wm_sample_results(1, "walk");
    results->counted = &of_four;
    struct wm_instruction_counters *counters = &results->kernels[0].instructions[0].counters;
    counters->levels[CLUSTER] = (struct wm_level_counters){1, 3, 4096};
    counters->levels[LLC] = (struct wm_level_counters){3, 1, 1024};
    struct wm_text text;
    for (int round = 0; round < 2; round++) {
        wm_text_init(&text);
        wm_report_text(results, 160, &text);
        const char *const constant = round == 0 ? "" : "constant hit  ";
        char heads[200];
        snprintf(heads, sizeof heads,
                 "Warp instr  L1 hit  %scluster hit  L2 hit  LLC hit  "
                 "L1-cluster  cluster-L2    L2-LLC      DRAM\n",
                 constant);
        cr_expect_not_null(strstr(text.data, heads), "%s", text.data);
        cr_expect_not_null(strstr(text.data, "  25.0%"), "%s", text.data);
        cr_expect_not_null(strstr(text.data, "  cluster - L2 "), "%s", text.data);
        cr_expect_not_null(strstr(text.data, "  LLC - DRAM "), "%s", text.data);
        wm_text_release(&text);
        counters->levels[WM_LEVEL_SIDE + WM_SIDE_CACHE_CONSTANT].hits = 1;
    }
    wm_results_free(results);
}

// A load of constants that goes below its cache costs what it moves; one that is served for nothing
// is not looked at.
Test(report, constant_loads_are_among_the_costliest)
{
    struct wm_results *results = wm_sample_results(1, "walk");
    struct wm_instruction_result *it = &results->kernels[0].instructions[1];
    it->space = WM_SPACE_CONSTANT;
    it->text = "ld.const.f32 %f2, [%rd9]";
    it->counters.levels[WM_LEVEL_L1].hits = it->counters.levels[WM_LEVEL_L1].misses = 0;
    for (int round = 0; round < 2; round++) {
        struct wm_text text;
        wm_text_init(&text);
        wm_report_text(results, 80, &text);
        const char *costliest = strstr(text.data, "Costliest at");
        cr_assert_not_null(costliest);
        cr_expect_eq(strstr(costliest, "ld.const.f32") != NULL, round == 0);
        wm_text_release(&text);
        it->counters.requests = it->counters.sectors = 0;
    }
    wm_results_free(results);
}

// All but the kernels' names is as sample_results.c has it: the same rates and shares for each, as
// the second one takes twice as long for twice as much.
Test(report, text_in_time)
{
    struct wm_results *results = wm_sample_results(5, "clock");
    struct wm_text text;
    wm_sample_timed(results);
    wm_text_init(&text);
    wm_report_text(results, 80, &text);
    expect_golden("timed.txt", text.data);
    wm_text_release(&text);
    wm_results_free(results);
}

static const char *random_name(struct wm_random *random, struct wm_arena *arena)
{
    static const char *const pieces[] = {"kernel", "<",  ">",  "(", ")",    " ",    "\xCE\xB1",
                                         "/",      "\n", "\t", ":", "\xFF", ".ptx", "operator()"};
    char name[400] = "k";
    uint64_t count = wm_random_below(random, 30);
    size_t length = 1;
    for (uint64_t i = 0; i < count; i++) {
        const char *piece = pieces[wm_random_below(random, sizeof pieces / sizeof pieces[0])];
        memcpy(name + length, piece, strlen(piece) + 1);
        length += strlen(piece);
    }
    return wm_arena_copy_text(arena, name, length);
}

static uint64_t random_count(struct wm_random *random)
{
    // 16 TiB at most: days of any program.
    return wm_random_u64(random) >> (20 + wm_random_below(random, 44));
}

static void spoil(struct wm_random *random, struct wm_results *results)
{
    results->machine_title = random_name(random, &results->arena);
    for (uint32_t k = 0; k < results->kernel_count; k++) {
        struct wm_kernel_result *kernel = &results->kernels[k];
        kernel->signature = random_name(random, &results->arena);
        kernel->module = random_name(random, &results->arena);
        kernel->launches = random_count(random);
        kernel->l1_bytes = random_count(random);
        kernel->shared_bytes = random_count(random);
        kernel->blocks_per_sm = (uint32_t)wm_random_u64(random);
        kernel->warp_instructions = random_count(random);
        for (int axis = 0; axis < 3; axis++)
            kernel->grid[axis] = (uint32_t)wm_random_u64(random);
        for (uint32_t i = 0; i < kernel->instruction_count; i++) {
            struct wm_instruction_result *it = &kernel->instructions[i];
            uint64_t *values = (uint64_t *)&it->counters;
            for (size_t c = 0; c < WM_MOST_INSTRUCTION_COUNTERS; c++)
                values[c] = random_count(random);
            it->counters.requests = 1 + it->counters.sectors / (1 + wm_random_below(random, 32));
            it->text = random_name(random, &results->arena);
            it->source_file = random_name(random, &results->arena);
            it->source_line = (uint32_t)wm_random_u64(random);
        }
        for (uint32_t i = 0; i < kernel->component_count; i++)
            kernel->components[i].values[0] = random_count(random);
    }
    cr_assert(wm_results_name_kernels(results));
}

Test(report, text_of_any_numbers_and_names_stays_on_one_screen)
{
    struct wm_random random;
    wm_random_init(&random, 5, "report");
    for (int round = 0; round < 300; round++) {
        struct wm_results *results =
            wm_sample_results((uint32_t)wm_random_below(&random, 12), "walk");
        spoil(&random, results);
        struct wm_text text;
        wm_text_init(&text);
        wm_report_text(results, 80, &text);
        cr_assert_not(text.failed);
        expect_one_screen(text.data);
        wm_text_release(&text);
        wm_results_free(results);
    }
}

typedef enum wm_status writer(const struct wm_results *, const char *, struct wm_error *);

static char *file_report(writer *write, struct wm_results *results)
{
    char folder[] = "/tmp/warpmem-report-XXXXXX", path[64];
    cr_assert_not_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/out", folder);
    struct wm_error error;
    cr_assert_eq(write(results, path, &error), WM_OK, "%s", error.message);
    char *text = read_file(path);
    cr_assert_eq(unlink(path), 0);
    cr_assert_eq(rmdir(folder), 0, "something is left beside the report");
    return text;
}

Test(report, json)
{
    struct wm_results *results = wm_sample_results(2, "walk");
    char *text = file_report(wm_report_json, results);
    json_error_t error;
    json_t *value = json_loads(text, JSON_REJECT_DUPLICATES, &error);
    cr_assert_not_null(value, "line %d: %s", error.line, error.text);
    json_decref(value);
    expect_golden("two_kernels.json", text);
    free(text);
    wm_results_free(results);
}

Test(report, csv_and_json_in_time)
{
    struct wm_results *results = wm_sample_results(1, "clock");
    wm_sample_timed(results);
    char *text = file_report(wm_report_csv, results);
    cr_expect_not_null(strstr(text, ",kernel,cycles,10000,cycles,"));
    cr_expect_not_null(strstr(text, ",pc 12,requests_waited,300,requests,"));
    free(text);
    text = file_report(wm_report_json, results);
    json_t *value = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
    cr_assert_not_null(value);
    const json_t *rates = json_object_get(value, "rates");
    cr_expect_eq(json_integer_value(json_object_get(rates, "clock_hz")), 1000000000);
    cr_expect_eq(json_real_value(json_object_get(rates, "dram_bytes_per_second")), 16e9);
    const json_t *kernel = json_array_get(json_object_get(value, "kernels"), 0);
    const json_t *level = json_array_get(json_object_get(kernel, "load_latency"), 3);
    cr_expect_str_eq(json_string_value(json_object_get(level, "level")), "dram");
    cr_expect_eq(json_integer_value(json_array_get(json_object_get(level, "buckets"), 8)), 190);
    const json_t *load = json_array_get(json_object_get(kernel, "instructions"), 0);
    const json_t *timed = json_object_get(load, "timed");
    cr_expect_eq(json_integer_value(json_object_get(timed, "loads_cached")), 50);
    json_decref(value);
    free(text);
    wm_results_free(results);
}

Test(report, json_of_names_that_are_not_utf8)
{
    struct wm_results *results = wm_sample_results(1, "walk");
    results->kernels[0].module = "caf\xE9.cu";
    char *text = file_report(wm_report_json, results);
    json_t *value = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
    cr_assert_not_null(value);
    const json_t *kernel = json_array_get(json_object_get(value, "kernels"), 0);
    cr_assert_str_eq(json_string_value(json_object_get(kernel, "module")), "caf\xEF\xBF\xBD.cu");
    json_decref(value);
    free(text);
    wm_results_free(results);
}

Test(report, json_without_kernels_or_command)
{
    struct wm_results *results = wm_sample_results(0, "walk");
    results->command = NULL;
    char *text = file_report(wm_report_json, results);
    json_t *value = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
    cr_assert_not_null(value);
    cr_assert(json_is_null(json_object_get(value, "command")));
    cr_assert_eq(json_array_size(json_object_get(value, "kernels")), 0);
    json_decref(value);
    free(text);
    wm_results_free(results);
}

Test(report, csv)
{
    struct wm_results *results = wm_sample_results(2, "walk");
    char *text = file_report(wm_report_csv, results);
    expect_golden("two_kernels.csv", text);
    free(text);
    wm_results_free(results);
}

Test(report, a_file_that_cannot_be_written_is_an_error)
{
    struct wm_results *results = wm_sample_results(1, "walk");
    struct wm_error error;
    cr_assert_eq(wm_report_json(results, "/nonexistent/out.json", &error), WM_IO);
    cr_assert_not_null(strstr(error.message, "/nonexistent/out.json"), "%s", error.message);
    cr_assert_eq(wm_report_csv(results, "/dev/full", &error), WM_IO);
    cr_assert_not_null(strstr(error.message, "/dev/full"), "%s", error.message);
    struct stat status;
    cr_assert_eq(stat("/dev/full", &status), 0);
    cr_assert(S_ISCHR(status.st_mode), "a device was replaced");
    wm_results_free(results);
}

Test(report, an_old_report_is_replaced_whole)
{
    struct wm_results *results = wm_sample_results(1, "walk");
    char folder[] = "/tmp/warpmem-report-XXXXXX", path[64];
    cr_assert_not_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/out", folder);
    cr_assert_eq(wm_report_json(results, path, NULL), WM_OK);
    char *first = read_file(path);
    cr_assert_eq(wm_report_json(results, path, NULL), WM_OK);
    char *second = read_file(path);
    cr_assert_str_eq(first, second);
    struct stat status;
    cr_assert_eq(stat(path, &status), 0);
    cr_assert_neq(status.st_mode & S_IRUSR, 0);
    free(first);
    free(second);
    unlink(path);
    cr_assert_eq(rmdir(folder), 0);
    wm_results_free(results);
}
