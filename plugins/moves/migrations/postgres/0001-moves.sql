-- Accounts on their way from one node to another. A row is there until what was copied in vain, or what the old home has no more use for, is gone.
create table moves (
  username text collate "C" primary key,
  account_id bigint not null,  -- no reference: what the target has of an account that was removed meanwhile is to be removed, too
  source text collate "C" not null,  -- names of nodes; they may have left meanwhile
  target text collate "C" not null,
  state text collate "C" not null check (state in ('begun', 'copying', 'read_only', 'switched')),  -- from copying on, the target has files of it
  claim text collate "C" not null,  -- the run of the command that moves it
  compared_at bigint not null  -- when the last comparison of the files began, in milliseconds since 1970 by the clock of the source; 0 before
);
