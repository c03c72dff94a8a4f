-- The node of a fleet that has the account's files, containers and databases; empty where the store has one node.
alter table accounts add column home text not null default '';
create index accounts_home on accounts (home, username);
-- The node that had what is to be purged.
alter table removed_accounts add column home text not null default '';
