create table plans (
  name text primary key,
  description text not null
) strict;

create table plan_features (
  plan text not null references plans (name) on delete cascade on update cascade,
  feature text not null,
  primary key (plan, feature)
) strict, without rowid;

create table plan_limits (
  plan text not null references plans (name) on delete cascade on update cascade,
  name text not null,
  value real not null,             -- 0 = unlimited
  primary key (plan, name)
) strict, without rowid;

create table accounts (
  id integer primary key autoincrement,
  username text not null unique,
  role text not null check (role in ('user', 'admin')),
  email text not null default '',
  password_hash text not null,
  plan text references plans (name) on update cascade,
  locale text not null default 'en',
  suspended_at integer,             -- all times: milliseconds since 1970
  created_at integer not null,
  home text not null default '',    -- node of a fleet with its files, containers and databases; empty for a node by itself
  read_only integer not null default 0 check (read_only in (0, 1)) -- 1 = its last differences go to another node
) strict;
create index accounts_plan on accounts (plan, username);
-- What lists of accounts are sorted and filtered by.
create index accounts_home on accounts (home, username);
create index accounts_created on accounts (created_at, username);
create index accounts_email on accounts (email, username);
create index accounts_by_plan on accounts (coalesce(plan, ''), username);
create index accounts_role on accounts (role, username);
create index accounts_suspended on accounts (username) where suspended_at is not null;

-- Names of removed accounts, which no new account gets until what they left outside the store is purged.
create table removed_accounts (
  username text primary key,
  account_id integer not null,
  removed_at integer not null,
  home text not null default ''     -- the node that had what is to be purged
) strict, without rowid;

create table account_features (
  account_id integer not null references accounts (id) on delete cascade,
  feature text not null,
  granted integer not null check (granted in (0, 1)),
  primary key (account_id, feature)
) strict, without rowid;

create table sessions (
  id text primary key,              -- the token's jti
  account_id integer not null references accounts (id) on delete cascade,
  created_at integer not null,
  expires_at integer not null,
  ip text not null,
  user_agent text not null,
  reauthenticated_at integer,       -- when password and second factor were last proved again; null if never, or if one changed
  opened_by text                    -- the administrator who opened it with a login link
) strict;
-- An account's sessions are read in pages, newest first; those of all in the order of their expiry.
create index sessions_account on sessions (account_id, created_at, id);
create index sessions_expiry on sessions (expires_at, id);

-- Tokens that scripts use in place of a login. The store has a hash only: the token itself is shown once.
create table api_tokens (
  id text primary key,
  account_id integer not null references accounts (id) on delete cascade,
  hash text not null unique,        -- SHA-256 of the token, hexadecimal; it holds 178 random bits
  name text not null,
  networks text not null,           -- CIDR ranges with spaces between them; empty = any address
  created_at integer not null,
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

-- The log of what happened: the activity page reads it, other consumers follow it by id.
create table events (
  id integer primary key autoincrement,
  at integer not null,
  type text not null,
  account_id integer references accounts (id) on delete set null,
  username text not null,
  ip text not null,
  line text not null,               -- what a person reads, control characters escaped
  folded text not null,             -- the line in lower case, for searches
  data text not null,               -- JSON
  node text not null default ''     -- of a fleet, that recorded it
) strict;
-- Pages are ordered by time: an event may be recorded later than it happened.
create index events_account on events (account_id, at, id);
create index events_username on events (username, id);

-- Answers to requests with an Idempotency-Key, kept for a day. What was asked and answered is sealed with a key that is not in the
-- store, because a request may hold a password.
create table kept_answers (
  id integer primary key,
  account_id integer not null references accounts (id) on delete cascade,
  route text not null,
  key text not null,
  answer text not null,
  kept_at integer not null,         -- milliseconds since 1970
  unique (account_id, route, key)
) strict;
create index kept_answers_time on kept_answers (kept_at);

-- What one process may do at a time; see lease.ts.
create table leases (
  name text primary key,
  holder text not null,           -- node, process and acquisition
  ttl_ms integer not null,
  until integer not null             -- milliseconds since 1970 by the clock of the database
) strict, without rowid;

-- Moves with every change that a remembered token or account must not outlive, whichever process made it.
create table revision (n integer not null) strict;
insert into revision values (0);

-- The last changes that the revision counts, and whose they were: processes forget what they remember of that account only.
create table revision_changes (
  n integer primary key,
  account_id integer                -- null for all accounts
) strict;
-- As many are kept as a process may miss before it forgets everything.
create trigger revision_changes_insert after insert on revision_changes begin delete from revision_changes where n = new.n - 1000; end;

-- What inserts a row into this view makes the next change of an account; null is one of all accounts.
create view account_changes as select account_id from revision_changes;
create trigger account_changes_insert instead of insert on account_changes begin
  update revision set n = n + 1;
  insert into revision_changes (n, account_id) select n, new.account_id from revision;
end;

create trigger accounts_update after update on accounts begin insert into account_changes values (new.id); end;
create trigger accounts_delete after delete on accounts begin insert into account_changes values (old.id); end;
create trigger plans_update after update on plans begin insert into account_changes values (null); end;
create trigger plan_features_insert after insert on plan_features begin insert into account_changes values (null); end;
create trigger plan_features_delete after delete on plan_features begin insert into account_changes values (null); end;
create trigger plan_limits_insert after insert on plan_limits begin insert into account_changes values (null); end;
create trigger plan_limits_update after update on plan_limits begin insert into account_changes values (null); end;
create trigger plan_limits_delete after delete on plan_limits begin insert into account_changes values (null); end;
create trigger account_features_insert after insert on account_features begin insert into account_changes values (new.account_id); end;
create trigger account_features_update after update on account_features begin insert into account_changes values (new.account_id); end;
create trigger account_features_delete after delete on account_features begin insert into account_changes values (old.account_id); end;
create trigger sessions_delete after delete on sessions when old.expires_at > unixepoch() * 1000 begin insert into account_changes values (old.account_id); end;
create trigger api_tokens_delete after delete on api_tokens when old.expires_at > unixepoch() * 1000 begin insert into account_changes values (old.account_id); end;
-- Scopes of a token that is removed go after it: its own trigger has told of it.
create trigger api_token_scopes_delete after delete on api_token_scopes begin
  insert into account_changes select account_id from api_tokens where id = old.token_id;
end;
