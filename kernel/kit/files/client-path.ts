/** Paths as clients write them: checked and cut into components, without a look at the disk. */
import { isUtf8 } from 'node:buffer';
import { fail } from '../../errors.ts';

/** The longest name on Linux file systems, in bytes. */
const NAME_BYTES = 255;
const PATH_BYTES = 4096;
const CONTROL = /[\u0000-\u001f\u007f]/;
/** The folder in each files root that holds unfinished work and the trash; no path of a client leads into it. */
export const OWN_FOLDER = '.hostkeep';

/**
 * Splits a client's decoded path, absolute under `virtualRoot` or relative to it, into components. Errors:
 * 400 `invalid_path` for control characters, `..`, overlong names, `OWN_FOLDER`, and paths outside `virtualRoot`.
 */
export function pathComponents(path: string, virtualRoot: string): string[] {
  if (CONTROL.test(path)) throw fail.invalid_path('a path must not contain control characters');
  if (Buffer.byteLength(path) > PATH_BYTES) throw fail.invalid_path(`a path must not exceed ${PATH_BYTES} bytes`);
  const isInside = path === virtualRoot || path.startsWith(`${virtualRoot}/`);
  if (path.startsWith('/') && path !== '/' && !isInside)
    throw fail.invalid_path(`an absolute path must begin with ${virtualRoot}`);
  const components = (isInside ? path.slice(virtualRoot.length) : path)
    .split('/')
    .filter((name) => name !== '' && name !== '.');
  if (components.includes('..')) throw fail.invalid_path('a path must not contain .. components');
  if (components.some((name) => Buffer.byteLength(name) > NAME_BYTES))
    throw fail.invalid_path(`a name must not exceed ${NAME_BYTES} bytes`);
  if (isOwnFolder(components)) throw fail.invalid_path(`${OWN_FOLDER} holds uploads and the trash`);
  return components;
}

/** Whether a path is that of `OWN_FOLDER`, or leads into it. */
export const isOwnFolder = ([first]: readonly string[]): boolean => first === OWN_FOLDER;

/** Returns the absolute path of components as clients see it. */
export function clientPath(components: readonly string[], virtualRoot: string): string {
  return [virtualRoot, ...components].join('/');
}

/**
 * Returns the name of an entry as clients see it; `undefined` if no client path can hold it, because it is not UTF-8 or
 * has control characters.
 */
export function entryName(bytes: Buffer): string | undefined {
  const name = isUtf8(bytes) ? bytes.toString() : undefined;
  return name === undefined || CONTROL.test(name) ? undefined : name;
}
