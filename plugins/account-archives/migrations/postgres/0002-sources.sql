-- What a plugin makes the account of that removes it again if the process is killed; empty where an operator does.
alter table account_imports add column source text collate "C" not null default '';
