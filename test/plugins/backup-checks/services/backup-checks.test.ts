import { chownSync, existsSync, mkdirSync, readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from '../../../support/assert.ts';
import { FIRST_ID } from '../../../support/broker.ts';
import { temporaryFolder } from '../../../support/folder.ts';
import { TestServer } from '../../../support/hostkeep.ts';
import { needs } from '../../../support/needs.ts';
import { reportSkipped, testSuite } from '../../../support/suite.ts';
import { eventually } from '../../../support/until.ts';

await needs('backups');
const test = testSuite('checks of backups');
const hasRestic = existsSync('/usr/bin/restic');
if (!hasRestic) reportSkipped('checks of backups; install the program with apt-get install -y restic');

const config = (checks: object) => ({
  ids: { first: FIRST_ID, count: 1000 },
  backups: { reserve_mib: 0 },
  'backup-checks': { check_seconds: 1, sample_mib: 1, ...checks },
});
const lines = async (server: TestServer, account: number) =>
  (await server.hostkeep.core.events.page(account, '', 0, 50)).lines.join('\n');
const metrics = async (server: TestServer) => {
  const part = (await server.hostkeep.plugins.gather('metrics')).find(({ plugin }) => plugin === 'backup-checks');
  return part?.ok === true ? part.value.map(({ name, samples }) => [name, samples[0]?.value] as const) : [];
};

if (hasRestic)
  test('backups are checked in turn, and one that cannot be read is told', async () => {
    const data = temporaryFolder();
    const first = await TestServer.start({ config: config({ every_days: 0 }), data });
    const [ann, bob] = [await first.user('anna'), await first.user('bob')];
    mkdirSync(ann.account.filesRoot, { recursive: true });
    const page = join(ann.account.filesRoot, 'page.html');
    const writtenAt = Date.parse('2026-11-01T10:00:00Z') / 1000 + 0.0007; // rounds to another millisecond than it has
    const write = (text: string) => {
      writeFileSync(page, text.repeat(1000));
      utimesSync(page, writtenAt, writtenAt);
    };
    write('a page');
    writeFileSync(join(ann.account.filesRoot, 'empty [1].txt'), '');
    for (const path of [ann.account.filesRoot, page, join(ann.account.filesRoot, 'empty [1].txt')])
      chownSync(path, FIRST_ID + ann.account.id, FIRST_ID + ann.account.id);
    assert.is((await first.ask('/api/backups', { method: 'POST', token: ann.token })).status, 202);
    await eventually(
      'the backup is made',
      () => lines(first, ann.account.id),
      (told) => told.includes('made a backup'),
    );
    assert.equal(await metrics(first), [], 'nothing was checked');
    await first.close();

    const server = await TestServer.start({ config: config({ every_days: 7 }), data });
    const told = await eventually(
      'the backups are checked',
      () => lines(server, ann.account.id),
      (text) => text.includes('The server checked the backups, and restored 2 files for it'),
    );
    assert.not.match(told, 'could not read');
    const { local, events } = server.hostkeep.core;
    const latest = async () => {
      const { events: found } = await events.search({ type: 'backup.checked' }, 1);
      return { checked: (found[0]?.data ?? {}) as Record<string, unknown> };
    };
    const [age, failed] = await metrics(server);
    assert.ok(age?.[0] === 'hostkeep_backup_checks_oldest_age_seconds' && Number(age[1]) < 60, String(age));
    assert.equal(failed, ['hostkeep_backup_checks_failed', 0]);

    assert.equal(readdirSync(join(ann.account.filesRoot, '.hostkeep/work')), [], 'what was restored is gone');
    const { checked } = await latest();
    assert.equal([checked['restored_files'], checked['compared_files']], [2, 2]);

    // the time of the round is kept after the outcome, which can be read before
    const again = () =>
      eventually(
        'the check before is over',
        () =>
          local.write((tx) =>
            tx.run('update backup_checks set done_at = 0 where account_id = ? and done_at > 0', ann.account.id),
          ),
        ({ changes }) => changes === 1,
      );
    write('b page');
    await again();
    await eventually(
      'a file that differs is told',
      () => lines(server, ann.account.id),
      (text) => text.includes('the restored file /page.html has another content than the one in its place'),
    );
    assert.equal((await metrics(server))[1], ['hostkeep_backup_checks_failed', 1]);
    write('changed');
    await again();
    await eventually(
      'a file that was changed since is none',
      metrics.bind(undefined, server),
      (all) => all[1]?.[1] === 0,
    );

    damage(join(data, 'backups', String(ann.account.id), 'data'));
    await again();
    await eventually(
      'the damage is told',
      () => lines(server, ann.account.id),
      (text) => text.includes('The server could not read the backups: restic check ended with 1'),
    );
    assert.equal((await metrics(server))[1], ['hostkeep_backup_checks_failed', 1]);
    assert.not.match(await lines(server, bob.account.id), 'checked the backups', 'an account without backups');
  });

/** Changes a byte of each object in a folder. */
function damage(folder: string): void {
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true }))
    if (entry.isFile()) {
      const path = join(entry.parentPath, entry.name);
      const content = readFileSync(path);
      content[10] = (content[10] ?? 0) ^ 1;
      writeFileSync(path, content);
    }
}
