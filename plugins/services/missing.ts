import { accessSync, constants } from 'node:fs';
import { join } from 'node:path';
import type { ProgramRun, Recipe } from './recipes.ts';

/** Why a service cannot be had at this machine, and what the operator does about it. */
export interface Missing {
  readonly detail: string;
  readonly remedy: string;
}

const FOLDERS = ['/usr/local/bin', '/usr/sbin', '/usr/bin', '/usr/lib/systemd'];

/** Returns the path of the program that a recipe runs; `undefined` if none is installed. */
export function findProgram({ programs }: Pick<ProgramRun, 'programs'>, folders = FOLDERS): string | undefined {
  return programs.flatMap((name) => folders.map((folder) => join(folder, name))).find(isProgram);
}

/** Says what to install for a service. */
export function missingProgram({ title }: Recipe, run: Pick<ProgramRun, 'programs' | 'package'>): Missing {
  const detail = `${title} is not installed on this server: it needs ${run.programs.join(' or ')}`;
  return { detail, remedy: `apt-get install ${run.package}` };
}

/** Says what an operator does once at a machine for a service. */
export const provision = ({ run }: Recipe): string =>
  'image' in run ? `docker pull ${run.image}` : `apt-get install ${run.package}`;

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    // it is not there, or nobody may run it
    return false;
  }
}
