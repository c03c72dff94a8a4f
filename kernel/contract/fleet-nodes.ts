import { fail, HttpError } from '../errors.ts';
import type { Host } from './plugin.ts';

/** Resolves with whether the fleet has a node of that name; with true, too, if that cannot be told. */
export async function isNode({ gather }: Pick<Host, 'gather'>, name: string): Promise<boolean> {
  const found = await gather('nodes');
  return found.some((part) => !part.ok || part.value.includes(name));
}

/** Errors: 404 `node_not_found`. */
export const noNode = (name: string): HttpError => fail.node_not_found(`there is no node ${name} in the fleet`);
