import { existsSync, mkdirSync, readdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from '../../support/assert.ts';
import trashPlugin from '../../../plugins/trash/index.ts';
import { TestServer } from '../../support/hostkeep.ts';
import { needs } from '../../support/needs.ts';
import { testSuite } from '../../support/suite.ts';
import { eventually, until } from '../../support/until.ts';

const [files] = await needs('files');
const test = testSuite('expiry of the trash');
const DAY_MS = 24 * 3_600_000;

test('the trash gives up what is too old, also if nothing more is removed', async () => {
  const config = { trash: { kept_days: 2, check_seconds: 1 } };
  const server = await TestServer.start({ plugins: [files, trashPlugin], config });
  const [ann, bob] = [await server.user('ann'), await server.user('bob')];
  const { local } = server.hostkeep.core;
  const row = ({ account }: typeof ann) =>
    local.get<{ done_at: number; oldest_at: number | null }>(
      'select done_at, oldest_at from trashes where account_id = ?',
      account.id,
    );
  const looked = await eventually(
    'each trash is looked at once',
    () => Promise.all([row(ann), row(bob)]),
    (rows) => rows.every((each) => (each?.done_at ?? 0) > 0),
  );
  const trash = join(ann.account.filesRoot, '.hostkeep/trash');
  const remove = async (name: string) => {
    writeFileSync(join(ann.account.filesRoot, name), name);
    const { body } = await server.ask<{ results: { id: string }[] }>('/api/files/trash', {
      method: 'POST',
      token: ann.token,
      body: { paths: [name] },
    });
    return body.results[0]?.id ?? '';
  };
  mkdirSync(ann.account.filesRoot, { recursive: true });
  const aged = async (name: string, ageMs: number) => {
    const id = await remove(name);
    const older = id.replace(/^[^-]+/, (Date.now() - ageMs).toString(36));
    renameSync(join(trash, id), join(trash, older));
    return older;
  };
  const [young, old] = [await aged('young', DAY_MS), await aged('old', 3 * DAY_MS)];
  assert.is((await row(ann))?.oldest_at, null);
  await local.write((tx) => tx.run('update trashes set oldest_at = 1 where account_id = ?', ann.account.id));
  await until('what is old is gone', () => !existsSync(join(trash, old)));
  assert.equal(readdirSync(trash), [young]);
  const kept = await eventually(
    'it is known what is left',
    () => row(ann),
    (now) => now?.oldest_at !== 1,
  );
  assert.is(kept?.oldest_at, Number.parseInt(young, 36));
  assert.equal(await row(bob), looked[1], 'an empty trash is not looked at again');
});
