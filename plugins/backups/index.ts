import { archivedList } from '../../kernel/areas/archives/archived-list.ts';
import { definePlugin } from '../../kernel/contract/plugin.ts';
import type { AccountBackups } from '../../kernel/areas/backups/account-backups.ts';
import { isDatabase } from '../../kernel/contract/points/backup-source.ts';
import { taskHandlers } from '../../kernel/areas/tasks/task-routes.ts';
import type { Account } from '../../kernel/identity/accounts/account.ts';
import type { Static } from '../../kernel/schema.ts';
import { pathComponents } from '../../kernel/kit/files/client-path.ts';
import { Backups } from './backups.ts';
import { findDump, readDump, restoreDatabase, restoreItem } from './contents/restoring.ts';
import { findings } from './doctor.ts';
import { fail } from './errors.ts';
import { adoptRepository, forgetBackups, readKept, withRepository } from './repository/lent-repository.ts';
import { events } from './events.ts';
import { attachment, Reading } from './reading.ts';
import { backupRoutes } from './routes.ts';
import { readStandings } from './standings.ts';
import { decided, nextDue, type Schedule } from './schedule.ts';
import { Scheduler } from './scheduler.ts';
import { BackupsConfig, ScheduleChange, type Backup, type BackupSchedule } from './schema.ts';
import {
  DUMP_FILE,
  hasFiles,
  listBackups,
  listDatabases,
  madeAt,
  newestBackups,
  readSchedule,
  repositoryBytes,
  writeSchedule,
  type BackupRow,
} from './store.ts';

export default definePlugin({
  name: 'backups',
  description:
    'Backups of the files and databases of the account, made by restic into a repository that the account cannot reach.',
  features: ['backups'],
  uses: ['quota'],
  errors: fail,
  events,
  config: BackupsConfig,
  routes: backupRoutes,
  setup(host) {
    const { local, store, node, onClose } = host;
    const backups = new Backups(host);
    const reading = new Reading(host, backups);
    const parts = { ...host, backups, reading };
    let areMoved = false;
    onClose(() => Promise.all([backups.close(), reading.close()]).then(() => undefined));
    if (node.isServing) void node.onLeader(() => new Scheduler(host, backups).start());
    const components = (path: string) => pathComponents(path, node.config.virtual_root);
    const below = (path: string) => {
      const parts = components(path);
      if (parts.length === 0) throw fail.invalid_path('the root of the account is no file');
      return parts;
    };
    const setSchedule = (account: Account, change: Static<typeof ScheduleChange>, ip: string) =>
      store.write(async (tx) => {
        // what was due before is not made up for
        const schedule = { ...(await readSchedule(tx, account.id)), ...change, tried_at: Date.now() } as Schedule;
        await writeSchedule(tx, account.id, schedule);
        const data = { schedule: schedule.schedule };
        const text = `set the schedule of backups to ${schedule.schedule === 'plan' ? 'that of the plan' : schedule.schedule}`;
        await host.events.record(tx, { type: 'backup.schedule_changed', account, text, ip, data });
        return toSchedule(schedule, account, host.config);
      });
    return {
      service: {
        assertAvailable: async () => void (await backups.repositories.version()),
        restic: { program: host.config.program, memoryMib: host.config.memory_mib },
        newest: () => newestBackups(local),
        standings: () => readStandings(host),
        withRepository: (...args) => withRepository(parts, ...args),
        adopt: (...args) => adoptRepository(parts, ...args),
        kept: (account) => readKept(parts, account),
        at: (...args) => backups.repositories.at(...args),
        takeMoves: () => void (areMoved = true),
        forget: (account) => forgetBackups(parts, account),
        restoreFiles: async (account, id, run) =>
          hasFiles(await backups.find(account, id))
            ? backups.restoreFiles(account, id, { components: [], to: null }, run)
            : { files: 0, bytes: 0, leftOut: 0 },
        read: async (account, named, signal) =>
          readDump(parts, account, (await findDump(parts, account, named)).snapshot, signal),
        item: async (account, id, engine) =>
          (await listDatabases(local, (await backups.find(account, id)).id)).find((row) => row.engine === engine),
        restoreItem: (...args) => restoreItem(parts, ...args),
      } satisfies AccountBackups,
      handlers: {
        list: async ({ account }) => {
          const [rows, schedule, bytes] = await Promise.all([
            listBackups(local, account.id),
            readSchedule(store, account.id),
            repositoryBytes(local, account.id),
          ]);
          const when = decided(schedule, host.config, account.plan);
          const retry = await backups.retry(account, when, rows[0]?.created_at);
          return {
            backups: rows.map(toBackup),
            schedule: toSchedule(schedule, account, host.config, retry?.at),
            repository_bytes: bytes,
            limit_bytes: (account.plan?.limits['backups_limit_mib'] ?? 0) * 2 ** 20,
            kept_limit: account.plan?.limits['backups_limit'] ?? 0,
          };
        },
        make: ({ account, ip }) => backups.make(account, ip),
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
          const rows = (await listDatabases(local, (await backups.find(account, params.id)).id)).filter(isDatabase);
          return {
            databases: rows.map(({ engine, name, size_bytes, problem }) => ({ engine, name, size_bytes, problem })),
          };
        },
        dump: async ({ account, params }) => {
          const { snapshot } = await findDump(parts, account, params);
          return attachment(`${params.database}.sql`, await reading.content(account, snapshot, [DUMP_FILE]));
        },
        restoreDatabase: ({ account, params, query: { into }, ip }) =>
          restoreDatabase(parts, account, { ...params, into: into || params.database }, ip),
        remove: ({ account, params, ip }) => backups.remove(account, params.id, ip),
        setSchedule: ({ account, body, ip }) => setSchedule(account, body, ip),
        ...taskHandlers(host, backups.tasks, 'backup tasks'),
      },
      provides: {
        doctor: () => findings(host, backups.repositories),
        purge: async (account, signal) => [await backups.purge(account, signal)],
        archive: () =>
          archivedList<Static<typeof ScheduleChange>>({
            item: ScheduleChange,
            list: async ({ id }) => [scheduleIn(await readSchedule(store, id))],
            put: (account, schedule) => setSchedule(account, schedule, ''),
            called: () => 'the schedule of backups',
          }),
        move: () => ({
          obstacles: () => [],
          leftToDo: async ({ id, username }, to) =>
            areMoved || (await listBackups(local, id)).length === 0
              ? []
              : [`see that the backups of ${username} stay at its old node, and have one made at ${to}`],
        }),
      },
    };
  },
});

const toBackup = (row: BackupRow): Backup => ({ ...row, created_at: madeAt(row) });

function toSchedule(
  chosen: Schedule,
  { id, plan }: Account,
  config: BackupsConfig,
  retryAt = Infinity,
): BackupSchedule {
  const schedule = decided(chosen, config, plan);
  const next = nextDue(schedule, id, Date.now());
  return {
    ...scheduleIn(schedule),
    is_by_plan: chosen.schedule === 'plan',
    plan_schedule: decided({ ...chosen, schedule: 'plan' }, config, plan).schedule,
    next_at: next === undefined ? null : new Date(Math.min(next, retryAt)).toISOString(),
  };
}

const scheduleIn = ({ schedule, weekday, hour, kept }: Schedule) => ({ schedule, weekday, hour, kept });
