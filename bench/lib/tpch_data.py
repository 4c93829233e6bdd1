"""The tables of TPC-H, made by SQL alone: the specification's columns, row counts, key structure and value distributions.

    for sql in statements(schema, scale, analyzed=True): connection.must(sql)

Values come of hashes of the rows' keys, so that the same scale gives the same data everywhere; they are not dbgen's. Scale 1 is
10,000 suppliers, 200,000 parts, 800,000 part-supplier pairs, 150,000 customers, 1,500,000 orders and 6,000,000 line items.
"""
import zlib

COLORS = """almond antique aquamarine azure beige bisque black blanched blue blush brown burlywood burnished chartreuse chiffon
chocolate coral cornflower cornsilk cream cyan dark deep dim dodger drab firebrick floral forest frosted gainsboro ghost goldenrod
green grey honeydew hot indian ivory khaki lace lavender lawn lemon light lime linen magenta maroon medium metallic midnight mint
misty moccasin navajo navy olive orange orchid pale papaya peach peru pink plum powder puff purple red rose rosy royal saddle salmon
sandy seashell sienna sky slate smoke snow spring steel tan thistle tomato turquoise violet wheat white yellow""".split()
NATIONS = [("ALGERIA", 0), ("ARGENTINA", 1), ("BRAZIL", 1), ("CANADA", 1), ("EGYPT", 4), ("ETHIOPIA", 0), ("FRANCE", 3),
           ("GERMANY", 3), ("INDIA", 2), ("INDONESIA", 2), ("IRAN", 4), ("IRAQ", 4), ("JAPAN", 2), ("JORDAN", 4), ("KENYA", 0),
           ("MOROCCO", 0), ("MOZAMBIQUE", 0), ("PERU", 1), ("CHINA", 2), ("ROMANIA", 3), ("SAUDI ARABIA", 4), ("VIETNAM", 2),
           ("RUSSIA", 3), ("UNITED KINGDOM", 3), ("UNITED STATES", 1)]
REGIONS = ["AFRICA", "AMERICA", "ASIA", "EUROPE", "MIDDLE EAST"]
WORDS = """furiously carefully quickly blithely slyly ironic final pending express regular even bold silent daring unusual packages
deposits accounts instructions foxes theodolites pinto beans ideas asymptotes platelets sleep wake haggle nag boost detect cajole
integrate among the above according to across never against quietly""".split()

TABLES = """
create table region (r_regionkey int not null, r_name char(25) not null, r_comment varchar(152));
create table nation (n_nationkey int not null, n_name char(25) not null, n_regionkey int not null, n_comment varchar(152));
create table supplier (s_suppkey int not null, s_name char(25) not null, s_address varchar(40) not null, s_nationkey int not null,
  s_phone char(15) not null, s_acctbal numeric(15,2) not null, s_comment varchar(101) not null);
create table part (p_partkey int not null, p_name varchar(55) not null, p_mfgr char(25) not null, p_brand char(10) not null,
  p_type varchar(25) not null, p_size int not null, p_container char(10) not null, p_retailprice numeric(15,2) not null,
  p_comment varchar(23) not null);
create table partsupp (ps_partkey int not null, ps_suppkey int not null, ps_availqty int not null,
  ps_supplycost numeric(15,2) not null, ps_comment varchar(199) not null);
create table customer (c_custkey int not null, c_name varchar(25) not null, c_address varchar(40) not null, c_nationkey int not null,
  c_phone char(15) not null, c_acctbal numeric(15,2) not null, c_mktsegment char(10) not null, c_comment varchar(117) not null);
create table orders (o_orderkey int not null, o_custkey int not null, o_orderstatus char(1) not null,
  o_totalprice numeric(15,2) not null, o_orderdate date not null, o_orderpriority char(15) not null, o_clerk char(15) not null,
  o_shippriority int not null, o_comment varchar(79) not null);
create table lineitem (l_orderkey int not null, l_partkey int not null, l_suppkey int not null, l_linenumber int not null,
  l_quantity numeric(15,2) not null, l_extendedprice numeric(15,2) not null, l_discount numeric(15,2) not null,
  l_tax numeric(15,2) not null, l_returnflag char(1) not null, l_linestatus char(1) not null, l_shipdate date not null,
  l_commitdate date not null, l_receiptdate date not null, l_shipinstruct char(25) not null, l_shipmode char(10) not null,
  l_comment varchar(44) not null);
"""
NAMES = ["region", "nation", "supplier", "part", "partsupp", "customer", "orders", "lineitem"]

INDEXES = """
alter table region add primary key (r_regionkey);
alter table nation add primary key (n_nationkey);
alter table supplier add primary key (s_suppkey);
alter table part add primary key (p_partkey);
alter table partsupp add primary key (ps_partkey, ps_suppkey);
alter table customer add primary key (c_custkey);
alter table orders add primary key (o_orderkey);
alter table lineitem add primary key (l_orderkey, l_linenumber);
create index on nation (n_regionkey);
create index on supplier (s_nationkey);
create index on partsupp (ps_suppkey);
create index on customer (c_nationkey);
create index on orders (o_custkey);
create index on lineitem (l_partkey, l_suppkey);
create index on lineitem (l_suppkey);
"""

FOREIGN_KEYS = """
alter table nation add foreign key (n_regionkey) references region;
alter table supplier add foreign key (s_nationkey) references nation;
alter table partsupp add foreign key (ps_partkey) references part, add foreign key (ps_suppkey) references supplier;
alter table customer add foreign key (c_nationkey) references nation;
alter table orders add foreign key (o_custkey) references customer;
alter table lineitem add foreign key (l_orderkey) references orders, add foreign key (l_partkey, l_suppkey) references partsupp;
"""

# r(key, salt, n): 0 to n - 1. one(list, key, salt): an element. supplier_of(part, which, suppliers): the specification's formula.
FUNCTIONS = """
create function r(bigint, int, bigint) returns bigint immutable language sql as
  $$ select (hashint8extended($1, $2) & 9223372036854775807) % $3 $$;
create function one(text[], bigint, int) returns text immutable language sql as
  $$ select $1[1 + r($2, $3, array_length($1, 1))] $$;
create function words(bigint, int, low int, high int) returns text immutable language sql as
  $$ select substr({pool}, 1 + r($1, $2, {pool_length} - $4)::int, $3 + r($1, $2 + 1, $4 - $3 + 1)::int) $$;
create function retail_price(bigint) returns numeric immutable language sql as
  $$ select (90000 + ($1 / 10) % 20001 + 100 * ($1 % 1000)) / 100.0 $$;
create function supplier_of(bigint, bigint, bigint) returns bigint immutable language sql as
  $$ select ($1 + $2 * ($3 / 4 + ($1 - 1) / $3)) % $3 + 1 $$;
create function phone(nation bigint, bigint, int) returns text immutable language sql as
  $$ select concat_ws('-', 10 + $1, 100 + r($2, $3, 900), 100 + r($2, $3 + 1, 900), 1000 + r($2, $3 + 2, 9000)) $$;
"""

# Orders' keys leave three quarters of the numbers out, and a third of the customers order nothing. Orders take their price and
# status from their line items, which are made first, from order_base.
LOAD = """
insert into region select i - 1, name, words(i, 10, 31, 115) from unnest({regions}) with ordinality as r(name, i);
insert into nation select i - 1, name, ({nation_regions})[i], words(i, 20, 31, 114)
  from unnest({nations}) with ordinality as n(name, i);
insert into supplier select k, 'Supplier#' || lpad(k::text, 9, '0'), words(k, 30, 10, 40), nation, phone(nation, k, 33),
  r(k, 36, 1099999) / 100.0 - 999.99,
  case k % 2000 when 13 then 'Customer slow Complaints ' when 26 then 'Customer kind Recommends ' else '' end || words(k, 37, 25, 75)
  from generate_series(1, {suppliers}) k, lateral (select (k + r(k / 25, 32, 25)) % 25) as n(nation) order by k;
insert into part select k, (select string_agg(({colors})[1 + (r(k, 40, 92) + i * (1 + r(k, 41, 22))) % 92], ' ' order by i)
    from generate_series(0, 4) i),
  'Manufacturer#' || mfgr, 'Brand#' || mfgr || 1 + r(k, 43, 5),
  concat_ws(' ', one('{{STANDARD,SMALL,MEDIUM,LARGE,ECONOMY,PROMO}}', k, 44), one('{{ANODIZED,BURNISHED,PLATED,POLISHED,BRUSHED}}', k, 45),
    one('{{TIN,NICKEL,BRASS,STEEL,COPPER}}', k, 46)), 1 + r(k, 47, 50),
  one('{{SM,LG,MED,JUMBO,WRAP}}', k, 48) || ' ' || one('{{CASE,BOX,BAG,JAR,PKG,PACK,CAN,DRUM}}', k, 49), retail_price(k), words(k, 50, 5, 22)
  from generate_series(1, {parts}) k, lateral (select 1 + r(k, 42, 5)) as m(mfgr) order by k;
insert into partsupp select k, supplier_of(k, i, {suppliers}), 1 + r(k * 4 + i, 60, 9999), 1 + r(k * 4 + i, 61, 99901) / 100.0,
  words(k * 4 + i, 62, 49, 198) from generate_series(1, {parts}) k, generate_series(0, 3) i order by k, i;
insert into customer select k, 'Customer#' || lpad(k::text, 9, '0'), words(k, 70, 10, 40), nation, phone(nation, k, 73),
  r(k, 76, 1099999) / 100.0 - 999.99, one('{{AUTOMOBILE,BUILDING,FURNITURE,MACHINERY,HOUSEHOLD}}', k, 77), words(k, 78, 29, 116)
  from generate_series(1, {customers}) k, lateral (select r(k, 72, 25)) as n(nation) order by k;
create temp table order_base as select (i - 1) / 8 * 32 + (i - 1) % 8 + 1 as orderkey, date '1992-01-01' + r(i, 80, 2406)::int as orderdate
  from generate_series(1, {orders}) i;
insert into lineitem select orderkey, part, supplier_of(part, r(k, 91, 4), {suppliers}), n, quantity, quantity * retail_price(part),
  r(k, 93, 11) / 100.0, r(k, 94, 9) / 100.0, case when receipt > date '1995-06-17' then 'N' when r(k, 98, 2) = 0 then 'R' else 'A' end,
  case when ship > date '1995-06-17' then 'O' else 'F' end, ship, orderdate + 30 + r(k, 96, 61)::int, receipt,
  one('{{DELIVER IN PERSON,COLLECT COD,NONE,TAKE BACK RETURN}}', k, 99), one('{{REG AIR,AIR,RAIL,SHIP,TRUCK,MAIL,FOB}}', k, 100),
  words(k, 101, 10, 43)
  from order_base, lateral generate_series(1, 1 + r(orderkey, 90, 7)) n,
    lateral (select orderkey * 8 + n, orderdate + 1 + r(orderkey * 8 + n, 95, 121)::int) as i(k, ship),
    lateral (select 1 + r(k, 92, {parts}), 1 + r(k, 102, 50), ship + 1 + r(k, 97, 30)::int) as j(part, quantity, receipt)
  order by orderkey, n;
insert into orders select orderkey, c - c % 3 + 1 + r(orderkey, 82, 2), status, price, orderdate,
  one('{{1-URGENT,2-HIGH,3-MEDIUM,4-NOT SPECIFIED,5-LOW}}', orderkey, 83), 'Clerk#' || lpad((1 + r(orderkey, 84, {clerks}))::text, 9, '0'), 0,
  words(orderkey, 85, 19, 78)
  from order_base, lateral (select r(orderkey, 81, {customers} - 2)) as d(c),
    (select l_orderkey, sum(l_extendedprice * (1 + l_tax) * (1 - l_discount)),
        case when min(l_linestatus) = 'O' then 'O' when max(l_linestatus) = 'F' then 'F' else 'P' end
      from lineitem group by 1) as s(l_orderkey, price, status)
  where l_orderkey = orderkey order by orderkey;
drop table order_base;
"""

# The specification's query 15 makes a view and drops it.
VIEW = """
create view revenue0 (supplier_no, total_revenue) as
  select l_suppkey, sum(l_extendedprice * (1 - l_discount)) from lineitem
  where l_shipdate >= date '1996-01-01' and l_shipdate < date '1996-01-01' + interval '3' month group by l_suppkey;
"""


def pool():
    """Text that comments are pieces of. About one order's comment in a hundred has query 13's words, as in the specification."""
    text = [WORDS[zlib.crc32(b"%d" % i) % len(WORDS)] for i in range(700)]
    text[350] = "special blithe requests"
    return " ".join(text)


def array(values):
    return "array[" + ", ".join("'%s'" % v if isinstance(v, str) else str(v) for v in values) + "]"


def statements(schema, scale, analyzed):
    """SQL scripts that make the tables in a new schema of that name. Not analyzed: no statistics and no all-visible page, and
    autovacuum is kept from changing that; the indexes are made first, since making one counts the rows of its table."""
    text = pool()
    values = {"suppliers": max(100, round(10000 * scale)), "parts": round(200000 * scale), "customers": round(150000 * scale),
              "orders": round(1500000 * scale), "clerks": max(10, round(1000 * scale)), "pool": "'%s'" % text,
              "pool_length": len(text), "colors": array(COLORS), "regions": array(REGIONS),
              "nations": array([n[0] for n in NATIONS]), "nation_regions": array([n[1] for n in NATIONS])}
    fixed = "".join("alter table %s set (autovacuum_enabled = off);" % name for name in NAMES)
    load = LOAD.format(**values)
    yield "set client_min_messages = warning; drop schema if exists %s cascade; create schema %s; set search_path = %s" % (
        schema, schema, schema)
    yield TABLES + FUNCTIONS.format(**values)
    if analyzed:
        yield load + INDEXES + FOREIGN_KEYS + VIEW
        for name in NAMES:
            yield "vacuum analyze %s" % name
    else:
        yield fixed + INDEXES + load + FOREIGN_KEYS + VIEW
