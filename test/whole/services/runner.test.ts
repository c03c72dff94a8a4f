/** The test entry, run in a copy of the project on files of tests that must not pass. */
import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import * as assert from '../../support/assert.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { ProjectCopy } from '../../support/project-copy.ts';
import { TEST_STORE_URL } from '../../support/postgres.ts';
import { testSuite } from '../../support/suite.ts';
import { until } from '../../support/until.ts';

const test = testSuite('test entry');
const copy = new ProjectCopy(
  ['test/index.ts', 'test/support'],
  ['test/*.ts', 'test/services/*.ts', 'test/support/file-runner.ts'],
);
const cache = temporaryFolder(); // the times of these files are nobody's
const HEAD = `import * as assert from './support/assert.ts';\nimport { testSuite } from './support/suite.ts';\nconst test = testSuite('bad');\n`;
const GREEN = `test('a', () => assert.ok(true));`;
const EMPTY = `void assert;\ntest('a', () => {});`;

/** By name: the file's text, and what the entry says of it. */
const BAD: Readonly<Record<string, readonly [text: string, said: RegExp]>> = {
  'throws-at-import': [`throw new Error('cannot be loaded');`, /: ended with 1: Error: cannot be loaded$/m],
  'throws-before': [
    `${HEAD}test.before(() => { throw new Error('no server'); });\n${GREEN}`,
    /before failed: Error: no server/,
  ],
  'forgets-to-run': [`import { suite } from 'uvu';\nsuite('forgotten')('a', () => {});`, /: no test ran/],
  'has-no-test': [`import { testSuite } from './support/suite.ts';\ntestSuite('empty');`, /: no test ran/],
  'says-only': [`${HEAD}test.only('a', () => assert.ok(true));\n${GREEN}`, /: 1 tests left out/],
  'says-skip': [`${HEAD}test.skip('b', () => {});\n${GREEN}`, /: 1 tests left out/],
  'runs-itself': [`${HEAD}${GREEN}\ntest.run();`, /: ended with 1: Error: the suite runs by itself/],
  'adds-late': [
    `${HEAD}${GREEN}\nawait new Promise((done) => { setTimeout(done, 50); });\ntest('b', () => {});`,
    /"b" is added too late/,
  ],
  'asserts-nothing': [`${HEAD}${EMPTY}`, /"a" failed: Error: the test ran no assertion: it cannot fail/],
  'ends-early': [`${HEAD}test('a', () => { assert.ok(true); process.exit(0); });`, /: ended with 1|: no test ran/],
};

test.before(async () => {
  for (const [name, [text]] of Object.entries(BAD)) writeFileSync(copy.path(`test/${name}.test.ts`), text);
  mkdirSync(copy.path('test/services'));
  writeFileSync(
    copy.path('test/services/good.test.ts'),
    `${HEAD.replaceAll("'./", "'../")}test('one is red', () => { throw new Error('red'); });\ntest('one is green', () => assert.ok(true));`,
  );
  writeFileSync(
    copy.path('test/of-variable.test.ts'),
    `${HEAD}for (const n of [1, 2]) test(['n is', n].join(' '), () => assert.ok(n));`,
  );
  writeFileSync(
    copy.path('test/of-others.test.ts'),
    `import * as assert from './support/assert.ts';
     import { testSuite } from './support/suite.ts';
     const add = testSuite('others');
     for (const n of [1, 2]) add('n is ' + n, () => assert.ok(n));`,
  );
  for (const [name, last] of Object.entries({ 'open-and-green': '', 'open-and-red': `throw new Error('red');` }))
    writeFileSync(
      copy.path(`test/${name}.test.ts`),
      `import { spawn } from 'node:child_process';
       import { createServer } from 'node:net';
       import { endsWithTests } from './support/child.ts';
       ${HEAD}test('a', () => {
         createServer().listen(0, '127.0.0.1');
         console.log('\\nstarted ' + endsWithTests(spawn('sleep', ['1000'])).pid);
         ${last}
         assert.ok(true);
       });`,
    );
  writeFileSync(
    copy.path('test/cannot-run.test.ts'),
    `${HEAD}import { reportSkipped } from './support/suite.ts';\nreportSkipped('no engine here');\n${EMPTY}`,
  );
  writeFileSync(
    copy.path('test/logs.test.ts'),
    `${HEAD}import { TestServer } from './support/hostkeep.ts';\nlet server: TestServer;\ntest.after(() => server.close());
     test('a', async () => { server = await TestServer.start({ plugins: [] }); assert.is(server.data, 'seen'); });`,
  );
  await copy.compile();
});

/** Exit code and output of the entry. */
function run(...args: string[]): Promise<readonly [code: number, output: string]> {
  return runWith({}, ...args);
}

function runWith(env: NodeJS.ProcessEnv, ...args: string[]): Promise<readonly [code: number, output: string]> {
  // the copy has no plugin for the store that the tests around it may have
  const options = { env: { ...process.env, XDG_CACHE_HOME: cache, [TEST_STORE_URL]: undefined, ...env } };
  return new Promise((resolve) => {
    execFile(process.execPath, [copy.path('dist/test/index.js'), ...args], options, (error, stdout, stderr) =>
      resolve([error === null ? 0 : Number(error.code), stderr + stdout]),
    );
  });
}

for (const [name, [, said]] of Object.entries(BAD))
  test(`a file that ${name.replaceAll('-', ' ')} fails, and the entry says why`, async () => {
    const [code, output] = await run(`test/${name}`);
    assert.is(code, 1);
    assert.match(output, new RegExp(`^FAIL ${name}\\.test`, 'm'));
    assert.match(output, said);
    assert.match(output, /\n\d+ passed, 1 failed\n$/);
  });

test('a file that leaves something open is ended and fails', async () => {
  for (const [name, env, said] of [
    ['open-and-green', { HOSTKEEP_TEST_OPEN_MS: '1' }, /^FAIL open-and-green\.test \(1 passed, .*: ended with 1$/m],
    ['open-and-red', {}, /^FAIL open-and-red\.test \(0 passed, \d+ ms, [\d.]+ s of processors\)$/m],
  ] as const) {
    const [code, output] = await runWith(env, `test/${name}`);
    assert.is(code, 1);
    assert.match(output, said);
    assert.match(output, /^kept alive by: .*TCP/m);
    const pid = /^started (\d+)$/m.exec(output)?.[1] ?? '';
    await until('what it started has ended', () => !existsSync(`/proc/${pid}`));
  }
});

test('a failure shows expected and seen, and what the servers of its test logged', async () => {
  const [code, output] = await run('test/logs');
  assert.is(code, 1);
  // the letters of what was expected stand below the same letters of what was seen
  assert.match(output.replaceAll(/[ ·]/g, ''), /^\+\+seen\(?Expected/m);
  assert.match(output, /^ +--.*hostkeep-test-.*Actual/m);
  assert.match(output, /^the log of its servers ends with:\n(?:\{.*\}\n)*\{.*"msg":"listening"/m);
});

test('tests that cannot run count as skipped, and fail in CI', async () => {
  const before = process.env['CI'];
  delete process.env['CI'];
  try {
    const [code, output] = await run('cannot-run');
    assert.is(code, 0, output);
    assert.match(
      output,
      /^ok {3}cannot-run\.test \(0 passed, [^]*\nskipped: no engine here\n\n0 passed, 0 failed, 1 skipped\n$/,
    );
    process.env['CI'] = 'true';
    const [codeInCi, outputInCi] = await run('cannot-run');
    assert.is(codeInCi, 1);
    assert.match(outputInCi, /tests cannot run: no engine here/);
  } finally {
    if (before === undefined) delete process.env['CI'];
    else process.env['CI'] = before;
  }
});

test('one test runs by a part of its title; no match is an error', async () => {
  const [, shown] = await run('good');
  assert.match(shown, /\n1 passed, 1 failed\n$/);
  assert.match(shown, /\nagain: node dist\/test\/index\.js services\/good\.test -t 'one is red'\n/);
  const [code, output] = await run('good', '-t', 'is green');
  assert.is(code, 0);
  assert.match(output, /\n1 passed, 0 failed\n$/);
  assert.match((await run('test/of-', '-t', 'n is 2'))[1], /\n2 passed, 0 failed\n$/, 'computed, and added by others');
  for (const args of [['good', '-t', 'is blue'], ['nowhere'], ['good', '--set', 'fast']]) {
    const refused = await run(...args);
    assert.is(refused[0], 1, args.join(' '));
    assert.match(refused[1], /^no test [^]*\n0 passed, 1 failed\n$/, args.join(' '));
  }
});
