import type { Role } from '../../kernel/identity/accounts/account.ts';
import type { Host } from '../../kernel/contract/plugin.ts';
import { fail } from './errors.ts';

/**
 * Resolves with the home of a new account: the node that is named, or that the fleet chooses. Empty without a fleet, and for
 * administrators. Errors: 404 `node_not_found`, 400 for the node of an administrator, those of the point `placement`.
 */
export async function chooseHome(
  { gather, node: { fleet } }: Pick<Host, 'gather'> & { readonly node: Pick<Host['node'], 'fleet'> },
  role: Role,
  node: string | undefined,
): Promise<{ home?: string }> {
  if (role === 'admin') {
    if (node === undefined) return {};
    throw fail.invalid_request('an administrator has no home node: leave out the node');
  }
  if (fleet === undefined) {
    if (node === undefined) return {};
    throw fail.node_not_found('this node is in no fleet: leave out the node');
  }
  const [placed] = await gather('placement', node);
  if (placed?.ok === false) throw placed.error;
  if (placed !== undefined) return { home: placed.value };
  if (node === undefined || node === fleet.name) return { home: fleet.name };
  throw fail.node_not_found(`the node ${node} is not known here`);
}
