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
