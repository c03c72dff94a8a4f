-- Raised with each change of what follows, except heartbeats and invitations, so that nodes notice it by reading one number.
create table fleet_changes (n integer not null) strict;
insert into fleet_changes values (0);

create table fleet_nodes (
  name text primary key not null,
  address text not null,  -- host:port at which the other nodes reach it
  key_digest text not null,  -- SHA-256 of the public key of its certificate, base64url
  draining integer not null check (draining in (0, 1)),  -- 1 = takes no new accounts
  joined_at integer not null  -- milliseconds since 1970
) strict;

create table fleet_heartbeats (
  node text primary key not null references fleet_nodes (name) on delete cascade,
  seen_at integer not null,  -- milliseconds since 1970, by the clock of the database
  version text not null,
  accounts integer not null,  -- those that live there
  user_url text not null,
  admin_url text not null,
  sample text not null  -- JSON: percent in use by resource, null = unknown
) strict;

create table fleet_secrets (
  name text primary key not null,  -- authority, signing keys
  sealed text not null  -- with the sealing key of keys.json
) strict;

create table fleet_invitations (
  id text primary key not null,
  sealed text not null,  -- with a key that only the token has
  node text not null,  -- empty = a node of any name
  expires_at integer not null  -- milliseconds since 1970, by the clock of the database
) strict;
