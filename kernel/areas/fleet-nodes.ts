import { fail, HttpError } from '../errors.ts';
import type { Host } from '../contract/plugin.ts';
import type { FleetNode } from '../contract/points/fleet-node.ts';

/** Resolves with the nodes of the fleet by name; none at a node by itself. Rejects if they cannot be read. */
export async function fleetNodes({ gather }: Pick<Host, 'gather'>): Promise<ReadonlyMap<string, FleetNode>> {
  const found = await gather('nodes');
  const nodes = found.flatMap((part) => {
    if (!part.ok) throw part.error;
    return part.value;
  });
  return new Map(nodes.map((node) => [node.name, node]));
}

/** Resolves with whether the fleet has a node of that name; with true, too, if that cannot be told. */
export async function isNode({ gather }: Pick<Host, 'gather'>, name: string): Promise<boolean> {
  const found = await gather('nodes');
  return found.some((part) => !part.ok || part.value.some((node) => node.name === name));
}

/** Errors: 404 `node_not_found`. */
export const noNode = (name: string): HttpError => fail.node_not_found(`there is no node ${name} in the fleet`);
