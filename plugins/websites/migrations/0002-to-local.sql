-- What was found on disk is the machine's: see migrations/local.
drop table websites_sites;
drop table websites_docroots;
