// The lane kernels for processors with AVX2, FMA and BMI2.
#include "exec/lanes/lane_template.h"

#include "exec/lanes/lanes_integer.inc"

#include "exec/lanes/lanes_bits.inc"

#include "exec/lanes/lanes_fields.inc"

#include "exec/lanes/lanes_compare.inc"

#include "exec/lanes/lanes_float.inc"

#include "exec/lanes/lanes_convert.inc"

#include "exec/lanes/lanes_half.inc"

#include "exec/lanes/lanes_directed.inc"

#include "exec/lanes/lanes_approximate.inc"

#include "exec/lanes/lanes_bfloat.inc"

#include "exec/lanes/lanes_set.inc"

#include "exec/lanes/lanes_carry.inc"

// What is rare is left to plain C.
#define LIST_CVT_RARE

#define LANE_LISTS wm_lane_lists_avx2
#include "exec/lanes/lanes_table.inc"
