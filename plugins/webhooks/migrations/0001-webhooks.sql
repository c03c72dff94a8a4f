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
