-- The kind `maintenance` is new. SQLite changes a check only by making the table anew.
create table mysql_changes_made_anew (
  id integer primary key autoincrement,
  account_id integer not null references accounts (id) on delete cascade,
  kind text not null check (kind in ('database', 'user', 'import', 'query', 'maintenance', 'password', 'access')),
  name text not null,
  host text not null,                 -- '' of a database
  change text not null check (change in ('create', 'drop')),
  about text not null,                -- JSON; see `Change`
  ip text not null,
  claimed_by text not null,           -- process that makes it, '' if none does any more
  unique (account_id, kind, name, host)
) strict;
insert into mysql_changes_made_anew (id, account_id, kind, name, host, change, about, ip, claimed_by)
  select id, account_id, kind, name, host, change, about, ip, claimed_by from mysql_changes;
drop table mysql_changes;
alter table mysql_changes_made_anew rename to mysql_changes;
