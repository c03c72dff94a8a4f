/** The files of one build, as they stand in a package: the bundle, what it reads, its packages, and Node.js. */
import { chmodSync, cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { findFiles } from '../../kernel/kit/files/find-files.ts';
import { projectDir } from '../../kernel/kit/files/project-dir.ts';
import { bundle } from './bundle.ts';
import { nodeFolder } from './node-binary.ts';
import { copyRuntimePackages } from './runtime-packages.ts';

/** What the program reads of its own folder. Sources of the package itself are left out. */
const READ = [
  'config/*.json',
  'config/locales/*.json',
  'config/services/*.json',
  'kernel/store/migrations/**/*.sql',
  'plugins/**/*.{json,sql,html,css,js,conf,php}',
  'dist/plugins/*/assets/*',
];

export function versionOfProject(): string {
  const { version } = JSON.parse(readFileSync(join(projectDir, 'package.json'), 'utf8')) as { version: string };
  return version;
}

/** Writes the files of a build to a folder, with the version that it is to have. */
export async function writeProgramTree(folder: string, version: string): Promise<void> {
  const packages = await writeProgram(folder, version);
  copyRuntimePackages(join(folder, 'node_modules'));
  mkdirSync(join(folder, 'bin'));
  cpSync(join(nodeFolder(), 'bin/node'), join(folder, 'bin/node'));
  chmodSync(join(folder, 'bin/node'), 0o755);
  writeFileSync(
    join(folder, 'LICENCES.txt'),
    licencesOf([nodeFolder(), ...packages.map((each) => join(projectDir, each))]),
  );
}

/** Writes the bundle and what it reads, which run with the packages of a folder above. Resolves with the packages in the bundle. */
export async function writeProgram(folder: string, version: string): Promise<string[]> {
  const packages = await bundle(join(folder, 'dist'));
  for (const file of [...findFiles(READ, projectDir), 'LICENSE']) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    cpSync(join(projectDir, file), join(folder, file));
  }
  const manifest = { name: 'hostkeep', version, license: 'Apache-2.0', type: 'module', private: true };
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(manifest, undefined, 2)}\n`);
  return packages;
}

/** Returns the licences of what is in the bundle, as its authors ask those to do who pass it on. */
function licencesOf(folders: readonly string[]): string {
  const texts = folders.map((folder) => {
    const files = findFiles('{LICEN[CS]E,COPYING,NOTICE}*', folder).map((file) =>
      readFileSync(join(folder, file), 'utf8'),
    );
    const { license } = readManifest(folder);
    return `${folder.split('node_modules/').at(-1)}: ${license ?? 'see below'}\n\n${files.join('\n')}`;
  });
  return texts.join(`\n${'='.repeat(80)}\n`);
}

function readManifest(folder: string): { license?: string } {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { license?: string };
}
