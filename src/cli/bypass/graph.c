#include "cli/bypass/bypass_columns.h"
#include "cli/bypass/edges.h"
#include "cli/bypass/page.h"
#include "study/format/html_text.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

// In units of the picture, which the page scales.
static const double least_ring = 230, margin = 70, least_node = 4, most_node = 18, least_edge = 0.6,
                    most_edge = 7, around = 6.283185307179586;

struct picture {
    FILE *stream;
    const struct wm_bypass_kernel *kernel;
    const struct wm_traffic_graph *graph;
    const struct wm_bypass_solution *solution; // that decides
    double ring, middle, heaviest_node, heaviest_edge, widest;
};

struct point {
    double x, y;
};

static struct point place_of(const struct picture *picture, uint32_t load, double radius)
{
    double angle = around * ((double)load / (double)picture->graph->count - 0.25);
    return (struct point){picture->middle + radius * cos(angle),
                          picture->middle + radius * sin(angle)};
}

static double share_of(double weight, double heaviest)
{
    return heaviest > 0 ? fabs(weight) / heaviest : 0;
}

// Areas of nodes are as their weights.
static double radius_of(const struct picture *picture, uint32_t load)
{
    double share = share_of(picture->graph->nodes[load], picture->heaviest_node);
    return least_node + (most_node - least_node) * sqrt(share);
}

// Bent towards the middle, so that edges of neighbours do not lie on the circle.
static void draw_edge(const struct picture *picture, const struct wm_bypass_edge *edge)
{
    char bytes[WM_BYPASS_CELL_BYTES];
    struct point a = place_of(picture, edge->a, picture->ring),
                 b = place_of(picture, edge->b, picture->ring);
    double share = share_of(edge->weight, picture->heaviest_edge);
    double x = 0.6 * (a.x + b.x) / 2 + 0.4 * picture->middle,
           y = 0.6 * (a.y + b.y) / 2 + 0.4 * picture->middle;
    fprintf(picture->stream,
            "<path class=%s d=\"M%.1f %.1fQ%.1f %.1f %.1f %.1f\" stroke-width=\"%.2f\" "
            "opacity=\"%.2f\"><title>load %" PRIu32 " and load %" PRIu32
            ": together they %s %s more than each alone</title></path>\n",
            edge->weight > 0 ? "gain" : "cost", a.x, a.y, x, y, b.x, b.y,
            least_edge + (picture->widest - least_edge) * share, 0.35 + 0.6 * share, edge->a + 1,
            edge->b + 1, edge->weight > 0 ? "save" : "cost",
            wm_bypass_bytes(fabs(edge->weight), bytes));
}

static void draw_node(const struct picture *picture, const struct wm_bypass_report *report,
                      uint32_t load)
{
    char bytes[WM_BYPASS_CELL_BYTES];
    struct wm_bypass_load_cells cells;
    FILE *stream = picture->stream;
    double weight = picture->graph->nodes[load], radius = radius_of(picture, load);
    struct point at = place_of(picture, load, picture->ring),
                 label = place_of(picture, load, picture->ring + most_node + 14);
    bool cached = picture->solution->cached[load];
    wm_bypass_load_cells_of(report, picture->kernel, load, &cells);
    fprintf(stream, "<g class=\"node %s%s%s\"><circle cx=\"%.1f\" cy=\"%.1f\" r=\"%.1f\"/>",
            cached ? "cache" : "bypass", weight < 0 ? " loses" : "",
            picture->kernel->forced[load] != WM_BYPASS_FREE ? " forced" : "", at.x, at.y, radius);
    fprintf(stream, "<text x=\"%.1f\" y=\"%.1f\">%" PRIu32 "</text>", label.x, label.y, load + 1);
    fprintf(stream, "<title>load %" PRIu32 ", ", load + 1);
    wm_html_text(stream, cells.text[WM_BYPASS_COLUMN_AT]);
    fprintf(stream,
            ": %s%s. Alone it %s %s between L1 and L2; %s lines, hit rate %s alone, %s "
            "with all</title></g>\n",
            cached ? "cache" : "bypass",
            picture->kernel->forced[load] != WM_BYPASS_FREE ? ", forced" : "",
            weight < 0 ? "costs" : "saves", wm_bypass_bytes(fabs(weight), bytes),
            cells.text[WM_BYPASS_COLUMN_LINES], cells.text[WM_BYPASS_COLUMN_ALONE],
            cells.text[WM_BYPASS_COLUMN_ALL]);
}

static void put_legend(const struct picture *picture, uint32_t edges, uint32_t drawn)
{
    char node[WM_BYPASS_CELL_BYTES], edge[WM_BYPASS_CELL_BYTES];
    fprintf(picture->stream,
            "<figcaption><span><i class=\"dot cache\"></i>uses L1</span>"
            "<span><i class=\"dot bypass\"></i>goes around it</span>"
            "<span><i class=\"dot loses\"></i>dashed rim: costs bytes when alone</span>"
            "<span><i class=\"dot forced\"></i>thick rim: forced</span>"
            "<span><i class=\"dash gain\"></i>two loads save more together</span>"
            "<span><i class=\"dash cost\"></i>they cost each other</span>"
            "<span>The largest node weighs %s",
            wm_bypass_bytes(picture->heaviest_node, node));
    if (edges > 0)
        fprintf(picture->stream, ", the widest edge %s",
                wm_bypass_bytes(picture->heaviest_edge, edge));
    fputs(".</span>", picture->stream);
    if (drawn < edges)
        fprintf(picture->stream,
                "<span>The %" PRIu32 " heaviest of %" PRIu32 " edges are drawn.</span>", drawn,
                edges);
    fputs("</figcaption></figure>\n", picture->stream);
}

bool wm_bypass_draw_graph(FILE *stream, const struct wm_bypass_report *report,
                          const struct wm_bypass_kernel *kernel)
{
    const struct wm_traffic_graph *graph = &kernel->views[report->program->source].graph;
    struct picture picture = {.stream = stream,
                              .kernel = kernel,
                              .graph = graph,
                              .solution =
                                  wm_bypass_solution_of(report->program, kernel, report->solver)};
    uint32_t count;
    struct wm_bypass_edge *edges = wm_bypass_edges_of(graph, &count);
    if (edges == NULL)
        return false;
    // The widest nodes must have room next to each other.
    picture.ring = fmax(least_ring, graph->count * 2.2 * most_node / around);
    picture.middle = picture.ring + margin;
    picture.widest = most_edge * fmin(1, sqrt(12.0 / graph->count)); // many would hide each other
    for (uint32_t i = 0; i < graph->count; i++)
        picture.heaviest_node = fmax(picture.heaviest_node, fabs(graph->nodes[i]));
    picture.heaviest_edge = count > 0 ? fabs(edges[0].weight) : 0;
    fprintf(stream,
            "<figure><svg viewBox=\"0 0 %.0f %.0f\" role=img aria-label=\"Traffic graph of %" PRIu32
            " loads and %" PRIu32 " edges\">\n",
            2 * picture.middle, 2 * picture.middle, graph->count, count);
    uint32_t drawn = count < WM_BYPASS_MOST_DRAWN ? count : WM_BYPASS_MOST_DRAWN;
    for (uint32_t i = drawn; i-- > 0;) // the heaviest last: they lie on top
        draw_edge(&picture, &edges[i]);
    for (uint32_t i = 0; i < graph->count; i++)
        draw_node(&picture, report, i);
    fputs("</svg>\n", stream);
    put_legend(&picture, count, drawn);
    free(edges);
    return true;
}
