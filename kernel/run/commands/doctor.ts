import type { Command } from 'commander';
import { assertStoreExists } from '../core.ts';
import { Hostkeep } from '../hostkeep.ts';
import { createLog, escapeControl } from '../../log.ts';
import type { Diagnosis } from '../../contract/points/finding.ts';
import { configOf, print, type GlobalOptions } from '../command-context.ts';

interface Options extends GlobalOptions {
  readonly json?: boolean;
  readonly strict?: boolean;
}

/** Where the output is no terminal, in characters. */
const COLUMNS = 80;
/** As wide as the longest state, and a space. */
const INDENT = 8;

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
    const found = await hostkeep.node.examine();
    const width = process.stdout.columns ?? (Number(process.env['COLUMNS']) || COLUMNS);
    const count = (state: Diagnosis['state']) => found.filter((each) => each.state === state).length;
    const summary = `${count('ok')} ok, ${count('warn')} warn, ${count('missing')} missing`;
    print(options.json, found, [...found.map((each) => paragraph(each, width)), summary].join('\n'));
    if (count('missing') > 0 || (options.strict === true && count('warn') > 0)) process.exitCode = 1;
  } finally {
    await hostkeep.close();
  }
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
