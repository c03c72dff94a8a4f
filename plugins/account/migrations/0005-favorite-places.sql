-- The order that the account gives its favorites; those that were there keep theirs.
alter table favorites add column place integer not null default 0;
update favorites set place = id;
