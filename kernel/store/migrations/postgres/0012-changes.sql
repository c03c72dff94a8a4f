-- The last changes that the revision counts, and whose they were: processes forget what they remember of that account only.
create table revision_changes (
  n bigint primary key,
  account_id bigint  -- null for all accounts
);

-- The next change of an account; null is one of all accounts. As many are kept as a process may miss before it forgets
-- everything. A process that listens is told both, and asks nothing if it knows of all changes before this one; the schema is
-- told because a channel is one for all schemas of a database.
create function account_changed(account bigint) returns void language plpgsql as $$
declare
  moved bigint;
begin
  update revision set n = n + 1 returning n into moved;
  insert into revision_changes (n, account_id) values (moved, account);
  delete from revision_changes where n = moved - 1000;
  perform pg_notify('hostkeep_revision', concat(moved, ' ', account, ' ', current_schema()));
end $$;

create function all_changed() returns trigger language plpgsql as $$
begin
  perform account_changed(null);
  return null;
end $$;
create function account_row_changed() returns trigger language plpgsql as $$
begin
  perform account_changed(coalesce(new.id, old.id));
  return null;
end $$;
create function row_of_account_changed() returns trigger language plpgsql as $$
begin
  perform account_changed(coalesce(new.account_id, old.account_id));
  return null;
end $$;
-- Scopes of a token that is removed go after it: its own trigger has told of it.
create function scope_changed() returns trigger language plpgsql as $$
begin
  perform account_changed(account_id) from api_tokens where id = old.token_id;
  return null;
end $$;

drop trigger accounts_update on accounts;
drop trigger accounts_delete on accounts;
drop trigger plans_update on plans;
drop trigger plan_features_insert on plan_features;
drop trigger plan_features_delete on plan_features;
drop trigger account_features_insert on account_features;
drop trigger account_features_update on account_features;
drop trigger account_features_delete on account_features;
drop trigger sessions_delete on sessions;
drop trigger api_tokens_delete on api_tokens;
drop trigger api_token_scopes_delete on api_token_scopes;
drop function revision_moves();
create trigger accounts_update after update on accounts for each row execute function account_row_changed();
create trigger accounts_delete after delete on accounts for each row execute function account_row_changed();
create trigger plans_update after update on plans for each row execute function all_changed();
create trigger plan_features_insert after insert on plan_features for each row execute function all_changed();
create trigger plan_features_delete after delete on plan_features for each row execute function all_changed();
create trigger account_features_insert after insert on account_features for each row execute function row_of_account_changed();
create trigger account_features_update after update on account_features for each row execute function row_of_account_changed();
create trigger account_features_delete after delete on account_features for each row execute function row_of_account_changed();
create trigger sessions_delete after delete on sessions for each row
  when (old.expires_at > extract(epoch from clock_timestamp()) * 1000) execute function row_of_account_changed();
create trigger api_tokens_delete after delete on api_tokens for each row
  when (old.expires_at > extract(epoch from clock_timestamp()) * 1000) execute function row_of_account_changed();
create trigger api_token_scopes_delete after delete on api_token_scopes for each row execute function scope_changed();
