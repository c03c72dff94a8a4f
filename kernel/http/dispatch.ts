import { fail } from '../errors.ts';
import type { AdmittedCall, Forward } from '../contract/forwarding.ts';
import type { RouteInfo } from '../contract/node-info.ts';
import type { Accounts } from '../identity/accounts/accounts.ts';

/** Returns the result of `handle`, or the answer of another node. `authorization` is what admitted the call. */
export type Dispatch = (info: RouteInfo, call: AdmittedCall, authorization: string, handle: () => unknown) => unknown;

/** Lets the other node ask again after a second: the home may have changed since it read it. */
const unreachable: Forward = (node) =>
  Promise.reject(fail.node_unreachable(`the node ${node} answers this, and cannot be asked`, { retryAfterSeconds: 1 }));

/**
 * Decides which node answers a request; see `RouteSpec.at`. `here` is the name of this node, empty without a fleet. Without
 * `forward`, what is for another node is refused.
 */
export function dispatchFrom(
  here: string,
  accounts: Pick<Accounts, 'homeOf' | 'isHere'>,
  forward = unreachable,
): Dispatch {
  return (info, call, authorization, handle) => {
    const at = (node: string) =>
      accounts.isHere({ home: node }) ? handle() : forward(node, info, call, authorization);
    switch (info.at) {
      case 'home':
        return at(call.account?.home ?? '');
      case 'named':
        return here === '' ? handle() : accounts.homeOf(named(call.params, 'username')).then(at);
      case 'node':
        if (here === '' && named(call.query, 'node') !== '')
          throw fail.node_not_found('this node is in no fleet: leave out the parameter node');
        return at(named(call.query, 'node'));
      default:
        return handle();
    }
  };
}

const named = (values: unknown, name: string): string =>
  String((values as Readonly<Record<string, unknown>> | undefined)?.[name] ?? '');
