alter table mysql_changes drop constraint mysql_changes_kind_check;
alter table mysql_changes add constraint mysql_changes_kind_check
  check (kind in ('database', 'user', 'import', 'query', 'maintenance', 'password', 'access'));
