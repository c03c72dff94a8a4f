import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { versionOfProject } from '../../config/package/program-tree.ts';
import { projectDir } from '../../kernel/kit/files/project-dir.ts';
import { temporaryFolder } from '../support/folder.ts';
import { until } from '../support/until.ts';
import type { Machine } from './machine.ts';

export const USER = 'http://127.0.0.1:2083';
export const ADMIN = 'http://127.0.0.1:2087';
/** The package that `npm run package` made, as `npm run test:node` does first. */
export const PACKAGE = join(projectDir, `dist/package/hostkeep_${versionOfProject()}_amd64.deb`);

/** Returns a package like the made one, of another version, whose files `change` has changed. */
export function changedPackage(version: string, change: (program: string) => void): string {
  const folder = temporaryFolder();
  const root = join(folder, 'root');
  execFileSync('dpkg-deb', ['--raw-extract', PACKAGE, root]);
  const program = join(root, 'usr/lib/hostkeep/package');
  for (const [file, from] of [
    [join(root, 'DEBIAN/control'), /^Version: .*$/m],
    [join(program, 'package.json'), /(?<="version": ")[^"]+/],
  ] as const) {
    const to = file.endsWith('control') ? `Version: ${version}` : version;
    writeFileSync(file, readFileSync(file, 'utf8').replace(from, to));
  }
  change(program);
  const deb = join(folder, `hostkeep_${version}_amd64.deb`);
  execFileSync('dpkg-deb', ['--root-owner-group', '-Znone', '--build', root, deb], { stdio: 'ignore' });
  return deb;
}

/** Installs a package as the README says. Resolves with what apt printed. */
export const install = (machine: Machine, deb: string): Promise<string> =>
  machine.run(`apt-get install -y ${machine.take(deb)}`);

/** Adds the first administrator and resolves with its token, as soon as the server that was just started answers. */
export async function firstAdministrator(machine: Machine): Promise<string> {
  const { password } = JSON.parse(await machine.run('hostkeep account add --admin root --json')) as {
    password: string;
  };
  await until('it serves', async () => (await machine.ask(`${ADMIN}/readyz`)).status === 200);
  return machine.login(ADMIN, 'root', password);
}

/** Resolves with the names in a table of the store, read without the server. */
export async function storedNames(machine: Machine, table: 'migrations' | 'plans'): Promise<string[]> {
  const database = "new (require('node:sqlite').DatabaseSync)('/var/lib/hostkeep/hostkeep.db')";
  const script = `${database}.prepare('select name from ${table} order by 1').all().map(({ name }) => name).join()`;
  return (await machine.run(`/usr/lib/hostkeep/current/bin/node --no-warnings -p "${script}"`)).trim().split(',');
}
