/**
 * How quickly customers' files come and go: `npm run build && node dist/bench/files.js [MiB] [files] [large|listings|hung|drop|sftp|backups]`,
 * as root, with nginx, curl, ProFTPD, OpenSSH's client, restic and Chromium installed. A file of 1 GiB is downloaded and uploaded in turn with nginx, and by SFTP
 * in turn with a ProFTPD that was set up by hand; a folder of 100,000 files is listed and backed up, in turn with restic alone; 10,000 small files are dropped on the page.
 * A file system that never answers hangs below one account while another asks.
 */
import { execFile, execFileSync, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { chmodSync, mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { FIRST_ID } from '../test/support/broker.ts';
import { dropFiles, startChromium } from '../test/support/chromium.ts';
import { freePort } from '../test/support/port.ts';
import { load, median, type Load } from './support/load.ts';
import { MemoryWatch } from './support/memory.ts';
import { coreOf, machineText, startHostkeep, temporaryFolder, tokenFor, type Running } from './support/processes.ts';
import { seconds } from './support/seconds.ts';

const [SIZE_MIB, MANY] = [Number(process.argv[2] ?? 1024), Number(process.argv[3] ?? 100_000)];
const PART = process.argv[4] ?? '';
const DROPPED = Math.round(MANY / 10);
const FOLDERS = 100;
const ROUNDS = 5;
const LISTINGS = 40;
const PASSWORD = 'correct horse battery staple';
const run = promisify(execFile);

const folder = temporaryFolder();
chmodSync(folder, 0o755);
const SFTP_PORT = await freePort();
mkdirSync(join(folder, 'proftpd/hostkeep'), { recursive: true, mode: 0o700 });

/** Starts nginx with a folder to read and, below /put/, one to write; resolves with its address. */
async function startNginx(root: string): Promise<{ url: string; stop: () => void }> {
  const port = await freePort();
  for (const name of ['nginx', 'put']) mkdirSync(join(folder, name));
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((each) => `${each}_temp_path ${each};`);
  writeFileSync(
    join(folder, 'nginx/nginx.conf'),
    `user root; daemon off; pid pid; error_log stderr; events {} http { ${temporary.join(' ')} access_log off; sendfile on;
      server { listen 127.0.0.1:${port}; location / { root ${root}; }
        location /put/ { root ${folder}; dav_methods PUT; client_max_body_size 0; } } }`,
  );
  const child = spawn('/usr/sbin/nginx', ['-p', join(folder, 'nginx'), '-c', 'nginx.conf'], { stdio: 'inherit' });
  const url = `http://127.0.0.1:${port}`;
  while (!(await fetch(url).then(Boolean, () => false))) await delay(20);
  return { url, stop: () => void child.kill() };
}

const curl = (...args: string[]) => run('curl', ['--silent', '--show-error', '--fail', ...args]);
const authorized = (token: string) => ['--header', `Authorization: Bearer ${token}`];

interface Context {
  readonly server: Running;
  readonly token: string;
  /** Of another account. */
  readonly other: string;
  /** The files root of the account. */
  readonly root: string;
}

async function large({ server, token, root }: Context): Promise<void> {
  const nginx = await startNginx(root);
  const at = join(root, 'large.bin');
  const times = () => ({ download: [] as number[], upload: [] as number[] });
  const [theirs, ours] = [times(), times()];
  const memory = new MemoryWatch(server.child.pid);
  const content = `${server.url}/api/files/content?path=`;
  for (let round = 0; round < ROUNDS; round += 1) {
    theirs.download.push(await seconds(() => curl('--output', '/dev/null', `${nginx.url}/large.bin`)));
    ours.download.push(
      await memory.during(() =>
        seconds(() => curl(...authorized(token), '--output', '/dev/null', `${content}large.bin`)),
      ),
    );
    theirs.upload.push(await seconds(() => curl('--upload-file', at, `${nginx.url}/put/copy.bin`)));
    ours.upload.push(
      await memory.during(() =>
        seconds(() => curl(...authorized(token), '--output', '/dev/null', '--upload-file', at, `${content}copy.bin`)),
      ),
    );
  }
  nginx.stop();
  for (const [what, wanted] of [
    ['download', 0.7],
    ['upload', 0.6],
  ] as const) {
    const [a, b] = [median(theirs[what]), median(ours[what])];
    console.log(
      `  ${what} of ${SIZE_MIB} MiB: ${b.toFixed(2)} s, nginx ${a.toFixed(2)} s, ratio ${(a / b).toFixed(2)} (wanted: at least ${wanted})`,
    );
  }
  console.log(`  memory of the server: ${memory.moreMib.toFixed(0)} MiB more (wanted: at most 16)`);
}

async function listings({ server, token, other }: Context): Promise<void> {
  const target = { name: 'cached read', url: `${server.url}/system/hosting/plan`, token: other };
  const idle = await load(target, { seconds: 5, connections: 10 });
  const times: number[] = [];
  const list = async () => {
    const answer = await fetch(`${server.url}/api/files?path=many&limit=100`, {
      headers: { Authorization: `Bearer ${token}` },
    });
    if (!answer.ok) throw new Error(await answer.text());
    await answer.text();
  };
  for (let i = 0; i < LISTINGS; i += 1) times.push((await seconds(list)) * 1000);
  console.log(
    `  first page of ${MANY} files: first ${times[0]?.toFixed(0)} ms, then ${median(times).toFixed(0)} ms (wanted: at most 50)`,
  );
  const meanwhile: { load?: Load } = {};
  const measured = load(target, { seconds: 5, connections: 10 }).then((result) => (meanwhile.load = result));
  while (meanwhile.load === undefined) await list();
  const { p99Ms } = await measured;
  console.log(
    `  others' cached reads meanwhile: p99 ${p99Ms.toFixed(1)} ms, idle ${idle.p99Ms.toFixed(1)} ms, ratio ${(p99Ms / idle.p99Ms).toFixed(2)} (wanted: at most 2)`,
  );
}

/** Mounts a file system of which nobody answers the questions, until its input ends. */
const HANGING = `import ctypes, os, sys
libc = ctypes.CDLL(None, use_errno=True)
fd = os.open('/dev/fuse', os.O_RDWR)
options = f'fd={fd},rootmode=40000,user_id=0,group_id=0,allow_other'
if libc.mount(b'hung', sys.argv[1].encode(), b'fuse', 0, options.encode()): sys.exit(os.strerror(ctypes.get_errno()))
print('mounted', flush=True)
sys.stdin.read()
libc.umount2(sys.argv[1].encode(), 2)`;
const VICTIMS = 10;

async function hung({ server, token, other, root }: Context): Promise<void> {
  const targets = ['/system/hosting/plan', '/api/files?path='].map((path) => ({
    ...{ name: path, url: `${server.url}${path}`, token: other },
  }));
  const measured = async () => {
    const found: number[] = [];
    for (const target of targets) {
      const { p99Ms, errors } = await load(target, { seconds: 5, connections: 10 });
      if (errors > 0) throw new Error(`${target.name}: ${errors} failed`);
      found.push(p99Ms);
    }
    return found;
  };
  const at = join(root, 'hung');
  mkdirSync(at);
  const idle = await measured();
  const mount = spawn('python3', ['-c', HANGING, at], { stdio: ['pipe', 'pipe', 'inherit'] });
  await once(mount.stdout, 'data');
  const over = new AbortController();
  const asks = ['files?path=hung', 'files?path=', 'directory-size?folder=', 'content-search?path=&text=abc'];
  const victims = Array.from({ length: VICTIMS }, async (_, i) => {
    while (!over.signal.aborted)
      await fetch(`${server.url}/api/${asks[i % asks.length]}`, { headers: { Authorization: `Bearer ${token}` } })
        .then((answer) => answer.text())
        .finally(() => delay(100)); // refused at once, where too many wait
  });
  await delay(2000);
  const meanwhile = await measured();
  over.abort();
  mount.stdin.end();
  await Promise.all([once(mount, 'exit'), ...victims]);
  for (const [i, { name }] of targets.entries()) {
    const [before = 0, after = 0] = [idle[i], meanwhile[i]];
    console.log(
      `  ${name} of another account beside a hung file system: p99 ${after.toFixed(1)} ms, idle ${before.toFixed(1)} ms, ratio ${(after / before).toFixed(2)} (wanted: at most 2)`,
    );
  }
}

/** One ProFTPD serves both what Hostkeep configures and what somebody configures by hand. */
async function sftp({ server, token, root }: Context): Promise<void> {
  const place = join(folder, 'proftpd');
  const [handsPort, secret] = [await freePort(), 'correct horse'];
  const hash = execFileSync('openssl', ['passwd', '-6', secret], { encoding: 'utf8' }).trim();
  const { uid, gid } = statSync(root);
  writeFileSync(join(place, 'logins'), `hand:${hash}:${uid}:${gid}::${root}:/bin/false\n`, { mode: 0o600 });
  execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', join(place, 'key')]);
  writeFileSync(
    join(place, 'proftpd.conf'),
    `ServerType standalone\nServerName main\nPort 0\nDefaultAddress 127.0.0.1\nUser nobody\nGroup nogroup\nModulePath /usr/lib/proftpd\nDelayEngine off
    PidFile ${place}/pid\nScoreboardFile ${place}/scoreboard\nSystemLog ${place}/log\nWtmpLog off\nTransferLog none\nInclude ${place}/hostkeep/*.conf
    <VirtualHost 127.0.0.1>\nPort ${handsPort}\nSFTPEngine on\nSFTPHostKey ${place}/key\nAuthOrder mod_auth_file.c\nAuthUserFile ${place}/logins
    RequireValidShell off\nDefaultRoot ~\nAllowOverwrite on\n</VirtualHost>\n`,
  );
  const proftpd = spawn('/usr/sbin/proftpd', ['-n', '-c', join(place, 'proftpd.conf')], { stdio: 'ignore' });
  const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
  const made = await fetch(`${server.url}/api/sftp/logins`, { method: 'POST', headers, body: '{"name":"bench"}' });
  const { login, password } = (await made.json()) as { login: { login: string }; password: string };
  const send = (port: number, name: string, word: string, command: string) => {
    writeFileSync(join(place, 'batch'), `${command}\n`);
    const options = ['BatchMode=no', 'StrictHostKeyChecking=no', 'UserKnownHostsFile=/dev/null', 'LogLevel=ERROR'];
    const args = [...options.flatMap((each) => ['-o', each]), '-P', `${port}`, '-b', join(place, 'batch')];
    return run('sshpass', ['-e', 'sftp', ...args, `${name}@127.0.0.1`], { env: { ...process.env, SSHPASS: word } });
  };
  const theirs = (command: string) => send(handsPort, 'hand', secret, command);
  const ours = (command: string) => send(SFTP_PORT, login.login, password, command);
  while (!(await theirs('pwd').then(Boolean, () => false))) await delay(100);
  const local = join(folder, 'sent.bin');
  execFileSync('cp', [join(root, 'large.bin'), local]);
  for (const [what, command] of [
    ['download', 'get large.bin /dev/null'],
    ['upload', `put ${local} sent.bin`],
  ] as const) {
    const times: [number[], number[]] = [[], []];
    for (let round = 0; round < ROUNDS; round += 1) {
      times[0].push(await seconds(() => theirs(command)));
      times[1].push(await seconds(() => ours(command)));
    }
    const [a, b] = times.map(median) as [number, number];
    console.log(
      `  ${what} of ${SIZE_MIB} MiB by SFTP: ${b.toFixed(2)} s, by hand ${a.toFixed(2)} s, ratio ${(a / b).toFixed(2)} (wanted: at least 0.98)`,
    );
  }
  proftpd.kill();
}

async function backups({ server, token, root }: Context): Promise<void> {
  const headers = { Authorization: `Bearer ${token}` };
  const made = async () => {
    const begun = (await (await fetch(`${server.url}/api/backups`, { method: 'POST', headers })).json()) as {
      id: string;
    };
    for (;;) {
      const answer = await fetch(`${server.url}/api/backup-tasks/${begun.id}`, { headers });
      const { state, detail } = (await answer.json()) as { state: string; detail: string };
      if (state === 'done') return;
      if (state !== 'running') throw new Error(`the backup ${state}: ${detail}`);
      await delay(20);
    }
  };
  const environment = { ...process.env, RESTIC_REPOSITORY: join(folder, 'restic'), RESTIC_PASSWORD: 'by hand' };
  const restic = (...args: string[]) => run('restic', ['--quiet', ...args], { env: environment, cwd: root });
  await restic('init');
  const byHand = () => restic('backup', '--exclude=.hostkeep', '.');
  await made();
  await byHand();
  const [theirs, ours]: [number[], number[]] = [[], []];
  for (let round = 0; round < ROUNDS; round += 1) {
    theirs.push(await seconds(byHand));
    ours.push(await seconds(made));
  }
  const [a, b] = [median(theirs), median(ours)];
  console.log(
    `  backup of ${MANY} unchanged files: ${b.toFixed(1)} s, restic ${a.toFixed(1)} s, ratio ${(a / b).toFixed(2)} (wanted: at least 0.95)`,
  );
}

/** Drops a folder of small files on the page. */
async function drop({ server, root }: Context): Promise<void> {
  const source = join(folder, 'dropped');
  fill(source, DROPPED);
  const browser = await startChromium('to drop files in');
  if (browser === undefined) throw new Error('apt-get install chromium');
  const page = await browser.newPage();
  await page.goto(server.url);
  await page.waitForSelector('input[autocomplete=username]');
  await page.type('input[autocomplete=username]', 'ann');
  await page.type('input[autocomplete=current-password]', PASSWORD);
  await page.keyboard.press('Enter');
  await page.waitForSelector('.shell');
  await page.goto(`${server.url}/files`);
  await page.waitForFunction(`document.querySelector('main')?.textContent.includes('many')`);
  const took = await seconds(async () => {
    await dropFiles(page, [source]);
    await page.waitForFunction(`document.body.textContent.includes('files were uploaded')`, { timeout: 600_000 });
  });
  await browser.close();
  const arrived = Number(execFileSync('sh', ['-c', `find ${join(root, 'dropped')} -type f | wc -l`]));
  console.log(`  ${arrived} of ${DROPPED} small files from the page: ${took.toFixed(0)} s (wanted: at most 60)`);
}

function fill(at: string, files: number): void {
  for (let i = 0; i < files; i += 1) {
    const inside = join(at, String(i % FOLDERS));
    if (i < FOLDERS) mkdirSync(inside, { recursive: true });
    writeFileSync(join(inside, `${i}.txt`), `file ${i}\n`.repeat(20));
  }
}

console.log(`Files bench: ${machineText()}`);
const data = join(folder, 'data');
const settings = { ids: { first: FIRST_ID, count: 1000 }, files_root: join(folder, 'files/{username}') };
const core = await coreOf(data, settings);
const passwordHash = await core.passwords.hash(PASSWORD);
const [ann, bob] = await Promise.all(
  ['ann', 'bob'].map((username) => core.accounts.create({ username, role: 'user', plan: 'developer', passwordHash })),
);
if (ann === undefined || bob === undefined) throw new Error('the accounts were not made');
const root = ann.filesRoot;
fill(join(root, 'tree'), MANY);
mkdirSync(join(root, 'many'));
for (let i = 0; i < MANY; i += 1) writeFileSync(join(root, 'many', `file-${i}.txt`), '');
for (let i = 0; i < SIZE_MIB; i += 1) writeFileSync(join(root, 'large.bin'), randomBytes(2 ** 20), { flag: 'a' });
execFileSync('chown', ['-R', `${FIRST_ID + ann.id}:${FIRST_ID + ann.id}`, root]);
const server = await startHostkeep(data, {
  ...settings,
  backups: { reserve_mib: 0 },
  sftp: {
    ...{ folder: join(folder, 'proftpd/hostkeep'), pid_file: join(folder, 'proftpd/pid') },
    ...{ scoreboard: join(folder, 'proftpd/scoreboard'), address: '127.0.0.1', port: SFTP_PORT, ban_minutes: 0 },
  },
});
try {
  const [token, other] = [await tokenFor(core, ann), await tokenFor(core, bob)];
  const parts = [large, listings, hung, drop, sftp, backups].filter(({ name }) => name.includes(PART));
  for (const part of parts) {
    if (part === backups)
      for (const name of ['large.bin', 'copy.bin', 'sent.bin', 'many'])
        rmSync(join(root, name), { recursive: true, force: true });
    await part({ server, token, other, root });
  }
  await core.close();
} finally {
  await server.stop();
}
process.exit(0);
