import { noNode } from '../../kernel/areas/fleet-nodes.ts';
import type { AuditLog } from '../../kernel/store/events/audit-log.ts';
import type { Store } from '../../kernel/store/store.ts';
import { members, setDraining } from './store.ts';

/** Who does it, as the event log has it; both are empty for the command line. */
interface Actor {
  readonly username: string;
  readonly ip: string;
}

/**
 * Gives a node no new accounts, or gives it new ones again. Resolves with whether that changed something, which is then an
 * event. Errors: 404 `node_not_found`.
 */
export function drain(
  { store, events }: { readonly store: Store; readonly events: Pick<AuditLog, 'record'> },
  node: string,
  isDraining: boolean,
  by: Actor,
): Promise<boolean> {
  return store.write(async (tx) => {
    if (!(await members(tx)).some(({ name }) => name === node)) throw noNode(node);
    const isChange = await setDraining(tx, node, isDraining);
    if (isChange)
      await events.record(tx, {
        type: isDraining ? 'fleet.drained' : 'fleet.undrained',
        ...by,
        text: isDraining ? `drained the node ${node}` : `took the drained node ${node} back`,
        data: { node },
      });
    return isChange;
  });
}
