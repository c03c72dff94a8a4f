alter table domains add column suspended_at integer;  -- milliseconds since 1970; null = it is served
alter table domains add column shown_as text not null default ''; -- the name as its owner writes it; '' = as it is
