import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { OWN_FOLDER, type ProgramRun, type Recipe } from '../recipes.ts';

export const LARGEST_MIB = 16_384;
export const PROGRAM_NAME = /^[a-z][a-z0-9]{1,30}-[0-9a-f]{12}$/;
const MIB = 2 ** 20;
/** The part of the memory for what is stored that fragments and connections may take beside it. */
const SLACK = 0.5;

/** The surroundings of a cache before sites. */
export interface CachedSites {
  /** The IP address and the port at which it reaches the web server over plain HTTP. */
  readonly host: string;
  readonly port: number;
  /** The secret of the cache, as hexadecimal digits; see `SiteCache`. */
  readonly key: string;
}
/** The part of a service that an account has. */
export interface ServiceSize {
  readonly memoryMib: number;
  /** `null` for a service that is no cache before sites. */
  readonly sites: CachedSites | null;
}

/** Returns the name of a service's program among those of its account: another one for whatever makes it another one. */
export function programName(recipe: Recipe, { memoryMib, sites }: ServiceSize): string {
  const text = JSON.stringify([recipe.run, recipe.socket, memoryMib, sites]);
  return `${recipe.name}-${createHash('sha256').update(text).digest('hex').slice(0, 12)}`;
}

/** Returns the service whose program has a name. */
export const serviceNamed = (name: string): string => name.slice(0, name.lastIndexOf('-'));

/** Returns the folder of a service in an account's files. */
export const serviceFolder = (root: string, { name }: Pick<Recipe, 'name'>): string => join(root, OWN_FOLDER, name);

/** Returns the path of a service's socket. */
export const serviceSocket = (root: string, recipe: Pick<Recipe, 'name' | 'socket'>): string =>
  join(serviceFolder(root, recipe), recipe.socket);

/** Returns the memory that a service may take in all. */
export const memoryBytes = ({ run }: Recipe, memoryMib: number): number =>
  Math.ceil(memoryMib * (1 + SLACK) + run.own_mib) * MIB;

/** Returns the arguments with which a service is started. */
export function programArguments(
  recipe: Recipe,
  run: ProgramRun,
  { root, memoryMib }: { readonly root: string; readonly memoryMib: number },
): string[] {
  const values = {
    '{socket}': serviceSocket(root, recipe),
    '{folder}': serviceFolder(root, recipe),
    '{memory_mib}': String(memoryMib),
  };
  return run.arguments.map((each) => filled(each, values));
}

/** Returns what a cache before sites reads from its standard input. */
export const sitesInput = (lines: readonly string[], { host, port, key }: CachedSites): string =>
  lines
    .map((line) => `${filled(line, { '{web_host}': host, '{web_port}': String(port), '{site_key}': key })}\n`)
    .join('');

/** Puts values in the place of their names in braces. */
export const filled = (text: string, values: Readonly<Record<string, string>>): string =>
  text.replaceAll(/\{[a-z_]+\}/g, (name) => values[name] ?? name);
