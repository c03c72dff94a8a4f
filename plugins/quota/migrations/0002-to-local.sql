-- Measurements are the machine's: see migrations/local.
drop table quota_samples;
