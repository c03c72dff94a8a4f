import { once } from 'node:events';
import { renameSync, statSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import * as assert from '../../support/assert.ts';
import { pathBeside } from '../../../kernel/kit/net/account-socket.ts';
import { SleepingPool } from '../../../kernel/kit/programs/fpm/sleeping-pool.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { testSuite } from '../../support/suite.ts';

const test = testSuite('php-sleeping-pool');

/** Sends a text, and resolves with what comes back until the connection ends. */
async function ask(socket: string, text: string): Promise<string> {
  const connection = connect({ path: socket, allowHalfOpen: true });
  connection.on('error', () => undefined).end(text);
  let answer = '';
  connection.on('data', (bytes: Buffer) => (answer += bytes.toString()));
  await new Promise((resolve) => connection.once('close', resolve));
  return answer;
}

/** Answers with what it reads, twice. */
async function master(socket: string) {
  const server = createServer({ allowHalfOpen: true }, (connection) => {
    let text = '';
    connection.setEncoding('utf8').on('data', (read: string) => (text += read));
    connection.on('end', () => connection.end(text + text));
  });
  const path = pathBeside(socket);
  server.listen(path);
  await once(server, 'listening');
  renameSync(path, socket);
  return server;
}

test('requests that come before and after the master is there are answered in whole', async () => {
  const socket = join(temporaryFolder(), 'x.sock');
  let wakes = 0;
  const servers: { close(): unknown }[] = [];
  const text = 'x'.repeat(300_000);
  const late: Promise<string>[] = [];
  const pool = await SleepingPool.listen(socket, process.getgid?.() ?? 0, async () => {
    wakes += 1;
    late.push(ask(socket, 'late'));
    servers.push(await master(socket));
  });
  assert.is(statSync(socket).mode & 0o777, 0o660);
  const answers = await Promise.all([text, 'b', 'c'].map((each) => ask(socket, each)));
  assert.equal(answers, [text + text, 'bb', 'cc']);
  assert.equal([await Promise.all(late), await ask(socket, 'd'), wakes], [['latelate'], 'dd', 1]);
  pool.close();
  for (const server of servers) server.close();
});

// threat crowding-out: a pool that does not start is not tried for each request
test('requests are closed if there is no master, and none is started for each', async () => {
  const socket = join(temporaryFolder(), 'x.sock');
  let wakes = 0;
  const pool = await SleepingPool.listen(socket, process.getgid?.() ?? 0, async () => {
    wakes += 1;
    throw new Error('it does not start');
  });
  assert.equal(await Promise.all([ask(socket, 'a'), ask(socket, 'b')]), ['', '']);
  assert.equal([await ask(socket, 'c'), wakes], ['', 1]);
  pool.close();
});

test('what waits is closed when the pool ends', async () => {
  const socket = join(temporaryFolder(), 'x.sock');
  let asked: () => void = () => undefined;
  const isAsked = new Promise<void>((resolve) => (asked = resolve));
  const pool = await SleepingPool.listen(socket, process.getgid?.() ?? 0, () => {
    asked();
    return new Promise(() => undefined);
  });
  const answer = ask(socket, 'a');
  await isAsked;
  pool.close();
  assert.is(await answer, '');
});
