create table certificates (
  domain_id integer primary key,    -- of the domain, whose id no later one gets
  account_id integer not null references accounts (id) on delete cascade,
  is_own integer not null check (is_own in (0, 1)),       -- 1 = the customer brought it
  sealed text,                      -- private key and certificates, PEM; null while there is none
  names text not null,              -- JSON list
  issuer text not null,
  valid_from integer not null,      -- milliseconds since 1970, as all times here
  valid_to integer not null,
  forces_https integer not null check (forces_https in (0, 1)),
  has_hsts integer not null check (has_hsts in (0, 1)),
  tried_at integer not null,        -- 0 = never
  try_at integer not null,          -- when the next one is ordered
  failures integer not null,        -- in a row
  problem text not null,            -- of the last order
  is_told integer not null check (is_told in (0, 1))      -- 1 = an event says that it expires
) strict;
create index certificates_account on certificates (account_id);
create table certificate_keys (
  name text primary key,            -- what it is for
  sealed text not null              -- PEM
) strict;
