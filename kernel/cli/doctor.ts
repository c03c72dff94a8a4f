import type { Command } from 'commander';
import { assertStoreExists } from '../core.ts';
import { messageOf } from '../errors.ts';
import { Hostkeep } from '../hostkeep.ts';
import type { BrokerClient } from '../jobs/broker-client.ts';
import { createLog, escapeControl } from '../log.ts';
import type { Finding } from '../plugin-api/points/finding.ts';
import type { Gathered } from '../plugin-api/extension-points.ts';
import { VERSION } from '../system/project-dir.ts';
import { configOf, print, type GlobalOptions } from './command-context.ts';
import { precautions } from './precautions.ts';

interface Options extends GlobalOptions {
  readonly json?: boolean;
  readonly strict?: boolean;
}

interface Diagnosis extends Finding {
  readonly plugin: string;
  /** `warn`: Hostkeep does all that it is configured for, but something should be better. */
  readonly state: 'ok' | 'warn' | 'missing';
}

/** Where the output is no terminal, in characters. */
const COLUMNS = 80;
/** As wide as the longest state, and a space. */
const INDENT = 8;
const LOOK_INTO_LOG = 'see the log of the server for the whole error';

/**
 * `hostkeep doctor`: proves that every plugin has what it needs. The exit code is 1 if something is missing; with `--strict`
 * also after a warning.
 */
export async function doctor(_: GlobalOptions, command: Command): Promise<void> {
  const options = command.optsWithGlobals<Options>();
  const config = configOf(options);
  assertStoreExists(config.data);
  const hostkeep = await Hostkeep.start(config, createLog('silent'), { listen: 'never' });
  try {
    const found = (await examine(hostkeep)).map(diagnosisOf);
    const width = process.stdout.columns ?? (Number(process.env['COLUMNS']) || COLUMNS);
    const count = (state: Diagnosis['state']) => found.filter((each) => each.state === state).length;
    const summary = `${count('ok')} ok, ${count('warn')} warn, ${count('missing')} missing`;
    print(options.json, found, [...found.map((each) => paragraph(each, width)), summary].join('\n'));
    if (count('missing') > 0 || (options.strict === true && count('warn') > 0)) process.exitCode = 1;
  } finally {
    await hostkeep.close();
  }
}

function diagnosisOf({ remedy, ...finding }: Finding & { plugin: string }): Diagnosis {
  if (finding.ok) return { ...finding, state: 'ok' };
  return { ...finding, state: finding.isWarning === true ? 'warn' : 'missing', remedy: remedy ?? LOOK_INTO_LOG };
}

function paragraph({ state, plugin, name, detail, remedy }: Diagnosis, width: number): string {
  const [first = '', ...rest] = wrapped(escapeControl(`${plugin}, ${name}: ${detail}`), width - INDENT);
  const lines = [...rest, ...(remedy === undefined ? [] : wrapped(escapeControl(`→ ${remedy}`), width - INDENT))];
  const indented = lines.map((line) => ' '.repeat(INDENT) + line);
  return [`${state === 'missing' ? 'MISSING' : state}`.padEnd(INDENT) + first, ...indented].join('\n');
}

/** Breaks at spaces only, so that a path or a command can be copied. */
function wrapped(text: string, width: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const last = lines.at(-1);
    if (last === undefined || last.length + 1 + word.length > width) lines.push(word);
    else lines[lines.length - 1] = `${last} ${word}`;
  }
  return lines;
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
    return { name, ok, isWarning: true, detail, remedy: 'start hostkeep-broker.socket, and set broker.socket' };
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
