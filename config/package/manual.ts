/** The manual page, from `hostkeep --help` and the operator's manual, and the completions of shells. */
import { escaped, troff } from './troff.ts';

/** Runs `hostkeep` and returns what it prints. */
type Run = (...args: string[]) => string;
type Item = readonly [term: string, text: string];

interface CommandHelp {
  /** Such as `account add`; empty for the program itself. */
  readonly path: string;
  readonly usage: string;
  readonly description: string;
  readonly options: readonly Item[];
  readonly commands: readonly CommandHelp[];
  readonly examples: readonly Item[];
  /** What stands below all lists. */
  readonly notes: readonly string[];
}

/** Returns the manual page, in troff. `operating` is the operator's manual in Markdown, which follows the commands. */
export function manual(run: Run, version: string, operating: string): string {
  const program = helpOf(run, []);
  const commands = allBelow(program).filter(({ commands: below }) => below.length === 0);
  return [
    `.TH HOSTKEEP 1 "" "Hostkeep ${version}" "User Commands"`,
    '.SH NAME',
    `hostkeep \\- ${escaped(lowerFirst(program.description))}`,
    '.SH SYNOPSIS',
    `.B hostkeep\n${escaped(program.usage.replace(/^hostkeep /, ''))}`,
    '.SH OPTIONS',
    ...program.options.map(entry),
    '.SH COMMANDS',
    ...commands.flatMap(({ usage, description, options }) => [
      `.SS ${escaped(usage.replace(/^hostkeep /, '').replace(/ ?\[options\]/, ''))}`,
      escaped(description),
      ...options.filter(([term]) => !term.startsWith('-h,')).map(entry),
    ]),
    '.SH EXAMPLES',
    ...program.examples.map(entry),
    '.SH ENVIRONMENT AND EXIT STATUS',
    ...program.notes.map((line) => `${escaped(line)}\n.br`),
    '.SH FILES',
    entry(['/etc/hostkeep/hostkeep.json', 'the configuration; `hostkeep config reference` explains each setting']),
    entry(['/var/lib/hostkeep', 'the store, its keys and backups']),
    entry(['/usr/share/hostkeep', 'alert rules, dashboards and snippets for web servers']),
    troff(operating),
    '',
  ].join('\n');
}

/** Returns the completions of bash, zsh and fish, by the places where the shells look for them. */
export function completions(run: Run): Record<string, string> {
  const commands = [helpOf(run, [])].flatMap((program) => [program, ...allBelow(program)]);
  return {
    'usr/share/bash-completion/completions/hostkeep': bash(commands),
    'usr/share/zsh/vendor-completions/_hostkeep': zsh(commands),
    'usr/share/fish/vendor_completions.d/hostkeep.fish': fish(commands),
  };
}

function helpOf(run: Run, path: readonly string[]): CommandHelp {
  const text = run(...path, '--help');
  const sections = text.split(/\n\n/).map((section) => section.split('\n'));
  const listOf = (title: string) => items(sections.find(([first]) => first === `${title}:`)?.slice(1) ?? []);
  const [usage = [], ...rest] = sections;
  const names = listOf('Commands').map(([term]) => term.split(' ')[0] ?? '');
  return {
    path: path.join(' '),
    usage: usage.join(' ').replace('Usage: ', ''),
    description: (rest.find(([first = '']) => !first.endsWith(':')) ?? []).map((line) => line.trim()).join(' '),
    options: listOf('Options'),
    commands: names.filter((name) => name !== 'help').map((name) => helpOf(run, [...path, name])),
    examples: listOf('Examples'),
    notes: (sections.at(-1) ?? []).filter((line) => line !== ''),
  };
}

/** Reads a list of the help: a term and its text stand two columns apart, and the text goes on below itself. */
function items(lines: readonly string[]): Item[] {
  const found: [string, string][] = [];
  for (const line of lines) {
    const [, term, text = ''] = /^ {2}(\S.*?)(?: {2,}(\S.*))?$/.exec(line) ?? [];
    const last = found.at(-1);
    if (term !== undefined) found.push([term, text]);
    else if (last !== undefined) last[1] = `${last[1]} ${line.trim()}`.trim();
  }
  return found;
}

function allBelow(command: CommandHelp): CommandHelp[] {
  return command.commands.flatMap((each) => [each, ...allBelow(each)]);
}

const lowerFirst = (text: string) => text.slice(0, 1).toLowerCase() + text.slice(1);
const entry = ([term, text]: Item) => `.TP\n.B ${escaped(term)}\n${escaped(text)}`;

const nameOf = ({ path }: CommandHelp) => path.split(' ').at(-1) ?? '';
const flagsOf = ([term]: Item) => [...term.matchAll(/(?<=^|, )--?[\w-]+/g)].map(([flag]) => flag);
const wordsOf = (command: CommandHelp) => [...command.commands.map(nameOf), ...command.options.flatMap(flagsOf)];
const singleQuoted = (text: string) => `'${text.replaceAll("'", String.raw`'\''`)}'`;

function bash(commands: readonly CommandHelp[]): string {
  const cases = commands.map((command) => `    '${command.path}') words='${wordsOf(command).join(' ')}' ;;`);
  const paths = commands.slice(1).map(({ path }) => `      '${path}') path='${path}' ;;`);
  return `# bash completion for hostkeep
_hostkeep() {
  local current=\${COMP_WORDS[COMP_CWORD]} word path= words=
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "\${path:+$path }$word" in
${paths.join('\n')}
    esac
  done
  case "$path" in
${cases.join('\n')}
  esac
  case "\${COMP_WORDS[COMP_CWORD-1]}" in
    -c | --config) mapfile -t COMPREPLY < <(compgen -f -- "$current") ;;
    *) mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current") ;;
  esac
}
complete -o default -F _hostkeep hostkeep
`;
}

function zsh(commands: readonly CommandHelp[]): string {
  const described = (name: string, text: string) => singleQuoted(`${name.replaceAll(':', '\\:')}:${text}`);
  const cases = commands.map(
    (command) =>
      `    '${command.path}') words_of=(${[
        ...command.commands.map((each) => described(nameOf(each), each.description)),
        ...command.options.flatMap((item) => flagsOf(item).map((flag) => described(flag, item[1]))),
      ].join(' ')}) ;;`,
  );
  return `#compdef hostkeep
local word path_so_far= longer
local -a words_of
for word in \${words[2,CURRENT-1]}; do
  longer="\${path_so_far:+$path_so_far }$word"
  case "$longer" in
${commands
  .slice(1)
  .map(({ path }) => `    '${path}') path_so_far=$longer ;;`)
  .join('\n')}
  esac
done
case "$path_so_far" in
${cases.join('\n')}
esac
_describe hostkeep words_of || _files
`;
}

function fish(commands: readonly CommandHelp[]): string {
  const lines = commands.flatMap((command) => {
    const words = command.path.split(' ').filter((word) => word !== '');
    const below = command.commands.map(nameOf);
    const condition = [
      ...words.map((word) => `__fish_seen_subcommand_from ${word}`),
      ...(below.length > 0 ? [`not __fish_seen_subcommand_from ${below.join(' ')}`] : []),
    ].join('; and ');
    const start = `complete -c hostkeep ${condition === '' ? '' : `-n '${condition}' `}`;
    return [
      ...command.commands.map((each) => `${start}-f -a ${nameOf(each)} -d ${singleQuoted(each.description)}`),
      ...command.options.map((item) => {
        const flags = flagsOf(item).map((flag) =>
          flag.startsWith('--') ? `-l ${flag.slice(2)}` : `-s ${flag.slice(1)}`,
        );
        return `${start}${flags.join(' ')} ${item[0].includes('<') ? '-r ' : ''}-d ${singleQuoted(item[1])}`;
      }),
    ];
  });
  return `# fish completion for hostkeep\n${lines.join('\n')}\n`;
}
