-- What a database that leaves held when it was compared for the last time: JSON, [table, digest] for each table.
alter table database_moves add column contents text not null default '[]';
