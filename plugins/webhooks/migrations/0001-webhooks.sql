-- The last event that was looked at, whichever endpoint wanted it.
create table webhook_cursor (event_id integer not null) strict;

-- What has to be delivered; a row goes when it was, or when it is given up.
create table webhook_deliveries (
  endpoint text not null,           -- hash of the URL
  event_id integer not null,
  body text not null,               -- JSON as it is sent, because the log forgets old events
  attempts integer not null default 0,
  created_at integer not null,      -- milliseconds since 1970
  due_at integer not null,
  primary key (endpoint, event_id)
) strict, without rowid;
create index webhook_due on webhook_deliveries (endpoint, due_at, event_id);

-- How deliveries to an endpoint went, so that every process can tell.
create table webhook_state (
  endpoint text primary key,        -- hash of the URL
  delivered integer not null default 0,
  failed integer not null default 0,      -- attempts
  given_up integer not null default 0,    -- deliveries
  delivered_at integer,             -- milliseconds since 1970, of the last one; null if there was none
  failed_at integer,
  reason text not null default ''   -- of the last failure
) strict, without rowid;

-- The latest attempts to deliver to each endpoint, for operators.
create table webhook_attempts (
  id integer primary key,
  endpoint text not null,           -- hash of the URL
  event_id integer not null,
  body text not null,               -- as it was sent
  at integer not null,              -- milliseconds since 1970
  ms integer not null,              -- how long it took
  status integer,                   -- null if there was no answer
  reason text not null,             -- why it failed; empty if it did not
  answer text not null              -- beginning of the answer's body
) strict;
create index webhook_attempts_of_endpoint on webhook_attempts (endpoint, id);

-- Endpoints that administrators added in the console.
create table webhook_endpoints (
  id integer primary key,
  endpoint text not null unique,    -- random; stands for it in the other tables
  label text not null,              -- host and port of the URL
  events text not null,             -- JSON list of patterns of event types
  sealed text not null,             -- URL and secrets, as JSON
  created_at integer not null       -- milliseconds since 1970
) strict;
