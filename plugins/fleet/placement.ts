import { noNode } from '../../kernel/areas/fleet-nodes.ts';
import type { Reader } from '../../kernel/store/store.ts';
import { isDown } from './state.ts';
import { seenMembers, type SeenMember } from './store.ts';
import { fail } from '../../kernel/errors.ts';

/**
 * Resolves with the node for a new account: the one that is named, or else of those that are up, as this one is, the one with
 * the most left of what it has least of. Errors: 404 `node_not_found`, 409 `node_draining`.
 */
export async function placeFor(reader: Reader, here: string, named: string | undefined): Promise<string> {
  const nodes = await seenMembers(reader);
  if (named === undefined) {
    const isOpen = (node: SeenMember) => !node.isDraining && (node.name === here || !isDown(node));
    const [freest] = nodes.filter(isOpen).toSorted(byRoom);
    if (freest !== undefined) return freest.name;
    throw fail.node_draining('no node of the fleet that is up takes new accounts');
  }
  const node = nodes.find(({ name }) => name === named);
  if (node === undefined) throw noNode(named);
  if (node.isDraining) throw fail.node_draining(`the node ${named} takes no new accounts: name another one`);
  return named;
}

/** The most room first; of equal ones that with the fewest accounts, then by name. */
function byRoom(a: SeenMember, b: SeenMember): number {
  return leftOf(b) - leftOf(a) || accountsOf(a) - accountsOf(b) || (a.name < b.name ? -1 : Number(a.name > b.name));
}

/** Percent left of processors, memory or disk, whichever is scarcest; 0 of a node that cannot measure itself. */
function leftOf({ heartbeat }: SeenMember): number {
  const used = Object.values(heartbeat?.sample ?? {}).filter((each): each is number => each !== null);
  return used.length === 0 ? 0 : 100 - Math.max(...used);
}

const accountsOf = ({ heartbeat }: SeenMember): number => heartbeat?.accounts ?? 0;
