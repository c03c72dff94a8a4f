-- The administrator who opened a session with a login link; null where the account itself logged in.
alter table sessions add column opened_by text collate "C";
