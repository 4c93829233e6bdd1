/*
 * feed.h: Custom Scan (MillraceFeed), which stands for a SeqScan below an Append.
 *
 * The Append stays core's own, with its run-time pruning, hand-out to workers, rescans and
 * EXPLAIN. Asked for a row, a feed aggregates its whole relation into the states of the
 * MillraceAgg above the Append and says that it has no rows; or, when the table of groups is
 * full, gives one empty row, so that the MillraceAgg gets its turn.
 */
#pragma once
#include "scan/node.h"

namespace mr {

/* Its state is a ScanNode too, whose head is that of the MillraceAgg. */
extern const CustomScanMethods kFeedMethods;

bool is_feed(const Plan* plan);

/* The plan of a feed over scan, which becomes its child. */
Plan* feed_plan(SeqScan* scan, int plan_node_id);

/*
 * Partitions and inheriting tables are all asked for the same, so that most of what can be said of them has
 * been said of the first. Those of a UNION ALL are not.
 */
bool feeds_are_alike(const Shape* shape, List* rtable);

/*
 * Finds the feeds that initial pruning has left, and compiles their programs; or, when they are alike, leaves
 * that to when they are asked for rows: there may be thousands. NULL, or the reason to leave the node to
 * core.
 */
const char* feeds_compile(ScanNode* head);

/*
 * Lets the Append run until its end, or until states must be handed out first. Rows of children that are no
 * feeds are aggregated one by one.
 */
Progress feeds_aggregate(ScanNode* head);

}  // namespace mr
