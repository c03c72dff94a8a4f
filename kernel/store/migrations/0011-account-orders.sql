-- What lists of accounts are sorted by.
create index accounts_created on accounts (created_at, username);
create index accounts_email on accounts (email, username);
create index accounts_by_plan on accounts (coalesce(plan, ''), username);
