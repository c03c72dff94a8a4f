create table certificates (
  domain_id bigint primary key,  -- of the domain, whose id no later one gets
  account_id bigint not null references accounts (id) on delete cascade,
  is_own bigint not null check (is_own in (0, 1)),  -- 1 = the customer brought it
  sealed text collate "C",  -- private key and certificates, PEM; null while there is none
  names text collate "C" not null,  -- JSON list
  issuer text collate "C" not null,
  valid_from bigint not null,  -- milliseconds since 1970, as all times here
  valid_to bigint not null,
  forces_https bigint not null check (forces_https in (0, 1)),
  has_hsts bigint not null check (has_hsts in (0, 1)),
  tried_at bigint not null,  -- 0 = never
  try_at bigint not null,  -- when the next one is ordered
  failures bigint not null,  -- in a row
  problem text collate "C" not null,  -- of the last order
  is_told bigint not null check (is_told in (0, 1))  -- 1 = an event says that it expires
);
create index certificates_account on certificates (account_id);
create table certificate_keys (
  name text collate "C" primary key,  -- what it is for
  sealed text collate "C" not null  -- PEM
);
