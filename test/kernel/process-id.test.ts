import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import * as assert from '../support/assert.ts';
import { isRunning, PROCESS_ID } from '../../kernel/kit/programs/process-id.ts';
import { testSuite } from '../support/suite.ts';

const test = testSuite('process names');
const FILE = join(import.meta.dirname, '../../kernel/kit/programs/process-id.js');

test('an id that no process has is not running', () => {
  for (const name of ['', ':', 'self', `self:${PROCESS_ID.split(':')[1]}`, '../1:1', PROCESS_ID.slice(0, -1)])
    assert.not(isRunning(name), name);
  assert.not(isRunning(`${process.pid}:1`), 'another process had the same id');
});

test('a process is running until it ends', async () => {
  assert.ok(isRunning(PROCESS_ID));
  const child = spawn(
    process.execPath,
    ['-e', `import(${JSON.stringify(FILE)}).then((it) => process.stdout.write(it.PROCESS_ID)); process.stdin.resume()`],
    { stdio: ['pipe', 'pipe', 'inherit'] },
  );
  const [name] = (await once(child.stdout, 'data')) as [Buffer];
  assert.match(name.toString(), new RegExp(`^${child.pid}:\\d+$`));
  assert.ok(isRunning(name.toString()));
  child.stdin.end();
  await once(child, 'exit');
  assert.not(isRunning(name.toString()));
});
