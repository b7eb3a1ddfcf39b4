// What nvcc 13 and clang 14 made of a few kernels of our own (samples/*.cu): all of it parses,
// prints and parses to the same IR; ptxas, where installed, accepts the print.
#include "ptx_parse_check.h"

#include "ptx/control_flow.h"

#include <dirent.h>
#include <unistd.h>

struct sample {
    char name[128];
    char *text;
    size_t length;
};

static char *read_file(const char *path, size_t *length)
{
    FILE *file = fopen(path, "rb");
    cr_assert_not_null(file, "%s", path);
    fseek(file, 0, SEEK_END);
    *length = (size_t)ftell(file);
    rewind(file);
    char *text = malloc(*length + 1);
    cr_assert_eq(fread(text, 1, *length, file), *length);
    text[*length] = '\0';
    fclose(file);
    return text;
}

// Calls `check` for each sample; returns their number.
static unsigned each_sample(void (*check)(const struct sample *sample))
{
    struct dirent **entries;
    int count = scandir(PTX_SAMPLES, &entries, NULL, alphasort);
    unsigned samples = 0;
    for (int i = 0; i < count; i++) {
        struct sample sample;
        char path[1024];
        const char *dot = strrchr(entries[i]->d_name, '.');
        if (dot && strcmp(dot, ".ptx") == 0) {
            snprintf(sample.name, sizeof sample.name, "%.127s", entries[i]->d_name);
            snprintf(path, sizeof path, "%s/%s", PTX_SAMPLES, sample.name);
            sample.text = read_file(path, &sample.length);
            check(&sample);
            free(sample.text);
            samples++;
        }
        free(entries[i]);
    }
    free(entries);
    return samples;
}

static void check_parse(const struct sample *sample)
{
    struct wm_ptx_module *module = parse_or_fail(sample->text);
    check_round_trip(module);
    unsigned unknown = 0;
    for (uint32_t i = 0; i < module->item_count; i++) {
        if (module->items[i].kind != WM_PTX_ITEM_FUNCTION)
            continue;
        const struct wm_ptx_function *function = module->items[i].function;
        struct wm_ptx_control_flow *flow;
        cr_assert_eq(wm_ptx_control_flow_build(function, &flow, NULL), WM_OK);
        for (uint32_t j = 0; j < flow->instruction_count; j++)
            unknown += flow->instructions[j]->opcode == WM_PTX_OP_unknown;
        wm_ptx_control_flow_free(flow);
    }
    // All is known by name.
    bool exotic = false;
    cr_expect_eq(unknown > 0, exotic, "%s has %u unknown instructions", sample->name, unknown);
    wm_ptx_module_free(module);
}

Test(samples, survive_print_and_parse)
{
    cr_assert_gt(each_sample(check_parse), 20);
}

// In PATH or where the toolkit installs it; NULL when it is in neither.
static const char *find_ptxas(char *path, size_t size)
{
    FILE *pipe = popen("PATH=$PATH:/usr/local/cuda/bin command -v ptxas", "r");
    bool found = pipe && fgets(path, (int)size, pipe);
    if (pipe)
        pclose(pipe);
    if (!found)
        return NULL;
    path[strcspn(path, "\n")] = '\0';
    return path;
}

static void check_ptxas(const struct sample *sample)
{
    struct wm_ptx_module *module = parse_or_fail(sample->text);
    // ptxas 13 dropped what came before sm_75; older targets are only read by it for newer ones.
    unsigned architecture = module->target_architecture < 75 ? 75 : module->target_architecture;
    bool special = strchr(module->target, 'a') != NULL;
    struct wm_text text, command;
    wm_text_init(&text);
    wm_text_init(&command);
    wm_ptx_print(module, &text);
    char path[] = "/tmp/warpmem-ptx-XXXXXX", ptxas[1024];
    int file = mkstemp(path);
    cr_assert_geq(file, 0);
    cr_assert_eq(write(file, text.data, text.length), (ssize_t)text.length);
    close(file);
    wm_text_format(&command, "%s -c -O0 -arch=sm_%u%s -o /dev/null %s 2>&1",
                   find_ptxas(ptxas, sizeof ptxas), architecture, special ? "a" : "", path);
    FILE *pipe = popen(command.data, "r");
    cr_assert_not_null(pipe);
    char output[2048];
    size_t length = fread(output, 1, sizeof output - 1, pipe);
    output[length] = '\0';
    int status = pclose(pipe);
    unlink(path);
    cr_expect_eq(status, 0, "ptxas refuses the print of %s:\n%s", sample->name, output);
    wm_text_release(&text);
    wm_text_release(&command);
    wm_ptx_module_free(module);
}

Test(samples, ptxas_accepts_the_print)
{
    char path[1024];
    if (!find_ptxas(path, sizeof path))
        cr_skip_test("ptxas is not installed");
    cr_assert_gt(each_sample(check_ptxas), 20);
}
