-- Events of an account are found by its name, and accounts by role, plan and suspension, in the order of their lists.
create index events_username on events (username, id);
create index accounts_role on accounts (role, username);
create index accounts_suspended on accounts (username) where suspended_at is not null;
drop index accounts_plan;
create index accounts_plan on accounts (plan, username);
-- In the order of the list of all sessions.
drop index sessions_expiry;
create index sessions_expiry on sessions (expires_at, id);
