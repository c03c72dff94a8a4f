-- Accounts on their way from one node to another. A row is there until what was copied in vain, or what the old home has no more use for, is gone.
create table moves (
  username text primary key not null,
  account_id integer not null,  -- no reference: what the target has of an account that was removed meanwhile is to be removed, too
  source text not null,  -- names of nodes; they may have left meanwhile
  target text not null,
  state text not null check (state in ('begun', 'copying', 'read_only', 'switched')),  -- from copying on, the target has files of it
  claim text not null,  -- the run of the command that moves it
  compared_at integer not null  -- when the last comparison of the files began, in milliseconds since 1970 by the clock of the source; 0 before
) strict;
