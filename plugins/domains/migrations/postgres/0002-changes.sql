alter table domains add column suspended_at bigint;  -- milliseconds since 1970; null = it is served
alter table domains add column shown_as text collate "C" not null default '';  -- the name as its owner writes it; '' = as it is
