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

create table mysql_variables (
  node text collate "C" not null,     -- '' of a node by itself
  server text collate "C" not null,   -- its name in the settings
  name text collate "C" not null,
  value text collate "C" not null,    -- as an administrator set it
  files_value text collate "C" not null, -- that of the server's own files
  is_pending bigint not null check (is_pending in (0, 1)), -- 1 = the server was asked, and the event is not recorded
  changed_by text collate "C" not null,
  changed_at bigint not null,         -- milliseconds since 1970
  ip text collate "C" not null,
  primary key (node, server, name)
);
