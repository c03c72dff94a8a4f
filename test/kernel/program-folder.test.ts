import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from '../support/assert.ts';
import { ProgramFolder } from '../../kernel/kit/programs/program-folder.ts';
import { codeOf } from '../support/code-of.ts';
import { temporaryFolder } from '../support/folder.ts';
import { testSuite } from '../support/suite.ts';

const test = testSuite('program-folder');

test('a master of which nothing can be read is not taken for one that does not run', async () => {
  const root = temporaryFolder();
  const programs = new ProgramFolder(root, /^main$/, new AbortController().signal);
  assert.is(await programs.master(1, 'main'), undefined);
  mkdirSync(join(root, '1', 'main.master'), { recursive: true });
  assert.is(await codeOf(programs.master(1, 'main')), 'EISDIR');
});

const settings = { settings: 'settings', gid: process.getgid?.() ?? 0 };
const sleep = () => spawn('sleep', ['60'], { stdio: 'ignore', detached: true });

test('a program that is being started is not cleared, unlike one whose start broke off', async () => {
  const root = temporaryFolder();
  const programs = new ProgramFolder(root, /^(?:main|left)$/, new AbortController().signal);
  const left = join(root, '1', 'left.conf');
  await programs.start({ accountId: 1, name: 'main' }, settings, async (file) => {
    writeFileSync(left, 'settings');
    writeFileSync(join(root, '1', 'left.starting'), '1:0');
    assert.equal(await programs.running(), []);
    assert.equal([existsSync(file), existsSync(left)], [true, false]);
    return sleep();
  });
  assert.equal(await programs.running(), [{ accountId: 1, name: 'main' }]);
  assert.is(await programs.end(1), 1);
  assert.equal(await programs.running(), []);
});

test('a program of which nothing can be noted does not go on running', async () => {
  const root = temporaryFolder();
  const programs = new ProgramFolder(root, /^main$/, new AbortController().signal);
  let child = sleep();
  child.kill('SIGKILL');
  const begin = () => {
    mkdirSync(join(root, '1', 'main.master'));
    return (child = sleep());
  };
  assert.is(await codeOf(programs.start({ accountId: 1, name: 'main' }, settings, begin)), 'ERR_FS_EISDIR');
  child.ref(); // `start` does not wait for it
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  assert.is(child.signalCode, 'SIGKILL');
});

test('a start that fails leaves nothing but the settings of a sleeping program', async () => {
  const root = temporaryFolder();
  const programs = new ProgramFolder(root, /^(?:main|asleep)$/, new AbortController().signal);
  const fails = () => {
    throw Object.assign(new Error(), { code: 'ENOENT' });
  };
  assert.is(await codeOf(programs.start({ accountId: 1, name: 'main' }, settings, fails)), 'ENOENT');
  assert.equal(readdirSync(join(root, '1')), []);
  await programs.setAsleep(1, 'asleep', true);
  assert.is(await codeOf(programs.start({ accountId: 1, name: 'asleep' }, settings, fails)), 'ENOENT');
  assert.equal(readdirSync(join(root, '1')).toSorted(), ['asleep.asleep', 'asleep.conf']);
});
