-- Means over steps of a minute (kept for a day) and of an hour (kept for a year).
create table usage_history (
  step integer not null,            -- seconds
  at integer not null,              -- begin of the step, seconds since 1970
  cpu real,                         -- percent; null where it could not be told, as all below
  memory real,
  disk real,
  users integer,
  domains integer,
  websites integer,
  primary key (step, at)
) strict, without rowid;

create table usage_days (
  day text primary key,             -- YYYY-MM-DD, UTC
  users integer not null,
  domains integer not null,
  websites integer not null
) strict, without rowid;
