import type { Command } from 'commander';
import { resolve } from 'node:path';
import { Hostkeep } from '../index.ts';
import { createLog } from '../log.ts';
import type { Finding } from '../points.ts';
import { configOf, print, table, withCore, type GlobalOptions } from './context.ts';

/** `hostkeep backup <file>`: a consistent copy of the store, also while a server writes. */
export async function backup(target: string, _: GlobalOptions, command: Command): Promise<void> {
  await withCore(command.optsWithGlobals<GlobalOptions>(), ({ store }) => store.backup(resolve(target)));
  print(false, undefined, `wrote ${resolve(target)}; keys.json of the data folder belongs to it`);
}

/** `hostkeep doctor`: whether every plugin has what it needs. The exit code is 1 when something is missing. */
export async function doctor(_: GlobalOptions, command: Command): Promise<void> {
  const options = command.optsWithGlobals<GlobalOptions & { json?: boolean }>();
  const config = configOf(options);
  const hostkeep = await Hostkeep.start(config, createLog('silent'), { listen: false });
  try {
    const findings = await examine(hostkeep);
    const rows = findings.map(({ plugin, name, ok, detail, remedy }) => [ok ? 'ok' : 'MISSING', plugin, name, detail, remedy === undefined ? '' : `→ ${remedy}`]);
    print(options.json, findings, table(['', 'PLUGIN', 'WHAT', 'FOUND', ''], rows));
    if (findings.some(({ ok }) => !ok)) process.exitCode = 1;
  } finally {
    await hostkeep.close();
  }
}

async function examine({ node, plugins }: Hostkeep): Promise<(Finding & { plugin: string })[]> {
  const answers = await plugins.gather('doctor');
  return node.plugins().flatMap(({ name: plugin, state, reason, remedy }) => {
    if (state === 'off') return [{ plugin, name: 'plugin', ok: true, detail: 'switched off' }];
    if (state === 'unavailable') return [{ plugin, name: 'plugin', ok: false, detail: reason ?? '', ...(remedy === undefined ? {} : { remedy }) }];
    const findings = answers.filter((answer) => answer.plugin === plugin).flatMap((answer): readonly Finding[] =>
      answer.ok ? answer.value : [{ name: 'plugin', ok: false, detail: `its examination failed: ${String(answer.error)}` }]);
    return findings.length === 0 ? [{ plugin, name: 'plugin', ok: true, detail: 'ready' }] : findings.map((finding) => ({ plugin, ...finding }));
  });
}
