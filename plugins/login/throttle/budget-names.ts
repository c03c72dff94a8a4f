import { createHash } from 'node:crypto';

/** The name of the budget in which all networks share an account's failures, known ones excepted. Hides the user name. */
export function accountBudget(username: string): string {
  return `account ${createHash('sha256').update(username).digest('base64url')}`;
}

/** The part of it that one strange network may use up. */
export const strangeBudget = (account: string, site: string): string => `${account} from ${site}`;
/** The budget of an account in a network that it has logged in from. */
export const knownBudget = (account: string, network: string): string => `${account} ${network}`;
export const addressBudget = (network: string): string => `address ${network}`;

export interface BudgetName {
  readonly kind: 'account' | 'account_from_network' | 'account_in_known_network' | 'network';
  /** The name of the account's own budget. */
  readonly account: string | undefined;
  readonly network: string | undefined;
}

/** Says what a budget is of; `undefined` for what is no name of a budget. */
export function parseBudget(name: string): BudgetName | undefined {
  const [, network] = /^address (\S+)$/.exec(name) ?? [];
  if (network !== undefined) return { kind: 'network', account: undefined, network };
  const [, account, from, of] = /^(account [\w-]{43})(?: (from )?(\S+))?$/.exec(name) ?? [];
  if (account === undefined) return undefined;
  const kind = of === undefined ? 'account' : from === undefined ? 'account_in_known_network' : 'account_from_network';
  return { kind, account, network: of };
}
