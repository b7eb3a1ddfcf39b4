#include "cli/cc/command_line.h"

#include "base/text/nearest.h"

enum shape {
    EXACT,    // the word alone: "-c"
    JOINED,   // the argument in the same word: "-std=c++17"
    SEPARATE, // in the next word: "-include FILE"
    EITHER,   // "-o app", "-oapp"
};

enum target {
    TO_BOTH,
    TO_HOST,
    TO_LINK,
    TO_HOST_AND_LINK,
    DROPPED, // requests what always holds
    REFUSED, // sentence says why
    XCOMPILER,
    OUTPUT,
    ARCHITECTURE,
    STOP_PTX,
    STOP_OBJECT,
    STOP_SYNTAX,
    KEEP,
    VERBOSE,
    DRY_RUN,
    TRACE_HOST,
    HOST_ONLY,
};

struct option {
    const char *spelling;
    enum shape shape;
    enum target target;
    const char *sentence; // of REFUSED: the hint
};

// The first match wins, so that a longer spelling stands before its own beginning.
static const struct option options[] = {
    {"-o", EITHER, OUTPUT},
    {"-c", EXACT, STOP_OBJECT},
    {"-fsyntax-only", EXACT, STOP_SYNTAX},
    {"--ptx", EXACT, STOP_PTX},
    {"-ptx", EXACT, STOP_PTX},
    {"--keep", EXACT, KEEP},
    {"-keep", EXACT, KEEP},
    {"--save-temps", EXACT, KEEP},
    {"-save-temps", EXACT, KEEP},
    {"--trace-host", EXACT, TRACE_HOST},
    {"--host-only", EXACT, HOST_ONLY},
    {"--verbose", EXACT, VERBOSE},
    {"-v", EXACT, VERBOSE},
    {"--dry-run", EXACT, DRY_RUN},
    {"--dryrun", EXACT, DRY_RUN},
    {"-dryrun", EXACT, DRY_RUN},
    {"-###", EXACT, DRY_RUN},
    {"-arch=", JOINED, ARCHITECTURE},
    {"-arch", SEPARATE, ARCHITECTURE},
    {"--gpu-architecture=", JOINED, ARCHITECTURE},
    {"--gpu-architecture", SEPARATE, ARCHITECTURE},
    {"--cuda-gpu-arch=", JOINED, ARCHITECTURE},
    {"-Xcompiler=", JOINED, XCOMPILER},
    {"-Xcompiler", SEPARATE, XCOMPILER},
    {"-Xlinker", SEPARATE, TO_LINK},
    {"-Wl,", JOINED, TO_LINK},
    {"-lcudart", EXACT, DROPPED},
    {"-cudart=shared", EXACT, DROPPED},
    {"--cudart=shared", EXACT, DROPPED},
    {"-lineinfo", EXACT, DROPPED},
    {"--generate-line-info", EXACT, DROPPED},
    {"-cudart", SEPARATE, REFUSED, "the runtime is always shared: leave the option out"},
    {"-cudart=static", EXACT, REFUSED, "the runtime is always shared: leave the option out"},
    {"--cudart=static", EXACT, REFUSED, "the runtime is always shared: leave the option out"},
    {"-static", EXACT, REFUSED, "warpmem's runtime is a shared library: leave the option out"},
    {"-rdc=true", EXACT, REFUSED, "put the kernels and what they call into one file"},
    {"--relocatable-device-code=true", EXACT, REFUSED,
     "put the kernels and what they call into one file"},
    {"-dc", EXACT, REFUSED, "put the kernels and what they call into one file, and use -c"},
    {"-dlink", EXACT, REFUSED, "put the kernels and what they call into one file"},
    {"-gencode", SEPARATE, REFUSED, "name one architecture: -arch=sm_70"},
    {"-gencode=", JOINED, REFUSED, "name one architecture: -arch=sm_70"},
    {"-x", SEPARATE, REFUSED, "give the file an extension that says its language"},
    {"-E", EXACT, REFUSED, "run clang -E yourself; --dry-run shows the options"},
    {"-S", EXACT, REFUSED, "use --ptx for the device side"},
    {"-G", EXACT, REFUSED, "line numbers are always there; add -O0 for unoptimized device code"},
    {"-cubin", EXACT, REFUSED, "warpmem runs PTX: use --ptx"},
    {"--use_fast_math", EXACT, REFUSED, "call __expf() and its like where you want them"},
    {"-use_fast_math", EXACT, REFUSED, "call __expf() and its like where you want them"},
    {"-D", EITHER, TO_BOTH},
    {"-U", EITHER, TO_BOTH},
    {"-I", EITHER, TO_BOTH},
    {"-isystem", EITHER, TO_BOTH},
    {"-iquote", EITHER, TO_BOTH},
    {"-include", EITHER, TO_BOTH},
    {"-std=", JOINED, TO_BOTH},
    {"--std=", JOINED, TO_BOTH},
    {"-O", JOINED, TO_BOTH},
    {"-O", EXACT, TO_BOTH},
    {"-g", EXACT, TO_HOST},
    {"-g", JOINED, TO_HOST},
    {"-w", EXACT, TO_BOTH},
    {"-W", JOINED, TO_BOTH},
    {"-pedantic", EXACT, TO_BOTH},
    {"-f", JOINED, TO_BOTH},
    {"-m", JOINED, TO_HOST},
    {"-MF", EITHER, TO_HOST},
    {"-MT", EITHER, TO_HOST},
    {"-MQ", EITHER, TO_HOST},
    {"-MD", EXACT, TO_HOST},
    {"-MMD", EXACT, TO_HOST},
    {"-MP", EXACT, TO_HOST},
    {"-pthread", EXACT, TO_HOST_AND_LINK},
    {"-Xclang", SEPARATE, TO_BOTH},
    {"-l", EITHER, TO_LINK},
    {"-L", EITHER, TO_LINK},
    {"-rdynamic", EXACT, TO_LINK},
    {"-shared", EXACT, TO_LINK},
    {"-s", EXACT, TO_LINK},
};

const struct wm_usage_word wm_cc_command_line_words[] = {
    {"-o FILE", "the output; without it a.out, or the input's name with .o or .ptx"},
    {"-c", "compile to objects, do not link"},
    {"--ptx", "write the PTX of each .cu file and stop"},
    {"-fsyntax-only", "check the sources, for device and host, and write nothing"},
    {"--keep", "keep the PTX, as NAME.ptx in the current folder (also -save-temps)"},
    {"-arch=sm_NN", "architecture that the PTX is made for (default sm_70)"},
    {"-O0 -O1 -O2 -O3 -Os", "optimization of host and device code (default -O2)"},
    {"-std=STANDARD", "of C++ (default c++17 in .cu files) or C"},
    {"-D -U -I -isystem", "macros and include folders, as with any compiler"},
    {"-include FILE", "include FILE first"},
    {"-g", "host debug information; device line numbers are always kept"},
    {"-W -w -f -pedantic", "clang's warnings and code options, for host and device code"},
    {"-m -MD -MF -pthread", "clang's target, dependency and thread options, for host code"},
    {"-Xcompiler LIST", "options for host code, with commas between"},
    {"-Xclang WORD", "a word for clang's inner command line"},
    {"-l -L -Wl, -Xlinker", "for the linker, in their place among the files"},
    {"-shared -rdynamic -s", "for the linker"},
    {"--host-only", "plain C and C++: without CUDA's headers and runtime"},
    {"--trace-host", "instrument the loads and stores of host code, for a trace of them or for "
                     "--host-threads of run, record and annotate"},
    {"-v, --verbose", "show the commands that are run"},
    {"--dry-run", "show the commands and run none"},
    {NULL, NULL},
};

struct parser {
    const char *const *words;
    uint32_t count, next; // next: index of the word to look at
    struct wm_arena *arena;
    struct wm_cc_line *line;
    struct wm_error *error;
};

static bool ends_with(const char *text, const char *end)
{
    size_t length = strlen(text), tail = strlen(end);
    return length > tail && strcmp(text + length - tail, end) == 0;
}

// A file that a linker takes: "x.o", "libx.a", "libx.so", "libx.so.13".
static bool is_linkable(const char *path)
{
    return ends_with(path, ".o") || ends_with(path, ".a") || ends_with(path, ".so") ||
           strstr(path, ".so.") != NULL;
}

static enum wm_status add_file(struct parser *parser, const char *path)
{
    static const char *const host_endings[] = {".c", ".cc", ".cpp", ".cxx", ".C"};
    struct wm_cc_input *input = &parser->line->inputs[parser->line->input_count];
    input->text = path;
    if (ends_with(path, ".cu")) {
        input->kind = WM_CC_CUDA;
    } else if (is_linkable(path)) {
        input->kind = WM_CC_OBJECT;
    } else {
        size_t i = 0, count = sizeof host_endings / sizeof host_endings[0];
        while (i < count && !ends_with(path, host_endings[i]))
            i++;
        if (i == count) {
            wm_fail(parser->error, WM_INVALID, "\"%s\" has an extension of no known kind of file",
                    path);
            return wm_error_hint(parser->error,
                                 "known are .cu, .c, .cc, .cpp, .cxx, .C, .o, .a and .so");
        }
        input->kind = WM_CC_HOST;
    }
    parser->line->input_count++;
    return WM_OK;
}

// The arrays have room for every word of the line; add_list() makes more.
static void add(struct wm_cc_words *words, const char *word)
{
    words->items[words->count++] = word;
}

static void add_link(struct parser *parser, const char *word)
{
    struct wm_cc_input *input = &parser->line->inputs[parser->line->input_count++];
    *input = (struct wm_cc_input){WM_CC_LINK, word};
}

static enum wm_status set_output(struct parser *parser, const char *path)
{
    if (parser->line->output)
        return wm_fail(parser->error, WM_INVALID, "-o is given twice");
    if (path[0] == '\0')
        return wm_fail(parser->error, WM_INVALID, "-o names no file");
    parser->line->output = path;
    return WM_OK;
}

static enum wm_status set_architecture(struct parser *parser, const char *name)
{
    size_t digits = strncmp(name, "sm_", 3) == 0 ? strspn(name + 3, "0123456789") : 0;
    if (digits < 2 || digits > 3 || name[3 + digits] != '\0') {
        wm_fail(parser->error, WM_INVALID, "\"%s\" names no architecture", name);
        return wm_error_hint(parser->error, "write it like -arch=sm_70");
    }
    parser->line->architecture = name;
    return WM_OK;
}

static enum wm_status set_stop(struct parser *parser, enum wm_cc_stop stop)
{
    // As clang has it, -fsyntax-only goes before the others.
    if (parser->line->stop == WM_CC_STOP_SYNTAX)
        return WM_OK;
    if (stop != WM_CC_STOP_SYNTAX && parser->line->stop != WM_CC_STOP_NEVER &&
        parser->line->stop != stop)
        return wm_fail(parser->error, WM_INVALID, "-c and --ptx exclude each other");
    parser->line->stop = stop;
    return WM_OK;
}

// "-Xcompiler -Wall,-fopenmp": each part is a word for the host compilation.
static enum wm_status add_list(struct parser *parser, const char *list)
{
    while (*list) {
        size_t length = strcspn(list, ",");
        const char *word = wm_arena_copy_text(parser->arena, list, length);
        if (!word)
            return wm_fail_no_memory(parser->error, "reading the command line");
        if (length > 0) {
            struct wm_cc_words *host = &parser->line->host;
            const char **items =
                WM_ARENA_ARRAY(parser->arena, const char *, host->count + parser->count + 1);
            if (!items)
                return wm_fail_no_memory(parser->error, "reading the command line");
            if (host->count > 0)
                memcpy(items, host->items, host->count * sizeof *items);
            host->items = items;
            add(host, word);
        }
        list += length + (list[length] == ',');
    }
    return WM_OK;
}

// Hands one option on: `words` are the one or two words it was written in, `argument` what follows
// its spelling.
static enum wm_status take(struct parser *parser, const struct option *option,
                           const char *const words[2], const char *argument)
{
    struct wm_cc_line *line = parser->line;
    switch (option->target) {
    case DROPPED: return WM_OK;
    case REFUSED:
        wm_fail(parser->error, WM_UNSUPPORTED, "option \"%s\" is not offered", words[0]);
        return wm_error_hint(parser->error, "%s", option->sentence);
    case XCOMPILER: return add_list(parser, argument);
    case OUTPUT: return set_output(parser, argument);
    case ARCHITECTURE: return set_architecture(parser, argument);
    case STOP_PTX: return set_stop(parser, WM_CC_STOP_PTX);
    case STOP_OBJECT: return set_stop(parser, WM_CC_STOP_OBJECT);
    case STOP_SYNTAX: return set_stop(parser, WM_CC_STOP_SYNTAX);
    case KEEP: line->keep = true; return WM_OK;
    case VERBOSE: line->verbose = true; return WM_OK;
    case DRY_RUN: line->dry_run = line->verbose = true; return WM_OK;
    case TRACE_HOST: line->trace_host = true; return WM_OK;
    case HOST_ONLY: line->host_only = true; return WM_OK;
    case TO_BOTH:
    case TO_HOST:
    case TO_LINK:
    case TO_HOST_AND_LINK: break;
    }
    line->names_optimization |= strcmp(option->spelling, "-O") == 0;
    line->names_standard |= strstr(option->spelling, "std=") != NULL;
    for (int i = 0; i < 2 && words[i]; i++) {
        if (option->target == TO_BOTH)
            add(&line->both, words[i]);
        if (option->target == TO_HOST || option->target == TO_HOST_AND_LINK)
            add(&line->host, words[i]);
        if (option->target == TO_LINK || option->target == TO_HOST_AND_LINK)
            add_link(parser, words[i]);
    }
    return WM_OK;
}

static enum wm_status unknown_option(struct parser *parser, const char *word)
{
    wm_fail(parser->error, WM_INVALID, "unknown option \"%s\"", word);
    struct wm_nearest nearest;
    wm_nearest_init(&nearest, word);
    for (size_t i = 0; i < sizeof options / sizeof options[0]; i++)
        if (options[i].target != REFUSED && strlen(options[i].spelling) > 2)
            wm_nearest_offer(&nearest, options[i].spelling);
    if (nearest.best)
        return wm_error_hint(parser->error, "did you mean %s?", nearest.best);
    return wm_error_hint(parser->error, "--help lists the options");
}

static enum wm_status take_option(struct parser *parser, const char *word)
{
    for (size_t i = 0; i < sizeof options / sizeof options[0]; i++) {
        const struct option *option = &options[i];
        size_t length = strlen(option->spelling);
        if (strncmp(word, option->spelling, length) != 0)
            continue;
        bool exact = word[length] == '\0';
        if (exact && (option->shape == SEPARATE || option->shape == EITHER)) {
            if (parser->next >= parser->count)
                return wm_fail(parser->error, WM_INVALID, "option \"%s\" needs an argument", word);
            const char *argument = parser->words[parser->next++];
            return take(parser, option, (const char *const[2]){word, argument}, argument);
        }
        if ((exact && option->shape == EXACT) ||
            (!exact && (option->shape == JOINED || option->shape == EITHER)))
            return take(parser, option, (const char *const[2]){word, NULL}, word + length);
        if (exact && option->shape == JOINED && option->spelling[length - 1] == '=')
            return wm_fail(parser->error, WM_INVALID, "option \"%s\" needs an argument", word);
    }
    return unknown_option(parser, word);
}

// The part of a path that an output is named after: see wm_cc_stem().
static size_t stem_of(const char *path, const char **start)
{
    const char *slash = strrchr(path, '/');
    *start = slash ? slash + 1 : path;
    const char *dot = strrchr(*start, '.');
    return dot && dot != *start ? (size_t)(dot - *start) : strlen(*start);
}

// No output may fall on a source, nor on another output.
static enum wm_status check_outputs(const struct wm_cc_line *line, struct wm_error *error)
{
    for (uint32_t i = 0; i < line->input_count; i++) {
        const struct wm_cc_input *input = &line->inputs[i];
        if (line->output && input->kind != WM_CC_LINK && strcmp(line->output, input->text) == 0)
            return wm_fail(error, WM_INVALID, "\"%s\" is an input and the output", input->text);
        // Kept PTX and --ptx name an output after each .cu file, -c after each source.
        bool named =
            line->stop != WM_CC_STOP_SYNTAX && (line->stop != WM_CC_STOP_NEVER || line->keep);
        enum wm_cc_input_kind last = line->stop == WM_CC_STOP_OBJECT ? WM_CC_HOST : WM_CC_CUDA;
        for (uint32_t j = 0; named && j < i; j++) {
            const struct wm_cc_input *other = &line->inputs[j];
            const char *mine, *theirs;
            size_t length = stem_of(input->text, &mine);
            if (input->kind > last || other->kind > last ||
                length != stem_of(other->text, &theirs) || memcmp(mine, theirs, length) != 0)
                continue;
            wm_fail(error, WM_INVALID, "\"%s\" and \"%s\" would share their outputs' name",
                    other->text, input->text);
            return wm_error_hint(error, "compile them one by one, with -o");
        }
    }
    return WM_OK;
}

// What does not go with --trace-host, by the beginning of the word.
static const struct {
    const char *beginning, *hint;
} untraceable[] = {
    {"--ptx", "device code is traced by warpmem record: leave --trace-host out"},
    {"-shared", "compile with -c and link the objects into the program"},
    {"-fsanitize", "build the program once for each"},
    {"-fno-sanitize", "build the program once for each"},
    {"-fvectorize", "accesses are traced one by one, as the source has them"},
    {"-ftree-vectorize", "accesses are traced one by one, as the source has them"},
    {"-fslp-vectorize", "accesses are traced one by one, as the source has them"},
    {"-ftree-slp-vectorize", "accesses are traced one by one, as the source has them"},
    {"-flto", "what clang adds to host code it adds to each object: leave the option out"},
    {"-m32", "traced are programs of 64 bits"},
};

static enum wm_status check_traceable(const char *word, struct wm_error *error)
{
    for (size_t i = 0; i < sizeof untraceable / sizeof untraceable[0]; i++) {
        if (strncmp(word, untraceable[i].beginning, strlen(untraceable[i].beginning)) != 0)
            continue;
        wm_fail(error, WM_INVALID, "--trace-host and %s exclude each other", word);
        return wm_error_hint(error, "%s", untraceable[i].hint);
    }
    return WM_OK;
}

static enum wm_status check_tracing(const struct wm_cc_line *line, struct wm_error *error)
{
    if (line->stop == WM_CC_STOP_PTX)
        return check_traceable("--ptx", error);
    for (uint32_t i = 0; i < line->input_count; i++)
        if (line->inputs[i].kind == WM_CC_LINK)
            WM_TRY(check_traceable(line->inputs[i].text, error));
    for (uint32_t i = 0; i < line->both.count; i++)
        WM_TRY(check_traceable(line->both.items[i], error));
    for (uint32_t i = 0; i < line->host.count; i++)
        WM_TRY(check_traceable(line->host.items[i], error));
    return WM_OK;
}

static enum wm_status check_host_only(const struct wm_cc_line *line, struct wm_error *error)
{
    if (line->stop == WM_CC_STOP_PTX)
        return wm_fail(error, WM_INVALID, "--host-only and --ptx exclude each other");
    for (uint32_t i = 0; i < line->input_count; i++) {
        if (line->inputs[i].kind != WM_CC_CUDA)
            continue;
        wm_fail(error, WM_INVALID, "--host-only compiles C and C++, and \"%s\" is CUDA",
                line->inputs[i].text);
        return wm_error_hint(error, "leave the option out");
    }
    return WM_OK;
}

static enum wm_status check(const struct wm_cc_line *line, struct wm_error *error)
{
    uint32_t files = 0, sources = 0, cuda = 0;
    for (uint32_t i = 0; i < line->input_count; i++) {
        files += line->inputs[i].kind != WM_CC_LINK;
        sources += line->inputs[i].kind == WM_CC_CUDA || line->inputs[i].kind == WM_CC_HOST;
        cuda += line->inputs[i].kind == WM_CC_CUDA;
    }
    if (files == 0) {
        wm_fail(error, WM_INVALID, "no input file");
        return wm_error_hint(error, "name one: warpmem cc app.cu -o app");
    }
    uint32_t outputs = line->stop == WM_CC_STOP_PTX ? cuda : sources;
    if (line->stop == WM_CC_STOP_PTX && cuda == 0)
        return wm_fail(error, WM_INVALID, "--ptx needs a .cu file");
    if (line->stop == WM_CC_STOP_OBJECT && sources == 0)
        return wm_fail(error, WM_INVALID, "-c needs a source file");
    if (line->stop == WM_CC_STOP_SYNTAX && sources == 0)
        return wm_fail(error, WM_INVALID, "-fsyntax-only needs a source file");
    bool several = line->stop == WM_CC_STOP_OBJECT || line->stop == WM_CC_STOP_PTX;
    if (line->output && several && outputs > 1)
        return wm_fail(error, WM_INVALID, "-o names one file, and there would be %u", outputs);
    if (line->host_only)
        WM_TRY(check_host_only(line, error));
    if (line->trace_host)
        WM_TRY(check_tracing(line, error));
    return check_outputs(line, error);
}

enum wm_status wm_cc_command_line_parse(const char *const *words, uint32_t count,
                                        struct wm_arena *arena, struct wm_cc_line *line,
                                        struct wm_error *error)
{
    *line = (struct wm_cc_line){.architecture = "sm_70", .stop = WM_CC_STOP_NEVER};
    line->inputs = WM_ARENA_ARRAY(arena, struct wm_cc_input, count + 1);
    line->both.items = WM_ARENA_ARRAY(arena, const char *, count + 1);
    line->host.items = WM_ARENA_ARRAY(arena, const char *, count + 1);
    if (!line->inputs || !line->both.items || !line->host.items)
        return wm_fail_no_memory(error, "reading the command line");
    struct parser parser = {words, count, 0, arena, line, error};
    bool files_only = false; // behind "--"
    while (parser.next < count) {
        const char *word = words[parser.next++];
        if (!files_only && strcmp(word, "--") == 0)
            files_only = true;
        else if (!files_only && word[0] == '-' && word[1] != '\0')
            WM_TRY(take_option(&parser, word));
        else
            WM_TRY(add_file(&parser, word));
    }
    return check(line, error);
}

const char *wm_cc_stem(struct wm_arena *arena, const char *path)
{
    const char *start;
    size_t length = stem_of(path, &start);
    return wm_arena_copy_text(arena, start, length);
}
