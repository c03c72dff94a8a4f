import type { Command } from '../../kernel/contract/command.ts';
import type { Diagnosis } from '../../kernel/contract/points/finding.ts';
import { escapeControl } from '../../kernel/log.ts';

/** Where the output is no terminal, in characters. */
const COLUMNS = 80;
/** As they are printed. */
const STATES = { ok: 'ok', untried: 'not tried', warn: 'warn', missing: 'MISSING' } as const;
/** As wide as the longest state, and a space. */
const INDENT = 10;

export const doctorCommand: Command = {
  usage: 'doctor',
  summary:
    'prove that every plugin has what it needs, and say what to do if not; reloads the web server; the exit code is 1 if something is missing',
  options: [{ flags: '--strict', summary: 'exit with 1 after a warning, too' }],
  async run({ withPlugins, columns }, _, { strict }) {
    const found = await withPlugins(({ node }) => node.examine());
    const width = columns ?? (Number(process.env['COLUMNS']) || COLUMNS);
    const count = (state: Diagnosis['state']) => found.filter((each) => each.state === state).length;
    const summary = `${count('ok')} ok, ${count('untried')} not tried, ${count('warn')} warn, ${count('missing')} missing`;
    return {
      value: found,
      text: [...paragraphs(found, width), summary].join('\n'),
      isFailure: count('missing') > 0 || (strict === true && count('warn') > 0),
    };
  },
};

/** Puts what was not tried at the end, together where the reason is the same, so that it hides nothing else. */
function paragraphs(found: readonly Diagnosis[], width: number): string[] {
  const untried = new Map<string, string[]>();
  for (const { state, plugin, name, detail } of found)
    if (state === 'untried')
      untried.set(detail, [...(untried.get(detail) ?? []), name === 'plugin' ? plugin : `${plugin} (${name})`]);
  return [
    ...found
      .filter(({ state }) => state !== 'untried')
      .map((each) => paragraph(each.state, `${each.plugin}, ${each.name}: ${each.detail}`, each.remedy, width)),
    ...[...untried].map(([detail, names]) =>
      paragraph('untried', `${names.length} ${detail}: ${names.join(', ')}`, undefined, width),
    ),
  ];
}

function paragraph(state: Diagnosis['state'], text: string, remedy: string | undefined, width: number): string {
  const [first = '', ...rest] = wrapped(escapeControl(text), width - INDENT);
  const lines = [...rest, ...(remedy === undefined ? [] : wrapped(escapeControl(`→ ${remedy}`), width - INDENT))];
  const indented = lines.map((line) => ' '.repeat(INDENT) + line);
  return [STATES[state].padEnd(INDENT) + first, ...indented].join('\n');
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
