import { definePlugin } from '../../kernel/contract/plugin.ts';
import type { AccountBackups, BackupChecks } from '../../kernel/areas/backups/account-backups.ts';
import { gauge } from '../../kernel/contract/points/metric.ts';
import { AccountRounds } from '../../kernel/areas/tasks/account-rounds.ts';
import { Checks } from './checks.ts';
import { events } from './events.ts';
import { BackupChecksConfig } from './schema.ts';
import { lastChecks, outcomes } from './store.ts';

export default definePlugin({
  name: 'backup-checks',
  description: 'Proves by samples that backups can be read.',
  features: [],
  uses: ['backups', 'quota'],
  events,
  config: BackupChecksConfig,
  routes: {},
  setup(host) {
    const { config, local, node, onClose } = host;
    const backups = host.peer<AccountBackups>('backups');
    if (backups === undefined) return { handlers: {} };
    const checks = new Checks(host, backups);
    const rounds = new AccountRounds(host, {
      ...{ feature: 'backups', table: 'backup_checks' },
      ...{ everyDays: config.every_days, checkSeconds: config.check_seconds },
      ready: () => backups.assertAvailable(),
      run: (account) => checks.check(account),
    });
    onClose(() => Promise.all([checks.close(), rounds.close()]).then(() => undefined));
    if (node.isServing) void node.onLeader(() => rounds.start());
    return {
      service: { outcomes: () => lastChecks(local) } satisfies BackupChecks,
      handlers: {},
      provides: {
        metrics: async () => {
          const { oldest, failed } = await outcomes(local);
          if (oldest === null) return [];
          const age = Math.max(0, (Date.now() - oldest) / 1000);
          const [oldestText, failedText] = [
            'Age of the check of the account of this node whose backups have waited longest for one',
            'Accounts of this node whose backups could not be read at the last check',
          ];
          return [
            gauge('hostkeep_backup_checks_oldest_age_seconds', oldestText, age),
            gauge('hostkeep_backup_checks_failed', failedText, failed),
          ];
        },
      },
    };
  },
});
