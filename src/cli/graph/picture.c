#include "cli/graph/picture.h"

#include "base/text/text_width.h"
#include "base/text/units.h"
#include "machine/machine_dram.h"

#include <assert.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

// Columns: what accesses pass first at the left, a rail and what hangs from it at the right.
enum {
    LEFT_WIDTH = 40,
    TRUNK = 4, // of the left boxes' wires
    RAIL = 42,
    RIGHT = 45,
    RIGHT_WIDTH = WM_PICTURE_WIDTH - RIGHT,
    NUMBER_BYTES = 32,
};

struct layout {
    const struct wm_drawn_machine *drawn;
    struct wm_picture *picture;
};

enum wm_status wm_drawn_machine_of(const struct wm_machine *machine, struct wm_drawn_machine *drawn,
                                   struct wm_error *error)
{
    struct wm_dram_channel_spec channel;
    WM_TRY(wm_machine_dram_channel(machine, &channel, error));
    drawn->machine = machine;
    drawn->memory_bytes_per_second = wm_dram_channel_peak(&channel) * machine->memory.dram.channels;
    wm_memory_graph_make(&machine->memory, "gpu0", &drawn->graph);
    return WM_OK;
}

// --- Boxes, wires and labels ---

// A box without words, of a height that finish_box sets.
static struct wm_picture_box *open_box(struct layout *layout, uint32_t x, uint32_t y,
                                       uint32_t width)
{
    struct wm_picture *picture = layout->picture;
    assert(picture->box_count < WM_PICTURE_BOXES);
    struct wm_picture_box *box = &picture->boxes[picture->box_count++];
    *box = (struct wm_picture_box){.x = x, .y = y, .width = width, .line_count = 1};
    return box;
}

static void next_line(struct wm_picture_box *box)
{
    if (box->lines[box->line_count - 1][0] != '\0' && box->line_count < WM_PICTURE_LINES)
        box->line_count++;
}

// Adds a few words to the last line, or, where they do not fit, to a new one.
static void add(struct wm_picture_box *box, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
static void add(struct wm_picture_box *box, const char *format, ...)
{
    char words[WM_PICTURE_LINE_BYTES];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(words, sizeof words, format, arguments);
    va_end(arguments);
    char *line = box->lines[box->line_count - 1];
    uint32_t used = wm_text_width(line, strlen(line)), more = wm_text_width(words, strlen(words));
    if (used != 0 && used + 2 + more > box->width - 4) {
        next_line(box);
        line = box->lines[box->line_count - 1];
    }
    size_t length = strlen(line);
    snprintf(line + length, WM_PICTURE_LINE_BYTES - length, "%s%s", length != 0 ? ", " : "", words);
}

static void wire(struct layout *layout, uint32_t x, uint32_t y, uint32_t to_x, uint32_t to_y)
{
    struct wm_picture *picture = layout->picture;
    assert(picture->wire_count < WM_PICTURE_WIRES);
    picture->wires[picture->wire_count++] = (struct wm_picture_wire){x, y, to_x, to_y};
}

static void label(struct layout *layout, uint32_t x, uint32_t y, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
static void label(struct layout *layout, uint32_t x, uint32_t y, const char *format, ...)
{
    struct wm_picture *picture = layout->picture;
    assert(picture->label_count < WM_PICTURE_WIRES);
    struct wm_picture_label *added = &picture->labels[picture->label_count++];
    va_list arguments;
    added->x = x;
    added->y = y;
    va_start(arguments, format);
    vsnprintf(added->text, sizeof added->text, format, arguments);
    va_end(arguments);
}

// --- What boxes say ---

static const char *bytes_text(double bytes, char buffer[NUMBER_BYTES])
{
    return wm_units_round(bytes, WM_QUANTITY_BYTES, buffer, NUMBER_BYTES);
}

static const char *rate_text(double rate, char buffer[NUMBER_BYTES])
{
    return wm_units_round(rate, WM_QUANTITY_BANDWIDTH, buffer, NUMBER_BYTES);
}

static const char *clock_text(double hertz, char buffer[NUMBER_BYTES])
{
    return wm_units_round(hertz, WM_QUANTITY_HERTZ, buffer, NUMBER_BYTES);
}

// What the machine's units are called.
static const char *unit_word(const struct layout *layout)
{
    return layout->drawn->machine->sm.warp_width == 1 ? "core" : "SM";
}

static void add_title(const struct layout *layout, struct wm_picture_box *box,
                      const struct wm_memory_component *component)
{
    uint32_t units = layout->drawn->graph.components[layout->drawn->graph.units].instances;
    const char *unit = unit_word(layout);
    if (component->units_each == 0 && component->kind == WM_COMPONENT_ATOMIC_BUFFER)
        add(box, "%" PRIu32 " × %s, one a slice", component->instances, component->title);
    else if (component->units_each == 0 || component->units_each >= units)
        add(box, "%s of all %ss", component->title, unit);
    else
        add(box, "%" PRIu32 " × %s", component->instances, component->title);
    if (component->units_each == 1 && units > 1)
        add(box, "one %s %s", unit[0] == 'S' ? "an" : "a", unit);
    else if (component->units_each > 1 && component->units_each < units)
        add(box, "one of %" PRIu32 " %ss", component->units_each, unit);
    next_line(box);
}

static void add_sizes(struct wm_picture_box *box, const struct wm_memory_component *component)
{
    char number[NUMBER_BYTES];
    const char *each = component->instances > 1 ? " each" : "";
    if (component->bytes != 0)
        add(box, "%s%s", bytes_text((double)component->bytes, number), each);
    if (component->bytes != 0 && component->instances > 1)
        add(box, "%s in all", bytes_text((double)component->all_bytes, number));
    if (component->bytes == 0 && component->entries != 0)
        add(box, "%" PRIu32 " entries%s", component->entries, each);
    if (component->part_title != NULL && component->parts > 1)
        add(box, "%" PRIu32 " %ss%s", component->parts, component->part_title,
            component->instances > 1 ? " each" : "");
    if (component->bytes != 0)
        next_line(box);
}

static void add_lines(struct wm_picture_box *box, const struct wm_memory_component *component)
{
    char number[NUMBER_BYTES];
    const char *of = component->kind == WM_COMPONENT_TLB ? "pages" : "lines";
    if (component->kind == WM_COMPONENT_ATOMIC_BUFFER)
        of = "sectors";
    if (component->line_bytes != 0)
        add(box, "%s of %s", of, bytes_text((double)component->line_bytes, number));
    if (component->sector_bytes != 0 && component->sector_bytes < component->line_bytes)
        add(box, "sectors of %s", bytes_text(component->sector_bytes, number));
    bool whole =
        component->kind == WM_COMPONENT_VICTIM || component->kind == WM_COMPONENT_ATOMIC_BUFFER;
    if (whole)
        add(box, "fully associative");
    else if (component->ways != 0)
        add(box, "%" PRIu32 " way%s", component->ways, component->ways == 1 ? "" : "s");
    next_line(box);
}

static void add_served(struct wm_picture_box *box, unsigned serves, bool read_only)
{
    static const struct {
        unsigned bit;
        const char *words;
    } all[] = {
        {WM_SERVES_CONSTANT, "constants"},    {WM_SERVES_READ_ONLY, "read-only loads, textures"},
        {WM_SERVES_UNIFORM, "uniform loads"}, {WM_SERVES_INSTRUCTIONS, "instruction fetches"},
        {WM_SERVES_ATOMICS, "atomics"},
    };
    const char *before = "for ";
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        bool narrowed = read_only && all[i].bit == WM_SERVES_UNIFORM;
        if (serves & all[i].bit) {
            add(box, "%s%s%s", before, narrowed ? "read-only " : "", all[i].words);
            before = "";
        }
    }
    next_line(box);
}

// What the link from the units to a component carries, where it sets a limit.
static const struct wm_memory_link *unit_link(const struct layout *layout, uint32_t component)
{
    const struct wm_memory_graph *graph = &layout->drawn->graph;
    for (uint32_t i = 0; i < graph->link_count; i++)
        if (graph->links[i].from == graph->units && graph->links[i].to == component &&
            graph->links[i].bytes_per_cycle != 0)
            return &graph->links[i];
    return NULL;
}

static double peak(const struct layout *layout, const struct wm_memory_link *link)
{
    return wm_memory_link_peak(link, layout->drawn->machine->device.clock_hz);
}

// What all components of the table say.
static void fill_box(const struct layout *layout, struct wm_picture_box *box, uint32_t index)
{
    const struct wm_drawn_machine *drawn = layout->drawn;
    const struct wm_memory_component *component = &drawn->graph.components[index];
    const struct wm_sm_spec *sm = &drawn->machine->sm;
    char number[NUMBER_BYTES];
    add_title(layout, box, component);
    add_sizes(box, component);
    if (index == drawn->graph.levels[WM_LEVEL_L1] && sm->unified_bytes != 0)
        add(box, "up to %s, by carve-out",
            bytes_text((double)(sm->unified_bytes - sm->carveouts.bytes[0]), number));
    if (component->bytes != 0)
        next_line(box);
    add_lines(box, component);
    add_served(box, component->serves, sm->scalar_loads == WM_SCALAR_READ_ONLY);
}

// Closes it without an empty last line; returns the row below.
static uint32_t finish_box(struct wm_picture_box *box)
{
    if (box->lines[box->line_count - 1][0] == '\0')
        box->line_count--;
    box->height = box->line_count + 2;
    return box->y + box->height;
}

// --- From top to bottom ---

static uint32_t draw_units(struct layout *layout)
{
    const struct wm_machine *machine = layout->drawn->machine;
    struct wm_picture_box *box = open_box(layout, 0, 0, layout->picture->width);
    char number[NUMBER_BYTES];
    uint32_t units = machine->memory.sm_count;
    add(box, "%" PRIu32 " %s%s at %s", units, unit_word(layout), units == 1 ? "" : "s",
        clock_text((double)machine->device.clock_hz, number));
    next_line(box);
    if (machine->sm.warp_width > 1) {
        add(box, "each: %" PRIu32 " warps of %" PRIu32 " lanes", machine->sm.max_warps,
            machine->sm.warp_width);
        add(box, "%s of shared memory", bytes_text((double)machine->sm.shared_bytes, number));
    }
    return finish_box(box);
}

// L1, its victim cache and the sharing tracker, in the order in which an access looks there.
// Returns the row below, and the last row of the trunk.
static uint32_t draw_left(struct layout *layout, uint32_t y, uint32_t *trunk)
{
    const struct wm_memory_graph *graph = &layout->drawn->graph;
    const uint32_t stack[] = {graph->levels[WM_LEVEL_L1], graph->victim, graph->tracker};
    char number[NUMBER_BYTES], rate[NUMBER_BYTES];
    *trunk = y - 1;
    for (size_t i = 0; i < sizeof stack / sizeof stack[0]; i++) {
        if (stack[i] == WM_NO_COMPONENT)
            continue;
        const struct wm_memory_link *link = unit_link(layout, stack[i]);
        if (link != NULL)
            label(layout, TRUNK + 2, y, "%s a cycle each, %s",
                  bytes_text(link->bytes_per_cycle, number), rate_text(peak(layout, link), rate));
        wire(layout, TRUNK, *trunk, TRUNK, y + 1);
        struct wm_picture_box *box = open_box(layout, 0, y + 1, LEFT_WIDTH);
        fill_box(layout, box, stack[i]);
        if (stack[i] == graph->tracker)
            add(box, "at most %" PRIu32 " holder%s a line",
                layout->drawn->machine->memory.levels[WM_LEVEL_L1].tracker.sharers,
                layout->drawn->machine->memory.levels[WM_LEVEL_L1].tracker.sharers == 1 ? "" : "s");
        y = finish_box(box);
        *trunk = y - 1;
    }
    return y;
}

static void add_walks(const struct layout *layout, struct wm_picture_box *box)
{
    const struct wm_tlb_spec *tlb = &layout->drawn->machine->memory.tlb;
    next_line(box);
    add(box, "walks of %" PRIu32 " reads, %s", tlb->walk_levels,
        tlb->walks_use_l2 ? "through L2" : "only counted");
}

// What hangs from the rail: side caches and TLBs. Returns the row below, and the last row of the
// rail; 0 where nothing goes on below.
static uint32_t draw_right(struct layout *layout, uint32_t y, uint32_t *rail)
{
    const struct wm_memory_graph *graph = &layout->drawn->graph;
    uint32_t stack[WM_SIDE_CACHE_KINDS + 2], count = 0, top = y - 1, end = 0;
    char rate[NUMBER_BYTES];
    for (enum wm_side_cache_kind kind = 0; kind < WM_SIDE_CACHE_KINDS; kind++)
        stack[count++] = graph->levels[WM_LEVEL_SIDE + kind];
    stack[count++] = graph->l1_tlb;
    stack[count++] = graph->l2_tlb;
    *rail = 0;
    y++;
    for (uint32_t i = 0; i < count; i++) {
        if (stack[i] == WM_NO_COMPONENT)
            continue;
        bool goes_on = graph->components[stack[i]].below != WM_NO_COMPONENT;
        bool last_tlb = graph->components[stack[i]].kind == WM_COMPONENT_TLB &&
                        (!goes_on || graph->components[stack[i]].below != graph->l2_tlb);
        const struct wm_memory_link *link = unit_link(layout, stack[i]);
        if (stack[i] == graph->l2_tlb) {
            wire(layout, RIGHT + TRUNK, y - 1, RIGHT + TRUNK, y + 1);
            y++;
        }
        struct wm_picture_box *box = open_box(layout, RIGHT, y, RIGHT_WIDTH);
        fill_box(layout, box, stack[i]);
        if (link != NULL)
            add(box, "%s from the %ss", rate_text(peak(layout, link), rate), unit_word(layout));
        if (last_tlb)
            add_walks(layout, box);
        if (stack[i] != graph->l2_tlb || goes_on) {
            wire(layout, RAIL, y + 1, RIGHT, y + 1);
            end = y + 1;
        }
        if (goes_on && graph->components[stack[i]].below != graph->l2_tlb)
            *rail = top;
        y = finish_box(box);
    }
    if (end != 0)
        wire(layout, RAIL, top, RAIL, end);
    if (*rail != 0)
        *rail = end;
    return y;
}

// Returns the row below.
static uint32_t draw_network(struct layout *layout, uint32_t y)
{
    const struct wm_memory_graph *graph = &layout->drawn->graph;
    const struct wm_memory_link *link = wm_memory_graph_interconnect(graph);
    struct wm_picture_box *box = open_box(layout, 0, y, layout->picture->width);
    char number[NUMBER_BYTES];
    uint64_t hertz = link->clock_hz != 0 ? link->clock_hz : layout->drawn->machine->device.clock_hz;
    uint32_t stages = graph->components[link->requests].parts;
    if (link->topology == WM_LINK_BUTTERFLY)
        add(box, "butterfly of %" PRIu32 " stage%s", stages, stages == 1 ? "" : "s");
    else
        add(box, "crossbar");
    add(box, "%" PRIu32 " to %" PRIu32 " ports", link->ports_above, link->ports_below);
    next_line(box);
    add(box, "%s a cycle of each port", bytes_text(link->bytes_per_cycle, number));
    add(box, "latency %" PRIu32 " cycles at %s", link->latency, clock_text((double)hertz, number));
    return finish_box(box);
}

// What `ports` ports of the interconnect carry.
static void label_ports(struct layout *layout, uint32_t y, uint32_t ports)
{
    struct wm_memory_link link = *wm_memory_graph_interconnect(&layout->drawn->graph);
    char rate[NUMBER_BYTES];
    link.ports_above = link.ports_below = ports;
    label(layout, TRUNK + 2, y, "%s each way", rate_text(peak(layout, &link), rate));
}

static uint32_t draw_l2(struct layout *layout, uint32_t y)
{
    const struct wm_memory_graph *graph = &layout->drawn->graph;
    bool hangs = graph->atomic_buffer != WM_NO_COMPONENT;
    const struct wm_memory_component *l2 = &graph->components[graph->levels[WM_LEVEL_L2]];
    char number[NUMBER_BYTES];
    struct wm_picture_box *box =
        open_box(layout, 0, y, hangs ? LEFT_WIDTH : layout->picture->width);
    add(box, "L2");
    next_line(box);
    add(box, "%s", bytes_text((double)l2->bytes, number));
    add(box, "%" PRIu32 " slice%s of %s", l2->parts, l2->parts == 1 ? "" : "s",
        bytes_text((double)(l2->bytes / l2->parts), number));
    next_line(box);
    add_lines(box, l2);
    uint32_t below = finish_box(box);
    if (!hangs)
        return below;
    struct wm_picture_box *buffer = open_box(layout, RIGHT, y, RIGHT_WIDTH);
    wire(layout, LEFT_WIDTH - 1, y + 1, RIGHT, y + 1);
    fill_box(layout, buffer, graph->atomic_buffer);
    uint32_t right = finish_box(buffer);
    return right > below ? right : below;
}

static uint32_t draw_memory(struct layout *layout, uint32_t y)
{
    const struct wm_drawn_machine *drawn = layout->drawn;
    uint32_t channels = drawn->graph.components[drawn->graph.memory].parts;
    struct wm_picture_box *box = open_box(layout, 0, y, layout->picture->width);
    char number[NUMBER_BYTES];
    add(box, "DRAM");
    add(box, "%s", bytes_text((double)drawn->machine->device.memory_bytes, number));
    next_line(box);
    add(box, "%" PRIu32 " channel%s of %s", channels, channels == 1 ? "" : "s",
        rate_text(drawn->memory_bytes_per_second / channels, number));
    return finish_box(box);
}

static bool has_right(const struct wm_memory_graph *graph)
{
    bool has = graph->l1_tlb != WM_NO_COMPONENT || graph->atomic_buffer != WM_NO_COMPONENT;
    for (enum wm_side_cache_kind kind = 0; kind < WM_SIDE_CACHE_KINDS; kind++)
        has = has || graph->levels[WM_LEVEL_SIDE + kind] != WM_NO_COMPONENT;
    return has;
}

void wm_picture_lay_out(const struct wm_drawn_machine *drawn, struct wm_picture *picture)
{
    const struct wm_memory_graph *graph = &drawn->graph;
    struct layout layout = {drawn, picture};
    char rate[NUMBER_BYTES];
    uint32_t trunk, rail;
    memset(picture, 0, sizeof *picture);
    picture->width = has_right(graph) ? WM_PICTURE_WIDTH : LEFT_WIDTH;
    uint32_t y = draw_units(&layout);
    uint32_t left = draw_left(&layout, y, &trunk), right = draw_right(&layout, y, &rail);
    y = left + 1 > right ? left + 1 : right;
    wire(&layout, TRUNK, trunk, TRUNK, y);
    if (rail != 0)
        wire(&layout, RAIL, rail, RAIL, y);
    if (graph->levels[WM_LEVEL_L2] != WM_NO_COMPONENT) {
        const struct wm_memory_link *link = wm_memory_graph_interconnect(graph);
        label_ports(&layout, trunk + 1, link->ports_above);
        y = draw_network(&layout, y);
        label_ports(&layout, y, link->ports_below);
        wire(&layout, TRUNK, y - 1, TRUNK, y + 1);
        uint32_t box = picture->box_count;
        uint32_t below = draw_l2(&layout, y + 1);
        trunk = picture->boxes[box].y + picture->boxes[box].height - 1;
        y = below > trunk + 2 ? below : trunk + 2;
        wire(&layout, TRUNK, trunk, TRUNK, y);
    }
    label(&layout, TRUNK + 2, trunk + 1, "%s", rate_text(drawn->memory_bytes_per_second, rate));
    picture->height = draw_memory(&layout, y);
}
