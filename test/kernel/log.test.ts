import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from '../support/assert.ts';
import { LogThrottle, withoutSecrets } from '../../kernel/log.ts';
import { projectDir } from '../../kernel/kit/files/project-dir.ts';
import { testSuite } from '../support/suite.ts';

const test = testSuite('log');

test('in the journal, each line begins with its priority', () => {
  const script = `import { fstatSync } from 'node:fs';
    const { dev, ino } = fstatSync(1);
    process.env.JOURNAL_STREAM = process.argv[1] === 'journal' ? dev + ':' + ino : '0:0';
    const { createLog } = await import(process.argv[2]);
    const log = createLog('debug');
    for (const level of ['debug', 'info', 'warn', 'error', 'fatal']) log[level](level);`;
  const lines = (where: string) => {
    const args = ['--input-type=module', '--eval', script, where, join(import.meta.dirname, '../../kernel/log.js')];
    return spawnSync(process.execPath, args, { encoding: 'utf8' }).stdout.trim().split('\n');
  };
  assert.equal(
    lines('journal').map((line) => /^<(\d)>\{"level":"(\w+)"/.exec(line)?.slice(1).join()),
    ['7,debug', '6,info', '4,warn', '3,error', '2,fatal'],
  );
  assert.ok(lines('elsewhere').every((line) => line.startsWith('{')));
});

test('the log of a command leaves standard output to its answer', () => {
  const script = `const { createLog, outputAt } = await import(process.argv[1]);
    createLog('error', outputAt(2)).error('a job failed');
    console.log('{}');`;
  const args = ['--input-type=module', '--eval', script, join(import.meta.dirname, '../../kernel/log.js')];
  const { stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  assert.is(stdout, '{}\n');
  assert.match(stderr, /"msg":"a job failed"/);
  for (const file of ['command-context', 'plugin-commands'])
    assert.match(readFileSync(join(projectDir, `kernel/run/${file}.ts`), 'utf8'), "createLog('error', outputAt(2))");
});

test('what recurs at every poll is due once in a while, each key for itself', () => {
  const throttle = new LogThrottle();
  assert.ok(throttle.isDue('containers.stats'));
  assert.not(throttle.isDue('containers.stats'));
  assert.ok(throttle.isDue('databases.sizes'), 'another key');
  assert.not(throttle.isDue('containers.stats'));
});

// threat leaked-secrets: what the broker is asked for is logged without passwords, hashes and keys
test('secrets and private keys are left out of a value that is logged', () => {
  const key = '-----BEGIN PRIVATE KEY-----\nMIGH';
  assert.is(
    withoutSecrets({ logins: [{ name: 'ann_web', secret: '$y$j9T$x' }, { secret: null }], pems: [key], n: 1 }),
    '{"logins":[{"name":"ann_web","secret":"[redacted]"},{"secret":null}],"pems":["[redacted]"],"n":1}',
  );
  assert.is(withoutSecrets([key]), '["[redacted]"]');
});
