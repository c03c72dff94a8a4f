import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from '../../support/assert.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { PASSWORD, TestServer } from '../../support/hostkeep.ts';
import { storesInFiles } from '../../support/postgres.ts';
import { reportSkipped, testSuite } from '../../support/suite.ts';
import { until } from '../../support/until.ts';

const test = testSuite('health: disk');
storesInFiles();

/** Fills a disk, except for some bytes. */
function fill(disk: string, leftBytes: number): string {
  const ballast = join(disk, 'ballast');
  const { bfree, bsize } = statfsSync(disk);
  writeFileSync(ballast, Buffer.alloc(Math.max(0, bfree * bsize - leftBytes)));
  return ballast;
}

if (process.getuid?.() !== 0) reportSkipped('a full disk, because only root can mount file systems');
else
  test('a disk that gets full is told before, and a login says why it is refused', async () => {
    const disk = temporaryFolder();
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=64m', 'tmpfs', disk]);
    const data = join(disk, 'data');
    mkdirSync(data, { mode: 0o700 });
    const start = () => TestServer.start({ data });
    let server = await start();
    try {
      await server.account('ann');
      const login = () => server.ask('/api/login', { method: 'POST', body: { username: 'ann', password: PASSWORD } });
      const finding = async (point: 'doctor' | 'health') => {
        const part = (await server.hostkeep.plugins.gather(point)).find(({ plugin }) => plugin === 'health');
        return part?.ok === true ? part.value[0] : undefined;
      };
      assert.equal([(await finding('doctor'))?.ok, (await server.ask('/readyz')).status], [true, 200]);
      await server.close();
      let ballast = fill(disk, 4 << 20);
      server = await start();
      assert.equal([(await finding('doctor'))?.isWarning, (await server.ask('/readyz')).status], [true, 200]);
      const events = await server.hostkeep.core.events.find({ type: 'disk.low' }, 1);
      assert.match(events[0]?.line ?? '', /\] The server has .* left on the disk with the data folder$/);
      rmSync(ballast);
      ballast = fill(disk, 0);
      assert.is((await server.ask('/readyz')).status, 503);
      assert.equal([(await finding('doctor'))?.isWarning, (await finding('health'))?.ok], [false, false]);
      await until('a login is refused with the reason', async () => {
        const { status, body } = await login();
        assert.ok(status === 200 || status === 503, JSON.stringify(body));
        return status === 503 && /the disk of the server is full/.test(String(body['detail']));
      });
      rmSync(ballast);
      assert.equal([(await login()).status, (await server.ask('/readyz')).status], [200, 200]);
    } finally {
      await server.close();
      execFileSync('umount', ['-l', disk]);
    }
  });
