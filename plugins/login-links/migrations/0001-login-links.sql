-- Links with which an administrator opens an account: each once, for a minute, and only while that which made it lives.
create table login_links (
  hash text primary key,            -- SHA-256 of the code, hexadecimal; the code holds 256 random bits
  account_id integer not null references accounts (id) on delete cascade,
  operator_id integer not null references accounts (id) on delete cascade,
  maker_id text not null,           -- the operator's session, or API token
  by_token integer not null check (by_token in (0, 1)),
  expires_at integer not null       -- milliseconds since 1970
) strict, without rowid;
