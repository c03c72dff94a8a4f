import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { errorMessage } from '../../kernel/errors.ts';
import { findFiles } from '../../kernel/kit/files/find-files.ts';
import { projectDir } from '../../kernel/kit/files/project-dir.ts';
import { readInteger, readList, readMembers, readText } from '../../kernel/kit/verb-arguments.ts';
import { isObject } from '../../kernel/schema.ts';

/**
 * A question to a service, and with what its answer ends; or one by HTTP, which a status of success answers; or a program that prints
 * the answer.
 */
export type Exchange =
  | { readonly send: string; readonly until: string }
  | { readonly method: string; readonly path: string }
  | { readonly program: string; readonly arguments: readonly string[] };

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
  /**
   * Makes it a cache before the sites of the account, to which the web server sends visitors, and which reaches the web server. The
   * lines of its standard input, with `{web_host}`, `{web_port}` and `{site_key}`; see `SiteCache`.
   */
  readonly sites?: readonly string[];
}

/** How a container is run; `{memory_mib}` stands in its command and environment for what the account has. */
export interface ImageRun {
  readonly image: string;
  readonly command: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  /** The port of 127.0.0.1 in the container at which it answers. */
  readonly port: number;
  /** The folder in the container that is kept until the service is switched off; empty for none. */
  readonly storage: string;
  /** Folders in the container that it may write to, and which are empty at each start. */
  readonly scratch: readonly string[];
  readonly own_mib: number;
  readonly processes: number;
  readonly processors: number;
}

/** A service, as a file of `config/services` describes it; the file's name is that of the service and of its feature. */
export interface Recipe {
  readonly name: string;
  readonly title: string;
  /** The limit of plans that says what it may store. */
  readonly memory_limit: string;
  readonly run: ProgramRun | ImageRun;
  /** The name of the socket in the folder of the service. */
  readonly socket: string;
  readonly health: Exchange;
  /** One after another. */
  readonly flush: readonly Exchange[];
  readonly figures: {
    readonly exchange: Exchange;
    /** By figure a pattern for lines of the answer; what it captures in several lines is added up. */
    readonly values: Readonly<Partial<Record<Figure, string>>>;
  };
}

const COUNTED = ['hits', 'misses', 'keys', 'evicted', 'documents', 'indices', 'stored_bytes'] as const;
export const FIGURES = [...COUNTED, 'memory_bytes'] as const;
export type Figure = (typeof FIGURES)[number];
/** The folder in an account's files that has one for each service. */
export const OWN_FOLDER = '.services';
export const SERVICE = /^[a-z][a-z0-9]{1,30}$/;
const FILE = /^[a-z][a-z0-9.-]{0,30}$/;
const TEXT = /^[^\0]{0,1000}$/s;
const FOLDER = /^(\/[a-z0-9._-]+)+$/;
const VARIABLE = /^[A-Za-z_][A-Za-z0-9_.]{0,100}$/;

/** Returns the services that can be had, by name; those of the operator's folder in place of the shipped ones. Throws for a file that is none. */
export function readRecipes(own = '', shipped = join(projectDir, 'config/services')): ReadonlyMap<string, Recipe> {
  const recipes = [shipped, ...(own === '' ? [] : [own])].flatMap((folder) =>
    findFiles('*.json', folder).map((file) => {
      try {
        return readRecipe(basename(file, '.json'), JSON.parse(readFileSync(join(folder, file), 'utf8')));
      } catch (error) {
        throw new Error(`${join(folder, file)}: ${errorMessage(error)}`, { cause: error });
      }
    }),
  );
  return new Map(recipes.toSorted((a, b) => a.name.localeCompare(b.name, 'en')).map((each) => [each.name, each]));
}

function readRecipe(name: string, value: unknown): Recipe {
  const given = readMembers(value, ['title', 'memory_limit', 'run', 'socket', 'health', 'flush', 'figures']);
  const figures = readMembers(given.figures, ['exchange', 'values']);
  return {
    name: readText(name, SERVICE),
    title: readText(given.title, /^[\w .-]{1,40}$/),
    memory_limit: readText(given.memory_limit, /^[a-z_]{1,60}$/),
    run: isObject(given.run) && 'image' in given.run ? readImageRun(given.run) : readProgramRun(given.run),
    socket: readText(given.socket, FILE),
    health: readExchange(given.health),
    flush: readList(given.flush, 10, readExchange),
    figures: { exchange: readExchange(figures.exchange), values: readValues(figures.values) },
  };
}

function readProgramRun(value: unknown): ProgramRun {
  const sites = isObject(value) && 'sites' in value ? (['sites'] as const) : [];
  const run = readMembers(value, ['programs', 'package', 'arguments', 'own_mib', 'open_files', ...sites]);
  return {
    programs: readList(run.programs, 10, (each) => readText(each, FILE)),
    package: readText(run.package, FILE),
    arguments: readList(run.arguments, 200, (each) => readText(each, TEXT)),
    own_mib: readInteger(run.own_mib, 1, 16_384),
    open_files: readInteger(run.open_files, 16, 65_536),
    ...('sites' in run && { sites: readList(run.sites, 1000, (each) => readText(each, TEXT)) }),
  };
}

function readImageRun(value: unknown): ImageRun {
  const run = readMembers(value, [
    ...(['image', 'command', 'environment', 'port', 'storage', 'scratch'] as const),
    ...(['own_mib', 'processes', 'processors'] as const),
  ]);
  return {
    image: readText(run.image, /^[a-z0-9][\w./:@-]{0,200}$/),
    command: readList(run.command, 200, (each) => readText(each, TEXT)),
    environment: readTexts(run.environment, VARIABLE, TEXT),
    port: readInteger(run.port, 1, 65_535),
    storage: run.storage === '' ? '' : readText(run.storage, FOLDER),
    scratch: readList(run.scratch, 10, (each) => readText(each, FOLDER)),
    own_mib: readInteger(run.own_mib, 1, 16_384),
    processes: readInteger(run.processes, 1, 10_000),
    processors: readInteger(run.processors, 1, 1024),
  };
}

function readExchange(value: unknown): Exchange {
  if (isObject(value) && 'path' in value) {
    const { method, path } = readMembers(value, ['method', 'path']);
    return { method: readText(method, /^(GET|POST|DELETE)$/), path: readText(path, /^\/[!-~]{0,1000}$/) };
  }
  if (isObject(value) && 'program' in value) {
    const given = readMembers(value, ['program', 'arguments']);
    return {
      program: readText(given.program, FILE),
      arguments: readList(given.arguments, 100, (each) => readText(each, TEXT)),
    };
  }
  const { send, until } = readMembers(value, ['send', 'until']);
  return { send: readText(send, TEXT), until: readText(until, /^.{1,100}$/s) };
}

function readValues(value: unknown): Recipe['figures']['values'] {
  const values = readTexts(value, new RegExp(`^(${FIGURES.join('|')})$`), TEXT);
  readText(values['memory_bytes'], TEXT);
  const readPattern = (text: string) => new RegExp(text, 'gm').source; // throws for what is none
  return Object.fromEntries(Object.entries(values).map(([figure, text]) => [figure, readPattern(text)]));
}

function readTexts(value: unknown, names: RegExp, texts: RegExp): Record<string, string> {
  const given = readMembers(value, isObject(value) ? Object.keys(value) : []);
  return Object.fromEntries(
    Object.entries(given).map(([name, text]) => [readText(name, names), readText(text, texts)]),
  );
}
