/** What runs in a process that ran others ends as it does in a process of its own. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from '../assert.ts';
import { runInPool, type Outcome } from '../command-pool.ts';
import { environmentOf, hostkeep, OWN_CLI, runAlone } from '../command.ts';
import { temporaryFolder } from '../folder.ts';
import { testSuite } from '../suite.ts';

const test = testSuite('command pool');
const folder = temporaryFolder();

/** By name: the text of a program, which also gets the input `a line`, the argument `x` and `WORD=word`, and how it ends. */
const PROGRAMS: Readonly<Record<string, readonly [text: string, outcome: Outcome]>> = {
  exits: [
    `process.stdout.write('some'); process.stderr.write('trouble'); process.exit(3); process.stdout.write('more');`,
    { code: 3, stdout: 'some', stderr: 'trouble' },
  ],
  'sets-its-code': [`process.exitCode = 4;`, { code: 4, stdout: '', stderr: '' }],
  'leaves-open': [
    `import { createServer } from 'node:net'; createServer().listen(0, '127.0.0.1'); process.exit(5);`,
    { code: 5, stdout: '', stderr: '' },
  ],
  'ends-late': [
    `setTimeout(() => { console.log('late'); process.exitCode = 6; }, 50);`,
    { code: 6, stdout: 'late\n', stderr: '' },
  ],
  'writes-much': [
    `for (let i = 0; i < 20; i += 1) process.stdout.write('ä'.repeat(9999));`,
    { code: 0, stdout: 'ä'.repeat(20 * 9999), stderr: '' },
  ],
  'is-given': [
    `const chunks = []; for await (const chunk of process.stdin) chunks.push(chunk);
     console.log(String(Buffer.concat(chunks)), process.argv.slice(2), process.env.WORD, process.env.OTHER, process.stdin.isTTY);
     process.env.OTHER = 'left'; process.on('SIGTERM', () => {});`,
    { code: 0, stdout: `a line [ 'x' ] word undefined undefined\n`, stderr: '' },
  ],
};

test('programs end with the same code and output, one after another and at once', async () => {
  const asked = Object.entries(PROGRAMS).map(([name, [text]]) => {
    const program = join(folder, `${name}.mjs`);
    writeFileSync(program, text);
    return { program, args: ['x'], environment: { ...process.env, WORD: 'word' }, input: 'a line' };
  });
  const expected = Object.values(PROGRAMS).map(([, outcome]) => outcome);
  assert.equal(await Promise.all(asked.map(runAlone)), expected);
  assert.equal(await Promise.all(asked.map(runInPool)), expected);
  for (const [i, each] of [...asked, ...asked].entries())
    assert.equal(await runInPool(each), expected[i % expected.length], each.program);
});

test('a program that throws where nobody catches it ends its process only', async () => {
  const program = join(folder, 'throws.mjs');
  writeFileSync(program, `setTimeout(() => { throw new Error('not caught'); }, 1); await new Promise(() => {});`);
  for (const run of [runInPool, runAlone]) {
    const { code, stderr } = await run({ program, args: [], environment: process.env, input: '' });
    assert.is(code, 1);
    assert.match(stderr, /Error: not caught/);
  }
});

test('commands of hostkeep say the same', async () => {
  const data = temporaryFolder();
  const added = await hostkeep(data, ['account', 'add', '--admin', 'root', '--password-stdin'], 'a good password\n');
  assert.equal(added, { code: 0, stdout: 'added admin root\n', stderr: '' });
  for (const args of [
    ['nonsense'],
    ['account', 'show', 'nobody'],
    ['account', 'remove', 'root', '--json'],
    ['--version'],
  ])
    assert.equal(
      await hostkeep(data, args),
      await runAlone({ program: OWN_CLI, args, environment: environmentOf(data), input: '' }),
      args.join(' '),
    );
});
