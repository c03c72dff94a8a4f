import type { Command } from 'commander';
import { assertStoreExists } from '../core.ts';
import { messageOf } from '../errors.ts';
import { Hostkeep } from '../hostkeep.ts';
import type { BrokerClient } from '../jobs/broker-client.ts';
import { createLog } from '../log.ts';
import type { Finding } from '../plugin-api/points/finding.ts';
import type { Gathered } from '../plugin-api/extension-points.ts';
import { textTable } from '../plugin-api/command.ts';
import { VERSION } from '../system/project-dir.ts';
import { configOf, print, type GlobalOptions } from './command-context.ts';
import { precautions } from './precautions.ts';

/** `hostkeep doctor`: checks that every plugin has what it needs. The exit code is 1 if something is missing. */
export async function doctor(_: GlobalOptions, command: Command): Promise<void> {
  const options = command.optsWithGlobals<GlobalOptions & { json?: boolean }>();
  const config = configOf(options);
  assertStoreExists(config.data);
  const hostkeep = await Hostkeep.start(config, createLog('silent'), { listen: 'never' });
  try {
    const findings = await examine(hostkeep);
    const rows = findings.map(({ plugin, name, ok, detail, remedy }) => [
      ok ? 'ok' : 'MISSING',
      plugin,
      name,
      detail,
      remedy === undefined ? '' : `→ ${remedy}`,
    ]);
    print(options.json, findings, textTable(['', 'PLUGIN', 'WHAT', 'FOUND', ''], rows));
    if (findings.some(({ ok }) => !ok)) process.exitCode = 1;
  } finally {
    await hostkeep.close();
  }
}

async function examine({ core, node, plugins }: Hostkeep): Promise<(Finding & { plugin: string })[]> {
  const answers = await plugins.gather('doctor');
  const faults = await core.store.examine();
  const store = {
    plugin: 'kernel',
    name: 'store',
    ok: faults.length === 0,
    detail: faults.length === 0 ? core.store.file : faults.join('; '),
    ...(faults.length > 0 && { remedy: 'stop the server and run `hostkeep restore --force <backup>`' }),
  };
  const unsafe = await core.jobs.unsafeParents(() => core.accounts.usernames());
  const roots = {
    name: 'files_root',
    ok: unsafe.length === 0,
    detail: unsafe.length === 0 ? node.config.files_root : `other users may change ${unsafe.join(', ')}`,
    ...(unsafe.length > 0 && { remedy: 'give these folders to root, and close them to the writing of others' }),
  };
  const kernel = [roots, await brokerFinding(core.broker), ...(await precautions(node.config))].map((finding) => ({
    plugin: 'kernel',
    ...finding,
  }));
  return [store, ...kernel, ...findings(node, answers)];
}

/** Says what a service leaves out that has no broker. */
async function brokerFinding(broker: BrokerClient | undefined): Promise<Finding> {
  const name = 'broker';
  if (broker === undefined) {
    const [detail, ok] =
      process.geteuid?.() === 0
        ? ['none: the process that speaks HTTP has the rights of root itself', false]
        : ["none: accounts have no user ids of their own, and their processes only this user's rights", true];
    return { name, ok, detail, remedy: 'start hostkeep-broker.socket, and set broker.socket' };
  }
  try {
    const version = await broker.version();
    const ok = version === VERSION;
    return { name, ok, detail: `version ${version}`, ...(!ok && { remedy: 'restart the broker' }) };
  } catch (error) {
    return { name, ok: false, detail: messageOf(error), remedy: 'start hostkeep-broker.socket' };
  }
}

function findings(node: Hostkeep['node'], answers: readonly Gathered<'doctor'>[]): (Finding & { plugin: string })[] {
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
