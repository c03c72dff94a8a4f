/** The PostgreSQL server of tests leaves nothing behind, however its process ends. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from '../assert.ts';
import { testSuite } from '../suite.ts';
import { until } from '../until.ts';

const test = testSuite('test store');
const START = `const { Postgres } = await import(${JSON.stringify(join(import.meta.dirname, '../postgres.js'))});
  const server = Postgres.start(['fsync=off']);
  process.stdin.on('data', () => { server.remove(); process.exit(); });
  console.log(server.folder);`;

for (const end of ['SIGKILL', 'SIGTERM', 'remove'] as const)
  test(`the server and its folder go with their process: ${end}`, async () => {
    const child = spawn(process.execPath, ['--input-type=module', '-e', START], { stdio: ['pipe', 'pipe', 'inherit'] });
    const ended = once(child, 'exit');
    const [text] = (await once(child.stdout, 'data')) as [Buffer];
    const folder = text.toString().trim();
    const pid = readFileSync(join(folder, 'data/postmaster.pid'), 'utf8').split('\n')[0] ?? '';
    assert.ok(existsSync(`/proc/${pid}`));
    if (end === 'remove') child.stdin.write('\n');
    else child.kill(end);
    await ended;
    await until('nothing is left', () => !existsSync(folder) && !existsSync(`/proc/${pid}`));
  });
