-- Links with which an administrator opens an account: each once, for a minute, and only while that which made it lives.
create table login_links (
  hash text collate "C" primary key,  -- SHA-256 of the code, hexadecimal; the code holds 256 random bits
  account_id bigint not null references accounts (id) on delete cascade,
  operator_id bigint not null references accounts (id) on delete cascade,
  maker_id text collate "C" not null,  -- the operator's session, or API token
  by_token bigint not null check (by_token in (0, 1)),
  expires_at bigint not null  -- milliseconds since 1970
);
