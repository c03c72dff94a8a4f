import { accessSync, constants, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { errorMessage } from '../../kernel/errors.ts';
import { findFiles } from '../../kernel/kit/files/find-files.ts';
import { projectDir } from '../../kernel/kit/files/project-dir.ts';
import { readInteger, readList, readMembers, readText } from '../../kernel/kit/verb-arguments.ts';

/** A question to a service, and with what its answer ends. */
export interface Exchange {
  readonly send: string;
  readonly until: string;
}

/** How a program is run: `{socket}`, `{folder}` and `{memory_mib}` stand in its arguments for what the account has. */
export interface ProgramRun {
  /** Names of programs that do the same, of which the first installed one is run. */
  readonly programs: readonly string[];
  /** The package of Debian that has one of them. */
  readonly package: string;
  readonly arguments: readonly string[];
  /** Memory beside what the service stores. */
  readonly own_mib: number;
  readonly open_files: number;
}

/** A service, as a file of `config/services` describes it; the file's name is that of the service and of its feature. */
export interface Recipe {
  readonly name: string;
  readonly title: string;
  readonly run: ProgramRun;
  /** The name of the socket in the folder of the service. */
  readonly socket: string;
  readonly health: Exchange;
  readonly flush: Exchange;
  /** By figure a pattern for lines of the answer; what it captures in several lines is added up. */
  readonly figures: Exchange & { readonly values: Readonly<Record<Figure, string>> };
}

export const FIGURES = ['hits', 'misses', 'keys', 'evicted', 'memory_bytes'] as const;
export type Figure = (typeof FIGURES)[number];
/** The folder in an account's files that has one for each service. */
export const OWN_FOLDER = '.services';
export const SERVICE = /^[a-z][a-z0-9]{1,30}$/;
const FILE = /^[a-z][a-z0-9.-]{0,30}$/;
const TEXT = /^[^\0]{0,1000}$/s;
const FOLDERS = ['/usr/local/bin', '/usr/sbin', '/usr/bin'];

/** Returns the services that can be had, by name. Throws for a file that is none. */
export function readRecipes(folder = join(projectDir, 'config/services')): ReadonlyMap<string, Recipe> {
  const recipes = findFiles('*.json', folder).map((file) => {
    try {
      return readRecipe(basename(file, '.json'), JSON.parse(readFileSync(join(folder, file), 'utf8')));
    } catch (error) {
      throw new Error(`${join(folder, file)}: ${errorMessage(error)}`, { cause: error });
    }
  });
  return new Map(recipes.toSorted((a, b) => a.name.localeCompare(b.name, 'en')).map((each) => [each.name, each]));
}

/** Returns the path of the program that a recipe runs; `undefined` if none is installed. */
export function findProgram({ run: { programs } }: Recipe, folders: readonly string[] = FOLDERS): string | undefined {
  return programs.flatMap((name) => folders.map((folder) => join(folder, name))).find(isProgram);
}

/** Says what to install for a service. */
export function missingProgram({ title, run }: Recipe): string {
  return `${title} is not installed on this server: it needs ${run.programs.join(' or ')} (apt-get install ${run.package})`;
}

function readRecipe(name: string, value: unknown): Recipe {
  const given = readMembers(value, ['title', 'run', 'socket', 'health', 'flush', 'figures']);
  const run = readMembers(given.run, ['programs', 'package', 'arguments', 'own_mib', 'open_files']);
  const figures = readMembers(given.figures, ['send', 'until', 'values']);
  const values = readMembers(figures.values, [...FIGURES]);
  return {
    name: readText(name, SERVICE),
    title: readText(given.title, /^[\w .-]{1,40}$/),
    run: {
      programs: readList(run.programs, 10, (each) => readText(each, FILE)),
      package: readText(run.package, FILE),
      arguments: readList(run.arguments, 200, (each) => readText(each, TEXT)),
      own_mib: readInteger(run.own_mib, 1, 16_384),
      open_files: readInteger(run.open_files, 16, 65_536),
    },
    socket: readText(given.socket, FILE),
    health: readExchange(given.health),
    flush: readExchange(given.flush),
    figures: {
      ...readExchange({ send: figures.send, until: figures.until }),
      values: Object.fromEntries(FIGURES.map((each) => [each, readPattern(values[each])])) as Record<Figure, string>,
    },
  };
}

function readExchange(value: unknown): Exchange {
  const { send, until } = readMembers(value, ['send', 'until']);
  return { send: readText(send, TEXT), until: readText(until, /^.{1,100}$/s) };
}

function readPattern(value: unknown): string {
  return new RegExp(readText(value, TEXT), 'gm').source; // throws for what is none
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    // it is not there, or nobody may run it
    return false;
  }
}
