#include "host_trace/environment.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define OURS WM_HOST_CHANNEL_VARIABLE "="

enum { VARIABLES_UNIT = 64 };

static char filler[] = OURS;

static bool begins_with(const char *text, const char *beginning)
{
    return strncmp(text, beginning, strlen(beginning)) == 0;
}

// A single variable counts more than the object, in which each setting is a line.
const char *wm_host_setting(const char *name, size_t *length)
{
    char variable[64];
    snprintf(variable, sizeof variable, "WARPMEM_%s", name);
    const char *own = getenv(variable), *line = getenv("WARPMEM_SETTINGS");
    size_t name_length = strlen(name);
    if (own != NULL && own[0] != '\0') {
        *length = strlen(own);
        return own;
    }
    while (line != NULL) {
        size_t line_length = strcspn(line, "\n");
        if (line_length > name_length && memcmp(line, name, name_length) == 0 &&
            line[name_length] == '=') {
            *length = line_length - name_length - 1;
            return line + name_length + 1;
        }
        line = line[line_length] == '\n' ? line + line_length + 1 : NULL;
    }
    return NULL;
}

bool wm_host_is_of_tracing(const char *variable)
{
    return begins_with(variable, OURS) || begins_with(variable, WM_HOST_TRACE_VARIABLE "=");
}

char **wm_host_environment_for(int channel, bool whole)
{
    size_t count = 0, made = 0;
    while (environ[count] != NULL)
        count++;
    // With room for the first of ours, and what fills up.
    char **variables = calloc(count + 1 + VARIABLES_UNIT, sizeof *variables);
    char *first = malloc(sizeof OURS + WM_HOST_CHANNEL_CHARACTERS);
    if (variables == NULL || first == NULL)
        return NULL;
    snprintf(first, sizeof OURS + WM_HOST_CHANNEL_CHARACTERS, OURS "%05d%c", channel,
             whole ? 'a' : 'm');
    variables[made++] = first;
    for (size_t i = 0; i < count; i++)
        if (!wm_host_is_of_tracing(environ[i]))
            variables[made++] = environ[i];
    while (made % VARIABLES_UNIT != 0)
        variables[made++] = filler;
    return variables;
}
