/** Installs the generators of clients, whose hundreds of packages nothing else needs, when a test first needs them. */
import { execFile } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { projectDir } from '../../kernel/kit/files/project-dir.ts';

const FOLDER = join(projectDir, 'test/client');
const LOCK = 'package-lock.json';
/** Where temporary installations are made: on the file system of the final one. */
const CACHE = join(projectDir, 'node_modules/.cache');

/** The packages of `test/client/package.json`. */
const GENERATORS = join(FOLDER, 'node_modules');

/**
 * Installs the generators unless those of the lock file are installed. Files of tests may do so at the same time: each installs
 * beside the others and moves the result into place.
 */
export async function installGenerators(): Promise<void> {
  if (areInstalled()) return;
  mkdirSync(CACHE, { recursive: true });
  const made = mkdtempSync(join(CACHE, 'generators-'));
  try {
    for (const file of ['package.json', LOCK]) copyFileSync(join(FOLDER, file), join(made, file));
    copyFileSync(join(projectDir, '.npmrc'), join(made, '.npmrc'));
    await promisify(execFile)('npm', ['ci', '--prefer-offline', '--no-audit', '--no-fund'], { cwd: made });
    copyFileSync(join(made, LOCK), join(made, 'node_modules', LOCK));
    if (areInstalled()) return;
    if (existsSync(GENERATORS)) renameSync(GENERATORS, join(made, 'replaced'));
    renameSync(join(made, 'node_modules'), GENERATORS);
  } catch (error) {
    if (!areInstalled()) throw error;
  } finally {
    rmSync(made, { recursive: true, force: true });
  }
}

/** Loads one of the generators. */
export async function generatorNamed<T>(name: string): Promise<T> {
  await installGenerators();
  return createRequire(join(FOLDER, 'package.json'))(name) as T;
}

/** Returns the path of a generator's program. */
export async function generatorProgram(name: string): Promise<string> {
  await installGenerators();
  return join(GENERATORS, '.bin', name);
}

/** Makes a folder for generated clients, removed by the caller, from which the packages that they import are found. */
export async function clientFolder(name: string): Promise<string> {
  await installGenerators();
  mkdirSync(join(projectDir, 'dist/client'), { recursive: true });
  const folder = mkdtempSync(join(projectDir, `dist/client/${name}-`));
  symlinkSync(GENERATORS, join(folder, 'node_modules'));
  return folder;
}

/** An installation holds the lock file that it was made from. */
function areInstalled(): boolean {
  const installed = join(GENERATORS, LOCK);
  return existsSync(installed) && readFileSync(installed, 'utf8') === readFileSync(join(FOLDER, LOCK), 'utf8');
}
