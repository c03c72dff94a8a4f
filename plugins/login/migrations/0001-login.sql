-- All times are milliseconds since 1970.
create table login_history (
  id integer primary key autoincrement,
  account_id integer not null references accounts (id) on delete cascade,
  at integer not null,
  ip text not null
) strict;
create index login_history_account on login_history (account_id, id);

-- Networks from which an account has logged in: what others do wrong does not lock it out there.
create table known_networks (
  account_id integer not null references accounts (id) on delete cascade,
  network text not null,            -- an IPv4 address, or the first 64 bits of an IPv6 one
  at integer not null,              -- of the newest login
  primary key (account_id, network)
) strict, without rowid;

-- Wrong passwords and codes, once for each budget that they count against. Names are hashed.
create table login_failures (
  id integer primary key,
  budget text not null,
  at integer not null
) strict;
create index login_failures_budget on login_failures (budget, at);
create index login_failures_at on login_failures (at);

create table twofa (
  account_id integer primary key references accounts (id) on delete cascade,
  secret text not null,             -- base32, sealed with the node's key
  started_at integer not null,
  enabled_at integer,               -- null while the set-up waits for its first code
  last_step integer not null        -- of the newest code that was used; that one and older ones are worth nothing
) strict;

create table recovery_codes (
  account_id integer not null references twofa (account_id) on delete cascade,
  hash text not null,               -- SHA-256, hexadecimal; the codes hold 80 random bits
  primary key (account_id, hash)
) strict, without rowid;

-- Who changes the password may suspect a stranger in the account, whose set-up of a second factor must not be confirmed later.
create trigger twofa_password_change after update of password_hash on accounts begin
  delete from twofa where account_id = new.id and enabled_at is null;
end;

-- When an operator last unlocked an account, in milliseconds since 1970: failures up to then no longer count for it.
create table login_unlocks (
  account_id integer primary key references accounts (id) on delete cascade,
  at integer not null
) strict;
