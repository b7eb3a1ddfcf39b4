// warpmem machine graph: the components of a machine and the links between them.
#include "cli/graph/graph_command.h"

#include "cli/options/output_option.h"
#include "cli/parts/machine_text.h"
#include "study/picture/picture.h"
#include "study/run_report/report_file.h"

#include <string.h>

struct graph_values {
    struct wm_option_list settings, plugins;
    bool json;
    const char *svg;
};

static const struct wm_option options[] = {
    WM_SETTING_OPTION(struct graph_values),
    WM_PLUGIN_OPTION(struct graph_values),
    {0, "json", WM_OPTION_FLAG, NULL, offsetof(struct graph_values, json),
     "print components and links as JSON", WM_COMPLETES_NOTHING},
    {0, "svg", WM_OPTION_ARGUMENT, "FILE", offsetof(struct graph_values, svg),
     "write the picture as an SVG image; -: to standard output, instead of text",
     WM_COMPLETES_FILES},
};

static const struct wm_usage usage = {
    .synopsis = "[options] MACHINE",
    .description =
        "Draws a machine from its SMs, and CPU cores, down to memory: each kind of component with "
        "how many there are, of how many units each is one, its bytes, lines and ways, and each "
        "link with what it carries at most. Data accesses pass the boxes at the left from top to "
        "bottom; what hangs at the right serves what it names instead, or translates. A wire "
        "without a rate sets no limit of its own. Rates and latencies are those of --engine "
        "clock.\n"
        "The names of --json are those of results, [*] for any number. MACHINE is a name that "
        "\"warpmem machine list\" prints, or a file, named with a slash or its .yaml.",
    .examples = "warpmem machine graph v100\n"
                "warpmem machine graph hd7970 --set gpu.scalar.per=sm\n"
                "warpmem machine graph anssari --json\n"
                "warpmem machine graph v100 --svg v100.svg",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .values_size = sizeof(struct graph_values),
    .min_operands = 1,
    .max_operands = 1,
    .operands_are = WM_COMPLETES_MACHINES,
};

static enum wm_status write_svg(const struct wm_drawn_machine *drawn,
                                const struct wm_picture *picture, const char *path,
                                struct wm_error *error)
{
    struct wm_text svg;
    wm_text_init(&svg);
    char title[sizeof drawn->machine->name + sizeof drawn->machine->device.title + 4];
    snprintf(title, sizeof title, "%s (%s)", drawn->machine->name, drawn->machine->device.title);
    wm_picture_svg(picture, title, &svg);
    enum wm_status status = svg.failed ? wm_fail_no_memory(error, "the picture")
                                       : wm_report_file_write(path, &svg, error);
    wm_text_release(&svg);
    return status;
}

enum wm_status wm_machine_picture(const struct wm_machine *machine, const char *before,
                                  struct wm_text *text, struct wm_error *error)
{
    struct wm_drawn_machine drawn;
    struct wm_picture picture;
    struct wm_text lines;
    WM_TRY(wm_drawn_machine_of(machine, &drawn, error));
    wm_picture_lay_out(&drawn, &picture);
    wm_text_init(&lines);
    wm_text_format(&lines, "%s (%s)\n", machine->name, machine->device.title);
    wm_picture_print(&picture, &lines);
    for (const char *line = lines.failed ? "" : lines.data; *line != '\0';) {
        size_t length = strcspn(line, "\n");
        wm_text_format(text, "%s%.*s\n", before, (int)length, line);
        line += length + 1;
    }
    text->failed |= lines.failed;
    wm_text_release(&lines);
    return WM_OK;
}

static enum wm_status draw(const struct graph_values *values, const struct wm_machine *machine,
                           struct wm_text *text, struct wm_error *error)
{
    struct wm_drawn_machine drawn;
    struct wm_picture picture;
    WM_TRY(wm_drawn_machine_of(machine, &drawn, error));
    wm_picture_lay_out(&drawn, &picture);
    if (values->svg != NULL)
        WM_TRY(write_svg(&drawn, &picture, values->svg, error));
    if (values->json)
        wm_drawn_machine_json(&drawn, text);
    else if (values->svg == NULL || strcmp(values->svg, WM_OUTPUT_STANDARD) != 0)
        return wm_machine_picture(machine, "", text, error);
    return WM_OK;
}

static int run(const struct wm_invocation *invocation)
{
    const struct graph_values *values = invocation->values;
    struct wm_machine machine;
    struct wm_error error;
    struct wm_plugins plugins;
    const struct wm_output_option outputs[] = {{"--svg", values->svg}};
    bool standard = false;
    if (wm_output_options_check(outputs, 1, &standard, &error) != WM_OK ||
        wm_output_options_avoid_inputs(outputs, 1, invocation->operands, 1, &error) != WM_OK)
        return wm_command_fail(invocation, &error);
    if (standard && values->json)
        return wm_command_misuse(invocation, "--json and --svg - both write to standard output");
    if (wm_plugin_option_load(&values->plugins, &plugins, &error) != WM_OK)
        return wm_command_fail(invocation, &error);
    struct wm_text text;
    wm_text_init(&text);
    int status = WM_EXIT_OK;
    if (wm_machine_load_with(&plugins, invocation->operands[0], values->settings.items,
                             values->settings.count, &machine, &error) != WM_OK ||
        draw(values, &machine, &text, &error) != WM_OK)
        status = wm_command_fail(invocation, &error);
    int printed = wm_command_print(invocation, &text);
    wm_plugins_release(&plugins);
    return status ? status : printed;
}

const struct wm_command wm_command_machine_graph = {
    .name = "graph",
    .summary = "draw a machine: its components and links",
    .usage = &usage,
    .run = run,
};
