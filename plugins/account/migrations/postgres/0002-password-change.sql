-- Who changes the password may suspect a stranger in the account, whose set-up of a second factor must not be confirmed later.
create function twofa_forgets_setup() returns trigger language plpgsql as $$
begin
  delete from twofa where account_id = new.id and enabled_at is null;
  return null;
end $$;
create trigger twofa_password_change after update of password_hash on accounts
  for each row execute function twofa_forgets_setup();
