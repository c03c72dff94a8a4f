-- The databases of the backups of this machine.
create table backup_databases (
  backup_id text not null references backups (id) on delete cascade,
  account_id integer not null,
  engine text not null,
  name text not null,               -- empty for all that the engine has, whose names could not be read
  snapshot text,                    -- null for one that is not in the backup
  size_bytes integer not null,      -- of the dump
  problem text,                     -- why it is not in the backup
  primary key (backup_id, engine, name)
) strict, without rowid;
create index backup_databases_of_account on backup_databases (account_id);
