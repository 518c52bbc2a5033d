# SPDX-License-Identifier: BSD-2-Clause
# sqlite: a table of 100,000 rows of 200 bytes, and an index, by which 100,000 rows are then read at random.
set -e
sqlite3 rows.db <<SQL
create table rows(number integer primary key, name text, body blob);
with recursive n(i) as (select 1 union all select i + 1 from n where i < 100000)
insert into rows select i, printf('%08x', i * 2654435761 % 4294967296), randomblob(200) from n;
create index by_name on rows(name);
with recursive n(i) as (select 1 union all select i + 1 from n where i < 100000)
select sum(length(body)) from n
join rows on name = printf('%08x', (1 + abs(random()) % 100000) * 2654435761 % 4294967296);
SQL
