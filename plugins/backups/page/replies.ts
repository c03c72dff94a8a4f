import type { ReplyOf } from '../../pages/kit/index.ts';

export type Backups = ReplyOf<'GET /api/backups'>;
export type Backup = Backups['backups'][number];
export type Schedule = Backups['schedule'];
export type Entry = ReplyOf<'GET /api/backups/:id/files'>['entries'][number];
export type Database = ReplyOf<'GET /api/backups/:id/databases'>['databases'][number];
export type Task = ReplyOf<'GET /api/backup-tasks/:id'>;
