// A field of comma-separated values. Private to study/.
#ifndef WM_STUDY_FORMAT_CSV_FIELD_H
#define WM_STUDY_FORMAT_CSV_FIELD_H

#include <stdio.h>

// Writes the text, in quotes where RFC 4180 requires them.
void wm_csv_field(FILE *stream, const char *text);

#endif
