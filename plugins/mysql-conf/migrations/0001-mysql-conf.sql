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

create table mysql_variables (
  node text not null,                 -- '' of a node by itself
  server text not null,               -- its name in the settings
  name text not null,
  value text not null,                -- as an administrator set it
  files_value text not null,          -- that of the server's own files
  is_pending integer not null check (is_pending in (0, 1)), -- 1 = the server was asked, and the event is not recorded
  changed_by text not null,
  changed_at integer not null,        -- milliseconds since 1970
  ip text not null,
  primary key (node, server, name)
) strict;
