-- Domains, subdomains and aliases of an account together, 0 = unlimited; plans that exist get a bound.
alter table plans add column names_limit bigint not null default 500;
