import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  linkSync,
  lstatSync,
  mkdirSync,
  rmSync,
  statSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import * as assert from '../support/assert.ts';
import { AccountJobs } from '../../kernel/kit/jobs/account-jobs.ts';
import giveFiles from '../../kernel/kit/jobs/owners/owners-job.ts';
import type { GivenFiles } from '../../kernel/kit/jobs/owners/given-files.ts';
import { createLog } from '../../kernel/log.ts';
import { codeOf } from '../support/code-of.ts';
import { accountFiles } from '../support/files-root.ts';
import { temporaryFolder } from '../support/folder.ts';
import { testSuite } from '../support/suite.ts';

const test = testSuite('given files');
const IDS = { first: 70_000, count: 1000, web_group: '', system_users: false };
const ann = { id: 5, username: 'ann' };
const [ANN, BOB] = [70_005, 70_006];
const followed = () => ({ signal: new AbortController().signal, onProgress: () => undefined });
/** The owner and the mode of an entry itself. */
const ownerOf = (path: string) => lstatSync(path).uid;
const modeOf = (path: string) => (lstatSync(path).mode & 0o7777).toString(8);

/** Runs `work` with jobs for accounts whose folders are below a new one; that of ann is made. */
async function withJobs(
  work: (give: (path?: string, names?: number) => Promise<GivenFiles>, at: (path: string) => string) => Promise<void>,
  ids = IDS,
  template = '{username}',
): Promise<void> {
  const base = temporaryFolder();
  const at = (path: string) => join(base, path);
  const files = accountFiles(at(template), { ids });
  const jobs = new AccountJobs(files, { processes: 2, memory_mib: 256 }, createLog('silent'));
  mkdirSync(at('ann'));
  if (process.getuid?.() === 0) chownSync(at('ann'), ANN, ANN);
  const give = (path = '', names = 1000) =>
    jobs.giveFiles(ann, { components: path.split('/').filter((name) => name !== ''), names }, followed());
  await work(give, at).finally(() => jobs.close());
}

test('nobody is given what this process may not give, or what all accounts share', async () => {
  const nothing = { given: 0, leftOut: 0 };
  await withJobs(async (give) => {
    process.seteuid?.(65_534);
    const given = await give().finally(() => process.seteuid?.(process.getuid?.() ?? 0));
    assert.equal(given, { ...nothing, problem: 'this server has no right to give files away' });
  });
  if (process.getuid?.() !== 0) return;
  const shared = { ...nothing, problem: 'all accounts share one folder' };
  await withJobs(async (give) => assert.equal(await give(), shared), IDS, 'ann');
});

if (process.getuid?.() === 0) {
  // threat swapped-root: a folder of somebody else is no account's, whatever its name
  test('only the folder of the account itself is looked at', async () => {
    await withJobs(async (give, at) => {
      writeFileSync(at('ann/page'), '');
      assert.is(await codeOf(give('nowhere')), 'folder_not_found');
      symlinkSync(at('.'), at('ann/up'));
      assert.is(await codeOf(give('up')), 'folder_not_found');
      chownSync(at('ann'), BOB, BOB);
      const problem = `the folder of the account belongs to the user id ${BOB}`;
      assert.equal(await give(), { given: 0, leftOut: 0, problem });
      assert.is(ownerOf(at('ann/page')), 0);
      rmSync(at('ann'), { recursive: true });
      assert.equal(await give(), { given: 0, leftOut: 0 }, 'an account without files');
    });
    await withJobs(
      async (give, at) => {
        chownSync(at('ann'), 0, 0);
        writeFileSync(at('ann/page'), '');
        assert.match((await give()).problem ?? '', /belongs to the user id 0/);
        assert.is(ownerOf(at('ann/page')), 0);
      },
      { ...IDS, first: 0 },
    );
  });

  // threat other-accounts: a second name, an id and a kind tell what is not the account's
  test('what is of others, or may be something else as well, stays with its owner', async () => {
    await withJobs(async (give, at) => {
      mkdirSync(at('ann/of-bob'));
      for (const path of ['shadow', 'ann/bobs', 'ann/of-bob/root', 'ann/own']) writeFileSync(at(path), '');
      for (const path of ['ann/bobs', 'ann/of-bob']) chownSync(at(path), BOB, BOB);
      chownSync(at('ann/own'), ANN, 0);
      linkSync(at('shadow'), at('ann/linked'));
      writeFileSync(at('ann/anybodys'), '');
      chmodSync(at('ann/anybodys'), 0o666); // whoever may write it may link to it
      execFileSync('mkfifo', ['--', at('ann/pipe')]);
      execFileSync('mknod', ['--', at('ann/null'), 'c', '1', '3']);
      mkdirSync(at('ann/.hostkeep'));
      const left = ['bobs', 'of-bob', 'of-bob/root', 'linked', 'anybodys', 'pipe', 'null', '.hostkeep', 'own'];
      const before = left.map((path) => ownerOf(at(`ann/${path}`)));
      assert.equal(await give(), { given: 0, leftOut: 6 });
      assert.equal(
        left.map((path) => ownerOf(at(`ann/${path}`))),
        before,
      );
      assert.is(ownerOf(at('shadow')), 0);
      unlinkSync(at('shadow'));
      assert.equal(await give(), { given: 1, leftOut: 5 }, 'its other name is gone');
    });
  });

  test('what root has put there is given, without the rights of its owner', async () => {
    await withJobs(async (give, at) => {
      mkdirSync(at('ann/site/shut'), { recursive: true, mode: 0o700 });
      for (const path of ['outside', 'ann/site/page', 'ann/site/shut/in', 'ann/beside']) writeFileSync(at(path), '');
      chmodSync(at('ann/site/page'), 0o6755);
      symlinkSync(at('outside'), at('ann/site/link'));
      writeFileSync(Buffer.concat([Buffer.from(at('ann/site/')), Buffer.from([0xff, 0xfe])]), 'no UTF-8');
      assert.equal(await give('site', 2), { given: 2, leftOut: 4 }, 'no more than asked for');
      assert.equal(await give('site'), { given: 4, leftOut: 0 });
      for (const path of ['site', 'site/shut', 'site/page', 'site/shut/in', 'site/link']) {
        const { uid, gid } = lstatSync(at(`ann/${path}`));
        assert.equal([uid, gid], [ANN, ANN], path);
      }
      assert.is(modeOf(at('ann/site/page')), '755');
      assert.equal([ownerOf(at('outside')), ownerOf(at('ann/beside'))], [0, 0]);
      assert.equal(await give('site'), { given: 0, leftOut: 0 });
    });
  });

  test('what is mounted in the folder is not entered', async () => {
    await withJobs(async (_give, at) => {
      mkdirSync(at('ann/mounted'));
      mkdirSync(at('shared'));
      for (const path of ['shared/kept', 'ann/file', 'kept']) writeFileSync(at(path), '');
      const root = { path: at('ann'), operatorPath: at('ann'), below: [] };
      const script =
        'mount --bind "$1/shared" "$1/ann/mounted" && mount --bind "$1/kept" "$1/ann/file" && shift && exec "$@"';
      const job = new URL('../../kernel/kit/jobs/owners/owners-job.js', import.meta.url).href;
      const input = JSON.stringify({ root, user: null, components: [], names: 100 });
      const run = `import('${job}').then(async ({ default: give }) =>
        console.log(JSON.stringify(await give(${input}, { report: () => undefined }))))`;
      const out = execFileSync('unshare', ['-m', 'sh', '-c', script, 'sh', at('.'), process.execPath, '-e', run]);
      assert.equal(JSON.parse(out.toString()), { given: 0, leftOut: 2 });
      assert.equal([ownerOf(at('shared')), ownerOf(at('shared/kept')), ownerOf(at('kept'))], [0, 0, 0]);
    });
  });

  /** Swaps a folder for a link, and files of root's for second names of others, each of which it has once only. */
  const RESTLESS = `
const { renameSync, rmSync, symlinkSync, writeFileSync } = require('node:fs');
const { workerData: { at, target, links } } = require('node:worker_threads');
for (let i = 0; i < links; i += 1) {
  const name = at + '/file';
  writeFileSync(at + '/plain', '');
  renameSync(at + '/stock/' + i, name);
  renameSync(at + '/plain', name);
  renameSync(at + '/folder', at + '/aside');
  symlinkSync(target, at + '/folder');
  rmSync(at + '/folder');
  renameSync(at + '/aside', at + '/folder');
}`;

  // threat path-prefix: a link swapped in while files are given is not followed, and a second name is seen
  test('swapping folders and files for links gets nothing of others', async () => {
    await withJobs(async (_give, at) => {
      const links = 5000;
      for (const path of ['root', 'ann/folder', 'ann/stock']) mkdirSync(at(path));
      chownSync(at('ann/stock'), BOB, BOB); // is not looked into
      for (let i = 0; i < links; i += 1) {
        writeFileSync(at(`root/${i}`), '');
        linkSync(at(`root/${i}`), at(`ann/stock/${i}`));
      }
      const restless = new Worker(RESTLESS, { eval: true, workerData: { at: at('ann'), target: at('root'), links } });
      const ended = once(restless, 'exit');
      const running = new Set([restless]);
      void ended.then(() => running.clear());
      const root = { path: at('ann'), operatorPath: at('ann'), below: [] };
      const input = { root, user: null, components: [], names: 1000 };
      let given = 0;
      while (running.size > 0) given += (await giveFiles(input, { report: () => undefined } as never)).given;
      assert.ok(given > 50, `${given} were given meanwhile`);
      assert.equal(await ended, [0]);
      const taken = Array.from({ length: links }, (_, i) => statSync(at(`root/${i}`)).uid).filter((uid) => uid !== 0);
      assert.equal([taken, ownerOf(at('root'))], [[], 0]);
    });
  });
}
