-- Answers to requests with an Idempotency-Key, kept for a day. What was asked and answered is sealed with a key that is not in the
-- store, because a request may hold a password.
create table kept_answers (
  id integer primary key,
  account_id integer not null references accounts (id) on delete cascade,
  route text not null,
  key text not null,
  answer text not null,
  kept_at integer not null,         -- milliseconds since 1970
  unique (account_id, route, key)
) strict;
create index kept_answers_time on kept_answers (kept_at);
