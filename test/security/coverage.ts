import { compareRequirements, REQUIREMENTS, requirementsOf } from './asvs.ts';
import { EXCEPTIONS, NOT_APPLICABLE, type Verdict } from './exceptions.ts';
import type { Tag } from './tagged-tests.ts';
import { ATTACKS, INCIDENTS } from './threats.ts';

const HEAD = `# Security coverage

What the tests show: threats and attacks, then OWASP ASVS 5.0.0 at levels 1 and 2. \`npm run security -- --write\` writes
this file from the comments beside the tests and from \`test/security/*.ts\`; do not edit it. A test is named by file and
title: \`kernel/server\` is \`test/kernel/server.test.ts\`.
`;

/** Returns the coverage tables as Markdown. */
export function coverageText(tags: readonly Tag[]): string {
  return [
    HEAD,
    '## Incidents elsewhere\n',
    ...table(['what happened', 'what holds here', 'test'], namedRows(tags, 'threat', INCIDENTS)),
    '\n## Attacks\n',
    ...table(['attack', 'outcome', 'test'], namedRows(tags, 'attack', ATTACKS)),
    '\n## OWASP ASVS 5.0.0, levels 1 and 2\n',
    `${totals(tags)}\n`,
    ...table(['requirement', 'how it is met', 'test'], requirementRows(tags)),
    '\nNot applicable:\n',
    ...table(
      ['requirement', 'reason'],
      NOT_APPLICABLE.map(({ requirements, reason }) => [requirements, reason]),
    ),
    '',
  ].join('\n');
}

/** Returns the subjects that nothing covers, unknown subjects, and exceptions that contradict a tag. */
export function coverageProblems(tags: readonly Tag[]): string[] {
  const [tagged, excepted] = [
    taggedRequirements(tags),
    EXCEPTIONS.flatMap((each) => requirementsOf(each.requirements)),
  ];
  const inapplicable = NOT_APPLICABLE.flatMap(({ requirements }) => requirementsOf(requirements));
  const covered = new Set([...tagged, ...excepted, ...inapplicable]);
  const untestable = new Set([...inapplicable, ...withVerdict('no'), ...withVerdict('no test')]);
  return [
    ...namedProblems(tags, 'threat', INCIDENTS),
    ...namedProblems(tags, 'attack', ATTACKS),
    ...REQUIREMENTS.filter((each) => !covered.has(each)).map((each) => `no test covers requirement ${each}`),
    ...[...covered].filter((each) => !REQUIREMENTS.includes(each)).map((each) => `unknown requirement ${each}`),
    ...[...tagged].filter((each) => untestable.has(each)).map((each) => `${each} has a test and an exception`),
    ...excepted
      .filter((each, i) => excepted.indexOf(each) !== i || inapplicable.includes(each))
      .map((each) => `${each} has two exceptions`),
  ];
}

function namedProblems(tags: readonly Tag[], kind: Tag['kind'], names: Readonly<Record<string, string>>): string[] {
  const used = new Set(tags.filter((tag) => tag.kind === kind).map(({ subject }) => subject));
  return [
    ...Object.keys(names)
      .filter((name) => !used.has(name))
      .map((name) => `no test covers the ${kind} ${name}`),
    ...[...used].filter((name) => !Object.hasOwn(names, name)).map((name) => `unknown ${kind} ${name}`),
  ];
}

/** The first row of a name bears its description. */
function namedRows(tags: readonly Tag[], kind: Tag['kind'], names: Readonly<Record<string, string>>): string[][] {
  return Object.entries(names).flatMap(([name, description]) =>
    tags
      .filter((tag) => tag.kind === kind && tag.subject === name)
      .map((tag, i) => [i === 0 ? description : '', tag.claim, testName(tag)]),
  );
}

function requirementRows(tags: readonly Tag[]): string[][] {
  const rows = [
    ...tags.filter(({ kind }) => kind === 'asvs').map((tag) => [tag.subject, tag.claim, testName(tag)]),
    ...EXCEPTIONS.map(({ requirements, verdict, reason }) => [requirements, `**${verdict}**: ${reason}`, '']),
  ];
  const first = ([list = '']: string[]) => requirementsOf(list)[0] ?? '';
  return rows.toSorted((a, b) => compareRequirements(first(a), first(b)));
}

function totals(tags: readonly Tag[]): string {
  const tagged = taggedRequirements(tags);
  const inPart = withVerdict('in part');
  const counts = [
    `${[...tagged].filter((each) => !inPart.includes(each)).length} shown by tests`,
    `${withVerdict('no test').length} met without a test`,
    `${inPart.length} met in part`,
    `${withVerdict('no').length} not met`,
    `${NOT_APPLICABLE.flatMap(({ requirements }) => requirementsOf(requirements)).length} not applicable`,
  ];
  return `${REQUIREMENTS.length} requirements: ${counts.join(', ')}.`;
}

function taggedRequirements(tags: readonly Tag[]): Set<string> {
  return new Set(tags.filter(({ kind }) => kind === 'asvs').flatMap(({ subject }) => requirementsOf(subject)));
}

function withVerdict(verdict: Verdict): string[] {
  return EXCEPTIONS.filter((each) => each.verdict === verdict).flatMap(({ requirements }) =>
    requirementsOf(requirements),
  );
}

function testName({ file, title }: Tag): string {
  return `\`${file}\` "${title}"`;
}

function table(heads: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const line = (cells: readonly string[]) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  return [line(heads), line(heads.map(() => '---')), ...rows.map(line)];
}
