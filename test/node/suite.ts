/**
 * Runs the tests on Debian 13, bundled as the program is: `node dist/test/node/suite.js [--node 22] [<argument of the tests>…]`,
 * such as `--store postgres`, as root; `then` begins another run in the same root. What they start is the program of the package,
 * which is for one Node.js; with another, it is bundled beside them.
 * The project is copied into a root that debootstrap made, because the binaries of newer Node.js need its newer C library.
 */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { bundle } from '../../config/package/bundle.ts';
import { TEST_TIMES } from '../../config/package/cache.ts';
import { debianRoot } from '../../config/package/debian-root.ts';
import { nodeFolder } from '../../config/package/node-binary.ts';
import { versionOfProject, writeProgramTree } from '../../config/package/program-tree.ts';
import { pluginsWith } from '../../kernel/kit/files/plugin-files.ts';
import { projectDir } from '../../kernel/kit/files/project-dir.ts';
import { installGenerators } from '../client/install.ts';
import { requirePrivileges } from './privileges.ts';

/** What the tests talk to, as in `.ci/run`, without what compiles. */
const PACKAGES = [
  ...[
    'busybox-static',
    'ca-certificates',
    'caddy',
    'chromium',
    'chromium-headless-shell',
    'chromium-sandbox',
    'clamav',
    'clamav-daemon',
    'curl',
  ],
  ...[
    'docker.io',
    'docker-cli',
    'e2fsprogs',
    'fonts-dejavu-core',
    'gcc',
    'git',
    'goaccess',
    'haproxy',
    'iptables',
    'libarchive-tools',
    'libc6-dev',
    'libnginx-mod-http-modsecurity',
    'mariadb-server',
    'memcached',
    'modsecurity-crs',
    'mount',
    'nginx-light',
    'pebble',
    'postgresql',
  ],
  ...[
    'lftp',
    'openssh-client',
    'openssl',
    'php-cli',
    'php-fpm',
    'phpmyadmin',
    'procps',
    'proftpd-core',
    'proftpd-mod-crypto',
    'prometheus',
    'python3',
    'python3-swift',
    'quota',
    'redis-server',
    'rclone',
    'restic',
    'socat',
    'sshpass',
    'sysstat',
    'unzip',
    'util-linux',
    'varnish',
    'zip',
    'zstd',
  ],
];
/** Where the project is in the root. */
const PLACE = '/srv/project';
/** Where the tests read and write how long each file takes. */
const TIMES = '/root/.cache/hostkeep/test-times.json';
/** Where the package's program is in the root. */
const PROGRAM = '/usr/lib/hostkeep/current';
/**
 * Makes the folder `$0` the root of its mounts, not only of its paths: container engines mount it anew. Then runs the rest. The
 * shell stays as the first process of the namespace, because it is told of the end of processes without a parent. The devices
 * are copies: what runs as root could change those of this system.
 */
const ENTER = `mount --bind "$0" "$0" && cd "$0" && mount -t proc proc proc && mount --rbind /sys sys &&
  mount -t tmpfs -o mode=755 dev dev && cp --archive --one-file-system /dev/. dev && mount -t devpts devpts dev/pts &&
  mount -t tmpfs shm dev/shm && pivot_root . mnt && exec chroot . sh -c '
    umount --lazy /mnt && cd ${PLACE} && env --ignore-environment "$@"
    exit $?' sh "$@"`;
const OWN_NAMESPACES = ['--mount', '--pid', '--fork', '--kill-child', '--'];

interface Run {
  /** Another version of Node.js than that of the package. */
  readonly node?: string | undefined;
  readonly args: readonly string[];
}

requirePrivileges();
const runs = runsIn(process.argv.slice(2));
const stop = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => stop.abort());
const root = mkdtempSync(join(tmpdir(), 'hostkeep-suite-'));
try {
  await fill();
  for (const each of runs) process.exitCode = (await run(each)) || process.exitCode;
  copyIfThere(join(root, TIMES), TEST_TIMES);
} finally {
  rmSync(root, { recursive: true, force: true, maxRetries: 10 });
}

function runsIn(args: readonly string[]): Run[] {
  const end = args.indexOf('then');
  const [own, rest] = end < 0 ? [args, []] : [args.slice(0, end), runsIn(args.slice(end + 1))];
  return [own[0] === '--node' ? { node: own[1], args: own.slice(2) } : { args: own }, ...rest];
}

/** Resolves with the exit code. */
async function run({ node, args }: Run): Promise<number> {
  stop.signal.throwIfAborted();
  cpSync(join(nodeFolder(node), 'bin/node'), join(root, 'usr/local/bin/node'));
  const environment = [
    'PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
    'HOME=/root',
    'LC_ALL=C.UTF-8',
    `CI=${process.env['CI'] ?? 'false'}`,
    ...(node === undefined ? [`HOSTKEEP_TEST_CLI=${PROGRAM}/dist/kernel/run/main.js`] : []),
  ];
  const command = [...OWN_NAMESPACES, 'sh', '-c', ENTER, root, ...environment, 'node', 'dist/test/index.js', ...args];
  const tests = spawn('unshare', command, { stdio: 'inherit', signal: stop.signal, killSignal: 'SIGKILL' });
  const [code] = (await once(tests, 'exit')) as [number | null];
  return code ?? 1;
}

/** Puts the project and the program into the root. */
async function fill(): Promise<void> {
  await installGenerators(); // the root has no npm
  execFileSync('tar', ['-C', root, '-xpf', debianRoot('suite', PACKAGES)]);
  addPhp();
  const project = join(root, PLACE);
  mkdirSync(project, { recursive: true });
  const left = ['.demo', '.git', 'dist'].map((name) => `--exclude=./${name}`);
  execFileSync('sh', ['-c', `tar -C "$0" ${left.join(' ')} -cf - . | tar -C "$1" -xpf -`, projectDir, project]);
  const git = (folder: string, ...args: string[]) =>
    execFileSync('git', ['-C', folder, ...args], { encoding: 'utf8' }).trim();
  git(project, 'init', '--quiet');
  // A work tree of git's keeps its list of files elsewhere.
  cpSync(resolve(projectDir, git(projectDir, 'rev-parse', '--git-path', 'index')), join(project, '.git/index'));
  await bundle(join(project, 'dist'), true);
  for (const name of pluginsWith('build/main')) {
    const assets = join('dist/plugins', name, 'assets'); // what `npm run build` makes of the pages
    cpSync(join(projectDir, assets), join(project, assets), { recursive: true });
  }
  if (runs.some(({ node }) => node === undefined)) await writeProgramTree(join(root, PROGRAM), versionOfProject());
  copyIfThere(TEST_TIMES, join(root, TIMES));
  writeFileSync(join(root, 'etc/hosts'), '127.0.0.1 localhost\n::1 localhost\n');
}

/** Debian has one version of PHP. A copy under the name of an older one stands in for the second. */
function addPhp(): void {
  const [program = ''] = readdirSync(join(root, 'usr/sbin')).filter((name) => /^php-fpm\d/.test(name));
  cpSync(join(root, 'usr/sbin', program), join(root, 'usr/local/sbin/php-fpm8.1'));
}

function copyIfThere(from: string, to: string): void {
  if (existsSync(from)) cpSync(from, to);
}
