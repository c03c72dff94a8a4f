import { definePlugin } from '../../kernel/contract/plugin.ts';
import type { Finding } from '../../kernel/contract/points/finding.ts';
import { gauge } from '../../kernel/contract/points/metric.ts';
import type { AccountBackups } from '../../kernel/areas/backups/account-backups.ts';
import { AccountRounds } from '../../kernel/areas/tasks/account-rounds.ts';
import { errorMessage, Unavailable } from '../../kernel/errors.ts';
import { Recurring } from '../../kernel/kit/waiting/recurring.ts';
import { Copies } from './copies.ts';
import { fail } from './errors.ts';
import { events } from './events.ts';
import { backupCopiesRoutes } from './routes.ts';
import { BackupCopiesConfig, type BackupCopy } from './schema.ts';
import { findCopy, listCopies, newestCopied, outcomes, type CopyRow } from './store.ts';

const CLEAN_MS = 3_600_000;
const REMEDY = 'see that `rclone lsd` lists the remote, with the configuration that backup-copies.config_file names';

export default definePlugin({
  name: 'backup-copies',
  description: 'Copies of the backups at another place, which rclone reaches.',
  features: [],
  uses: ['backups'],
  errors: fail,
  events,
  config: BackupCopiesConfig,
  routes: backupCopiesRoutes,
  setup(host) {
    const { config, identity, local, log, node, onClose } = host;
    const backups = host.peer<AccountBackups>('backups');
    if (backups === undefined) throw new Unavailable('there are no backups to copy', 'switch the plugin backups on');
    const copies = new Copies(host, backups);
    const stop = new AbortController();
    let problem: string | undefined;
    const assertAnswers = async () => {
      await copies.remote.prove().catch((error: unknown) => {
        problem = errorMessage(error);
        throw error;
      });
      problem = undefined;
    };
    const rounds = new AccountRounds(host, {
      ...{ feature: 'backups', table: 'backup_copies', everyDays: 1, checkSeconds: config.check_seconds },
      dueEarly: async () => {
        const [newest, copied] = await Promise.all([backups.newest(), newestCopied(local)]);
        return new Set([...newest].flatMap(([id, at]) => (copied.get(id) === at ? [] : [id])));
      },
      ready: assertAnswers,
      run: (account) => copies.copy(account, stop.signal),
    });
    const cleaning = new Recurring({
      run: () => copies.clean(),
      failed: (err) => log.error({ err }, 'old copies of backups were not removed'),
      everyMs: CLEAN_MS,
    });
    onClose(async () => {
      stop.abort(new Error('the server is stopping'));
      await Promise.all([rounds.close(), cleaning.close(), copies.close()]);
    });
    if (node.isServing && config.remote !== '')
      void node.onLeader(() => {
        rounds.start();
        cleaning.wake();
      });
    return {
      handlers: {
        own: async ({ account }) => toOwn(await findCopy(local, account.id)),
        list: async () => {
          const shown: BackupCopy[] = [];
          for (const row of await listCopies(local)) {
            const account = await identity.accounts.byId(row.account_id);
            if (account !== undefined) shown.push({ username: account.username, ...toOwn(row), problem: row.problem });
          }
          return { remote: config.remote, copies: shown };
        },
        stored: async () => ({ stored: await copies.remote.stored() }),
        copy: async ({ params }) => copies.begin(await identity.accounts.get(params.username)),
        fetch: async ({ params, body: { name, replace }, ip }) =>
          copies.fetch(await identity.accounts.get(params.username), name, { replaces: replace, ip }),
        task: async ({ params }) => copies.tasks.get(await identity.accounts.get(params.username), params.id),
        cancel: async ({ params }) => copies.tasks.cancel(await identity.accounts.get(params.username), params.id),
      },
      provides: {
        metrics: async () => {
          const { oldest, failed } = await outcomes(local);
          if (oldest === null && failed === 0) return [];
          const age = oldest === null ? [] : [Math.max(0, (Date.now() - oldest) / 1000)];
          const texts = [
            'Age of the copy of the account of this node whose backups have waited longest for one',
            'Accounts of this node whose backups could not be copied at the last try',
          ] as const;
          return [
            ...age.map((seconds) => gauge('hostkeep_backup_copies_oldest_age_seconds', texts[0], seconds)),
            gauge('hostkeep_backup_copies_failed', texts[1], failed),
          ];
        },
        health: () => (problem === undefined ? [] : [{ name: 'remote', ok: false, detail: problem, remedy: REMEDY }]),
        doctor: async () => {
          if (config.remote === '') return [];
          return copies.remote.prove().then(
            (): Finding[] => [{ name: 'remote', ok: true, detail: `${config.remote} answers` }],
            (error: unknown): Finding[] => [{ name: 'remote', ok: false, detail: errorMessage(error), remedy: REMEDY }],
          );
        },
      },
    };
  },
});

const time = (ms: number | null): string | null => (ms === null ? null : new Date(ms).toISOString());
const toOwn = (row: CopyRow | undefined) => ({
  copied_at: time(row?.copied_at ?? null),
  newest_at: time(row?.newest_at ?? null),
  backups: row?.backups ?? 0,
});
