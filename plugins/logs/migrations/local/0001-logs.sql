-- How far the logs of the web server were read, each in as many files as still grow after a rotation.
create table logs_followed (
  kind text not null,               -- access or error
  nth integer not null,             -- the oldest file first
  inode text not null,              -- of the file, whatever its name is by now
  position integer not null,        -- bytes
  mark blob not null,               -- the bytes before, by which it is known again
  primary key (kind, nth)
) strict, without rowid;

-- The file of each site that grows, as far as `logs_followed` accounts for it.
create table logs_sites (
  domain_id integer not null,
  kind text not null,
  account_id integer not null,
  segment integer not null,         -- the number in the name of the file
  size integer not null,            -- bytes
  since integer not null,           -- when it was begun, milliseconds since 1970
  primary key (domain_id, kind)
) strict, without rowid;
create index logs_sites_account on logs_sites (account_id);

create table logs_traffic (
  account_id integer not null,
  domain_id integer not null,
  day text not null,                -- YYYY-MM-DD, UTC
  requests integer not null,
  bytes integer not null,           -- that were sent
  primary key (account_id, day, domain_id)
) strict, without rowid;

-- How near each account was to the traffic of its plan when it was told.
create table logs_notices (
  account_id integer not null,
  resource text not null,
  percent integer not null,
  primary key (account_id, resource)
) strict, without rowid;
