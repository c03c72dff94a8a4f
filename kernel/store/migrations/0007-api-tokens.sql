-- Tokens that scripts use in place of a login. The store has a hash only: the token itself is shown once.
create table api_tokens (
  id text primary key,
  account_id integer not null references accounts (id) on delete cascade,
  hash text not null unique,        -- SHA-256 of the token, hexadecimal; it holds 178 random bits
  name text not null,
  networks text not null,           -- CIDR ranges with spaces between them; empty = any address
  created_at integer not null,      -- milliseconds since 1970, as are the other times
  expires_at integer not null,
  last_used_at integer,             -- to the minute
  last_used_from text not null default ''
) strict;
create index api_tokens_account on api_tokens (account_id, created_at, id);
create index api_tokens_expiry on api_tokens (expires_at);

create table api_token_scopes (
  token_id text not null references api_tokens (id) on delete cascade,
  area text not null,               -- a feature, or a part of the admin address
  access text not null check (access in ('read', 'write')),
  primary key (token_id, area, access)
) strict, without rowid;

-- What a remembered token must not outlive.
create trigger api_tokens_delete after delete on api_tokens when old.expires_at > unixepoch() * 1000 begin update revision set n = n + 1; end;
create trigger api_token_scopes_delete after delete on api_token_scopes begin update revision set n = n + 1; end;
