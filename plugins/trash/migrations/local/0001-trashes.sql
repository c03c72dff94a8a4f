-- The trash of accounts, as it was when it was last looked at.
create table trashes (
  account_id integer primary key,
  done_at integer not null,         -- milliseconds since 1970; 0 until it has been kept
  oldest_at integer                 -- when the oldest was removed that is in it; null for an empty one
) strict;
