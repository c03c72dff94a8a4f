import { chmodSync, chownSync, statSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from '../../support/assert.ts';
import { VhostFolder } from '../../../plugins/webserver/vhosts/vhost-folder.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { reportSkipped, testSuite } from '../../support/suite.ts';

const test = testSuite('webserver: private files');
const [OWNER, GROUP] = [61_001, 61_002];

if (process.getuid?.() === 0)
  test('a file whose writer was killed gets its owner with the next change', async () => {
    const folder = new VhostFolder(temporaryFolder());
    const path = join(folder.path, 'passwords');
    const put = async (owner: number | null, group: number | null) => {
      await folder.putPrivate('passwords', 'ann:x', owner, group);
      const { uid, gid, mode } = statSync(path);
      return [uid, gid, (mode & 0o777).toString(8)];
    };
    assert.equal(await put(OWNER, null), [OWNER, 0, '600']);
    for (let round = 0; round < 2; round += 1) {
      assert.equal(await put(null, GROUP), [0, GROUP, '640']);
      chownSync(path, 0, 0);
      chmodSync(path, 0o600);
    }
  });
else reportSkipped('files of other owners, which root alone can make');
