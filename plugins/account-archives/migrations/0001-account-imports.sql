-- Accounts whose import has begun and not ended: it runs, or its process was killed. The row is older than its account by moments.
create table account_imports (
  username text primary key references accounts (username) on delete cascade deferrable initially deferred,
  began_at integer not null,        -- milliseconds since 1970
  -- what a plugin makes the account of that removes it again if the process is killed; empty where an operator does
  source text not null default ''
) strict, without rowid;
