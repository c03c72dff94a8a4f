-- The history is the machine's: see migrations/local.
drop table usage_history;
drop table usage_days;
