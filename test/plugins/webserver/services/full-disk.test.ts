import { execFileSync } from 'node:child_process';
import { readdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import webserver from '../../../../plugins/webserver/index.ts';
import * as assert from '../../../support/assert.ts';
import { TestServer } from '../../../support/hostkeep.ts';
import { needs } from '../../../support/needs.ts';
import { hasNginx, Nginx } from '../../../support/nginx.ts';
import { reportSkipped, testSuite } from '../../../support/suite.ts';

const [domains] = await needs('domains');
const test = testSuite('webserver-full-disk');

/** Has a folder be on a small file system of its own, where one can be mounted. */
function isMounted(folder: string): boolean {
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=256k', 'tmpfs', folder], { stdio: 'pipe' });
    return true;
  } catch {
    reportSkipped('a full disk, as no file system can be mounted here');
    return false;
  }
}

if (hasNginx())
  test('where virtual hosts find no room, a change is refused and sites go on', async () => {
    const nginx = await Nginx.start();
    const { vhostFolder: folder } = nginx;
    if (!isMounted(folder)) return nginx.remove();
    const server = await TestServer.start({ plugins: [domains, webserver], config: { webserver: nginx.settings } });
    try {
      const { account, token } = await server.user('ann');
      const add = async (domain_url: string) => {
        const { status, body } = await server.ask('/api/domains/new', { method: 'POST', token, body: { domain_url } });
        return [status, body['error']];
      };
      const files = () => readdirSync(folder).filter((name) => name !== 'ballast');
      assert.equal(await add('first.example'), [201, undefined]);
      writeFileSync(join(account.filesRoot, 'first.example/index.html'), 'first');
      const before = files();
      const { bfree, bsize } = statfsSync(folder);
      writeFileSync(join(folder, 'ballast'), Buffer.alloc(bfree * bsize));
      assert.equal(await add('second.example'), [502, 'webserver_failed']);
      assert.equal(files(), before, 'nothing half written is left');
      assert.is((await nginx.fetch('first.example')).body, 'first');
      assert.is((await server.ask('/api/domains', { token })).body['total'], 1);
      rmSync(join(folder, 'ballast'));
      assert.equal(await add('second.example'), [201, undefined]);
      assert.is((await nginx.fetch('second.example')).status, 403, 'it has no page');
    } finally {
      await server.close();
      execFileSync('umount', ['-l', folder]);
      await nginx.remove();
    }
  });
