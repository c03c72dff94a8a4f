create table mysql_user_limits (
  account_id integer not null references accounts (id) on delete cascade,
  name text not null,
  host text not null,
  own text not null,                  -- JSON: see `UserLimits`, apart from the plan
  primary key (account_id, name, host)
) strict;

create table mysql_collation_changes (
  account_id integer not null references accounts (id) on delete cascade,
  name text not null,                 -- of a database whose collation is being changed
  wanted text not null,               -- collation
  ip text not null,
  primary key (account_id, name)
) strict;
