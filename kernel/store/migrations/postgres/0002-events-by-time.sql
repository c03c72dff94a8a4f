-- Pages are ordered by time: an event may be recorded later than it happened.
drop index events_account;
create index events_account on events (account_id, at, id);
