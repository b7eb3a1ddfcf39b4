// Text in a page: none of it becomes markup; and what all pages that are no report look like.
#ifndef WM_STUDY_FORMAT_HTML_TEXT_H
#define WM_STUDY_FORMAT_HTML_TEXT_H

#include <stdio.h>

// What stands for a character that would be markup, between tags or in a quoted attribute, of HTML
// and of SVG; NULL: itself.
const char *wm_markup_entity(char character);

// Writes text of a program's author, between tags or in a quoted attribute: no byte of it is
// markup. Control characters but tabs and line ends are left out; what is no UTF-8 the browser
// replaces.
void wm_html_text(FILE *stream, const char *text);

// Colours of both schemes, headings, facts, and tables in boxes that scroll. In style.c.
extern const char wm_page_style[];

#endif
