import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { spawn } from 'node:child_process';
import { WaitingRequests, waitingIn } from '../../kernel/kit/programs/fpm/waiting-requests.ts';
import * as assert from '../support/assert.ts';
import { temporaryFolder } from '../support/folder.ts';
import { testSuite } from '../support/suite.ts';
import { until } from '../support/until.ts';

const test = testSuite('waiting requests');
/** Listens, and takes no connection. */
const DEAF = `require('node:net').createServer().listen(process.argv[1], () => {
  require('node:fs').writeSync(1, 'listening');
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
})`;

interface Waiting {
  readonly requests: number;
  readonly most: number;
  /** Returns the number of processes, where so many connections were made after the requests. */
  readonly processes: (touches: number) => number;
  readonly looks: number;
}

/** Has requests wait, and looks at them. Resolves with how many connections were made. */
async function touchesOf({ requests, most, processes, looks }: Waiting): Promise<number> {
  const bound = join(temporaryFolder(), 'a.sock');
  const deaf = spawn(process.execPath, ['-e', DEAF, bound], { stdio: ['ignore', 'pipe', 'inherit'] });
  const sockets: Socket[] = [];
  const touches = () => (waitingIn(readFileSync('/proc/net/unix', 'latin1')).get(bound) ?? 0) - requests;
  try {
    await once(deaf.stdout, 'data');
    for (let n = 0; n < requests; n += 1) sockets.push(connect(bound));
    await until('they wait', () => touches() === 0);
    let asked = 0;
    const pool = { bound, socket: bound, most, processes: () => processes(touches()) };
    // asked before each look, and in it
    const waiting = new WaitingRequests(() => ((asked += 1) > 2 * looks ? [] : [pool]), new AbortController().signal);
    const watching = waiting.watch();
    await waiting.watch(); // it does so already
    await watching;
    assert.equal([waiting.touched(bound), waiting.touched('/nothing')], [touches(), 0]);
    return touches();
  } finally {
    for (const socket of sockets) socket.destroy();
    deaf.kill('SIGKILL');
    await once(deaf, 'exit');
  }
}

test('only connections that nobody has taken wait', () => {
  const line = (state: string, inode: string, path: string) =>
    `0000000000000000: 00000003 00000000 00000000 0001 ${state} ${inode} ${path}\n`;
  const text =
    'Num       RefCount Protocol Flags    Type St Inode Path\n' +
    line('02', '    0', '/run/a.sock') +
    line('02', '    0', '/run/a.sock') +
    line('02', '    0', '/run/b.sock') +
    line('03', '20425275', '/run/a.sock') + // taken
    line('01', '20425270', '/run/a.sock') + // listens
    line('02', '20425271', '/run/a.sock') + // connects
    line('02', '    0', '') +
    line('02', '    0', '@abstract');
  assert.equal(Object.fromEntries(waitingIn(text)), { '/run/a.sock': 2, '/run/b.sock': 1 });
});

test('a master begins as many processes as requests wait, within its limit', async () => {
  const processes = (touches: number) => 1 + touches;
  assert.is(await touchesOf({ requests: 3, most: 9, processes, looks: 1 }), 0, 'they may have come just now');
  assert.is(await touchesOf({ requests: 3, most: 9, processes, looks: 2 }), 3);
  assert.is(await touchesOf({ requests: 3, most: 3, processes, looks: 2 }), 2);
});

test('a master at its limit, or that has ended, is left alone', async () => {
  for (const processes of [4, 0])
    assert.is(await touchesOf({ requests: 3, most: 4, processes: () => processes, looks: 3 }), 0);
});

test('a master that begins no process is tried once a look', async () => {
  assert.is(await touchesOf({ requests: 3, most: 9, processes: () => 1, looks: 3 }), 2);
});
