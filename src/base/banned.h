// Functions that do not compile in this project: each has an unbounded, locale-bound or
// non-reentrant behaviour that has bitten every C project that kept it. Force-included.
#ifndef WM_BASE_BANNED_H
#define WM_BASE_BANNED_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#pragma GCC poison strcpy strcat sprintf vsprintf strtok gets atoi atol atof rand srand
#pragma GCC poison localtime gmtime ctime asctime

#endif
