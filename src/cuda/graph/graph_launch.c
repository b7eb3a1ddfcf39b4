#include "cuda/graph/graph_launch.h"

#include "base/containers/array.h"
#include "cuda/device/device_commands.h"
#include "cuda/device/launch_request.h"
#include "cuda/graph/graph_memory.h"
#include "cuda/graph/graph_run.h"
#include "cuda/memory/array_copy.h"
#include "cuda/memory/copy_request.h"
#include "cuda/stream/stream_order.h"
#include "cuda/stream/stream_table.h"

#include <stdlib.h>
#include <string.h>

// ---- Issuing nodes -----------------------------------------------------------------------------

// Every node is looked at twice: first only to see whether all of them can be issued.
struct issue {
    struct wm_cuda_process *process;
    struct wm_cuda_stream *stream;
    bool check;
    bool *launches_graphs;         // of a check: whether a kernel does; or NULL
    struct wm_cuda_graph_run *run; // what launches by kernels are of; NULL: none may be
    uint64_t exec;                 // of a graph that kernels may launch: itself
    bool *is_to_charge;            // the driver's time for the graph, to its first kernel; or NULL
};
typedef wm_cuda_status issue_function(const struct issue *issue, const struct wm_cuda_work *work);

static wm_cuda_status issued(uint64_t sequence)
{
    return sequence ? cudaSuccess : cudaErrorMemoryAllocation;
}

static wm_cuda_status issue_kernel(const struct issue *issue, const struct wm_cuda_work *work)
{
    const struct wm_cuda_kernel_work *kernel = &work->kernel;
    struct wm_launch launch;
    uint32_t before = wm_cuda_use_device(kernel->device);
    wm_cuda_status status =
        wm_cuda_prepare_launch(issue->process, kernel->function, &kernel->configuration, &launch);
    (void)wm_cuda_use_device(before);
    if (status == cudaSuccess && issue->launches_graphs)
        *issue->launches_graphs |= launch.kernel->launches_graphs;
    if (status != cudaSuccess || issue->check)
        return status;
    launch.parameters = kernel->block;
    launch.graph = issue->exec;
    bool by_driver = issue->is_to_charge && *issue->is_to_charge;
    if (by_driver)
        *issue->is_to_charge = false;
    return issued(
        wm_cuda_push_launch_at(issue->process, issue->stream, &launch, 1, issue->run, by_driver));
}

static wm_cuda_status issue_array_copy(const struct issue *issue, const struct wm_cuda_work *work)
{
    struct wm_cuda_array_copy copy;
    bool to_device, from_device;
    wm_cuda_status status = wm_cuda_array_copy_of(issue->process, &work->copy, &copy);
    if (status != cudaSuccess)
        return status;
    return issue->check ? wm_cuda_check_array_copy(issue->process, &copy, &to_device, &from_device)
                        : wm_cuda_issue_array_copy(issue->process, issue->stream, &copy);
}

static wm_cuda_status issue_copy(const struct issue *issue, const struct wm_cuda_work *work)
{
    if (work->copy.source_array || work->copy.destination_array)
        return issue_array_copy(issue, work);
    struct wm_cuda_copy_request request;
    struct wm_cuda_copy_plan plan;
    wm_cuda_status status = wm_cuda_copy3d_request(&work->copy, &request);
    if (status == cudaSuccess)
        status = wm_cuda_plan_copy(issue->process, &request, &plan);
    if (status != cudaSuccess || issue->check || plan.empty)
        return status;
    return issued(wm_cuda_push_copy(issue->process, issue->stream, &plan.to, &plan.from, &plan.box,
                                    plan.to_device, plan.from_device, false));
}

static wm_cuda_status issue_fill(const struct issue *issue, const struct wm_cuda_work *work)
{
    struct wm_cuda_pitched_address to;
    struct wm_cuda_box box;
    struct wm_cuda_copy_plan plan;
    wm_cuda_status status = wm_cuda_fill_box(&work->fill, &to, &box);
    if (status == cudaSuccess)
        status = wm_cuda_plan_fill(issue->process, &to, &box, &plan);
    if (status != cudaSuccess || issue->check || plan.empty)
        return status;
    struct wm_cuda_element element = {work->fill.value, work->fill.element_bytes};
    return issued(wm_cuda_push_fill(issue->process, issue->stream, &to, &box, element));
}

static wm_cuda_status issue_host(const struct issue *issue, const struct wm_cuda_work *work)
{
    if (issue->check)
        return cudaSuccess;
    return issued(wm_cuda_push_host(issue->process, issue->stream, work->host.function, NULL,
                                    work->host.argument));
}

static wm_cuda_status issue_nothing(const struct issue *issue, const struct wm_cuda_work *work)
{
    (void)issue, (void)work;
    return cudaSuccess;
}

static wm_cuda_status issue_record(const struct issue *issue, const struct wm_cuda_work *work)
{
    if (!wm_cuda_event_known(issue->process, work->event))
        return cudaErrorInvalidResourceHandle;
    return issue->check ? cudaSuccess
                        : wm_cuda_record_event(issue->process, issue->stream, work->event);
}

static wm_cuda_status issue_wait(const struct issue *issue, const struct wm_cuda_work *work)
{
    if (!wm_cuda_event_known(issue->process, work->event))
        return cudaErrorInvalidResourceHandle;
    return issue->check ? cudaSuccess
                        : wm_cuda_wait_for_event(issue->process, issue->stream, work->event);
}

static wm_cuda_status issue_allocation(const struct issue *issue, const struct wm_cuda_work *work)
{
    struct wm_cuda_graph_memory *memory = work->allocation.memory;
    if (issue->check)
        return memory->in_use ? cudaErrorInvalidValue : cudaSuccess;
    wm_cuda_graph_memory_use(issue->process, memory);
    return cudaSuccess;
}

static wm_cuda_status issue_free(const struct issue *issue, const struct wm_cuda_work *work)
{
    struct wm_cuda_graph_memory *memory = wm_cuda_graph_memory_at(issue->process, work->freed);
    if (issue->check)
        return cudaSuccess; // it may be what an earlier node allocates
    return memory && wm_cuda_graph_memory_unuse(issue->process, memory) ? cudaSuccess
                                                                        : cudaErrorInvalidValue;
}

static wm_cuda_status issue_operations(const struct issue *issue, const struct wm_cuda_work *work)
{
    const struct wm_cuda_operations_work *given = &work->operations;
    return issue->check
               ? wm_cuda_check_memory_operations(issue->process, given->operations, given->count)
               : wm_cuda_issue_memory_operations(issue->process, issue->stream, given->operations,
                                                 given->count);
}

static wm_cuda_status issue_graph(const struct issue *issue, const struct wm_cuda_graph *graph);

static wm_cuda_status issue_child(const struct issue *issue, const struct wm_cuda_work *work)
{
    return issue_graph(issue, work->child);
}

static issue_function issue_condition;
static issue_function *const issue_by_kind[WM_CUDA_WORK_KINDS] = {
    [WM_CUDA_WORK_KERNEL] = issue_kernel,
    [WM_CUDA_WORK_COPY] = issue_copy,
    [WM_CUDA_WORK_FILL] = issue_fill,
    [WM_CUDA_WORK_HOST] = issue_host,
    [WM_CUDA_WORK_CHILD] = issue_child,
    [WM_CUDA_WORK_EMPTY] = issue_nothing,
    [WM_CUDA_WORK_EVENT_WAIT] = issue_wait,
    [WM_CUDA_WORK_EVENT_RECORD] = issue_record,
    [WM_CUDA_WORK_ALLOCATE] = issue_allocation,
    [WM_CUDA_WORK_FREE] = issue_free,
    [WM_CUDA_WORK_OPERATIONS] = issue_operations,
    [WM_CUDA_WORK_CONDITIONAL] = issue_condition,
};

// ---- Conditions --------------------------------------------------------------------------------

wm_cuda_status wm_cuda_condition_new(struct wm_cuda_process *process, struct wm_cuda_graph *graph,
                                     uint32_t first_value, bool assign, uint64_t *handle)
{
    if (!WM_ARRAY_RESIZE(graph->conditions, graph->condition_count + UINT64_C(1)))
        return cudaErrorMemoryAllocation;
    // A kernel that runs may be setting one.
    wm_cuda_queue_pause_begin(&process->queue);
    struct wm_condition_values *conditions = &process->conditions;
    bool added = WM_ARRAY_ADD(conditions->values, conditions->count, conditions->room, first_value);
    uint64_t made = conditions->count;
    wm_cuda_queue_pause_end(&process->queue);
    if (!added)
        return cudaErrorMemoryAllocation;
    graph->conditions[graph->condition_count++] =
        (struct wm_cuda_condition_value){made, first_value, assign};
    *handle = made;
    return cudaSuccess;
}

struct assign_command {
    struct wm_cuda_command base;
    uint32_t count;
    struct wm_cuda_condition_value values[];
};

static void execute_assign(struct wm_cuda_command *command, void *owner)
{
    struct wm_cuda_process *process = owner;
    const struct assign_command *assign = (const struct assign_command *)command;
    for (uint32_t i = 0; i < assign->count; i++)
        *wm_condition_value(&process->conditions, assign->values[i].handle) =
            assign->values[i].first_value;
}

// The values that every execution of a graph begins with.
static wm_cuda_status issue_first_values(const struct issue *issue,
                                         const struct wm_cuda_graph *graph)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < graph->condition_count; i++)
        count += graph->conditions[i].assign;
    if (count == 0 || issue->check)
        return cudaSuccess;
    struct assign_command *command = malloc(sizeof *command + count * sizeof command->values[0]);
    if (!command)
        return cudaErrorMemoryAllocation;
    *command = (struct assign_command){.base = {.execute = execute_assign, .uses_memory = true}};
    for (uint32_t i = 0; i < graph->condition_count; i++)
        if (graph->conditions[i].assign)
            command->values[command->count++] = graph->conditions[i];
    return issued(wm_cuda_stream_push(issue->process, issue->stream, &command->base));
}

struct condition_command {
    struct wm_cuda_command base;
    struct wm_cuda_process *process;
    uint64_t stream;               // its id: it may be gone when the command runs
    int priority;                  // the stream's
    struct wm_cuda_graph_run *run; // retained, or NULL
    bool owns;                     // `work` goes with the command
    struct wm_cuda_work work;      // a copy of its own, sorted
};

static void release_condition(struct wm_cuda_command *base)
{
    struct condition_command *command = (struct condition_command *)base;
    if (command->owns)
        wm_cuda_work_release(command->process, &command->work);
    wm_cuda_run_release(command->run);
    free(command);
}

// The body that a value chooses, or NULL.
static struct wm_cuda_graph *chosen(const struct wm_cuda_condition_work *condition, uint32_t value)
{
    unsigned index = value;
    if (condition->type != WM_CUDA_CONDITION_SWITCH)
        index = value == 0;
    return index < condition->size ? condition->graphs[index] : NULL;
}

static void execute_condition(struct wm_cuda_command *base, void *owner);

// Takes the work over.
static wm_cuda_status push_condition(const struct issue *issue, struct wm_cuda_work *work)
{
    struct wm_cuda_process *process = issue->process;
    struct wm_cuda_stream *stream = issue->stream;
    struct condition_command *command = malloc(sizeof *command);
    if (!command) {
        wm_cuda_work_release(process, work);
        return cudaErrorMemoryAllocation;
    }
    *command = (struct condition_command){
        .base = {.execute = execute_condition, .release = release_condition},
        .process = process,
        .stream = stream->id,
        .priority = stream->priority,
        .run = wm_cuda_run_retain(issue->run),
        .owns = true,
        .work = *work,
    };
    return issued(wm_cuda_stream_push(process, stream, &command->base));
}

// Inserts what the condition chooses right behind itself, and for a loop itself once more.
static wm_cuda_status insert_body(struct condition_command *command)
{
    struct wm_cuda_process *process = command->process;
    const struct wm_cuda_condition_work *condition = &command->work.condition;
    uint32_t *value = wm_condition_value(&process->conditions, condition->handle);
    struct wm_cuda_graph *body = value ? chosen(condition, *value) : NULL;
    if (!body)
        return cudaSuccess;
    struct wm_cuda_stream stream = {.id = command->stream, .priority = command->priority};
    struct issue issue = {.process = process, .stream = &stream, .run = command->run};
    wm_cuda_queue_insert_begin(&process->queue, &command->base);
    wm_cuda_status status = issue_graph(&issue, body);
    if (status == cudaSuccess && condition->type == WM_CUDA_CONDITION_WHILE) {
        command->owns = false;
        status = push_condition(&issue, &command->work);
    }
    wm_cuda_queue_insert_end(&process->queue, &command->base);
    return status;
}

static void execute_condition(struct wm_cuda_command *base, void *owner)
{
    struct wm_cuda_process *process = owner;
    struct condition_command *command = (struct condition_command *)base;
    pthread_mutex_lock(&process->mutex);
    if (process->fault == cudaSuccess) {
        wm_cuda_status status = insert_body(command);
        if (status != cudaSuccess) {
            process->fault = status;
            process->fault_sequence = base->sequence;
        }
    }
    pthread_mutex_unlock(&process->mutex);
}

static wm_cuda_status issue_condition(const struct issue *issue, const struct wm_cuda_work *work)
{
    wm_cuda_status status = cudaSuccess;
    if (issue->check) {
        for (unsigned i = 0; i < work->condition.size && status == cudaSuccess; i++)
            status = issue_graph(issue, work->condition.graphs[i]);
        return status;
    }
    struct wm_cuda_work copy;
    struct wm_cuda_graph_node *broken = NULL;
    if (!wm_cuda_work_copy(issue->process, work, false, &copy))
        return cudaErrorMemoryAllocation;
    for (unsigned i = 0; i < copy.condition.size && status == cudaSuccess; i++)
        status = wm_cuda_graph_sort(copy.condition.graphs[i], &broken);
    if (status == cudaSuccess)
        status = push_condition(issue, &copy);
    else
        wm_cuda_work_release(issue->process, &copy);
    return status;
}

// ---- Branches side by side ---------------------------------------------------------------------

static void execute_nothing(struct wm_cuda_command *command, void *owner)
{
    (void)command, (void)owner;
}

// A point in the stream that others can be behind; 0 without memory.
static uint64_t push_point(struct wm_cuda_process *process, struct wm_cuda_stream *stream)
{
    struct wm_cuda_command *command = malloc(sizeof *command);
    if (!command)
        return 0;
    *command = (struct wm_cuda_command){.execute = execute_nothing};
    return wm_cuda_stream_push(process, stream, command);
}

// A node in a stream of its own, behind the nodes that edges come from, or behind `begin`. `ends`:
// by node, the command that it has ended with.
static wm_cuda_status issue_node(const struct issue *issue, const struct wm_cuda_graph_node *node,
                                 uint64_t begin, uint64_t *ends)
{
    struct wm_cuda_process *process = issue->process;
    struct wm_cuda_stream lane = {.id = issue->stream->id,
                                  .priority = issue->stream->priority,
                                  .flags = WM_CUDA_STREAM_NON_BLOCKING};
    struct issue here = *issue;
    here.stream = &lane;
    wm_cuda_status status = wm_cuda_stream_wait_for(process, &lane, begin);
    for (size_t i = 0; i < node->dependencies.count && status == cudaSuccess; i++)
        status =
            wm_cuda_stream_wait_for(process, &lane, ends[node->dependencies.items[i].node->index]);
    if (status == cudaSuccess && !node->disabled)
        status = issue_by_kind[node->work.kind](&here, &node->work);
    if (status == cudaSuccess && (lane.waits.count > 0 || lane.last == 0))
        status = issued(push_point(process, &lane));
    ends[node->index] = lane.last;
    free(lane.waits.items);
    return status;
}

static wm_cuda_status issue_side_by_side(const struct issue *issue,
                                         const struct wm_cuda_graph *graph)
{
    uint64_t *ends = calloc(graph->node_count + 1, sizeof *ends);
    uint64_t begin = ends ? push_point(issue->process, issue->stream) : 0;
    wm_cuda_status status = issued(begin);
    for (uint32_t i = 0; i < graph->node_count && status == cudaSuccess; i++)
        status = issue_node(issue, graph->order[i], begin, ends);
    for (uint32_t i = 0; i < graph->node_count && status == cudaSuccess; i++)
        status = wm_cuda_stream_wait_for(issue->process, issue->stream, ends[i]);
    free(ends);
    return status;
}

static wm_cuda_status issue_graph(const struct issue *issue, const struct wm_cuda_graph *graph)
{
    const struct wm_cuda_queue *queue = &issue->process->queue;
    wm_cuda_status status = issue_first_values(issue, graph);
    // What a condition inserts runs one node after the other.
    bool several = queue->side_by_side || queue->records_order;
    if (status == cudaSuccess && !issue->check && several && !queue->insert)
        return issue_side_by_side(issue, graph);
    for (uint32_t i = 0; i < graph->node_count && status == cudaSuccess; i++) {
        const struct wm_cuda_graph_node *node = graph->order[i];
        if (!node->disabled)
            status = issue_by_kind[node->work.kind](issue, &node->work);
    }
    return status;
}

// ---- Executable graphs -------------------------------------------------------------------------

bool wm_cuda_exec_known(const struct wm_cuda_process *process,
                        const struct wm_cuda_graph_exec *exec)
{
    return wm_cuda_handle_known(&process->handles, exec, WM_CUDA_HANDLE_EXEC);
}

wm_cuda_status wm_cuda_exec_new(struct wm_cuda_process *process, struct wm_cuda_graph *graph,
                                unsigned long long flags, struct wm_cuda_graph_exec **exec,
                                struct wm_cuda_graph_node **broken)
{
    *broken = NULL;
    if (graph->instantiations > 0 && wm_cuda_graph_has(graph, WM_CUDA_MEMORY_NODES))
        return cudaErrorNotSupported;
    wm_cuda_status status = wm_cuda_graph_sort(graph, broken);
    struct wm_cuda_graph_exec *made = status == cudaSuccess ? calloc(1, sizeof *made) : NULL;
    if (status != cudaSuccess)
        return status;
    if (!made || !wm_cuda_handle_add(&process->handles, made, WM_CUDA_HANDLE_EXEC)) {
        free(made);
        return cudaErrorMemoryAllocation;
    }
    *made = (struct wm_cuda_graph_exec){.source = graph, .source_id = graph->id, .flags = flags};
    status = wm_cuda_graph_clone(process, graph, false, &made->graph);
    if (status == cudaSuccess)
        status = wm_cuda_graph_sort(made->graph, broken);
    if (status != cudaSuccess) {
        wm_cuda_graph_free(process, made->graph);
        wm_cuda_handle_remove(&process->handles, made);
        free(made);
        return status;
    }
    graph->instantiations++;
    made->next = process->execs;
    process->execs = made;
    *exec = made;
    return cudaSuccess;
}

void wm_cuda_exec_free(struct wm_cuda_process *process, struct wm_cuda_graph_exec *exec)
{
    struct wm_cuda_graph_exec **link = &process->execs;
    while (*link != exec)
        link = &(*link)->next;
    *link = exec->next;
    if (wm_cuda_graph_known(process, exec->source) && exec->source->id == exec->source_id)
        exec->source->instantiations--;
    wm_cuda_handle_remove(&process->handles, exec);
    wm_cuda_graph_free(process, exec->graph);
    free(exec);
}

static void free_what_was_left(struct wm_cuda_process *process, const struct wm_cuda_graph *graph)
{
    for (uint32_t i = 0; i < graph->node_count; i++) {
        const struct wm_cuda_work *work = &graph->nodes[i]->work;
        if (work->kind == WM_CUDA_WORK_ALLOCATE)
            (void)wm_cuda_graph_memory_unuse(process, work->allocation.memory);
    }
}

wm_cuda_status wm_cuda_exec_launch(struct wm_cuda_process *process, struct wm_cuda_graph_exec *exec,
                                   struct wm_cuda_stream *stream)
{
    if (exec->flags & WM_CUDA_GRAPH_AUTO_FREE)
        free_what_was_left(process, exec->graph);
    bool launches_graphs = false;
    struct issue issue = {
        .process = process, .stream = stream, .check = true, .launches_graphs = &launches_graphs};
    wm_cuda_status status = issue_graph(&issue, exec->graph);
    exec->uploaded |= status == cudaSuccess;
    return status == cudaSuccess ? wm_cuda_exec_issue(process, exec, stream, launches_graphs, false)
                                 : status;
}

wm_cuda_status wm_cuda_exec_check(struct wm_cuda_process *process, struct wm_cuda_graph_exec *exec)
{
    struct issue issue = {
        .process = process, .stream = &wm_cuda_current(process)->default_stream, .check = true};
    return issue_graph(&issue, exec->graph);
}

wm_cuda_status wm_cuda_exec_issue(struct wm_cuda_process *process, struct wm_cuda_graph_exec *exec,
                                  struct wm_cuda_stream *stream, bool tracked, bool from_device)
{
    bool device = (exec->flags & WM_CUDA_GRAPH_DEVICE_LAUNCH) != 0;
    bool is_to_charge = !from_device;
    struct issue issue = {.process = process,
                          .stream = stream,
                          .exec = device ? (uint64_t)(uintptr_t)exec : 0,
                          .is_to_charge = &is_to_charge};
    if (tracked && !(issue.run = wm_cuda_run_new(exec, from_device)))
        return cudaErrorMemoryAllocation;
    wm_cuda_status status = issue_graph(&issue, exec->graph);
    if (status == cudaSuccess && tracked)
        status = wm_cuda_run_push_end(process, stream, issue.run);
    wm_cuda_run_release(issue.run);
    return status;
}

void wm_cuda_reset_graphs(struct wm_cuda_process *process)
{
    while (process->execs)
        wm_cuda_exec_free(process, process->execs);
    for (struct wm_cuda_graph *graph = process->graphs, *next; graph; graph = next) {
        next = graph->next;
        wm_cuda_graph_free(process, graph);
    }
    process->graphs = NULL;
    process->graph_memory = (struct wm_cuda_graph_memory_state){0};
    wm_cuda_handle_set_free(&process->handles);
}
