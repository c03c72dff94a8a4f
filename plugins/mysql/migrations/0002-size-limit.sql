-- Accounts whose databases have reached the size of their plan.
create table mysql_stopped (
  account_id integer primary key references accounts (id) on delete cascade,
  is_done integer not null check (is_done in (0, 1)) -- whether all their users lack what makes databases grow
) strict;

-- What is taken from users meanwhile, from before it is revoked until after it is granted again.
create table mysql_withheld (
  account_id integer not null references accounts (id) on delete cascade,
  name text not null,
  host text not null,
  pattern text not null,              -- as in mysql.db
  privileges text not null,           -- JSON
  primary key (account_id, name, host, pattern)
) strict, without rowid;
