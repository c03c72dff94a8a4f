/** What the new home of an account takes of backups, from a node that may be in foreign hands. */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import * as assert from '../../support/assert.ts';
import type { Mover } from '../../../kernel/contract/points/move-part.ts';
import { backupMover } from '../../../plugins/backup-moves/mover.ts';
import type { MoverParts } from '../../../plugins/backup-moves/parts.ts';
import { READERS } from '../../../plugins/backup-moves/wire.ts';
import { codeOf } from '../../support/code-of.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { testSuite } from '../../support/suite.ts';

const test = testSuite('backup-moves: arriving');
const ANN = { id: 7, username: 'ann' };
const CONTENT = 'an object';
const HASH = createHash('sha256').update(CONTENT).digest('hex');
const BACKUP = {
  ...{ id: HASH, created_at: 1, files: 1, size_bytes: 1, added_bytes: 1, left_out: 0, is_scheduled: false },
  databases: [{ engine: 'mariadb', name: 'ann_shop', snapshot: HASH, size_bytes: 1, problem: null }],
};

/** A node with a folder for repositories, and what it was asked to forget. */
class NewHome {
  readonly folder = temporaryFolder();
  readonly forgotten: number[] = [];
  readonly mover: Mover;

  constructor() {
    const backups = {
      assertAvailable: async () => undefined,
      at: ({ id }: { id: number }, beside?: string) =>
        join(this.folder, beside === undefined ? `${id}` : `${beside}-${id}`),
      forget: async ({ id }: { id: number }) => void this.forgotten.push(id),
    };
    this.mover = backupMover({ backups, accounts: {} } as unknown as MoverParts);
  }

  ask(name: string, body: unknown, about = ''): Promise<unknown> {
    const bytes = Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
    const arrival = { name, about, account: ANN, body: Readable.from([bytes]), signal: new AbortController().signal };
    return this.mover.arrive(arrival);
  }

  /** All files and folders. */
  get all(): string[] {
    return readdirSync(this.folder, { recursive: true }).map(String).toSorted();
  }
}

test('no name leads out of the folder of what arrives', async () => {
  const home = new NewHome();
  await home.ask('meet', { bytes: 10 });
  const before = home.all;
  const hashes = ['../..', `${HASH}/..`, HASH.slice(1), HASH.toUpperCase(), `${HASH}\n`, '.', ''];
  const names = ['', '..', '/etc/passwd', `data/../../${HASH}`, `locks/${HASH}`, `config/${HASH}`, '../config', HASH];
  for (const name of [...names, ...hashes.map((hash) => `data/${hash}`), ...hashes.map((hash) => `keys/${hash}`)]) {
    assert.is(await codeOf(home.ask('object', CONTENT, name)), 'invalid_request', name);
    assert.is(await codeOf(home.ask('compare', { objects: [name] })), 'invalid_request', name);
  }
  assert.equal(home.all, before);
});

test('an object has the content that its name says, and comes once', async () => {
  const home = new NewHome();
  assert.is(await codeOf(home.ask('object', CONTENT, `data/${HASH}`)), 'move_refused', 'nothing was announced');
  await home.ask('meet', { bytes: 10 });
  assert.is(await codeOf(home.ask('object', 'another', `data/${HASH}`)), 'move_refused');
  const objects = ['config', `data/${HASH}`, `snapshots/${HASH}`];
  assert.equal(await home.ask('compare', { objects }), { missing: objects });
  for (const name of objects) await home.ask('object', CONTENT, name);
  assert.equal(await home.ask('compare', { objects }), { missing: [] });
  const repository = join(home.folder, 'arriving-7/repository');
  assert.is(readFileSync(join(repository, 'data', HASH.slice(0, 2), HASH), 'utf8'), CONTENT);
  assert.equal(await home.ask('compare', { objects: ['config'] }), { missing: [] });
  assert.equal([readdirSync(join(repository, 'snapshots')), existsSync(join(repository, 'config'))], [[], true]);
});

test('backups come where there is room and none are, and nothing else is discarded', async () => {
  const home = new NewHome();
  assert.is(await codeOf(home.ask('meet', { bytes: Number.MAX_SAFE_INTEGER })), 'move_refused', 'no room');
  mkdirSync(join(home.folder, '7'));
  writeFileSync(join(home.folder, '7/config'), 'of before');
  assert.is(await codeOf(home.ask('meet', { bytes: 10 })), 'move_refused');
  await home.mover.discard(ANN);
  await home.mover.remove(ANN, true);
  assert.equal([home.all, home.forgotten], [['7', '7/config'], []]);
  writeFileSync(join(home.folder, 'leaving-7'), '');
  await home.mover.reopen(ANN);
  await home.mover.remove(ANN, true);
  assert.equal(home.forgotten, [], 'what was opened again stays');
  writeFileSync(join(home.folder, 'leaving-7'), '');
  await home.mover.remove(ANN, true);
  assert.equal(home.forgotten, [ANN.id]);
});

test('backups of another shape are refused', () => {
  const read = (more: object) => READERS.adopt({ backups: [{ ...BACKUP, ...more }] });
  assert.equal(read({}), { backups: [BACKUP] });
  const [database] = BACKUP.databases;
  for (const wrong of [
    ...[
      { id: '../7' },
      { id: 'databases-../..' },
      { created_at: '1' },
      { files: -1 },
      { is_scheduled: 1 },
      { more: 1 },
    ],
    ...[{ snapshot: '../7' }, { engine: '../7' }, { name: 'a\0' }, { problem: 1 }].map((more) => ({
      databases: [{ ...database, ...more }],
    })),
  ])
    assert.throws(() => read(wrong), /expected/, JSON.stringify(wrong));
});
