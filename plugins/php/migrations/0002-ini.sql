alter table php_sites add column ini text not null default ''; -- the php.ini section as the customer wrote it
