-- Of who has chosen nothing, the plan says when backups are made.
alter table backup_schedules drop constraint backup_schedules_schedule_check;
alter table backup_schedules add check (schedule in ('plan', 'off', 'daily', 'weekly'));
