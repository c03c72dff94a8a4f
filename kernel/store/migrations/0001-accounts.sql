create table plans (
  name text primary key,
  description text not null,
  cpu_limit real not null,          -- CPUs, 0 = unlimited, as are all limits below
  ram_limit_mib integer not null,
  disk_limit_mib integer not null,
  inodes_limit integer not null,
  bandwidth integer not null,       -- Mbit/s
  domains_limit integer not null,
  websites_limit integer not null,
  db_limit integer not null,
  email_limit integer not null,
  ftp_limit integer not null,
  mysql text not null,              -- database server of the plan, e.g. mariadb
  webserver text not null           -- web server of the plan, e.g. nginx
) strict;

create table plan_features (
  plan text not null references plans (name) on delete cascade on update cascade,
  feature text not null,
  primary key (plan, feature)
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
  created_at integer not null
) strict;
create index accounts_plan on accounts (plan);

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
  user_agent text not null
) strict;
create index sessions_account on sessions (account_id);
create index sessions_expiry on sessions (expires_at);

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
  data text not null                -- JSON
) strict;
create index events_account on events (account_id, id);

-- Moves with every change that a remembered token or account must not outlive, whichever process made it.
create table revision (n integer not null) strict;
insert into revision values (0);
create trigger accounts_update after update on accounts begin update revision set n = n + 1; end;
create trigger accounts_delete after delete on accounts begin update revision set n = n + 1; end;
create trigger plans_update after update on plans begin update revision set n = n + 1; end;
create trigger plan_features_insert after insert on plan_features begin update revision set n = n + 1; end;
create trigger plan_features_delete after delete on plan_features begin update revision set n = n + 1; end;
create trigger account_features_insert after insert on account_features begin update revision set n = n + 1; end;
create trigger account_features_update after update on account_features begin update revision set n = n + 1; end;
create trigger account_features_delete after delete on account_features begin update revision set n = n + 1; end;
create trigger sessions_delete after delete on sessions when old.expires_at > unixepoch() * 1000 begin update revision set n = n + 1; end;
