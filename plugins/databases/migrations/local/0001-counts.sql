-- How many SQLite files each account had when they were last looked for: operators read it for all accounts at once.
create table database_counts (
  account_id integer primary key,
  files integer not null,
  at integer not null               -- milliseconds since 1970
) strict;
