-- Links of downloads, by the hash of what the link ends with.
create table file_downloads (
  hash text primary key,
  account_id integer not null,
  request text not null,            -- JSON: what is downloaded
  expires_at integer not null       -- milliseconds since 1970
) strict, without rowid;
create index file_downloads_of_account on file_downloads (account_id);
