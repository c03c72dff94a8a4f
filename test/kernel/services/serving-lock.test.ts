import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from '../../support/assert.ts';
import { servingProcess } from '../../../kernel/run/data/serving-lock.ts';
import { hostkeep } from '../../support/command.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { TestServer } from '../../support/hostkeep.ts';
import { NodeProcess } from '../../support/node-process.ts';
import { probePlugin } from '../../support/probe.ts';
import { storesInFiles } from '../../support/postgres.ts';
import { testSuite } from '../../support/suite.ts';

const test = testSuite('serving lock');
storesInFiles(); // which the backup beside the server is of

// threat race-conditions: one process serves a data folder
test('a data folder has one server, however it ended, and commands work beside it', async () => {
  const data = temporaryFolder();
  const first = await NodeProcess.start(data);
  const sentence = new RegExp(
    `^hostkeep: process ${first.pid} already serves the data folder ${data}: stop it first$`,
    'm',
  );
  for (const command of ['serve', 'demo']) {
    const { code, stderr } = await hostkeep(data, [command]);
    assert.is(code, 1, command);
    assert.match(stderr, sentence, command);
  }
  for (const args of [
    ['account', 'add', 'ann', '--plan', 'basic'],
    ['session', 'list', 'ann'],
    ['backup', 'create', join(data, 'copy')],
    ['doctor'],
  ])
    assert.not.match((await hostkeep(data, args)).stderr, sentence, args.join(' '));
  assert.ok(existsSync(join(data, 'copy')));
  assert.is((await first.ask('/probe')).status, 404, 'the first one serves on');
  await first.end('SIGKILL');
  const second = await NodeProcess.start(data);
  assert.is(readFileSync(join(data, 'serving.pid'), 'utf8'), `${second.pid}\n`);
  await second.end();
  assert.not.ok(existsSync(join(data, 'serving.pid')));
});

test('who serves a data folder is not known where that cannot be read', () => {
  const data = temporaryFolder();
  assert.is(servingProcess(data), undefined);
  mkdirSync(join(data, 'serving.pid')); // which not even root can read
  assert.throws(() => servingProcess(data), /EISDIR/);
});

test('a server that could not start leaves the folder free', async () => {
  const data = temporaryFolder();
  const plugins = [probePlugin()];
  const refused = (config: Record<string, unknown>, pattern: RegExp) =>
    TestServer.start({ data, plugins, config }).then(
      () => assert.unreachable('started'),
      ({ message }: Error) => assert.match(message, pattern),
    );
  const server = await TestServer.start({ data, plugins });
  await refused({}, new RegExp(`process ${process.pid} already serves`));
  const { host } = new URL(server.hostkeep.url('user'));
  await server.close();
  const other = await TestServer.start({ plugins, config: { listen: host } });
  await refused({ listen: host }, /is another program using the port/);
  await refused({ probe: { word: 5 } }, /probe.word must be string/);
  await other.close();
  await (await TestServer.start({ data, plugins })).close();
});
