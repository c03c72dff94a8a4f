-- Tokens that scripts use in place of a login. The store has a hash only: the token itself is shown once.
create table api_tokens (
  id text collate "C" primary key,
  account_id bigint not null references accounts (id) on delete cascade,
  hash text collate "C" not null unique,  -- SHA-256 of the token, hexadecimal; it holds 178 random bits
  name text collate "C" not null,
  networks text collate "C" not null,  -- CIDR ranges with spaces between them; empty = any address
  created_at bigint not null,  -- milliseconds since 1970, as are the other times
  expires_at bigint not null,
  last_used_at bigint,  -- to the minute
  last_used_from text collate "C" not null default ''
);
create index api_tokens_account on api_tokens (account_id, created_at, id);
create index api_tokens_expiry on api_tokens (expires_at);

create table api_token_scopes (
  token_id text collate "C" not null references api_tokens (id) on delete cascade,
  area text collate "C" not null,  -- a feature, or a part of the admin address
  access text collate "C" not null check (access in ('read', 'write')),
  primary key (token_id, area, access)
);

-- What a remembered token must not outlive.
create trigger api_tokens_delete after delete on api_tokens for each row
  when (old.expires_at > extract(epoch from clock_timestamp()) * 1000) execute function revision_moves();
create trigger api_token_scopes_delete after delete on api_token_scopes for each row execute function revision_moves();
