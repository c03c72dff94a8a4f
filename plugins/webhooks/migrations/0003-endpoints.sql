-- Endpoints that administrators added in the console.
create table webhook_endpoints (
  id integer primary key,
  endpoint text not null unique,    -- random; stands for it in the other tables
  label text not null,              -- host and port of the URL
  events text not null,             -- JSON list of patterns of event types
  sealed text not null,             -- URL and secrets, as JSON
  created_at integer not null       -- milliseconds since 1970
) strict;
