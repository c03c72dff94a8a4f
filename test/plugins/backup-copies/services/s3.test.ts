import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from '../../../support/assert.ts';
import { temporaryFolder } from '../../../support/folder.ts';
import { needs } from '../../../support/needs.ts';
import { reportSkipped, testSuite } from '../../../support/suite.ts';
import { until } from '../../../support/until.ts';
import { Customer, hasPrograms, lose, start } from '../customer.ts';
import { hasS3, startS3 } from '../s3.ts';

await needs('backups');
const test = testSuite('copies of backups at S3');
const isThere = hasPrograms && hasS3;
if (!isThere) reportSkipped('copies at S3; install the programs with apt-get install -y restic rclone python3-swift');

if (isThere)
  test('backups are copied to S3 and come back, and what is wrong with S3 is told', async () => {
    const file = join(temporaryFolder(), 'rclone.conf');
    const configure = (url: string, key: string) => {
      const keys = ['access_key_id = test:node', `secret_access_key = ${key}`];
      const lines = ['[offsite]', 'type = s3', 'provider = Other', 'force_path_style = true', ...keys];
      writeFileSync(file, [...lines, `endpoint = ${url}`, ''].join('\n'), { mode: 0o600 });
    };
    const s3 = await startS3();
    configure(s3, 'wrong');
    const server = await start(temporaryFolder(), { remote: 'offsite:copies/node1', config_file: file });
    const anna = await Customer.make(server, 'anna', (await server.admin()).token);
    await anna.backedUp();
    const refused = await anna.done('copy');
    assert.equal([refused['state'], refused['error']], ['failed', 'copies_unavailable']);
    assert.match(String(refused['detail']), 'SignatureDoesNotMatch');

    configure(s3, 'secret');
    assert.is((await anna.copied())['backups'], 1);
    anna.write('page.html', 'another page');
    const second = await anna.backedUp();
    assert.is((await anna.copied())['backups'], 2);
    const [stored, ...others] = await anna.stored();
    assert.match(String(stored?.['name']), new RegExp(`^anna\\.${anna.id}\\.[0-9a-f]{16}$`));
    assert.equal(others, [], 'the manifest before is gone');

    const before = await anna.backups();
    await lose(anna);
    const fetched = await anna.done('fetch', { name: stored?.['name'] });
    assert.equal([fetched['state'], fetched['detail'], fetched['files']], ['done', null, 2]);
    assert.equal(await anna.backups(), before);
    assert.is(await anna.own(`/api/backups/${second}/content?path=page.html`), 'another page');

    configure('http://127.0.0.1:1', 'secret');
    await anna.backedUp();
    const finding = async () => String((await server.health('backup-copies'))[0]?.detail);
    await until('health tells why', async () => (await finding()).includes('connection refused'));
  });
