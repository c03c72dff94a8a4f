-- Uploads that are not complete, and those that were completed lately. How much has arrived, the file says.
create table uploads (
  id text primary key,              -- and the name of the file in .hostkeep/uploads
  account_id integer not null,
  path text not null,               -- where the file is to be, as clients see it
  expected text not null,           -- JSON: what may be there before
  size_bytes integer not null,
  metadata text not null,           -- as the client sent it
  state text not null check (state in ('open', 'complete', 'done')),
  writer text not null,             -- the process, and the request, that writes now; empty for none
  unverified_from integer,          -- where bytes begin whose checksum is not known yet
  created_at integer not null,      -- milliseconds since 1970, as the other one
  expires_at integer not null
) strict, without rowid;
create index uploads_of_account on uploads (account_id, created_at);
create index uploads_by_expiry on uploads (expires_at);
