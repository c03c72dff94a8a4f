-- What of an account that moves is closed at this server, or has come to it, so that it can be opened or dropped whatever happens.
-- The account's column is not account_id: what has come of an account that was removed meanwhile is still to be dropped.
create table postgresql_moves (
  account integer not null,
  username text not null,
  direction text not null check (direction in ('leaving', 'arriving')),
  server text not null,  -- its name in the settings
  kind text not null check (kind in ('database', 'temporary', 'user')),  -- temporary = a user for one dump
  name text not null,
  primary key (account, direction, server, kind, name)
) strict;
