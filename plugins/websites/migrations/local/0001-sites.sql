-- Docroots as they were last looked at, by domain, because each domain has one.
create table websites_docroots (
  account_id integer not null,
  domain text not null,
  scope text not null,              -- JSON: the docroot below the files root, then docroots of other domains below it
  stamps text not null,             -- JSON: what was looked at, with its time in milliseconds
  primary key (account_id, domain)
) strict, without rowid;

create table websites_sites (
  account_id integer not null,
  domain text not null,
  path text not null,               -- below the docroot, '' = the docroot itself
  type text not null,
  version text not null,            -- '' = its files do not say
  primary key (account_id, domain, path),
  foreign key (account_id, domain) references websites_docroots (account_id, domain) on delete cascade
) strict, without rowid;
