import type { NodeProcess } from '../../support/node-process.ts';

/** Everything that an account holds. Keys are sorted, so that equal states have equal JSON. */
export interface AccountState {
  readonly domains: readonly string[];
  readonly favorites: Readonly<Record<string, string>>;
  readonly locale: string;
  readonly password: string;
  readonly hasTwofa: boolean;
  readonly email: string;
  readonly cpuLimit: number;
  readonly features: Readonly<Record<string, boolean>>;
  /** For each additional session, whether it is open. */
  readonly sessions: readonly boolean[];
}

/** The credentials with which a state is read. */
interface Access {
  readonly username: string;
  readonly token: string;
  /** An administrator's token. */
  readonly admin: string;
  /** Tokens of additional sessions. */
  readonly sessions: readonly string[];
  /** Passwords that may be in effect. */
  readonly passwords: readonly string[];
}

/** Reads the state of an account from a node. */
export async function readState(
  node: NodeProcess,
  { username, token, admin, sessions, passwords }: Access,
): Promise<AccountState> {
  const read = async <T>(path: string) => (await node.ask<T>(path, { token })).body;
  const readAsAdmin = async <T>(path: string) => (await node.ask<T>(path, { token: admin, address: 'admin' })).body;
  const { domains } = await read<{ domains: { domain_url: string }[] }>('/api/domains');
  const favorites = await read<{ link: string; title: string }[]>('/api/favorites');
  const { current } = await read<{ current: string }>('/api/account/language');
  const { enabled } = await read<{ enabled: boolean }>('/api/account/2fa');
  const account = await readAsAdmin<{ email: string; overrides: Record<string, boolean> }>(`/api/accounts/${username}`);
  const plan = await readAsAdmin<{ limits: { cpu_limit: number } }>(`/api/plans/${username}`);
  return {
    domains: domains.map(({ domain_url }) => domain_url).toSorted(),
    favorites: sorted(Object.fromEntries(favorites.map(({ link, title }) => [link, title]))),
    locale: current,
    password: await acceptedPassword(node, username, passwords),
    hasTwofa: enabled,
    email: account.email,
    cpuLimit: plan.limits.cpu_limit,
    features: sorted(account.overrides),
    sessions: await Promise.all(
      sessions.map(async (each) => (await node.ask('/api/account/language', { token: each })).status === 200),
    ),
  };
}

/** Returns the password that the node accepts, whether or not it then requires a code. */
async function acceptedPassword(node: NodeProcess, username: string, passwords: readonly string[]): Promise<string> {
  for (const password of passwords) {
    const { status, body } = await node.ask('/api/login', { method: 'POST', body: { username, password } });
    if (status === 200 || body['twofa_required'] === true) return password;
  }
  return 'no known one';
}

/** Returns a copy with sorted keys. */
export function sorted<T>(record: Readonly<Record<string, T>>): Record<string, T> {
  return Object.fromEntries(Object.entries(record).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}
