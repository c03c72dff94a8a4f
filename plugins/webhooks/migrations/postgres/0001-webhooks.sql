-- The last event that was looked at, whichever endpoint wanted it.
create table webhook_cursor (event_id bigint not null);

-- What has to be delivered; a row goes when it was, or when it is given up.
create table webhook_deliveries (
  endpoint text collate "C" not null,  -- hash of the URL
  event_id bigint not null,
  body text collate "C" not null,  -- JSON as it is sent, because the log forgets old events
  attempts bigint not null default 0,
  created_at bigint not null,  -- milliseconds since 1970
  due_at bigint not null,
  primary key (endpoint, event_id)
);
create index webhook_due on webhook_deliveries (endpoint, due_at, event_id);

-- How deliveries to an endpoint went, so that every process can tell.
create table webhook_state (
  endpoint text collate "C" primary key,  -- hash of the URL
  delivered bigint not null default 0,
  failed bigint not null default 0,  -- attempts
  given_up bigint not null default 0,  -- deliveries
  delivered_at bigint,  -- milliseconds since 1970, of the last one; null if there was none
  failed_at bigint,
  reason text collate "C" not null default ''  -- of the last failure
);
