/*
 * statement.h: one COPY FROM statement, from its parse tree to its row count.
 */
#pragma once
#include "pg/pg.h"

extern "C" {
#include "nodes/parsenodes.h"
#include "parser/parse_node.h"
}

namespace mr {

/* Could the fast path take this statement, as far as its text tells? (COPY table FROM with millrace.copy on.) */
bool copy_statement_is_ours(const Node* statement);

/*
 * Runs COPY table FROM: DoCopy() with our loader where it is eligible and core's
 * CopyFrom() where not. Records what it did in last_copy. The statement's tree is scribbled on.
 */
uint64 copy_statement_run(ParseState* pstate, CopyStmt* statement);

}  // namespace mr
