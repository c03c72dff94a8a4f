import { errorMessage } from '../../errors.ts';
import type { Accounts } from '../../identity/accounts/accounts.ts';
import type { AccountJobs } from '../../kit/jobs/account-jobs.ts';
import type { Launcher } from '../../kit/jobs/launcher.ts';
import type { Gathered } from '../../contract/extension-points.ts';
import type { NodeInfo } from '../../contract/node-info.ts';
import type { Diagnosis, Finding } from '../../contract/points/finding.ts';
import type { Store } from '../../store/store.ts';
import { VERSION } from '../../kit/files/project-dir.ts';
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

const LOOK_INTO_LOG = 'see the log of the server for the whole error';

/** Proves that the node and every plugin have what they need. Takes as long as the slowest plugin, up to its time limit. */
export async function examine(examined: Examined): Promise<Diagnosis[]> {
  return (await findingsOf(examined)).map(({ remedy, ...finding }) => {
    if (finding.ok) return { ...finding, state: 'ok' };
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
  const kernel = [...stores, roots, await brokerFinding(core.broker), ...(await precautions(node.config))].map(
    (finding) => ({
      plugin: 'kernel',
      ...finding,
    }),
  );
  return [...kernel, ...findings(node, answers)];
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
    if (state === 'off') return [{ plugin, name: 'plugin', ok: true, detail: 'switched off' }];
    if (state === 'unavailable')
      return [{ plugin, name: 'plugin', ok: false, detail: reason ?? '', ...(remedy === undefined ? {} : { remedy }) }];
    const findings = answers
      .filter((answer) => answer.plugin === plugin)
      .flatMap((answer): readonly Finding[] =>
        answer.ok ? answer.value : [{ name: 'plugin', ok: false, detail: `the check failed: ${String(answer.error)}` }],
      );
    return findings.length === 0
      ? [{ plugin, name: 'plugin', ok: true, detail: 'ready' }]
      : findings.map((finding) => ({ plugin, ...finding }));
  });
}
