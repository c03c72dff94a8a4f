-- Engines that have answered: what accounts have in one is there still while it is stopped, and no socket shows it.
create table container_engines (
  socket text primary key
) strict;
