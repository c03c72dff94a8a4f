-- Raised with each change of what follows, except heartbeats and invitations, so that nodes notice it by reading one number.
create table fleet_changes (n bigint not null);
insert into fleet_changes values (0);

create table fleet_nodes (
  name text collate "C" primary key,
  address text collate "C" not null,  -- host:port at which the other nodes reach it
  key_digest text collate "C" not null,  -- SHA-256 of the public key of its certificate, base64url
  draining bigint not null check (draining in (0, 1)),  -- 1 = takes no new accounts
  joined_at bigint not null  -- milliseconds since 1970
);

create table fleet_heartbeats (
  node text collate "C" primary key references fleet_nodes (name) on delete cascade,
  seen_at bigint not null,  -- milliseconds since 1970, by the clock of the database
  version text collate "C" not null,
  accounts bigint not null,  -- those that live there
  user_url text collate "C" not null,
  admin_url text collate "C" not null,
  sample text collate "C" not null  -- JSON: percent in use by resource, null = unknown
);

create table fleet_secrets (
  name text collate "C" primary key,  -- authority, signing keys
  sealed text collate "C" not null  -- with the sealing key of keys.json
);

create table fleet_invitations (
  id text collate "C" primary key,
  sealed text collate "C" not null,  -- with a key that only the token has
  node text collate "C" not null,  -- empty = a node of any name
  expires_at bigint not null  -- milliseconds since 1970, by the clock of the database
);
