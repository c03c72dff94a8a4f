import { pathComponents } from '../../kernel/kit/files/client-path.ts';
import { definePlugin } from '../../kernel/contract/plugin.ts';
import { formatSize } from '../../kernel/kit/format.ts';
import type { Account } from '../../kernel/identity/accounts/account.ts';
import { doctor } from './doctor.ts';
import { FolderSizes } from './folder-sizes.ts';
import { KernelQuota } from './kernel-quota.ts';
import privileged from './privileged.ts';
import { DiskInodes, FolderQuery, QuotaConfig, Size } from './schema.ts';
import { AccountUsage, resources, usageOfMany } from './account-usage.ts';
import type { QuotaRow } from './repquota.ts';
import { UsageSamples } from './usage-samples.ts';

const EITHER = ['disk_usage', 'inodes'] as const;

export default definePlugin({
  name: 'quota',
  description: 'Disk space and inodes of the account.',
  features: EITHER,
  config: QuotaConfig,
  routes: {
    usage: {
      method: 'GET',
      path: '/api/disk_inodes',
      at: 'home',
      feature: EITHER,
      summary: 'Get the usage and limits of disk space and inodes of the account',
      description:
        "From the kernel's quota; where there is none, measured at most a minute ago (setting measured_seconds) " +
        'and compared with the plan.',
      reply: DiskInodes,
      errors: ['files_unavailable', 'overloaded'],
    },
    size: {
      method: 'GET',
      path: '/api/directory-size',
      at: 'home',
      feature: EITHER,
      summary: 'Get the disk usage of a folder',
      description: 'Counted as du does: blocks on disk, hard links once, one file system, symbolic links not followed.',
      query: FolderQuery,
      reply: Size,
      errors: ['invalid_path', 'folder_not_found', 'files_unavailable', 'overloaded'],
    },
  },
  setup({ config, jobs, log, node, onClose, ...host }) {
    const kernel = new KernelQuota(config, node.privileged(privileged, config), jobs, log);
    const sizes = new FolderSizes({
      jobs,
      log,
      walks: config.walks,
      command: config.du,
      timeoutMs: config.walk_seconds * 1000,
    });
    const samples = new UsageSamples({ ...host, log, measure: (account) => sizes.all(account) });
    const usage = new AccountUsage(kernel, config.measured_seconds * 1000, samples);
    const { first } = node.config.ids;
    const uidOf = ({ id }: { readonly id: number }) => (first > 0 ? first + id : undefined);
    onClose(() => samples.close());
    onClose(() => kernel.close());
    onClose(() => sizes.close());
    return {
      handlers: {
        usage: ({ account }) => usage.of(account),
        size: async ({ account, query, signal }) => {
          return {
            size: formatSize(
              await sizes.bytes(account, pathComponents(query.folder, node.config.virtual_root), signal),
            ),
          };
        },
      },
      provides: {
        accountReport: async (account) => ({ usage: resources(await usage.of(account)) }),
        accountsUsage: (accounts) => usageOfMany(accounts, { kernel, samples }, uidOf),
        move: () => ({
          obstacles: () => [],
          leftToDo: async (account, at) => limitsLeft(account, at, (await kernel.of(account))?.row),
        }),
        doctor: () => doctor(config, kernel),
        metrics: () => sizes.metrics(),
      },
    };
  },
});

/** The kernel's limits are of the machine's file system, and set with its tools. */
function limitsLeft({ username }: Account, node: string, row: QuotaRow | undefined): string[] {
  if (row === undefined || [row.blocksSoft, row.blocksHard, row.filesSoft, row.filesHard].every((each) => each === 0))
    return [];
  const blocks = `${row.blocksSoft} and ${row.blocksHard} KiB`;
  const files = `${row.filesSoft} and ${row.filesHard} inodes`;
  return [`set the quota of ${username} at ${node}, soft and hard: ${blocks}, ${files}`];
}
