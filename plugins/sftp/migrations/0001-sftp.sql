create table sftp_logins (
  id integer primary key,
  account_id integer not null references accounts (id) on delete cascade,
  name text not null unique,        -- the whole name, which begins with that of the account
  folder text not null,             -- below the folder of the account's files, which is empty itself
  secret text,                      -- the password, hashed by crypt(3); null = keys only
  created_at integer not null,
  last_login_at integer,            -- null = never
  last_login_from text
) strict;
create index sftp_logins_account on sftp_logins (account_id);
create table sftp_keys (
  id integer primary key,
  login_id integer not null references sftp_logins (id) on delete cascade,
  type text not null,               -- such as ssh-ed25519
  blob text not null,               -- as SSH sends it, in Base64
  fingerprint text not null,
  comment text not null,
  created_at integer not null,
  unique (login_id, blob)
) strict;
