import { appendFileSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from '../../support/assert.ts';
import { StoredLog } from '../../../plugins/sftp/server/stored-log.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { testSuite } from '../../support/suite.ts';

const test = testSuite('sftp: log of files that are stored');

const MARK = 'abc123';
const MIB = 2 ** 20;
const line = (text: string) => `${MARK} ${text}\n`;

function logIn(): { readonly path: string; readonly next: (mark?: string) => Promise<string[]> } {
  const path = join(temporaryFolder(), 'stored.log');
  const log = new StoredLog(path);
  return {
    path,
    next: async (mark = MARK) => (await log.next(mark)).map((file) => `${file.login}:${file.path}`),
  };
}

test('files that are stored or renamed are read once, and nothing else', async () => {
  const { path, next } = logIn();
  assert.equal(await next(), [], 'no file yet');
  const told = [
    ...['STOR 226 ann_web /a b.txt', 'APPE 226 bob_web /c', 'STOR 451 ann_web /refused', 'RNFR 350 ann_web /old'],
    ...['RNTO 250 ann_web /new', 'RNTO 550 ann_web /refused', 'DELE 250 ann_web /gone', 'STOR 226 ann_web -'],
    ...['STOR 226 ann_web /ü'],
  ];
  writeFileSync(path, told.map(line).join(''));
  appendFileSync(path, Buffer.from(line('STOR 226 ann_web /\xff'), 'latin1')); // a name that is no UTF-8
  appendFileSync(path, line('STOR 226 ann_web /x\nABC123 STOR 226 bob_web /forged'));
  appendFileSync(path, `${MARK} STOR 226 ann_web /hal`); // not written whole yet
  assert.equal(await next(), ['ann_web:/a b.txt', 'bob_web:/c', 'ann_web:/new', 'ann_web:/ü', 'ann_web:/x']);
  appendFileSync(path, 'f\n');
  assert.equal([await next(), await next()], [['ann_web:/half'], []]);
  truncateSync(path);
  appendFileSync(path, line('STOR 226 ann_web /y'));
  assert.equal(await next('other'), [], 'of another mark');
});

test('a long log is read in parts and emptied, and one that grows faster is cut', async () => {
  const { path, next } = logIn();
  const name = 'x'.repeat(200);
  writeFileSync(path, Array.from({ length: 6000 }, (_, i) => line(`STOR 226 ann_web /${i}${name}`)).join(''));
  const read: string[] = [];
  for (let more = await next(); more.length > 0; more = await next()) read.push(...more);
  assert.equal(
    read,
    Array.from({ length: 6000 }, (_, i) => `ann_web:/${i}${name}`),
  );
  assert.is(statSync(path).size, 0);
  appendFileSync(path, line('STOR 226 ann_web /after'));
  assert.equal(await next(), ['ann_web:/after']);
  appendFileSync(path, line(`STOR 226 ann_web /${name}`).repeat((8 * MIB) / 200));
  assert.ok((await next()).length > 0);
  assert.is(statSync(path).size, 0);
});
