import { errorMessage } from '../../errors.ts';
import { escapeControl } from '../../log.ts';
import type { Accounts } from '../../identity/accounts/accounts.ts';
import type { AccountJobs } from '../../kit/jobs/account-jobs.ts';
import type { Launcher } from '../../kit/jobs/launcher.ts';
import type { Gathered } from '../../contract/extension-points.ts';
import type { NodeInfo } from '../../contract/node-info.ts';
import type { Diagnosis, Finding } from '../../contract/points/finding.ts';
import type { Store } from '../../store/store.ts';
import { VERSION } from '../../kit/files/project-dir.ts';
import { withDeadline } from '../../kit/waiting/deadline.ts';
import type { Gatherer } from '../../host/gatherer.ts';
import { precautions } from './precautions.ts';

interface Examined {
  readonly core: {
    readonly store: Store;
    readonly local: Store;
    readonly accounts: Accounts;
    readonly jobs: AccountJobs;
    readonly broker: Launcher | undefined;
  };
  readonly node: NodeInfo;
  readonly gather: Gatherer['gather'];
}
type PluginFinding = Finding & { readonly plugin: string };

const OWNERS_MS = 10_000;
/** Folders named in a finding. */
const NAMED = 5;
const LOOK_INTO_LOG = 'see the log of the server for the whole error';

/** Proves that the node and every plugin have what they need. Takes as long as the slowest plugin, up to its time limit. */
export async function examine(examined: Examined): Promise<Diagnosis[]> {
  return (await findingsOf(examined)).map(({ remedy, ...finding }) => {
    if (finding.ok) return { ...finding, state: finding.isUntried === true ? 'untried' : 'ok' };
    return { ...finding, state: finding.isWarning === true ? 'warn' : 'missing', remedy: remedy ?? LOOK_INTO_LOG };
  });
}

async function findingsOf({ core, node, gather }: Examined): Promise<PluginFinding[]> {
  const answers = await gather('doctor');
  const stores = [await storeFinding('store', core.store), await storeFinding('local store', core.local)];
  const unsafe = await core.jobs.unsafeParents(() => core.accounts.usernamesOfHere());
  const roots = {
    name: 'files_root',
    ok: unsafe.length === 0,
    detail: unsafe.length === 0 ? node.config.files_root : `other users may change ${unsafe.join(', ')}`,
    ...(unsafe.length > 0 && {
      remedy: 'make root their owner, and let nobody else write to them (chown root, chmod go-w)',
    }),
  };
  const kernel = [
    ...stores,
    roots,
    ...(await strangers(core)),
    await brokerFinding(core.broker),
    ...(await precautions(node.config)),
  ].map((finding) => ({
    plugin: 'kernel',
    ...finding,
  }));
  return [...kernel, ...findings(node, answers)];
}

/** Names what lies among the files roots and belongs to no account. */
async function strangers({ store, jobs }: Examined['core']): Promise<Finding[]> {
  const name = 'files of nobody';
  const sql = 'select username from accounts union select username from removed_accounts';
  const known = new Set((await store.all<{ username: string }>(sql)).map(({ username }) => username));
  let owners: Awaited<ReturnType<AccountJobs['owners']>>;
  try {
    owners = await withDeadline(jobs.owners(), OWNERS_MS);
  } catch (error) {
    return [{ name, ok: false, detail: `the files roots cannot be read: ${errorMessage(error)}` }];
  }
  const found = owners.filter((each) => !each.name.startsWith('.') && !known.has(each.name));
  if (found.length === 0) return [];
  const named = found.slice(0, NAMED).map(({ path, uid }) => `${escapeControl(path)} (user id ${uid})`);
  const more = found.length > NAMED ? `, and ${found.length - NAMED} more` : '';
  const detail = `of no account: ${named.join(', ')}${more}`;
  return [{ name, ok: false, isWarning: true, detail, remedy: 'move them away, or remove them' }];
}

async function storeFinding(name: string, store: Store): Promise<Finding> {
  const faults = await store.examine();
  if (faults.length === 0) return { name, ok: true, detail: store.place };
  return { name, ok: false, detail: faults.join('; '), remedy: store.remedy };
}

/** Says what a service leaves out that has no broker. */
async function brokerFinding(broker: Launcher | undefined): Promise<Finding> {
  const name = 'broker';
  if (broker === undefined) {
    const [detail, ok] =
      process.geteuid?.() === 0
        ? ['none: the process that speaks HTTP has the rights of root itself', false]
        : ["none: accounts have no user ids of their own, and their processes have this user's rights", true];
    return {
      name,
      ok,
      isWarning: true,
      detail,
      remedy: 'start hostkeep-broker.socket (without the package `hostkeep broker`, as root), and set broker.socket',
    };
  }
  try {
    const version = await broker.version();
    const ok = version === VERSION;
    return { name, ok, detail: `version ${version}`, ...(!ok && { remedy: 'restart the broker' }) };
  } catch (error) {
    return {
      name,
      ok: false,
      detail: errorMessage(error),
      remedy: 'start hostkeep-broker.socket; without the package, `hostkeep broker` as root',
    };
  }
}

function findings(node: NodeInfo, answers: readonly Gathered<'doctor'>[]): PluginFinding[] {
  return node.plugins().flatMap(({ name: plugin, state, reason, remedy }) => {
    if (state === 'off') return [{ plugin, name: 'plugin', ok: true, isUntried: true, detail: 'switched off' }];
    if (state === 'unavailable') {
      const isWarning = remedy !== undefined && node.config.sections[plugin] === undefined; // nobody configured it
      return [{ plugin, name: 'plugin', ok: false, isWarning, detail: reason ?? '', ...(remedy && { remedy }) }];
    }
    const findings = answers
      .filter((answer) => answer.plugin === plugin)
      .flatMap((answer): readonly Finding[] =>
        answer.ok ? answer.value : [{ name: 'plugin', ok: false, detail: `the check failed: ${String(answer.error)}` }],
      );
    return findings.length === 0
      ? [
          {
            plugin,
            name: 'plugin',
            ok: true,
            isUntried: true,
            detail: 'ready, with no need of anything outside',
          },
        ]
      : findings.map((finding) => ({ plugin, ...finding }));
  });
}
