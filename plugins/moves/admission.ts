/** Which accounts can move, and where to. */
import { withDeadline } from '../../kernel/kit/waiting/deadline.ts';
import { errorMessage } from '../../kernel/errors.ts';
import type { Account } from '../../kernel/identity/accounts/account.ts';
import type { FleetPlace, NodeInfo } from '../../kernel/contract/node-info.ts';
import type { Host } from '../../kernel/contract/plugin.ts';
import { gatherMoveParts } from './parts.ts';
import { fleetNodes, noNode } from '../../kernel/areas/fleet-nodes.ts';
import type { FleetNode } from '../../kernel/contract/points/fleet-node.ts';
import { fail } from './errors.ts';

/** Until a plugin says what is in the way. */
const OBSTACLES_MS = 30_000;

/** The parts of the node that a command uses while the plugins are set up. */
export type MoveParts = Pick<Host, 'identity' | 'events' | 'store' | 'jobs' | 'gather'> & { readonly node: NodeInfo };

/**
 * Resolves with an account that can move away from this node. Errors: 404 `account_not_found`, 409 `other_node`,
 * `move_refused` for what would stay behind.
 */
export async function assertMovable(host: MoveParts, { name }: FleetPlace, username: string): Promise<Account> {
  const account = await host.identity.accounts.get(username);
  if (account.role === 'admin') throw fail.move_refused(`${username} is an administrator, who lives on no node`);
  if (account.home !== name) throw fail.other_node(`${username} lives on the node ${account.home}: do this there`);
  const parts = [...(await gatherMoveParts(host))];
  const obstacles = await Promise.all(
    parts.map(async ([plugin, part]) => {
      try {
        return await withDeadline(Promise.resolve(part.obstacles(account)), OBSTACLES_MS);
      } catch (error) {
        return [`${plugin}: ${errorMessage(error)}`];
      }
    }),
  );
  if (obstacles.flat().length > 0) throw fail.move_refused(`${username} cannot move: ${obstacles.flat().join('; ')}`);
  return account;
}

/** Resolves with a node that takes accounts. Errors: 404 `node_not_found`, 409 `node_draining`, `move_refused`, 503 `node_unreachable`. */
export async function findTarget(
  host: Pick<Host, 'gather'>,
  { name: here }: FleetPlace,
  name: string,
): Promise<FleetNode> {
  const node = (await fleetNodes(host)).get(name);
  if (node === undefined) throw noNode(name);
  if (name === here) throw fail.move_refused(`the account lives on ${name} already`);
  if (node.isDown) throw fail.node_unreachable(`the node ${name} is down`, { retryAfterSeconds: 15 });
  if (node.isDraining) throw fail.node_draining(`the node ${name} takes no new accounts`);
  return node;
}

const IN_USE = new Set(['ready', 'degraded']);

/** Returns the plugins that do something for the account at this node, and must do it at the next one. */
export function usedPlugins(node: Pick<NodeInfo, 'plugins'>, { features: held }: Pick<Account, 'features'>): string[] {
  return node
    .plugins()
    .filter(({ state }) => IN_USE.has(state))
    .filter(({ features, provides }) => features.some((each) => held.has(each)) || provides.includes('domainAdded'))
    .map(({ name }) => name);
}

/** Throws unless this node has these plugins, and what serves domains does so now. Errors: 409 `move_refused`. */
export function assertPlugins(node: Pick<NodeInfo, 'plugins'>, needed: readonly string[]): void {
  const plugins = new Map(node.plugins().map((each) => [each.name, each]));
  const missing = needed.flatMap((name) => {
    const { state = 'off', provides = [], reason = '' } = plugins.get(name) ?? {};
    if (state === 'ready' || (state === 'degraded' && !provides.includes('domainAdded'))) return [];
    return [reason === '' ? name : `${name} (${reason})`];
  });
  if (missing.length > 0) throw fail.move_refused(`what the account uses is off or unavailable: ${missing.join(', ')}`);
}
