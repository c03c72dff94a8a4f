/**
 * Makes the Debian package: `node dist/config/package/deb.js [--version <version>] [--output <folder>]`. It holds the bundle
 * with Node.js, so that nothing is compiled or fetched on the node.
 */
import { execFileSync } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { gzipSync } from 'node:zlib';
import { findFiles } from '../../kernel/kit/files/find-files.ts';
import { projectDir } from '../../kernel/kit/files/project-dir.ts';
import { completions, manual } from './manual.ts';
import { versionOfProject, writeProgramTree } from './program-tree.ts';

const SCRIPTS = ['postinst', 'prerm', 'postrm'];
/** Where files of the project stand on the node. */
const PLACES: readonly (readonly [from: string, to: string, mode: number])[] = [
  ['config/package/debian/hostkeep', 'usr/bin/hostkeep', 0o755],
  ['config/package/debian/upgrade', 'usr/lib/hostkeep/upgrade', 0o755],
  ['config/package/debian/hold-ports', 'usr/lib/hostkeep/hold-ports', 0o755],
  ['config/package/debian/node-status.mjs', 'usr/lib/hostkeep/node-status.mjs', 0o644],
  ['config/package/debian/copyright', 'usr/share/doc/hostkeep/copyright', 0o644],
  ['config/package/debian/nginx.conf', 'etc/nginx/conf.d/hostkeep.conf', 0o644],
  ['config/package/debian/proftpd.conf', 'etc/proftpd/conf.d/hostkeep.conf', 0o644],
  ['config/package/debian/logrotate', 'etc/logrotate.d/hostkeep', 0o644],
  ['config/systemd/sysusers.conf', 'usr/lib/sysusers.d/hostkeep.conf', 0o644],
  ['config/systemd/tmpfiles.conf', 'usr/lib/tmpfiles.d/hostkeep.conf', 0o644],
];
/** The configuration of a new installation. */
const SETTINGS = {
  $schema: '/usr/share/hostkeep/hostkeep.schema.json',
  broker: { socket: '/run/hostkeep/broker.sock' },
  webserver: { driver: 'auto', log_folder: '/var/log/hostkeep' },
};
/** Folders of snippets and rules that operators take from. */
const SHARED = ['prometheus', 'grafana', 'proxy'];

/** Writes the package into a folder and resolves with its path. */
export async function makeDeb(output: string, version = versionOfProject()): Promise<string> {
  const root = mkdtempSync(join(tmpdir(), 'hostkeep-deb-'));
  try {
    chmodSync(root, 0o755);
    await fill(root, version);
    writeControl(root, version);
    mkdirSync(output, { recursive: true });
    const file = join(resolve(output), `hostkeep_${version}_amd64.deb`);
    execFileSync('dpkg-deb', ['--root-owner-group', '-Zzstd', '-z6', '--build', root, file], {
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    return file;
  } finally {
    rmSync(root, { recursive: true });
  }
}

async function fill(root: string, version: string): Promise<void> {
  const program = join(root, 'usr/lib/hostkeep/package');
  await writeProgramTree(program, version);
  for (const [from, to, mode] of PLACES) put(root, to, readFileSync(join(projectDir, from)), mode);
  for (const unit of findFiles('*.{service,timer,socket,mount}', join(projectDir, 'config/systemd')))
    put(root, `usr/lib/systemd/system/${unit}`, readFileSync(join(projectDir, 'config/systemd', unit)));
  for (const file of findFiles(
    SHARED.map((name) => `${name}/**`),
    join(projectDir, 'config'),
  ))
    put(root, `usr/share/hostkeep/${file}`, readFileSync(join(projectDir, 'config', file)));
  const operating = readFileSync(join(projectDir, 'config/OPERATING.md'), 'utf8');
  for (const page of ['README.md', 'SECURITY.md', 'CHANGELOG.md', 'config/OPERATING.md'])
    put(
      root,
      `usr/share/doc/hostkeep/${basename(page)}.gz`,
      gzipSync(readFileSync(join(projectDir, page)), { level: 9 }),
    );
  const run = (...args: string[]) =>
    execFileSync(join(program, 'bin/node'), [join(program, 'dist/kernel/run/main.js'), ...args], { encoding: 'utf8' });
  put(root, 'usr/share/hostkeep/hostkeep.schema.json', run('config', 'schema'));
  put(root, 'etc/hostkeep/hostkeep.json', `${JSON.stringify(SETTINGS, undefined, 2)}\n`);
  put(root, 'usr/share/man/man1/hostkeep.1.gz', gzipSync(manual(run, version, operating), { level: 9 }));
  for (const [path, text] of Object.entries(completions(run))) put(root, path, text);
}

function put(root: string, path: string, content: string | Buffer, mode = 0o644): void {
  mkdirSync(dirname(join(root, path)), { recursive: true, mode: 0o755 });
  writeFileSync(join(root, path), content);
  chmodSync(join(root, path), mode);
}

function writeControl(root: string, version: string): void {
  const size = execFileSync('du', ['-sk', '--apparent-size', root], { encoding: 'utf8' }).split('\t')[0];
  const text = readFileSync(join(projectDir, 'config/package/debian/control'), 'utf8');
  put(root, 'DEBIAN/control', text.replace('@version@', version).replace('@size@', size ?? ''));
  put(
    root,
    'DEBIAN/conffiles',
    '/etc/hostkeep/hostkeep.json\n/etc/nginx/conf.d/hostkeep.conf\n/etc/proftpd/conf.d/hostkeep.conf\n/etc/logrotate.d/hostkeep\n',
  );
  for (const name of SCRIPTS) {
    cpSync(join(projectDir, 'config/package/debian', name), join(root, 'DEBIAN', name));
    chmodSync(join(root, 'DEBIAN', name), 0o755);
  }
}

if (process.argv[1] === import.meta.filename) {
  const { values } = parseArgs({
    options: { version: { type: 'string' }, output: { type: 'string', default: join(projectDir, 'dist/package') } },
  });
  console.log(await makeDeb(values.output, values.version));
}
