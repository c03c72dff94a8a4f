-- Slow requests of a day, by path.
create table slow_requests (
  account_id integer not null,
  day text not null,                -- YYYY-MM-DD, UTC
  domain_id integer not null,
  method text not null,
  path text not null,               -- without the query
  requests integer not null,
  took_ms integer not null,         -- of all of them
  last_at integer not null,         -- milliseconds since 1970
  slowest_ms integer not null,
  slowest text not null,            -- JSON; see `Slowest`
  primary key (account_id, day, domain_id, method, path)
) strict, without rowid;
create index slow_requests_day on slow_requests (day);
