create table mysql_user_limits (
  account_id bigint not null references accounts (id) on delete cascade,
  name text collate "C" not null,
  host text collate "C" not null,
  own text collate "C" not null,      -- JSON: see `UserLimits`, apart from the plan
  primary key (account_id, name, host)
);

create table mysql_collation_changes (
  account_id bigint not null references accounts (id) on delete cascade,
  name text collate "C" not null,     -- of a database whose collation is being changed
  wanted text collate "C" not null,   -- collation
  ip text collate "C" not null,
  primary key (account_id, name)
);
