-- The list of an account's sessions is read in pages, newest first.
drop index sessions_account;
create index sessions_account on sessions (account_id, created_at, id);
