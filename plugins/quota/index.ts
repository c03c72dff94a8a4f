import { clientPath, pathComponents } from '../../kernel/kit/files/client-path.ts';
import type { LimitNotices } from '../../kernel/areas/limit-notices.ts';
import { definePlugin, type Host } from '../../kernel/contract/plugin.ts';
import type { StoredFiles } from '../../kernel/areas/files/free-room.ts';
import { eventWakers } from '../../kernel/contract/workers.ts';
import { startReconciling } from '../../kernel/kit/waiting/reconciling.ts';
import { formatSize } from '../../kernel/kit/format.ts';
import type { Account } from '../../kernel/identity/accounts/account.ts';
import { doctor } from './doctor.ts';
import { events } from './events.ts';
import { FolderSizes } from './folders/folder-sizes.ts';
import { LatestLargest } from './folders/latest-largest.ts';
import { KernelQuota } from './kernel-quota/kernel-quota.ts';
import { storageNotices } from './keeping/notices.ts';
import { PlanLimits } from './keeping/plan-limits.ts';
import privileged from './privileged.ts';
import { DiskInodes, FolderQuery, LargestFolders, QuotaConfig, Size } from './schema.ts';
import { AccountUsage, resources, usageOfMany } from './account-usage.ts';
import type { QuotaRow } from './kernel-quota/repquota.ts';
import { readSamples } from './store.ts';
import { UsageSamples } from './usage-samples.ts';

/** How soon what other processes changed, such as the command line, and what accounts store is seen. */
const KEEP_MS = 60_000;
/** How long after accounts stored something they are measured, where no file system counts. */
const WRITER_MS = 10_000;
const CHANGES = new Set(['account.created', 'account.changed', 'account.moved', 'plan.changed']);
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
    largest: {
      method: 'GET',
      path: '/api/largest-folders',
      at: 'home',
      feature: EITHER,
      summary: 'Get the largest folders of a folder, and those with the most names',
      description:
        'At most 100 of each, counted as for the size of a folder. What is in none of them is the rest of the total. Where it takes ' +
        'longer than a second to measure them, the figures of the last time are the answer, until there are new ones.',
      query: FolderQuery,
      reply: LargestFolders,
      errors: ['invalid_path', 'folder_not_found', 'files_unavailable', 'overloaded'],
    },
  },
  events,
  setup(host) {
    const { config, jobs, log, node, onClose } = host;
    const verbs = node.privileged(privileged, config);
    const kernel = new KernelQuota(config, verbs, jobs, log);
    const sizes = new FolderSizes({
      jobs,
      log,
      walks: config.walks,
      command: config.du,
      timeoutMs: config.walk_seconds * 1000,
    });
    const latest = new LatestLargest(host, sizes);
    const measuredMs = config.measured_seconds * 1000;
    const samples = new UsageSamples({
      ...host,
      measure: (account) => sizes.all(account),
      writerMs: Math.min(WRITER_MS, measuredMs),
    });
    const usage = new AccountUsage(kernel, measuredMs, samples);
    const { first } = node.config.ids;
    const uidOf = ({ id }: { readonly id: number }) => (first > 0 ? first + id : undefined);
    const limits = new PlanLimits(host, kernel, verbs, uidOf);
    const known = { of: (accounts: readonly Account[]) => readSamples(host.local, idsOf(accounts)) };
    const notices = storageNotices(host, (accounts) => usageOfMany(accounts, kernel.latest(uidOf), known));
    if (node.isServing) void node.onLeader(() => keep(host, first > 0 ? limits : undefined, notices));
    const service: StoredFiles = {
      // a client who uploads does not wait for the tools of quotas
      stored: async (account) => {
        const usage = await usageOfMany([account], kernel.atHand(uidOf), {
          of: (writers) => samples.ofWriters(writers),
        });
        const used = (name: string) => usage.get(account.id)?.find(({ resource }) => resource === name)?.used;
        const [kib, names] = [used('disk_kib'), used('inodes')];
        return { ...(kib !== undefined && { bytes: kib * 1024 }), ...(names !== undefined && { names }) };
      },
    };
    onClose(() => samples.close());
    onClose(() => kernel.close());
    onClose(() => sizes.close());
    return {
      service,
      handlers: {
        usage: ({ account }) => usage.of(account),
        size: async ({ account, query, signal }) => {
          return {
            size: formatSize(
              await sizes.bytes(account, pathComponents(query.folder, node.config.virtual_root), signal),
            ),
          };
        },
        largest: async ({ account, query, signal }) => {
          const { virtual_root: root } = node.config;
          const components = pathComponents(query.folder, root);
          const { total, folders, at, isOld } = await latest.of(account, components, signal);
          const path = clientPath(components, root);
          const named = folders.map((each) => ({ ...each, path: `${path}/${each.name}` }));
          return { root, path, measured_at: new Date(at).toISOString(), stale: isOld, ...total, folders: named };
        },
      },
      provides: {
        accountReport: async (account) => ({ usage: resources(await usage.of(account)) }),
        accountsUsage: async (accounts) => usageOfMany(accounts, await kernel.known(uidOf), samples),
        move: () => ({
          obstacles: () => [],
          leftToDo: async (account, at) =>
            uidOf(account) === undefined ? limitsLeft(account, at, (await kernel.of(account))?.row) : [],
        }),
        doctor: async () => [...(await doctor(config, kernel)), ...(first > 0 ? await limits.findings() : [])],
        metrics: () => sizes.metrics(),
      },
    };
  },
});

/** Sets the limits of plans where accounts have user ids, and tells accounts that are near them, now and from now on. */
function keep(host: Host, limits: PlanLimits | undefined, notices: LimitNotices): void {
  const wakers = eventWakers(host, CHANGES);
  startReconciling({ ...host, wakers, everyMs: KEEP_MS, subject: 'storage limits of accounts' }, async (attempt) => {
    await limits?.reconcile(attempt);
    await notices.look();
  });
}

const idsOf = (accounts: readonly Account[]) => accounts.map(({ id }) => id);

/** The kernel's limits are of the machine's file system, and set with its tools. */
function limitsLeft({ username }: Account, node: string, row: QuotaRow | undefined): string[] {
  if (row === undefined || [row.blocksSoft, row.blocksHard, row.filesSoft, row.filesHard].every((each) => each === 0))
    return [];
  const blocks = `${row.blocksSoft} and ${row.blocksHard} KiB`;
  const files = `${row.filesSoft} and ${row.filesHard} inodes`;
  return [`set the quota of ${username} at ${node}, soft and hard: ${blocks}, ${files}`];
}
