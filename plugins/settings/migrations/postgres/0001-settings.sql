-- Settings that administrators changed in the console, which lie over those of the files.
create table stored_settings (
  setting text collate "C" primary key,      -- path in the configuration
  value text collate "C",                    -- JSON; null once it was given back to the files
  version bigint not null,                   -- larger than that of any change before
  changed_by text collate "C" not null,      -- user name
  changed_at bigint not null                 -- milliseconds since 1970
);
