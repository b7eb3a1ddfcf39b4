// docs/litmus.md, whose tables say what has been seen: a row for each test and form.
#ifndef WM_TESTS_LITMUS_PAGE_H
#define WM_TESTS_LITMUS_PAGE_H

// The page's text; the caller frees it.
char *litmus_page_read(void);
// The test fails where no line of the page has the row.
void litmus_page_expect(const char *page, const char *row);

#endif
