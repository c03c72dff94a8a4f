-- The last changes that the revision counts, and whose they were: processes forget what they remember of that account only.
create table revision_changes (
  n integer primary key,
  account_id integer                -- null for all accounts
) strict;
-- As many are kept as a process may miss before it forgets everything.
create trigger revision_changes_insert after insert on revision_changes begin delete from revision_changes where n = new.n - 1000; end;

-- What inserts a row into this view makes the next change of an account; null is one of all accounts.
create view account_changes as select account_id from revision_changes;
create trigger account_changes_insert instead of insert on account_changes begin
  update revision set n = n + 1;
  insert into revision_changes (n, account_id) select n, new.account_id from revision;
end;

drop trigger accounts_update;
drop trigger accounts_delete;
drop trigger plans_update;
drop trigger plan_features_insert;
drop trigger plan_features_delete;
drop trigger account_features_insert;
drop trigger account_features_update;
drop trigger account_features_delete;
drop trigger sessions_delete;
drop trigger api_tokens_delete;
drop trigger api_token_scopes_delete;
create trigger accounts_update after update on accounts begin insert into account_changes values (new.id); end;
create trigger accounts_delete after delete on accounts begin insert into account_changes values (old.id); end;
create trigger plans_update after update on plans begin insert into account_changes values (null); end;
create trigger plan_features_insert after insert on plan_features begin insert into account_changes values (null); end;
create trigger plan_features_delete after delete on plan_features begin insert into account_changes values (null); end;
create trigger account_features_insert after insert on account_features begin insert into account_changes values (new.account_id); end;
create trigger account_features_update after update on account_features begin insert into account_changes values (new.account_id); end;
create trigger account_features_delete after delete on account_features begin insert into account_changes values (old.account_id); end;
create trigger sessions_delete after delete on sessions when old.expires_at > unixepoch() * 1000 begin insert into account_changes values (old.account_id); end;
create trigger api_tokens_delete after delete on api_tokens when old.expires_at > unixepoch() * 1000 begin insert into account_changes values (old.account_id); end;
-- Scopes of a token that is removed go after it: its own trigger has told of it.
create trigger api_token_scopes_delete after delete on api_token_scopes begin
  insert into account_changes select account_id from api_tokens where id = old.token_id;
end;
