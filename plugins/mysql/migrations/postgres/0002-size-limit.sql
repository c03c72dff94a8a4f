-- Accounts whose databases have reached the size of their plan.
create table mysql_stopped (
  account_id bigint primary key references accounts (id) on delete cascade,
  is_done bigint not null check (is_done in (0, 1)) -- whether all their users lack what makes databases grow
);

-- What is taken from users meanwhile, from before it is revoked until after it is granted again.
create table mysql_withheld (
  account_id bigint not null references accounts (id) on delete cascade,
  name text collate "C" not null,
  host text collate "C" not null,
  pattern text collate "C" not null,  -- as in mysql.db
  privileges text collate "C" not null, -- JSON
  primary key (account_id, name, host, pattern)
);
