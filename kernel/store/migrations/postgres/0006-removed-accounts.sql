-- Names of removed accounts, which no new account gets until what they left outside the store is purged.
create table removed_accounts (
  username text collate "C" primary key,
  account_id bigint not null,
  removed_at bigint not null,  -- milliseconds since 1970
  claimed_by text collate "C" not null default ''  -- process and attempt that purge it
);
