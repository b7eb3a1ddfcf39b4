#include "bypass/cbc_solver.h"

#include <Cbc_C_Interface.h>
#include <dlfcn.h>
#include <stdlib.h>

// --- The solver's library ---

// It is loaded when it is needed: with what it needs itself it makes the start of each process take
// three milliseconds more, and most processes decide nothing.
#define CBC_LIBRARY "libCbcSolver.so.3"

// What is used of it, under its own names (Cbc_C_Interface.h).
#define CBC_FUNCTIONS(X) \
    X(newModel)          \
    X(deleteModel)       \
    X(setLogLevel)       \
    X(setObjSense)       \
    X(setParameter)      \
    X(setMaximumNodes)   \
    X(addCol)            \
    X(addRow)            \
    X(getNumCols)        \
    X(solve)             \
    X(getColSolution)    \
    X(isProvenOptimal)   \
    X(getBestPossibleObjValue)

#define CBC_POINTER(name) __typeof__(&Cbc_##name) name;
static struct {
    CBC_FUNCTIONS(CBC_POINTER)
} cbc;

static enum wm_status load_solver(struct wm_error *error)
{
    static void *library;
    if (library != NULL)
        return WM_OK;
    void *loaded = dlopen(CBC_LIBRARY, RTLD_NOW | RTLD_LOCAL);
    bool found = loaded != NULL;
#define CBC_FIND(name)                                     \
    cbc.name = found ? dlsym(loaded, "Cbc_" #name) : NULL; \
    found = found && cbc.name != NULL;
    CBC_FUNCTIONS(CBC_FIND)
    if (!found) {
        const char *why = dlerror();
        wm_fail(error, WM_NOT_FOUND, "the exact solver cannot be loaded: %.200s",
                why != NULL ? why : CBC_LIBRARY " is another version");
        return wm_error_hint(error, "install Debian's coinor-libcbc3");
    }
    library = loaded;
    return WM_OK;
}

// --- The program ---

// Column i is N_i. An edge of weight 0 needs none. Of M's bounds only those matter that its weight
// pulls against; M is whole where both N are.
static void add_edge(Cbc_Model *model, int low, int high, double weight)
{
    int edge = (int)cbc.getNumCols(model);
    cbc.addCol(model, "M", 0, 1, weight, 0, 0, NULL, NULL);
    if (weight < 0) {
        cbc.addRow(model, "both", 3, (int[]){low, high, edge}, (double[]){1, 1, -1}, 'L', 1);
        return;
    }
    cbc.addRow(model, "low", 2, (int[]){edge, low}, (double[]){1, -1}, 'L', 0);
    cbc.addRow(model, "high", 2, (int[]){edge, high}, (double[]){1, -1}, 'L', 0);
}

static void build(const struct wm_quadratic_program *program, Cbc_Model *model)
{
    cbc.setLogLevel(model, 0);
    cbc.setObjSense(model, -1); // to be as large as can be
    for (uint32_t i = 0; i < program->count; i++)
        cbc.addCol(model, "N", 0, 1, program->linear[i], 1, 0, NULL, NULL);
    for (uint32_t high = 1; high < program->count; high++)
        for (uint32_t low = 0; low < high; low++) {
            double weight = program->pairs[(uint64_t)high * program->count + low];
            if (weight != 0)
                add_edge(model, (int)low, (int)high, weight);
        }
}

enum wm_status wm_cbc_solve(const struct wm_quadratic_program *program, uint32_t most_nodes,
                            bool *set, struct wm_quadratic_answer *answer, struct wm_error *error)
{
    WM_TRY(load_solver(error));
    Cbc_Model *model = cbc.newModel();
    if (model == NULL)
        return wm_fail_no_memory(error, "the exact decision of %u loads", program->count);
    build(program, model);
    // Cuts take most of the time and decide little: branches fix more of an N than they do.
    cbc.setParameter(model, "cuts", "off");
    cbc.setMaximumNodes(model, (int)most_nodes);
    cbc.solve(model);
    const double *columns = cbc.getColSolution(model);
    for (uint32_t i = 0; columns != NULL && i < program->count; i++)
        set[i] = columns[i] > 0.5;
    answer->found = columns != NULL;
    answer->bound = cbc.getBestPossibleObjValue(model);
    answer->proved = cbc.isProvenOptimal(model) != 0;
    cbc.deleteModel(model);
    return WM_OK;
}
