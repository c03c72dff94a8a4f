create table postgresql_stopped (      -- accounts whose databases have reached the size of their plan
  account_id integer primary key references accounts (id) on delete cascade,
  stage text not null check (stage in ('read_only', 'closed')), -- whether they can be read and emptied, or nobody connects
  least_bytes integer not null,         -- the least size since
  end_before text not null          -- sessions that began before may write, by the server's clock; '' until all databases are as the stage says
) strict;
