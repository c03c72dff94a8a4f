import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import * as assert from '../support/assert.ts';
import { AccountJobs } from '../../kernel/kit/jobs/account-jobs.ts';
import { createLog } from '../../kernel/log.ts';
import { accountFiles } from '../support/files-root.ts';
import { temporaryFolder } from '../support/folder.ts';
import { testSuite } from '../support/suite.ts';

const test = testSuite('removed-files');
const ann = { id: 5, username: 'ann' };
const never = new AbortController().signal;

/** Runs `work` with jobs for a files root below a new folder. */
async function withJobs(
  template: string,
  work: (jobs: AccountJobs, at: (path: string) => string) => Promise<void>,
  aside = '',
): Promise<void> {
  const data = temporaryFolder();
  const files = accountFiles(`${data}/${template}`, { removedRoot: aside });
  const jobs = new AccountJobs(files, { processes: 2, memory_mib: 256 }, createLog('silent'));
  try {
    await work(jobs, (path) => join(data, path));
  } finally {
    await jobs.close();
  }
}

// threat reused-names: files of a removed account are out of the sight of later ones
test("a removed account's files are moved where only the operator finds them", async () => {
  for (const [template, root, aside] of [
    ['files/{username}', 'files/ann', 'files/.removed/ann-5'],
    ['home/{username}/www', 'home/ann/www', 'home/.removed/ann-5'],
    ['home/{username}/a/www/', 'home/ann/a/www', 'home/.removed/ann-5'],
    ['u-{username}', 'u-ann', '.removed/ann-5'],
  ] as const)
    await withJobs(template, async (jobs, at) => {
      assert.equal(await jobs.setAside(ann), { hadFiles: false, problem: undefined });
      mkdirSync(at(`${root}/folder`), { recursive: true });
      writeFileSync(at(`${root}/folder/secret`), '', { mode: 0o600 });
      if (process.getuid?.() === 0) chownSync(at(root), 70_001, 70_001);
      assert.equal(await jobs.setAside(ann), { hadFiles: true, problem: undefined });
      assert.not(existsSync(at(root)));
      assert.is(jobs.removedRootOf(ann), at(aside));
      assert.equal(readdirSync(at(`${aside}/folder`)), ['secret']);
      assert.is(statSync(join(at(aside), '..')).mode & 0o777, 0o700);
      mkdirSync(at(root)); // by a process that is still running
      assert.equal(await jobs.removeFiles(ann, never), { removed: 4, problem: undefined, isComplete: true });
      assert.not(existsSync(at(root)) || existsSync(at(aside)));
      assert.equal(await jobs.removeFiles(ann, never), { removed: 0, problem: undefined, isComplete: true });
    });
});

test('files stay where all accounts share one files root', async () => {
  await withJobs('all', async (jobs, at) => {
    mkdirSync(at('all'));
    assert.equal(await jobs.setAside(ann), { hadFiles: false });
    assert.equal(await jobs.removeFiles(ann, never), { removed: 0, isComplete: true });
    assert.ok(existsSync(at('all')));
  });
});

test('files stay in place where they cannot be moved safely, and the reason is given', async () => {
  await withJobs('files/{username}', async (jobs, at) => {
    mkdirSync(at('files/ann'), { recursive: true });
    mkdirSync(at('files/.removed'));
    chmodSync(at('files/.removed'), 0o755);
    const { hadFiles, problem } = await jobs.setAside(ann);
    assert.ok(hadFiles && existsSync(at('files/ann')));
    assert.match(problem ?? '', /\.removed is open to others than its owner: chmod 700 it/);
  });
  const elsewhere = '/dev/shm';
  await withJobs(
    'files/{username}',
    async (jobs, at) => {
      mkdirSync(at('files/ann'), { recursive: true });
      assert.match((await jobs.setAside(ann)).problem ?? '', /ENOENT|EACCES|ENOTDIR/);
      assert.ok(existsSync(at('files/ann')));
    },
    `${elsewhere}/nothing/removed`,
  );
});

// threat swapped-root: links in the part of a files root that its owner may change lead nowhere
test("a link in the files root's path leads nowhere; one in its place is removed", async () => {
  const bobs = (at: (path: string) => string) => {
    mkdirSync(at('home/ann'), { recursive: true });
    mkdirSync(at('home/bob/www'), { recursive: true });
    writeFileSync(at('home/bob/www/secret'), '');
  };
  await withJobs('home/{username}/a/www', async (jobs, at) => {
    bobs(at);
    symlinkSync('../bob', at('home/ann/a'));
    assert.match((await jobs.setAside(ann)).problem ?? '', /ENOTDIR|ELOOP/);
    const refused = await jobs.removeFiles(ann, never).catch(({ code }: { code: string }) => code);
    assert.is(refused, 'files_unavailable');
    assert.ok(existsSync(at('home/bob/www/secret')));
  });
  await withJobs('home/{username}/www', async (jobs, at) => {
    bobs(at);
    symlinkSync('../bob/www', at('home/ann/www'));
    assert.match((await jobs.setAside(ann)).problem ?? '', /home\/ann\/www is not a folder/);
    assert.equal(await jobs.removeFiles(ann, never), { removed: 1, problem: undefined, isComplete: true });
    assert.ok(existsSync(at('home/bob/www/secret')));
  });
});
