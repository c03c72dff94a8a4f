/**
 * How quickly an account moves to another node: `npm run build && node dist/bench/moves.js [MB] [files]`, as root, with PostgreSQL
 * and OpenSSH's server installed. Two nodes of a fleet are processes of their own on one machine; an account of 500 MB in 10,000
 * files moves there and back, in turn with `tar` through `ssh` on loopback, which copies the same files.
 */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { TestFleet } from '../test/support/fleet.ts';
import { freePort } from '../test/support/port.ts';
import { Postgres, schemaAt } from '../test/support/postgres.ts';
import { until } from '../test/support/until.ts';
import { median } from './support/load.ts';
import { machineText, temporaryFolder } from './support/processes.ts';
import { seconds } from './support/seconds.ts';

const [MEGABYTES, FILES] = [Number(process.argv[2] ?? 500), Number(process.argv[3] ?? 10_000)];
const FOLDERS = 100;
const ROUNDS = 3;
const NAME = 'mover';

function makeFiles(folder: string): void {
  const size = Math.floor((MEGABYTES * 1e6) / FILES);
  for (let i = 0; i < FILES; i += 1) {
    const inside = join(folder, `${i % FOLDERS}`);
    if (i < FOLDERS) mkdirSync(inside, { recursive: true });
    writeFileSync(join(inside, `${i}`), randomBytes(size));
  }
}

/** Starts OpenSSH's server on loopback for one key; resolves with the shell command that reaches it. */
async function startSsh(): Promise<{ command: string; stop: () => void }> {
  const folder = temporaryFolder();
  const at = (name: string) => join(folder, name);
  for (const key of ['host', 'user']) execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', at(key)]);
  const port = await freePort();
  writeFileSync(
    at('config'),
    [
      `ListenAddress 127.0.0.1:${port}`,
      `HostKey ${at('host')}`,
      `AuthorizedKeysFile ${at('user.pub')}`,
      `PidFile ${at('pid')}`,
      'StrictModes no',
      'UsePAM no',
      'PermitRootLogin prohibit-password',
    ].join('\n'),
  );
  mkdirSync('/run/sshd', { recursive: true });
  const server = spawn('/usr/sbin/sshd', ['-D', '-f', at('config')], { stdio: 'inherit' });
  const options = `-i ${at('user')} -p ${port} -o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null -o LogLevel=ERROR`;
  const command = `ssh ${options} root@127.0.0.1`;
  await until('OpenSSH answers', async () => (await once(spawn('sh', ['-c', `${command} true`]), 'exit'))[0] === 0);
  return { command, stop: () => void server.kill() };
}

async function shell(command: string): Promise<void> {
  const [code] = (await once(spawn('sh', ['-c', command], { stdio: 'inherit' }), 'exit')) as [number];
  if (code !== 0) throw new Error(`${command} ended with ${code}`);
}

console.log(`Moves bench: ${machineText()}, ${MEGABYTES} MB in ${FILES} files`);
const postgres = Postgres.start();
const fleet = new TestFleet(schemaAt(postgres.url, 'moves'));
const ssh = await startSsh();
try {
  const one = await fleet.init('one');
  const two = await fleet.join(one, 'two');
  await fleet.start(one, { [NAME]: 'user' });
  await fleet.start(two);
  await fleet.areUp(one);
  makeFiles(join(one.data, 'files', NAME));
  const [moved, copied, closed]: [number[], number[], number[]] = [[], [], []];
  for (let round = 0; round < 2 * ROUNDS; round += 1) {
    const [from, to] = round % 2 === 0 ? [one, two] : [two, one];
    const copy = join(temporaryFolder(), 'copy');
    mkdirSync(copy);
    const source = join(from.data, 'files', NAME);
    copied.push(await seconds(() => shell(`tar c -C ${source} . | ${ssh.command} tar x -C ${copy}`)));
    rmSync(copy, { recursive: true });
    moved.push(
      await seconds(async () => {
        const { code, stdout, stderr } = await fleet.run(from.data, [
          'account',
          'move',
          NAME,
          '--to',
          to.name,
          '--json',
        ]);
        if (code !== 0) throw new Error(stderr);
        const last = JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as { read_only_seconds: number };
        closed.push(last.read_only_seconds);
      }),
    );
    console.log(
      `  moved in ${moved.at(-1)?.toFixed(1)} s, ${closed.at(-1)} s of it closed; tar through ssh ${copied.at(-1)?.toFixed(1)} s`,
    );
  }
  const ratio = median(copied) / median(moved);
  console.log(`throughput of a move / of tar through ssh: ${ratio.toFixed(2)} (wanted: at least 0.5)`);
  console.log(
    `changes refused: ${median(closed).toFixed(1)} s, at most ${Math.max(...closed).toFixed(1)} s (wanted: at most 5)`,
  );
} finally {
  ssh.stop();
  await fleet.close();
  postgres.remove();
}
process.exit(0);
