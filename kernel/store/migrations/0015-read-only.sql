-- 1 = what the account has at its home must not change, because its last differences go to another node.
alter table accounts add column read_only integer not null default 0 check (read_only in (0, 1));
