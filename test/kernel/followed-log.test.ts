import { appendFileSync, copyFileSync, renameSync, statSync, truncateSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from '../support/assert.ts';
import { FollowedLog } from '../../kernel/kit/files/followed-log.ts';
import { temporaryFolder } from '../support/folder.ts';
import { testSuite } from '../support/suite.ts';

const test = testSuite('followed-log');
const opened = new Set<Written>();
test.after(async () => {
  for (const { log } of opened) await log.close();
});

/** A log that a test writes, and what was read of it. */
class Written {
  readonly path = join(temporaryFolder(), 'access.log');
  log!: FollowedLog;
  #seen = '';

  static async begin(lingerMs = 60_000): Promise<Written> {
    const written = new Written();
    opened.add(written);
    writeFileSync(written.path, '');
    written.log = await FollowedLog.open(written.path, [], lingerMs);
    return written;
  }

  write(...lines: string[]): void {
    appendFileSync(this.path, lines.map((line) => `${line}\n`).join(''));
  }

  async restart(): Promise<void> {
    const { positions } = this.log;
    await this.log.close();
    this.log = await FollowedLog.open(this.path, positions);
  }

  /** Everything that was read so far. */
  async seen(): Promise<string[]> {
    for (let text; (text = await this.log.read()) !== '';) this.#seen += text;
    return this.#seen.split('\n').slice(0, -1);
  }
}

const numbers = (first: number, last: number) =>
  Array.from({ length: last - first + 1 }, (_, i) => `line ${first + i} of a log whose lines differ by their numbers`);

test('lines are read once and whole, however they arrive', async () => {
  const log = await Written.begin();
  assert.equal(await log.seen(), []);
  log.write(...numbers(1, 3));
  appendFileSync(log.path, 'half of ');
  assert.equal(await log.seen(), numbers(1, 3));
  await log.restart();
  appendFileSync(log.path, 'a line\n');
  assert.equal(await log.seen(), [...numbers(1, 3), 'half of a line']);
  const many = numbers(4, 60_000);
  log.write(...many);
  assert.equal(await log.seen(), [...numbers(1, 3), 'half of a line', ...many]);
});

test('a log that is begun anew twice between reads loses and repeats nothing', async () => {
  for (const names of [
    ['.2', '.1'],
    ['-2026-11-26T20-00-00.000.log', '-2026-11-26T20-00-00.001.log'],
  ]) {
    const log = await Written.begin();
    log.write(...numbers(1, 2));
    await log.seen();
    log.write(...numbers(3, 3));
    for (const [i, name] of names.entries()) {
      renameSync(log.path, name.startsWith('-') ? log.path.replace('.log', name) : `${log.path}${name}`);
      log.write(...numbers(4 + i, 4 + i));
    }
    assert.equal(await log.seen(), numbers(1, 5), names[0]);
    await log.restart();
    assert.equal(await log.seen(), numbers(1, 5), names[0]);
  }
});

test('a log that is renamed and begun anew loses and repeats nothing', async () => {
  const log = await Written.begin();
  log.write(...numbers(1, 2));
  await log.seen();
  renameSync(log.path, `${log.path}.1`);
  appendFileSync(`${log.path}.1`, `${numbers(3, 3).join('\n')}\n`);
  log.write(...numbers(4, 4));
  assert.equal(await log.seen(), numbers(1, 4));
  appendFileSync(`${log.path}.1`, 'late\n');
  assert.equal(await log.seen(), [...numbers(1, 4), 'late'], 'until the web server has opened the new file');
});

test('a log that is rotated twice while nobody reads it loses and repeats nothing', async () => {
  const log = await Written.begin();
  log.write(...numbers(1, 2));
  await log.seen();
  const { positions } = log.log;
  await log.log.close();
  log.write(...numbers(3, 4));
  renameSync(log.path, `${log.path}.2`);
  log.write(...numbers(5, 6));
  renameSync(log.path, `${log.path}.1`);
  log.write(...numbers(7, 8));
  log.log = await FollowedLog.open(log.path, positions);
  assert.equal(await log.seen(), numbers(1, 8));
  await log.restart();
  assert.equal(await log.seen(), numbers(1, 8));
});

test('a log that is copied and emptied loses and repeats nothing', async () => {
  const log = await Written.begin();
  log.write(...numbers(1, 5));
  await log.seen();
  log.write(...numbers(6, 7));
  copyFileSync(log.path, `${log.path}.1`);
  truncateSync(log.path);
  log.write(...numbers(8, 9));
  assert.equal(await log.seen(), numbers(1, 9));
});

test('a log that was emptied while nobody read it, and has grown since, is known again', async () => {
  const log = await Written.begin();
  log.write(...numbers(1, 2));
  await log.seen();
  const { positions } = log.log;
  await log.log.close();
  log.write(...numbers(3, 4));
  copyFileSync(log.path, `${log.path}.1`);
  truncateSync(log.path);
  log.write(...numbers(5, 20));
  log.log = await FollowedLog.open(log.path, positions);
  assert.equal(await log.seen(), numbers(1, 20));
});

test('a log that is missing is waited for, and a compressed one is none of its parts', async () => {
  const log = await Written.begin(0);
  log.write(...numbers(1, 2));
  await log.seen();
  renameSync(log.path, `${log.path}.1`);
  assert.equal(await log.seen(), numbers(1, 2));
  writeFileSync(`${log.path}.2.gz`, 'a line\n');
  log.write(...numbers(3, 3));
  assert.equal(await log.seen(), numbers(1, 3));
  assert.is(log.log.positions.length, 1, 'the renamed one is let go');
  unlinkSync(log.path);
  await log.restart();
  assert.equal(await log.seen(), numbers(1, 3));
});

test('of a long log, as much is read at a time as fits into memory', async () => {
  const log = await Written.begin();
  const line = `${'x'.repeat(999)}\n`;
  for (let i = 0; i < 20; i++) appendFileSync(log.path, line.repeat(1000));
  assert.is(statSync(log.path).size, 20_000_000);
  const sizes: number[] = [];
  for (let text; (text = await log.log.read()) !== '';) sizes.push(text.length);
  assert.is(
    sizes.reduce((sum, each) => sum + each),
    20_000_000,
  );
  assert.ok(Math.max(...sizes) <= 1 << 20);
});
