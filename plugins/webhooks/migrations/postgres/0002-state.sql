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
