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
