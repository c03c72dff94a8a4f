import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, chownSync, mkdirSync, readdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { CLI } from '../../support/command.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { NodeProcess, prepare } from '../../support/node-process.ts';
import { reportSkipped } from '../../support/suite.ts';

const UNPRIVILEGED = 65534;
/** Free blocks that allow a few more writes. */
const BLOCKS_LEFT = 50;
const OPTIONS = 'size=8m,nr_inodes=300,mode=0711';

/** Whether file systems can be mounted here. */
function mayMount(): boolean {
  if (process.getuid?.() === 0) return true;
  reportSkipped('full and read-only disks, because only root can mount file systems');
  return false;
}

/** Runs a node on a small disk that fills up, is emptied again, disappears and becomes read-only. */
export async function starveDisk(): Promise<string[]> {
  if (!mayMount()) return [];
  const folder = temporaryFolder();
  const disk = join(folder, 'disk');
  mkdirSync(disk);
  execFileSync('mount', ['-t', 'tmpfs', '-o', OPTIONS, 'tmpfs', disk]);
  try {
    return [
      await full(join(disk, 'data')),
      await fullOfFiles(join(folder, 'data'), disk),
      await readOnly(join(disk, 'data'), disk),
      await foreign(join(folder, 'foreign')),
    ];
  } finally {
    execFileSync('umount', ['-l', disk]);
  }
}

const put = (node: NodeProcess, token: string, link: string) =>
  node.ask('/api/favorites', { method: 'PUT', token, body: { link, title: 'x'.repeat(250) } });
const links = async (node: NodeProcess, token: string) =>
  (await node.ask<{ link: string }[]>('/api/favorites', { token })).body
    .map(({ link }) => link)
    .toSorted()
    .join();

/** Fills the disk, except for a few blocks, with one file. */
function fill(disk: string): string {
  const ballast = join(disk, 'ballast');
  for (let room = statfsSync(disk); room.bfree > BLOCKS_LEFT; room = statfsSync(disk))
    writeFileSync(ballast, Buffer.alloc((room.bfree - BLOCKS_LEFT) * room.bsize), { flag: 'a' });
  return ballast;
}

async function full(data: string): Promise<string> {
  await prepare(data, { demo: 'user' });
  let node = await NodeProcess.start(data);
  try {
    const token = await node.login('demo');
    const kept: string[] = [];
    const ballast = fill(join(data, '..'));
    let refused = 0;
    for (let i = 0; refused < 20; i += 1) {
      const { status } = await put(node, token, `/page-${i % 50}`);
      if (status === 200) kept.push(`/page-${i % 50}`);
      else if (status >= 500) refused += 1;
      else throw new Error(`on a full disk a write returned ${status}`);
    }
    const wanted = [...new Set(kept)].toSorted().join();
    if ((await links(node, token)) !== wanted) throw new Error('on a full disk an acknowledged write is missing');
    if (!/SQLITE_FULL|ENOSPC|SQLITE_IOERR/.test(node.output)) throw new Error('the log does not mention the full disk');
    await node.end('SIGKILL');
    const again = NodeProcess.spawn(data);
    const isUp = await again.listening().then(
      () => true,
      () => false,
    );
    if (!isUp && ((await again.ended()) !== 1 || !/^hostkeep: .*(room|space)/im.test(again.output)))
      throw new Error(`a start on a full disk ended with: ${again.output}`);
    rmSync(ballast);
    node = isUp ? again : await NodeProcess.start(data);
    const { status } = await put(node, token, '/after');
    if (status !== 200) throw new Error(`with free space again a write returned ${status}`);
    if ((await links(node, token)) !== [...new Set([...kept, '/after'])].toSorted().join())
      throw new Error('after a full disk an acknowledged write is missing');
    const start = isUp ? 'possible' : 'refused with instructions';
    return `full disk: ${kept.length} writes acknowledged, ${refused} refused, none lost; a start on it was ${start}`;
  } finally {
    await node.end('SIGKILL');
  }
}

/** Here only the accounts' files are on the full disk. */
async function fullOfFiles(data: string, disk: string): Promise<string> {
  await prepare(data, { demo: 'user' });
  const node = await NodeProcess.start(data, { config: { files_root: `${disk}/files/{username}` } });
  try {
    const token = await node.login('demo');
    const add = (name: string) => node.ask('/api/domains/new', { method: 'POST', token, body: { domain_url: name } });
    if ((await add('first.example')).status !== 201) throw new Error('the first domain could not be added');
    const ballast = join(disk, 'ballast');
    mkdirSync(ballast);
    for (let left = statfsSync(disk).ffree; left > 0; left -= 1) writeFileSync(join(ballast, String(left)), '');
    const { status, body } = await add('second.example');
    if (status !== 503 || body['error'] !== 'files_unavailable')
      throw new Error(`without space for its folder, adding a domain returned ${status} ${JSON.stringify(body)}`);
    rmSync(ballast, { recursive: true });
    if ((await add('second.example')).status !== 201)
      throw new Error('with free space again a domain could not be added');
    return 'full files root: a domain is refused with 503, and added once there is space';
  } finally {
    await node.end('SIGKILL');
  }
}

async function readOnly(data: string, disk: string): Promise<string> {
  let node = await NodeProcess.start(data);
  try {
    const token = await node.login('demo');
    const before = await links(node, token);
    execFileSync('umount', ['-l', disk]); // open files stay open; new look-ups see an empty folder
    const { status } = await node.ask('/api/domains', { token });
    if (status !== 200 && status < 500) throw new Error(`without its disk a read returned ${status}`);
    await node.end('SIGKILL');
    execFileSync('mount', ['-t', 'tmpfs', '-o', OPTIONS, 'tmpfs', disk]);
    await prepare(data, { demo: 'user' });
    execFileSync('mount', ['-o', 'remount,ro', disk]);
    const refused = NodeProcess.spawn(data);
    if ((await refused.ended()) !== 1 || !/^hostkeep: .*(cannot be (opened|written)|read-only)/m.test(refused.output))
      throw new Error(`a start on a read-only disk ended with: ${refused.output}`);
    execFileSync('mount', ['-o', 'remount,rw', disk]);
    node = await NodeProcess.start(data);
    await node.login('demo');
    const count = before === '' ? 0 : before.split(',').length;
    return `read-only disk: a start is refused with instructions; a vanished disk with ${count} favorites caused no wrong reply`;
  } finally {
    await node.end('SIGKILL');
  }
}

/** Starts a node on a data folder that belongs to another user. */
async function foreign(data: string): Promise<string> {
  await prepare(data, { demo: 'user' });
  const through = ['setpriv', `--reuid=${UNPRIVILEGED}`, `--regid=${UNPRIVILEGED}`, '--clear-groups', '--no-new-privs'];
  if (spawnSync('setpriv', [...through.slice(1), process.execPath, CLI, '--version']).status !== 0)
    return 'a data folder of another user: not run, because other users cannot read this program';
  chmodSync(join(data, '..'), 0o755);
  const refused = NodeProcess.spawn(data, { through });
  if ((await refused.ended()) !== 1 || !/^hostkeep: .*belongs to the user id 0: run/m.test(refused.output))
    throw new Error(`a start on another user's folder ended with: ${refused.output}`);
  chmodSync(data, 0o500);
  const given = readdirSync(join(data, 'ids')).map((id) => join('ids', id));
  for (const name of ['hostkeep.db', 'node.db', 'keys.json', 'revision', 'ids', ...given])
    chownSync(join(data, name), UNPRIVILEGED, UNPRIVILEGED);
  chownSync(data, UNPRIVILEGED, UNPRIVILEGED);
  const unwritable = NodeProcess.spawn(data, { through });
  if (
    (await unwritable.ended()) !== 1 ||
    !/^hostkeep: .*(permission denied|cannot be (opened|written))/m.test(unwritable.output)
  )
    throw new Error(`a start on a folder without write permission ended with: ${unwritable.output}`);
  chmodSync(data, 0o700);
  const node = await NodeProcess.start(data, { through });
  await node.login('demo');
  await node.end();
  return 'a data folder of another user, or without write permission: the start is refused with instructions';
}
