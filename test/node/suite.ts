/**
 * Runs the tests on Debian 13 with the package's Node.js, on the bundle: `node dist/test/node/suite.js [<argument of the tests>…]`.
 * The project is copied into a root that debootstrap made, because the binaries of the newer Node.js need its newer C library.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bundle } from '../../config/package/bundle.ts';
import { nodeFolder } from '../../config/package/node-binary.ts';
import { projectDir } from '../../kernel/system/project-dir.ts';
import { debianRoot } from '../../config/package/debian-root.ts';

/** What the tests talk to, as in `.ci/run`, without what compiles. */
const PACKAGES = [
  ...['busybox-static', 'ca-certificates', 'caddy', 'chromium', 'chromium-sandbox', 'curl', 'docker.io', 'docker-cli'],
  ...[
    'e2fsprogs',
    'fonts-dejavu-core',
    'git',
    'haproxy',
    'iptables',
    'mariadb-server',
    'mount',
    'nginx-light',
    'openssl',
  ],
  ...['procps', 'prometheus', 'python3', 'quota', 'sysstat', 'util-linux'],
];
/** Where the project is in the root. */
const PLACE = '/srv/project';
const ENVIRONMENT = [
  'PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
  'HOME=/root',
  'LC_ALL=C.UTF-8',
];
/** What `npm run build` makes of the pages. */
const ASSETS = 'dist/plugins/pages/assets';
const MOUNTS = ['mount -t proc proc "$0/proc"', 'mount --rbind /sys "$0/sys"', 'mount --rbind /dev "$0/dev"'];

const root = mkdtempSync(join(tmpdir(), 'hostkeep-suite-'));
try {
  execFileSync('tar', ['-C', root, '-xpf', debianRoot('suite', PACKAGES)]);
  cpSync(join(nodeFolder(), 'bin/node'), join(root, 'usr/local/bin/node'));
  const project = join(root, PLACE);
  mkdirSync(project, { recursive: true });
  const left = ['.demo', 'dist', 'node_modules/.cache'].map((name) => `--exclude=./${name}`);
  execFileSync('sh', ['-c', `tar -C "$0" ${left.join(' ')} -cf - . | tar -C "$1" -xpf -`, projectDir, project]);
  await bundle(join(project, 'dist'), true);
  cpSync(join(projectDir, ASSETS), join(project, ASSETS), { recursive: true });
  writeFileSync(join(root, 'etc/hosts'), '127.0.0.1 localhost\n::1 localhost\n');
  const { CI = 'false' } = process.env;
  const command = `cd ${PLACE} && exec env -i CI=${CI} ${ENVIRONMENT.join(' ')} node dist/test/index.js "$@"`;
  const script = `${MOUNTS.join(' && ')} && exec chroot "$0" sh -c '${command}' sh "$@"`;
  const inOwn = ['--mount', '--pid', '--fork', '--kill-child', '--'];
  const { status } = spawnSync('unshare', [...inOwn, 'sh', '-c', script, root, ...process.argv.slice(2)], {
    stdio: 'inherit',
  });
  process.exitCode = status ?? 1;
} finally {
  rmSync(root, { recursive: true, force: true });
}
