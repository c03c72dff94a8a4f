-- Names of removed accounts, which no new account gets until what they left outside the store is purged.
create table removed_accounts (
  username text primary key,
  account_id integer not null,
  removed_at integer not null,      -- milliseconds since 1970
  claimed_by text not null default '' -- process and attempt that purge it
) strict, without rowid;

insert into removed_accounts (username, account_id, removed_at)
select username, coalesce(max(json_extract(data, '$.account_id')), 0), max(at) from events
where type = 'account.removed' and username not in (select username from accounts)
group by username;
