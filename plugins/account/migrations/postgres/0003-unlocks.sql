-- When an operator last unlocked an account, in milliseconds since 1970: failures up to then no longer count for it.
create table login_unlocks (
  account_id bigint primary key references accounts (id) on delete cascade,
  at bigint not null
);
