-- Accounts whose import has begun and not ended: it runs, or its process was killed. The row is older than its account by moments.
create table account_imports (
  username text collate "C" primary key references accounts (username) on delete cascade deferrable initially deferred,
  began_at bigint not null  -- milliseconds since 1970
);
