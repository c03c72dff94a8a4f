-- How far the log of the firewall was read; see `logs_followed` of the plugin logs.
create table waf_followed (
  nth integer primary key,
  inode text not null,
  position integer not null,
  mark blob not null
) strict;

create table waf_requests (
  id integer primary key,
  domain_id integer not null,
  account_id integer not null,
  at integer not null,              -- milliseconds since 1970
  ip text not null,
  method text not null,
  uri text not null,
  status integer not null,
  blocked integer not null,         -- 1: the firewall refused it
  rules text not null               -- JSON; see `FoundRule`
) strict;
create index waf_requests_domain on waf_requests (domain_id, id);
create index waf_requests_account on waf_requests (account_id);
