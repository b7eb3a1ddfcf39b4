#include "litmus_page.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_BYTES = 1 << 16 };

char *litmus_page_read(void)
{
    FILE *file = fopen(LITMUS_PAGE, "r");
    char *text = calloc(1, MOST_BYTES);
    cr_assert(file != NULL && text != NULL);
    size_t bytes = fread(text, 1, MOST_BYTES - 1, file);
    cr_assert(bytes > 0 && bytes < MOST_BYTES - 1, "%s has %zu bytes or more", LITMUS_PAGE, bytes);
    fclose(file);
    return text;
}

void litmus_page_expect(const char *page, const char *row)
{
    cr_expect(strstr(page, row) != NULL, "docs/litmus.md has no row\n%s", row);
}
