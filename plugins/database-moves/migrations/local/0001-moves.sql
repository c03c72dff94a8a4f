-- What of an account that moves is closed at this server, or has come to it, so that it can be opened or dropped whatever happens.
-- The account's column is not account_id: what has come of an account that was removed meanwhile is still to be dropped.
create table database_moves (
  account integer not null,
  username text not null,
  direction text not null check (direction in ('leaving', 'arriving')),
  server text not null,  -- its name in the settings
  kind text not null check (kind in ('database', 'user')),
  name text not null,
  host text not null,  -- of a user; empty for a database
  locked integer not null check (locked in (0, 1)),  -- 1 = the operator had locked the user before
  contents text not null default '[]',  -- JSON, [table, digest] for each table of a database that leaves, when last compared
  primary key (account, direction, server, kind, name, host)
) strict;
