/*
 * order.h: groups handed out in the order of the Sort that core would have grouped by.
 */
#pragma once
#include "scan/groups.h"
#include "scan/program.h"
#include "scan/shape.h"

extern "C" {
#include "utils/sortsupport.h"
}

namespace mr {

struct GroupOrder {
  int n; /* sort keys that are group keys; 0: groups go out as they were first met */
  int* keys;
  SortSupport by;
  uint32* groups; /* sorted; lives with the states */
};

/*
 * Would a program that groups by hashing, and sorts afterwards, give just what core's sorted grouping gives?
 * NULL, or the reason why not.
 */
const char* order_check(const Program* program, const Shape* shape);

/* Are the states the same in whatever order rows, or partial states, are put together? */
bool any_order_does(const Program* program);

/* In CurrentMemoryContext. */
void order_init(GroupOrder* order, const Program* program, const Shape* shape);

/* Sorts the groups of a complete table. False: some compare as equal, so that their order is not known. */
bool order_groups(GroupOrder* order, GroupTable* table);

}  // namespace mr
