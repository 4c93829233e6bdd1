#!/usr/bin/env python3
"""What forgive.py forgives, and above all what it must not. Run by test/run upstream and test/upstream/run."""
import unittest

import forgive

ROWS = '''SELECT a, count(*) FROM t GROUP BY a;
 a | count 
---+-------
 1 |     2
 2 |    40
(2 rows)
'''

PLAN = '''EXPLAIN (COSTS OFF) SELECT a, count(*) FROM t WHERE b > 1 GROUP BY a HAVING count(*) > 5;
          QUERY PLAN           
-------------------------------
 HashAggregate
   Group Key: t.a
   Filter: (count(*) > 5)
   ->  Seq Scan on t
         Filter: (b > 1)
(5 rows)
'''

OURS = '''EXPLAIN (COSTS OFF) SELECT a, count(*) FROM t WHERE b > 1 GROUP BY a HAVING count(*) > 5;
            QUERY PLAN            
----------------------------------
 Custom Scan (MillraceAgg)
   Filter: ((count(*)) > 5)
   Group Key: a
   Vectorized Filter: (b > 1)
   Evaluation: by column
   SIMD Target: avx2
   ->  Seq Scan on t
         Filter: (b > 1)
(8 rows)
'''


def judge(stock, ours):
    """What is forgiven between two files, as a list; 'wrong' where something is not."""
    frame = 'SELECT 1;\n{}\n-- more\nSELECT 2;\n'
    excused, wrong = forgive.compare(frame.format(stock).split('\n'), frame.format(ours).split('\n'))
    return 'wrong' if wrong else [why for why, _ in excused]


class Forgiven(unittest.TestCase):
    def test_same(self):
        self.assertEqual(judge(ROWS, ROWS), [])

    def test_order(self):
        ours = swapped(ROWS)
        self.assertEqual(judge(ROWS, ours), ['order'])
        self.assertEqual(judge(ROWS + ROWS, ours + ROWS), ['order'])
        self.assertEqual(judge(ROWS + ROWS, ours + ours), ['order', 'order'])

    def test_order_in_isolation_tests(self):
        stock = 'step s1: SELECT a, b FROM t;\na|b\n-+-\n1|2\n3|4\n(2 rows)\n'
        self.assertEqual(judge(stock, swapped(stock)), ['order'])

    def test_comment_is_no_order_by(self):
        stock = '-- no ORDER BY here\n' + ROWS
        self.assertEqual(judge(stock, swapped(stock)), ['order'])

    def test_plan(self):
        self.assertEqual(judge(PLAN, OURS), ['plan'])

    def test_partial_plan(self):
        self.assertEqual(judge(PLAN.replace(' HashAggregate', ' Partial HashAggregate'), OURS), ['plan'])

    def test_sorted_grouping(self):
        for node in 'GroupAggregate', 'Group':
            stock = PLAN.replace('HashAggregate', node).replace(SCAN, '   ->  Sort\n         Sort Key: a\n' + deeper(SCAN))
            self.assertEqual(judge(stock, OURS.replace('Group Key: a', 'Group Key: a\n   Sort Key: t.a')), ['plan'])

    def test_feeds(self):
        parts = '   ->  Append\n' + deeper(SCAN) + deeper(SCAN)
        feed = '   ->  Custom Scan (MillraceFeed)\n         Evaluation: by column\n' + deeper(SCAN)
        self.assertEqual(judge(PLAN.replace(SCAN, parts), OURS.replace(SCAN, '   ->  Append\n' + deeper(feed) + deeper(feed))), ['plan'])

    def test_scan(self):
        for node in 'Scan', 'TopN':
            ours = PLAN.replace('Seq Scan on t', f'Custom Scan (Millrace{node}) on t').replace('> 1)\n(5', '> 1)\n         Vectorized Filter: (b > 1)\n(6')
            self.assertEqual(judge(PLAN, ours), ['plan'])

    def test_rows_that_topn_prunes(self):
        stock = PLAN.replace('on t\n', 'on t (actual rows=8 loops=1)\n')
        ours = PLAN.replace('Seq Scan on t\n', 'Custom Scan (MillraceTopN) on t (actual rows=6 loops=1)\n')
        ours = ours.replace('> 1)\n(5', '> 1)\n         Bound: 3\n         Rows Pruned: 2\n(7')
        self.assertEqual(judge(stock, ours), ['plan'])
        self.assertEqual(judge(stock, ours.replace('Pruned: 2', 'Pruned: 3')), 'wrong')
        in_worker = ours.replace('         Rows Pruned: 2\n(7', '(6')
        self.assertEqual(judge(stock, in_worker), ['plan'])
        self.assertEqual(judge(stock, in_worker.replace('rows=6', 'rows=9')), 'wrong')

    def test_plan_without_heading(self):
        stock = 'explain (costs off) SELECT * FROM t WHERE b > 1\n Seq Scan on t\n   Filter: (b > 1)\n'
        ours = stock.replace('Seq Scan', 'Custom Scan (MillraceScan)') + '   SIMD Target: avx2\n'
        self.assertEqual(judge(stock, ours), ['plan'])
        self.assertEqual(judge(stock, ours.replace('b > 1)', 'b > 2)')), 'wrong')
        self.assertEqual(judge(stock, ours.replace('on t', 'on u')), 'wrong')

    def test_scripts_that_read_plans(self):
        warning = 'WARNING:  did not get seqscan plan for (c,=,int4,1,1)\n'
        self.assertEqual(judge(ROWS, warning + ROWS), ['plan'])
        self.assertEqual(judge(ROWS, warning + 'WARNING:  other\n' + ROWS), 'wrong')
        self.assertEqual(judge(warning + ROWS, ROWS), 'wrong')

    def test_output_above(self):
        above = ' Limit\n   Output: (sum(t.x))\n   ->  Custom Scan (MillraceAgg)\n         Output: (sum(x))\n         Evaluation: by column\n'
        stock = ' Limit\n   Output: (sum(t.x))\n   ->  Aggregate\n         Output: sum(t.x)\n'
        heading = 'EXPLAIN (VERBOSE) SELECT 1;\n QUERY PLAN \n------------\n'
        self.assertEqual(judge(heading + stock + '(4 rows)\n', heading + above + '(5 rows)\n'), ['plan'])


class NotForgiven(unittest.TestCase):
    def wrong(self, stock, ours):
        self.assertEqual(judge(stock, ours), 'wrong')

    def test_value(self):
        self.wrong(ROWS, ROWS.replace('40', '41'))

    def test_value_and_order(self):
        self.wrong(ROWS, swapped(ROWS).replace('40', '41'))

    def test_row_missing(self):
        self.wrong(ROWS, ROWS.replace(' 2 |    40\n(2 rows)', '(1 row)'))

    def test_row_missing_but_counted(self):
        self.wrong(ROWS, ROWS.replace(' 2 |    40\n', ''))

    def test_row_twice(self):
        self.wrong(ROWS, ROWS.replace(' 2 |    40\n', ' 1 |     2\n'))

    def test_count_only(self):
        self.wrong(ROWS, ROWS.replace('(2 rows)', '(3 rows)'))

    def test_heading(self):
        self.wrong(ROWS, swapped(ROWS).replace('| count ', '| total '))

    def test_width(self):
        self.wrong(ROWS, swapped(ROWS).replace('---+-------', '---+--------'))

    def test_order_asked_for(self):
        for clause in 'ORDER BY a', 'order   by 1', 'ORDER\nBY count(*) DESC -- most first':
            stock = ROWS.replace('GROUP BY a;', f'GROUP BY a\n{clause};')
            self.wrong(stock, swapped(stock))

    def test_order_within_an_aggregate(self):
        stock = ROWS.replace('count(*)', 'array_agg(b ORDER BY b)')
        self.wrong(stock, swapped(stock))

    def test_order_by_far_above(self):
        stock = 'SELECT a FROM (\n  SELECT a FROM t ORDER BY a\n) s\nGROUP\nBY a;\n' + ROWS.split('\n', 1)[1]
        self.wrong(stock, swapped(stock))

    def test_statement_that_is_not_seen(self):
        stock = 'EXECUTE q(1);\n' + ROWS.split('\n', 1)[1]
        self.wrong(stock, swapped(stock))
        stock = 'FETCH ALL FROM c;\n' + ROWS.split('\n', 1)[1]
        self.wrong(stock, swapped(stock))

    def test_rows_of_several_lines(self):
        stock = 'SELECT v FROM t;\n  v  \n-----\n a  +\n b\n c  +\n d\n(2 rows)\n'
        self.wrong(stock, stock.replace(' b\n c  +\n d\n', ' d\n c  +\n b\n'))

    def test_error(self):
        self.wrong(ROWS, 'SELECT a, count(*) FROM t GROUP BY a;\nERROR:  integer out of range\n')
        self.wrong('SELECT 1/0;\nERROR:  division by zero\n', 'SELECT 1/0;\nERROR:  integer out of range\n')

    def test_notice(self):
        self.wrong(ROWS, 'NOTICE:  hello\n' + ROWS)
        self.wrong('NOTICE:  a\nNOTICE:  b\n', 'NOTICE:  b\nNOTICE:  a\n')

    def test_ruled_comment_is_no_table(self):
        stock = '-- What follows\n--\n1\t2\n3\t4\n(2 rows)\n'
        self.wrong(stock, stock.replace('1\t2\n3\t4', '3\t4\n1\t2'))

    def test_other_statements_result(self):
        self.wrong('SELECT a;\n' + ROWS + 'SELECT b;\n', 'SELECT a;\nSELECT b;\n' + ROWS)

    def test_plan_without_our_node(self):
        self.wrong(PLAN, PLAN.replace('Seq Scan on t', 'Index Scan using i on t'))

    def test_plan_beside_our_node(self):
        self.wrong(PLAN, OURS.replace('Seq Scan on t', 'Seq Scan on u'))
        self.wrong(PLAN, OURS.replace('   ->  Seq Scan on t\n         Filter: (b > 1)\n', '   ->  Seq Scan on t\n'))
        self.wrong(PLAN, OURS.replace('         Filter: (b > 1)', '         Filter: (b > 2)'))

    def test_plan_that_groups_otherwise(self):
        self.wrong(PLAN, OURS.replace('Group Key: a', 'Group Key: b'))
        self.wrong(PLAN, OURS.replace('   Group Key: a\n', ''))
        self.wrong(PLAN, OURS.replace('count(*)) > 5', 'count(*)) > 6'))

    def test_node_in_place_of_another(self):
        for node in 'GroupAggregate', 'Unique', 'Finalize Aggregate', 'Seq Scan on t', 'MixedAggregate':
            self.wrong(PLAN.replace('HashAggregate', node), OURS)

    def test_scan_of_another_table(self):
        for ours in 'Custom Scan (MillraceScan) on u', 'Parallel Custom Scan (MillraceScan) on t', 'Custom Scan (Other) on t':
            self.wrong(PLAN, PLAN.replace('Seq Scan on t', ours))
        self.wrong(PLAN.replace('Seq Scan on t', 'Index Scan on t'), PLAN.replace('Seq Scan on t', 'Custom Scan (MillraceScan) on t'))

    def test_scan_without_its_filter(self):
        ours = PLAN.replace('Seq Scan on t', 'Custom Scan (MillraceScan) on t')
        self.wrong(PLAN, ours.replace('         Filter: (b > 1)\n', ''))
        self.wrong(PLAN, ours.replace('(b > 1)', '(b > 2)'))

    def test_feed_of_another_table(self):
        feed = '   ->  Custom Scan (MillraceFeed)\n' + deeper(SCAN)
        self.wrong(PLAN, OURS.replace(SCAN, feed.replace('on t', 'on u')))
        self.wrong(PLAN, OURS.replace(SCAN, feed + deeper(SCAN)))

    def test_sort_elsewhere(self):
        stock = PLAN.replace('HashAggregate', 'GroupAggregate').replace(SCAN, '   ->  Sort\n         Sort Key: a\n' + deeper(SCAN))
        self.wrong(stock, OURS)
        self.wrong(stock, OURS.replace('Group Key: a', 'Group Key: a\n   Sort Key: a DESC'))
        self.wrong(PLAN.replace(SCAN, '   ->  Sort\n         Sort Key: a\n' + deeper(SCAN)), OURS)

    def test_rows_of_a_plan(self):
        stock = PLAN.replace('HashAggregate', 'HashAggregate (actual rows=2 loops=1)')
        self.wrong(stock, OURS.replace('(MillraceAgg)', '(MillraceAgg) (actual rows=3 loops=1)'))

    def test_plan_text_under_another_heading(self):
        self.wrong(PLAN.replace('QUERY PLAN', 'query_plan'), OURS.replace('QUERY PLAN', 'query_plan'))


SCAN = '''   ->  Seq Scan on t
         Filter: (b > 1)
'''


def deeper(text):
    return ''.join('      ' + line + '\n' for line in text.rstrip('\n').split('\n'))


def swapped(text):
    """The last two rows of the table changed places."""
    head, _, tail = text.rpartition('\n(')
    lines = head.split('\n')
    lines[-1], lines[-2] = lines[-2], lines[-1]
    return '\n'.join(lines) + '\n(' + tail


if __name__ == '__main__':
    unittest.main()
