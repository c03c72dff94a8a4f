import type { Account } from '../../../kernel/identity/accounts/account.ts';
import type { Accounts } from '../../../kernel/identity/accounts/accounts.ts';
import type { CommandContext, OptionValues } from '../../../kernel/contract/command.ts';
import { textTable } from '../../../kernel/kit/format.ts';
import { isNode, noNode } from '../../../kernel/areas/fleet-nodes.ts';
import type { ResourceUsage } from '../../../kernel/contract/points/account-report.ts';
import { gatherReport, knownUsage, type AccountReports } from '../account-report.ts';
import { describe } from './account-text.ts';

/** How many accounts are read at a time for a list of all. */
const PAGE = 1000;
/** Accounts whose files may be measured at once. */
const MEASURED = 8;

export async function list(context: CommandContext, _: readonly string[], options: OptionValues) {
  const { node, plan } = options;
  const all = await context.withStore(async ({ identity: { accounts, plans } }) => {
    if (typeof plan === 'string') await plans.get(plan); // rejects if there is none: a typing error is no empty list
    return allOf(accounts);
  });
  if (typeof node === 'string' && all.every(({ home }) => home !== node)) await assertNode(context, node);
  const found = all.filter((account) => isWanted(account, options));
  if (options['overQuota'] === true) return listOver(context, found);
  const rows = found.map((account) => rowOf(account, account.suspended ? 'suspended' : ''));
  return { value: found.map(describe), text: textTable(['USERNAME', 'ROLE', 'PLAN', 'STATE', 'EMAIL'], rows) };
}

/** An account whose usage is not known is listed too, with the reason: it may be over its quota. */
async function listOver(context: CommandContext, accounts: readonly Account[]) {
  const reports = await context.withPlugins(async ({ identity, gather }) => {
    const users = accounts.filter((account) => account.role === 'user' && identity.accounts.isHere(account));
    const known = await knownUsage(gather, users);
    const reports = new Map<number, Omit<AccountReports, 'domains'>>();
    for (const [id, usage] of known) reports.set(id, { usage, problems: [] });
    const unknown = users.filter(({ id }) => !known.has(id));
    for (let i = 0; i < unknown.length; i += MEASURED) {
      const part = unknown.slice(i, i + MEASURED);
      await Promise.all(part.map(async (account) => reports.set(account.id, await gatherReport(gather, account))));
    }
    return users.flatMap((account) => {
      const report = reports.get(account.id) ?? { usage: [], problems: [] };
      const isListed = report.problems.length > 0 || report.usage.some(({ isOver }) => isOver);
      return isListed ? [{ account, report }] : [];
    });
  });
  const rows = reports.map(({ account, report: { usage, problems } }) =>
    rowOf(account, [...usage.filter(({ isOver }) => isOver).map(usageText), ...problems].join('; ')),
  );
  return {
    value: reports.map(({ account, report: { usage, problems } }) => ({ ...describe(account), usage, problems })),
    text: textTable(['USERNAME', 'ROLE', 'PLAN', 'OVER QUOTA', 'EMAIL'], rows),
  };
}

export function show(context: CommandContext, [username = '']: readonly string[]) {
  return context.withPlugins(async ({ identity, gather }) => {
    const account = await identity.accounts.get(username);
    const { domains, usage, problems } = identity.accounts.isHere(account)
      ? await gatherReport(gather, account)
      : { domains: [], usage: [], problems: [`what it has is known at the node ${account.home}`] };
    const value = { ...describe(account), domains, usage, problems };
    const lines = Object.entries({ ...value, usage: usage.map(usageText) }).map(
      ([name, each]) => `${name}: ${Array.isArray(each) ? each.join(', ') : JSON.stringify(each)}`,
    );
    return { value, text: lines.join('\n') };
  });
}

function assertNode(context: CommandContext, name: string): Promise<void> {
  return context.withPlugins(async (open) => {
    if (!(await isNode(open, name))) throw noNode(name);
  });
}

async function allOf(accounts: Accounts): Promise<Account[]> {
  const all: Account[] = [];
  for (let page = await accounts.list(PAGE); page.length > 0;)
    page = await accounts.list(PAGE, all[all.push(...page) - 1]?.username);
  return all;
}

function isWanted(account: Account, { plan, suspended, node }: OptionValues): boolean {
  return (
    (typeof node !== 'string' || account.home === node) &&
    (suspended !== true || account.suspended) &&
    (typeof plan !== 'string' || account.plan?.name === plan) &&
    (plan !== false || (account.plan === undefined && account.role === 'user'))
  );
}

const rowOf = ({ username, role, plan, email }: Account, state: string): string[] => [
  username,
  role,
  plan?.name ?? '',
  state,
  email,
];

const usageText = ({ resource, used, limit }: ResourceUsage): string =>
  `${resource} ${used}${limit === 0 ? '' : ` of ${limit}`}`;
