/** Tests uploads over several worker processes, which are killed in the middle. */
import { mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from '../../../support/assert.ts';
import { temporaryFolder } from '../../../support/folder.ts';
import { NodeProcess, prepare } from '../../../support/node-process.ts';
import { testSuite } from '../../../support/suite.ts';
import { sendByTus } from '../../../support/tus-upload.ts';
import { until } from '../../../support/until.ts';
import { BreakingProxy } from '../../../support/breaking-proxy.ts';

const test = testSuite('uploads: restart');
const MIB = 1 << 20;
const CONTENT = Buffer.from(Array.from({ length: 40 * MIB }, (_, i) => (i * 11) % 253));

for (const workers of [1, 2])
  test(`${workers} killed in the middle: the upload goes on where it was`, async () => {
    const data = temporaryFolder();
    await prepare(data, { anna: 'user' });
    let node = await NodeProcess.start(data, { workers });
    if (workers > 1) await node.line(/all workers serve/);
    const token = await node.login('anna');
    const root = join(data, 'files/anna');
    mkdirSync(root, { recursive: true });
    const proxy = await BreakingProxy.start(() => node.url(), []);
    let kills = 0;
    const kill = async () => {
      kills += 1;
      if (workers > 1) {
        for (const pid of node.children) process.kill(pid, 'SIGKILL');
        // A node ends whose only worker is killed before it serves.
        await until('all workers serve', () => (node.output.match(/all workers serve/g) ?? []).length > kills);
      } else {
        await node.end('SIGKILL');
        node = await NodeProcess.start(data, { workers });
      }
    };
    let killing: Promise<void> = Promise.resolve();
    const size = () =>
      readdirSync(join(root, '.hostkeep/uploads')).map(
        (name) => statSync(join(root, '.hostkeep/uploads', name)).size,
      )[0] ?? 0;
    await sendByTus(CONTENT, token, {
      endpoint: `${proxy.url}/api/uploads`,
      metadata: { path: 'film.bin' },
      chunkSize: 4 * MIB,
      retryDelays: Array.from({ length: 600 }, () => 100),
      onBeforeRequest: () => killing,
      onProgress: (sent) => {
        if (kills < 3 && sent > (kills + 1) * 9 * MIB) killing = kill();
      },
      onChunkComplete: (_, accepted) => {
        assert.ok(size() >= accepted || accepted === CONTENT.length, 'what was acknowledged is there');
      },
    });
    await killing;
    assert.is(kills, 3);
    assert.ok(readFileSync(join(root, 'film.bin')).equals(CONTENT));
    assert.equal(readdirSync(join(root, '.hostkeep/uploads')), []);
    await node.end();
  });
