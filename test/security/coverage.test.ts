import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from '../support/assert.ts';
import { projectDir } from '../../kernel/kit/files/project-dir.ts';
import { testSuite } from '../support/suite.ts';
import { compareRequirements, REQUIREMENTS, requirementsOf } from './asvs.ts';
import { coverageProblems, coverageText } from './coverage.ts';
import { parseTaggedTests, readTaggedTests } from './tagged-tests.ts';

const test = testSuite('security');
const { tags, problems } = readTaggedTests(join(projectDir, 'test'));

test('every tagged test asserts something', () => assert.equal(problems, []));

test('every threat, attack and requirement is covered or has a reason', () => {
  assert.equal(coverageProblems(tags), []);
});

test('test/security/coverage.md is up to date; npm run security -- --write updates it', () => {
  const committed = readFileSync(join(projectDir, 'test/security/coverage.md'), 'utf8').split('\n');
  const current = coverageText(tags).split('\n');
  assert.equal(
    {
      removed: committed.filter((line) => !current.includes(line)),
      added: current.filter((line) => !committed.includes(line)),
    },
    { removed: [], added: [] },
  );
  assert.equal(committed, current);
});

test('a requirement whose only test goes is reported', () => {
  const fewer = tags.filter(({ subject }) => subject !== '6.3.2');
  assert.equal(coverageProblems(fewer), ['no test covers requirement 6.3.2']);
  const without = tags.filter(({ subject }) => subject !== 'clock-steps');
  assert.equal(coverageProblems(without), ['no test covers the attack clock-steps']);
});

test('unknown and contradictory subjects are reported', () => {
  const tag = { claim: 'x', file: 'f', title: 't' };
  assert.equal(coverageProblems([...tags, { ...tag, kind: 'threat', subject: 'none' }]), ['unknown threat none']);
  assert.equal(coverageProblems([...tags, { ...tag, kind: 'asvs', subject: '1.2.10' }]), [
    'unknown requirement 1.2.10',
  ]);
  assert.equal(coverageProblems([...tags, { ...tag, kind: 'asvs', subject: '6.3.3' }]), [
    '6.3.3 has a test and an exception',
  ]);
});

test('requirements are expanded and ordered by number', () => {
  assert.equal(requirementsOf('6.2.9-11, 7.1.1'), ['6.2.9', '6.2.10', '6.2.11', '7.1.1']);
  assert.equal(['6.2.10', '10.1.1', '6.2.9'].toSorted(compareRequirements), ['6.2.9', '6.2.10', '10.1.1']);
  assert.is(new Set(REQUIREMENTS).size, REQUIREMENTS.length);
  assert.throws(() => requirementsOf('6.2'), /not a requirement: 6\.2/);
});

const TAGGED = ['// asvs 1.1.1, 1.2.1-2: decoded', '//   once', '// threat ssrf: refused', ''].join('\n');

test('tags are read with the test below them', () => {
  const found = parseTaggedTests('kernel/a', `${TAGGED}test("it's so", () => assert.ok(1));\n`);
  const where = { file: 'kernel/a', title: "it's so" };
  assert.equal(found, {
    problems: [],
    tags: [
      { kind: 'asvs', subject: '1.1.1, 1.2.1-2', claim: 'decoded once', ...where },
      { kind: 'threat', subject: 'ssrf', claim: 'refused', ...where },
    ],
  });
});

for (const [name, code] of [
  ['one line', "test('a', () => assert.ok(1));"],
  ['a block', "test('a', async () => {\n  const b = 1;\n  assert.is(b, 1);\n});"],
  ['a helper', "function helps() {\n  assert.ok(1);\n}\n%test('a', () => {\n  helps();\n});"],
  [
    'a helper of a helper',
    "const b = (\n  n: number,\n): void => {\n  assert.ok(n);\n};\nconst c = () => b(1);\n%test('a', () => c());",
  ],
  ['a row', "test('a', () => ann.rows(['GET /', 404]));"],
  ['an imported helper', "test('a', () => {\n  assertHolds();\n});"],
] as const)
  test(`an assertion is found in ${name}`, () => {
    const source = code.includes('%') ? code.replace('%', TAGGED) : TAGGED + code;
    assert.equal(parseTaggedTests('a', source).problems, []);
  });

for (const [name, code, problem] of [
  ['an empty body', "test('a', () => {\n});\ntest('b', () => assert.ok(1));", 'a: "a" asserts nothing'],
  ['an assertion in a comment', "test('a', () => {\n  // assert.ok(1);\n});", 'a: "a" asserts nothing'],
  [
    'an assertion in a string',
    "test('assert.ok(1)', () => {\n  run('assert.is(1)');\n});",
    'a: "assert.ok(1)" asserts nothing',
  ],
  ['a helper that asserts nothing', "const b = () => 1;\n%test('a', () => {\n  b();\n});", 'a: "a" asserts nothing'],
  ['a tag without a test', 'const b = 1;', 'a:1: a tag without a test below it'],
  ['a tag without a claim', "// asvs 1.1.1\ntest('a', () => assert.ok(1));", 'a:1: malformed tag: asvs 1.1.1'],
] as const)
  test(`${name} is reported`, () => {
    const source = code.includes('%') ? code.replace('%', TAGGED) : code.startsWith('//') ? code : TAGGED + code;
    assert.equal(parseTaggedTests('a', source).problems, [problem]);
  });
