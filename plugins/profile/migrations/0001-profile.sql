create table favorites (
  id integer primary key autoincrement,
  account_id integer not null references accounts (id) on delete cascade,
  link text not null,
  title text not null,
  place integer not null default 0, -- the order that the account gives its favorites
  unique (account_id, link)
) strict;
