-- Settings that administrators changed in the console, which lie over those of the files.
create table stored_settings (
  setting text primary key,      -- path in the configuration
  value text,                    -- JSON; null once it was given back to the files
  version integer not null,      -- larger than that of any change before
  changed_by text not null,      -- user name
  changed_at integer not null    -- milliseconds since 1970
) strict;
