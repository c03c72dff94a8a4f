import { readdirSync } from 'node:fs';
import * as assert from '../../support/assert.ts';
import { schemaDefaults } from '../../../kernel/config/validator.ts';
import { createLog } from '../../../kernel/log.ts';
import { ChangeBatcher } from '../../../plugins/webserver/vhosts/change-batcher.ts';
import privileged from '../../../plugins/webserver/privileged.ts';
import { WebserverConfig } from '../../../plugins/webserver/schema.ts';
import { vhostFileName } from '../../../plugins/webserver/vhosts/vhost-folder.ts';
import { rootAt } from '../../support/files-root.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { testSuite } from '../../support/suite.ts';

const test = testSuite('webserver-batches');

/** A batcher whose web server accepts everything. */
function newBatcher(isProof = false, served_timeout_ms = 0): { batcher: ChangeBatcher; path: string } {
  const path = temporaryFolder();
  const command = ['true'];
  const settings = { driver: 'nginx', vhost_folder: path, check: command, reload: command, served_timeout_ms };
  const config = { ...schemaDefaults(WebserverConfig), ...settings } as WebserverConfig;
  const { signal } = new AbortController();
  const rootOf = (username: string) => rootAt(`/srv/${username}`);
  const host = { config: config as never, log: createLog('silent'), rootOf, userOf: () => null, signal };
  const writer = privileged.open(host);
  return { batcher: new ChangeBatcher(writer, async () => undefined, undefined, isProof), path };
}

const changes = (name: string, accountId: number, count: number) =>
  Array.from({ length: count }, (_, i) => ({
    site: {
      domain: `${name}${i}.example`,
      account: { id: accountId, username: name },
      components: [],
      isSuspended: false,
      names: [],
      previews: [],
      php: null,
      bodyMib: null,
      certificate: '',
      parts: {},
    },
    accountId,
  }));

// threat crowding-out: a batch of virtual hosts holds a share of one account's changes, and all of an account with few
test("an account's change is in the next batch, however many changes of others wait", async () => {
  const { batcher, path } = newBatcher();
  const running = batcher.change({ file: vhostFileName('first.example'), accountId: 1 });
  const crowd = Promise.all(changes('ann', 1, 300).map((change) => batcher.change(change)));
  await running;
  await Promise.all(changes('bob', 2, 3).map((change) => batcher.change(change)));
  assert.ok(batcher.reloads <= 3, `${batcher.reloads} reloads`);
  const written = readdirSync(path).filter((name) => name.startsWith('hostkeep-ann')).length;
  assert.ok(written < 150, `${written} changes of the other account came first`);
  await crowd;
  assert.is(readdirSync(path).length, 303);
});

test('changes of the server itself are one batch', async () => {
  const { batcher } = newBatcher();
  await Promise.all(Array.from({ length: 300 }, (_, i) => batcher.change({ file: vhostFileName(`${i}.example`) })));
  assert.is(batcher.reloads, 1);
});

test('a command waits for a token of its own, which the server does not replace', async () => {
  for (const [isProof, file] of [
    [true, 'hostkeep-proof.conf'],
    [false, 'hostkeep-beacon.conf'],
  ] as const) {
    const { batcher, path } = newBatcher(isProof, 1000);
    await batcher.change({ file: vhostFileName('first.example') });
    assert.equal(readdirSync(path), [file]);
  }
});
