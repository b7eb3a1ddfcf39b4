#include "cuda/graph/graph_dot.h"
#include "cuda/error/log.h"
#include "study/run_report/report_file.h"

// cudaGraphDebugDotFlags. Handles are not written: they differ from run to run.
enum {
    DOT_VERBOSE = 1,
    DOT_KERNEL = 1 << 2,
    DOT_COPY = 1 << 3,
    DOT_FILL = 1 << 4,
    DOT_HOST = 1 << 5,
    DOT_CONDITION = 1 << 15,
};

static const char *const names[WM_CUDA_WORK_KINDS] = {
    [WM_CUDA_WORK_KERNEL] = "kernel",         [WM_CUDA_WORK_COPY] = "memcpy",
    [WM_CUDA_WORK_FILL] = "memset",           [WM_CUDA_WORK_HOST] = "host",
    [WM_CUDA_WORK_CHILD] = "graph",           [WM_CUDA_WORK_EMPTY] = "empty",
    [WM_CUDA_WORK_EVENT_WAIT] = "wait",       [WM_CUDA_WORK_EVENT_RECORD] = "record",
    [WM_CUDA_WORK_ALLOCATE] = "allocate",     [WM_CUDA_WORK_FREE] = "free",
    [WM_CUDA_WORK_OPERATIONS] = "operations", [WM_CUDA_WORK_CONDITIONAL] = "condition",
};

static bool wanted(unsigned flags, unsigned which)
{
    return (flags & (DOT_VERBOSE | which)) != 0;
}

static void write_parameters(FILE *file, const struct wm_cuda_work *work, unsigned flags)
{
    if (work->kind == WM_CUDA_WORK_KERNEL) {
        const struct wm_cuda_configuration *c = &work->kernel.configuration;
        fprintf(file, "\\n%s", work->kernel.function->name);
        if (wanted(flags, DOT_KERNEL))
            fprintf(file, "\\n<<<(%u,%u,%u),(%u,%u,%u),%zu>>>", c->grid.x, c->grid.y, c->grid.z,
                    c->block.x, c->block.y, c->block.z, c->dynamic_shared_bytes);
    } else if (work->kind == WM_CUDA_WORK_COPY && wanted(flags, DOT_COPY)) {
        const struct wm_cuda_extent *e = &work->copy.extent;
        bool array = work->copy.source_array || work->copy.destination_array;
        fprintf(file, "\\n%zu x %zu x %zu %s, kind %d", e->width, e->height, e->depth,
                array ? "texels" : "bytes", work->copy.kind);
    } else if (work->kind == WM_CUDA_WORK_FILL && wanted(flags, DOT_FILL)) {
        const struct wm_cuda_fill_parameters *f = &work->fill;
        fprintf(file, "\\n%zu x %zu elements of %u bytes, value %u", f->width, f->height,
                f->element_bytes, f->value);
    } else if (work->kind == WM_CUDA_WORK_CONDITIONAL && wanted(flags, DOT_CONDITION)) {
        static const char *const types[] = {"if", "while", "switch"};
        fprintf(file, "\\n%s, handle %llu", types[work->condition.type], work->condition.handle);
    }
}

// Nodes are named by their graph's path from the outermost: "n3", "n3_0_1".
static void write_graph(FILE *file, const struct wm_cuda_graph *graph, const char *prefix,
                        unsigned flags)
{
    for (uint32_t i = 0; i < graph->node_count; i++) {
        const struct wm_cuda_graph_node *node = graph->nodes[i];
        fprintf(file, "\"%s%u\" [shape=box label=\"%u: %s", prefix, i, i, names[node->work.kind]);
        write_parameters(file, &node->work, flags);
        fprintf(file, "\"];\n");
        for (uint32_t j = 0; j < node->dependents.count; j++) {
            const struct wm_cuda_graph_edge *edge = &node->dependents.items[j];
            fprintf(file, "\"%s%u\" -> \"%s%u\"%s;\n", prefix, i, prefix, edge->node->index,
                    wm_cuda_edge_plain(&edge->data) ? "" : " [style=dashed]");
        }
        struct wm_cuda_graph *const *graphs;
        uint32_t count = wm_cuda_node_graphs(node, &graphs);
        for (uint32_t j = 0; j < count; j++) {
            char inner[512];
            snprintf(inner, sizeof inner, "%.400s%u_%u_", prefix, i, j);
            fprintf(file, "subgraph \"cluster_%s\" {\nlabel=\"of %s%u\";\n", inner, prefix, i);
            write_graph(file, graphs[j], inner, flags);
            fprintf(file, "}\n");
        }
    }
}

wm_cuda_status wm_cuda_graph_write_dot(const struct wm_cuda_graph *graph, const char *path,
                                       unsigned flags)
{
    struct wm_report_file file;
    struct wm_error error;
    enum wm_status status = wm_report_file_open(&file, path, &error);
    if (status == WM_OK) {
        fprintf(file.stream, "digraph graph_%llu {\n", (unsigned long long)graph->id);
        write_graph(file.stream, graph, "n", flags);
        fprintf(file.stream, "}\n");
        status = wm_report_file_close(&file, true, &error);
    }
    if (status == WM_OK)
        return cudaSuccess;
    wm_log_explain(WM_LOG_ERROR, "cudaGraphDebugDotPrint: %s\n", error.message);
    return cudaErrorOperatingSystem;
}
