-- An account has at most 100 sessions, of which the oldest end; its list is read in pages, newest first.
delete from sessions where id in (
  select id from (
    select id, row_number() over (partition by account_id order by created_at desc, id desc) as place from sessions
  ) where place > 100
);
drop index sessions_account;
create index sessions_account on sessions (account_id, created_at, id);
