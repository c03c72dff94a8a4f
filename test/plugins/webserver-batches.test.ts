import { readdirSync } from 'node:fs';
import * as assert from 'uvu/assert';
import { ChangeBatcher } from '../../plugins/webserver/change-batcher.ts';
import { VhostFolder } from '../../plugins/webserver/vhost-folder.ts';
import { WebServer } from '../../plugins/webserver/web-server.ts';
import { temporaryFolder } from '../support/folder.ts';
import { testSuite } from '../support/suite.ts';

const test = testSuite('webserver-batches');

/** A batcher whose web server accepts everything. */
function newBatcher(): { batcher: ChangeBatcher; path: string } {
  const path = temporaryFolder();
  const folder = new VhostFolder(path);
  const names = {
    name: 'none',
    vhostFolder: path,
    templateFile: '',
    suspendedTemplateFile: '',
    commonFile: undefined,
    beacon: undefined,
  };
  const commands = { check: ['true'], reload: ['true'], version: ['true'] };
  const server = new WebServer({ ...names, ...commands }, folder, '80', { commandMs: 5000, servedMs: 0 });
  return { batcher: new ChangeBatcher(folder, server), path };
}

const changes = (name: string, accountId: number, count: number) =>
  Array.from({ length: count }, (_, i) => ({ file: `${name}${i}.conf`, content: name, accountId }));

// threat crowding-out: a batch of virtual hosts holds a share of one account's changes, and all of an account with few
test("an account's change is in the next batch, however many changes of others wait", async () => {
  const { batcher, path } = newBatcher();
  const running = batcher.change({ file: 'first.conf', content: '', accountId: 1 });
  const crowd = Promise.all(changes('ann', 1, 300).map((change) => batcher.change(change)));
  await running;
  await Promise.all(changes('bob', 2, 3).map((change) => batcher.change(change)));
  assert.ok(batcher.reloads <= 3, `${batcher.reloads} reloads`);
  const written = readdirSync(path).filter((name) => name.startsWith('ann')).length;
  assert.ok(written < 150, `${written} changes of the other account came first`);
  await crowd;
  assert.is(readdirSync(path).length, 304);
});

test('changes of the server itself are one batch', async () => {
  const { batcher } = newBatcher();
  await Promise.all(Array.from({ length: 300 }, (_, i) => batcher.change({ file: `${i}.conf`, content: '' })));
  assert.is(batcher.reloads, 1);
});
