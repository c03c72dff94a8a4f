-- When password and second factor were last proved again in a session; null if never, or if a credential changed since.
alter table sessions add column reauthenticated_at integer;
