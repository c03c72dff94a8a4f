import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { Command } from 'commander';
import type { Account } from '../../identity/accounts/account.ts';
import { ConfigError, loadConfig, readJson, type Config } from '../../config/configuration.ts';
import { replaceFileSync } from '../../kit/files/atomic-file.ts';
import { projectDir } from '../../kit/files/project-dir.ts';
import { formatTime } from '../../kit/format.ts';
import { messageOf } from '../../errors.ts';
import { Hostkeep } from '../hostkeep.ts';
import { createLog, type Log } from '../../log.ts';
import type { DemoPeople, DemoReport } from '../../contract/points/demo.ts';
import type { GlobalOptions } from '../command-context.ts';
import { untilStopped } from '../serving/node-life.ts';

interface Credential {
  readonly username: string;
  readonly password: string;
}

interface Credentials {
  readonly base_url: string;
  readonly admin_url: string;
  readonly user: Credential;
  readonly other: Credential;
  readonly admin: Credential;
}

/** Those who log in: one with every feature, one on the smallest plan, one administrator. */
const PEOPLE = { user: 'demo', other: 'other', admin: 'operator' } as const;

/** Customers whom nobody logs in as, with their plans; the last one is suspended. */
const NEIGHBOURS = {
  'cafe-aurora': 'basic',
  'hill-school': 'standard',
  northwind: 'developer',
  'old-mill': 'standard',
  'river-clinic': 'standard',
  'late-payer': 'basic',
} as const;

/** How far back the demo's history goes. */
const HISTORY_MS = 7 * 86_400_000;

/**
 * `hostkeep demo`: serves three accounts with real content, and connects them to services on this host. Accounts and
 * content are kept for the next start.
 */
export async function demo(_: GlobalOptions, command: Command): Promise<void> {
  // Not the configuration of an installed node, whose data is that of real customers.
  const config = loadConfig(
    command.optsWithGlobals<GlobalOptions>().config,
    { ...process.env, HOSTKEEP_STORE_URL: undefined },
    {
      ...placeOf(process.env),
      files_root: '{data}/files/{username}',
      log: { level: 'warn' },
    },
  );
  const log = createLog(config.log.level);
  const starting = begin(config, log);
  untilStopped(starting, log); // from the start, so that an early signal removes what was created so far
  process.once('SIGHUP', () => process.kill(process.pid, 'SIGTERM')); // the terminal was closed
  await starting;
}

/**
 * Returns where the demo keeps its data: in the folder of a checkout. A package is not written to, so its demo uses the
 * user's own folder (XDG Base Directory Specification), and ports that the system chooses, because the service has its own.
 */
function placeOf(env: NodeJS.ProcessEnv): Record<string, string> {
  if (existsSync(join(projectDir, 'package-lock.json'))) return { data: join(projectDir, '.demo') };
  const state = env['XDG_STATE_HOME'] || join(homedir(), '.local/state');
  return { data: join(state, 'hostkeep/demo'), listen: '127.0.0.1:0', admin_listen: '127.0.0.1:0' };
}

async function begin(config: Config, log: Log): Promise<Hostkeep> {
  const hostkeep = await Hostkeep.start(config, log, { listen: 'later', isDemo: true });
  const file = join(config.data, 'credentials.json');
  try {
    const report = await outside(hostkeep, await fill(hostkeep));
    const passwords = await passwordsOf(hostkeep, file);
    await hostkeep.listen();
    const credentials = { base_url: hostkeep.url('user'), admin_url: hostkeep.url('admin'), ...passwords };
    replaceFileSync(file, `${JSON.stringify(credentials, undefined, 2)}\n`, { mode: 0o600, flush: true });
    process.stdout.write(tour(credentials, file, report));
    return hostkeep;
  } catch (error) {
    await hostkeep.close();
    throw error;
  }
}

/**
 * Creates the accounts and the content of every plugin, at the first start only. Resolves with a line for each failure.
 */
async function fill({ core, plugins, node }: Hostkeep): Promise<string[]> {
  const { accounts, passwords } = core;
  if ((await accounts.byUsername(PEOPLE.user)) !== undefined) return [];
  if ((await accounts.list(1)).length > 0)
    throw new ConfigError(`${node.config.data} holds the data of a real server; set HOSTKEEP_DATA to an empty folder`);
  const passwordHash = await passwords.hash(passwords.random());
  await accounts.create({ username: PEOPLE.admin, role: 'admin', passwordHash });
  const other = await accounts.create({ username: PEOPLE.other, role: 'user', plan: 'basic', passwordHash });
  const demoAccount = await withEveryFeature(
    core,
    await accounts.create({ username: PEOPLE.user, role: 'user', plan: 'developer', passwordHash }),
  );
  const neighbours: Account[] = [];
  for (const [username, plan] of Object.entries(NEIGHBOURS))
    neighbours.push(await accounts.create({ username, role: 'user', plan, passwordHash }));
  await backdate(core);
  const results = await plugins.callInOrder('demo', { demo: demoAccount, other, neighbours });
  await accounts.suspend(Object.keys(NEIGHBOURS).at(-1) ?? '');
  const failures = results.filter(({ error }) => error !== undefined);
  return failures.map(({ plugin, error }) => `content of ${plugin}: ${messageOf(error)}`);
}

/** Dates everything so far before the days of history that the plugins add, so that the log is in the order of time. */
function backdate({ store }: Hostkeep['core']): Promise<void> {
  const at = Date.now() - HISTORY_MS;
  const time = `[${formatTime(at)}]`;
  return store.write(async (tx) => {
    await tx.run('update accounts set created_at = ?', at);
    await tx.run(
      'update events set at = ?, line = ? || substr(line, ?), folded = ? || substr(folded, ?)',
      at,
      time,
      time.length + 1,
      time,
      time.length + 1,
    );
  });
}

/**
 * Connects the accounts to services on this host. Resolves with what is used and what is left out, `leftOut` included.
 */
async function outside(
  { core: { accounts }, plugins, node }: Hostkeep,
  leftOut: readonly string[],
): Promise<Required<DemoReport>> {
  const [demoAccount, other] = [await accounts.byUsername(PEOPLE.user), await accounts.byUsername(PEOPLE.other)];
  // Since the first start, an account may have been removed.
  const people: DemoPeople | undefined = demoAccount && other && { demo: demoAccount, other };
  const results = people === undefined ? [] : await plugins.callInOrder('demoOutside', people);
  const failures = results
    .filter(({ error }) => error !== undefined)
    .map(({ plugin, error }) => `${plugin}: ${messageOf(error)}`);
  return {
    uses: results.flatMap(({ value }) => value?.uses ?? []),
    leftOut: [...unavailable(node), ...leftOut, ...failures, ...results.flatMap(({ value }) => value?.leftOut ?? [])],
  };
}

async function withEveryFeature({ accounts, locales }: Hostkeep['core'], account: Account): Promise<Account> {
  for (const feature of locales.featureNames)
    if (!account.features.has(feature)) await accounts.setFeature(account.username, feature, true);
  return accounts.get(account.username);
}

function unavailable(node: Hostkeep['node']): string[] {
  return node
    .plugins()
    .filter(({ state }) => state === 'unavailable')
    .map(({ name, reason, remedy }) => `${name}: ${reason ?? ''}${remedy === undefined ? '' : ` (${remedy})`}`);
}

/** Resolves with the passwords of an earlier start; sets new ones if they are unknown. */
async function passwordsOf({ core }: Hostkeep, file: string): Promise<Pick<Credentials, 'user' | 'other' | 'admin'>> {
  if (existsSync(file)) {
    const { user, other, admin } = readJson(file) as unknown as Credentials;
    return { user, other, admin };
  }
  const entries = Object.entries(PEOPLE).map(async ([key, username]) => {
    const password = core.passwords.random();
    const account = await core.accounts.get(username);
    await core.credentials.setPassword(account, await core.passwords.hash(password));
    return [key, { username, password }] as const;
  });
  return Object.fromEntries(await Promise.all(entries)) as Record<keyof typeof PEOPLE, Credential>;
}

function tour(
  { base_url, admin_url, user, other, admin }: Credentials,
  file: string,
  { uses, leftOut }: Required<DemoReport>,
): string {
  const login = (url: string, { username, password }: Credential) =>
    `$(curl -s ${url}/api/login -H 'Content-Type: application/json' -d '{"username":"${username}","password":"${password}"}' | sed 's/.*"token":"\\([^"]*\\)".*/\\1/')`;
  return `
Hostkeep is running. Open in a browser:

  ${base_url}/   the home of customers
  ${admin_url}/   the console of administrators

  ${user.username.padEnd(10)}${user.password}   every feature
  ${other.username.padEnd(10)}${other.password}   the plan basic
  ${admin.username.padEnd(10)}${admin.password}   administrator
  (also in ${file})

Try, in another terminal:

  TOKEN=${login(base_url, user)}
  curl -s ${base_url}/api/dashboard -H "Authorization: Bearer $TOKEN"
  curl -s ${base_url}/api/domains -H "Authorization: Bearer $TOKEN"
  curl -s ${base_url}/system/hosting/plan -H "Authorization: Bearer $TOKEN"

  ADMIN=${login(admin_url, admin)}
  curl -s ${admin_url}/api/accounts -H "Authorization: Bearer $ADMIN"
${section('Uses', uses)}${section('Left out', leftOut)}
Ctrl-C stops it. The data folder stays; everything else that the demo created is removed.
`;
}

function section(title: string, lines: readonly string[]): string {
  return lines.length === 0 ? '' : `\n${title}:\n\n${lines.map((line) => `  ${line}\n`).join('')}`;
}
