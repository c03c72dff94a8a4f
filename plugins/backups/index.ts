import { definePlugin } from '../../kernel/contract/plugin.ts';
import type { BackupChecker } from '../../kernel/contract/tasks/backup-checker.ts';
import { gauge } from '../../kernel/contract/points/metric.ts';
import type { Account } from '../../kernel/identity/accounts/account.ts';
import { pathComponents } from '../../kernel/kit/files/client-path.ts';
import { Backups } from './backups.ts';
import { findDump, restoreDatabase } from './contents/restoring.ts';
import { findings } from './doctor.ts';
import { fail } from './errors.ts';
import { events } from './events.ts';
import { attachment, Reading } from './reading.ts';
import { DUMP_FILE } from './repository/questions.ts';
import { backupRoutes } from './routes.ts';
import { nextDue } from './schedule.ts';
import { Scheduler } from './scheduler.ts';
import { BackupsConfig, type Backup, type BackupSchedule } from './schema.ts';
import {
  ages,
  listBackups,
  listDatabases,
  readSchedule,
  repositoryBytes,
  writeSchedule,
  type BackupRow,
  type Schedule,
} from './store.ts';

const MIB = 2 ** 20;

export default definePlugin({
  name: 'backups',
  description:
    'Backups of the files and databases of the account, made by restic into a repository that the account cannot reach.',
  features: ['backups'],
  errors: fail,
  events,
  config: BackupsConfig,
  routes: backupRoutes,
  setup(host) {
    const { local, store, node, onClose } = host;
    const { virtual_root: virtualRoot } = node.config;
    const backups = new Backups(host);
    const reading = new Reading(host, backups);
    const parts = { ...host, backups, reading };
    onClose(() => Promise.all([backups.close(), reading.close()]).then(() => undefined));
    if (node.isServing) void node.onLeader(() => new Scheduler(host, backups).start());
    const components = (path: string) => pathComponents(path, virtualRoot);
    const below = (path: string) => {
      const parts = components(path);
      if (parts.length === 0) throw fail.invalid_path('the root of the account is no file');
      return parts;
    };
    return {
      service: {
        assertAvailable: async () => void (await backups.repositories.version()),
        check: (account, sampleMib, signal) => backups.check(account, sampleMib, signal),
      } satisfies BackupChecker,
      handlers: {
        list: async ({ account }) => {
          const [rows, schedule, bytes] = await Promise.all([
            listBackups(local, account.id),
            readSchedule(store, account.id),
            repositoryBytes(local, account.id),
          ]);
          return {
            backups: rows.map(toBackup),
            schedule: toSchedule(schedule, account),
            repository_bytes: bytes,
            limit_bytes: (account.plan?.limits['backups_limit_mib'] ?? 0) * MIB,
            kept_limit: account.plan?.limits['backups_limit'] ?? 0,
          };
        },
        make: ({ account, ip }) => backups.make(account, false, ip),
        entries: (call) => {
          const { path, limit, cursor } = call.query;
          return reading.entries(call, call.params.id, components(path), { offset: Number(cursor), limit });
        },
        read: ({ account, params, query }) => reading.file(account, params.id, below(query.path)),
        restore: ({ account, params, body: { path, to }, ip }) => {
          const place = { components: components(path), to: to === null ? null : below(to) };
          return backups.restore(account, params.id, place, ip);
        },
        databases: async ({ account, params }) => {
          const { id } = await backups.find(account, params.id);
          const rows = await listDatabases(local, id);
          return {
            databases: rows.map(({ engine, name, size_bytes, problem }) => ({ engine, name, size_bytes, problem })),
          };
        },
        dump: async ({ account, params }) => {
          const { snapshot } = await findDump(parts, account, params);
          return attachment(`${params.database}.sql`, await reading.content(account, snapshot, [DUMP_FILE]));
        },
        restoreDatabase: ({ account, params, ip }) => restoreDatabase(parts, account, params, ip),
        remove: ({ account, params, ip }) => backups.remove(account, params.id, ip),
        setSchedule: ({ account, body, ip }) =>
          store.write(async (tx) => {
            // what was due before is not made up for
            const schedule = { ...(await readSchedule(tx, account.id)), ...body, triedAt: Date.now() } as Schedule;
            await writeSchedule(tx, account.id, schedule);
            const data = { schedule: schedule.schedule };
            const text = `set the schedule of backups to ${schedule.schedule}`;
            await host.events.record(tx, { type: 'backup.schedule_changed', account, text, ip, data });
            return toSchedule(schedule, account);
          }),
        tasks: async ({ account }) => ({ tasks: await backups.tasks.list(account) }),
        task: ({ account, params }) => backups.tasks.get(account, params.id),
        cancel: ({ account, params }) => backups.tasks.cancel(account, params.id),
      },
      provides: {
        metrics: async () => {
          const known = await ages(local);
          if (known === undefined) return [];
          const age = (at: number) => Math.max(0, (Date.now() - at) / 1000);
          return [
            gauge('hostkeep_backups_newest_age_seconds', 'Age of the newest backup of this node', age(known.newest)),
            gauge(
              'hostkeep_backups_oldest_age_seconds',
              'Age of the newest backup of the account that has waited longest for one',
              age(known.oldest),
            ),
          ];
        },
        doctor: () => findings(host, backups.repositories),
        purge: async (account, signal) => [await backups.purge(account, signal)],
        move: () => ({
          obstacles: () => [],
          leftToDo: async ({ id, username }, to) =>
            (await listBackups(local, id)).length === 0
              ? []
              : [`see that the backups of ${username} stay at its old node, and have one made at ${to}`],
        }),
      },
    };
  },
});

function toBackup(row: BackupRow): Backup {
  return {
    id: row.id,
    created_at: new Date(row.createdAt).toISOString(),
    files: row.files,
    size_bytes: row.sizeBytes,
    added_bytes: row.addedBytes,
    left_out: row.leftOut,
    is_scheduled: row.isScheduled,
  };
}

function toSchedule(schedule: Schedule, { id }: Account): BackupSchedule {
  const next = nextDue(schedule, id, Date.now());
  const { schedule: name, weekday, hour, kept } = schedule;
  return { schedule: name, weekday, hour, kept, next_at: next === undefined ? null : new Date(next).toISOString() };
}
