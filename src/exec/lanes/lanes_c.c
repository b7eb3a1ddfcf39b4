// The lane kernels in plain C: the oracle of the other builds, and the build of any processor.
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

#include "exec/lanes/lanes_directed_convert.inc"

#include "exec/lanes/lanes_set.inc"

#include "exec/lanes/lanes_carry.inc"

#define LIST_CVT_RARE LIST_CVT_DIRECTED(ENTRY_DIRECTED_1) LIST_CVT_HALF_RARE(ENTRY_1)
LIST_CVT_HALF_RARE(DEFINE_1)

#define LANE_LISTS wm_lane_lists_c
#include "exec/lanes/lanes_table.inc"
