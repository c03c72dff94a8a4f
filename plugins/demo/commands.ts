import { chmodSync, existsSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { defineCommands, UsageError, type DemoNode } from '../../kernel/contract/command.ts';
import { hoursBefore, type DemoPeople, type DemoReport } from '../../kernel/contract/points/demo.ts';
import { errorMessage } from '../../kernel/errors.ts';
import type { Account } from '../../kernel/identity/accounts/account.ts';
import { addGuestBook, reportGuestBook } from './guest-book.ts';
import { giveFiles } from './sample-files.ts';
import { replaceFileSync } from '../../kernel/kit/files/atomic-file.ts';
import { projectDir } from '../../kernel/kit/files/project-dir.ts';

interface Credential {
  readonly username: string;
  readonly password: string;
}

interface Urls {
  readonly base_url: string;
  readonly admin_url: string;
}

interface Credentials extends Urls {
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

export default defineCommands({
  usage: 'demo',
  summary: 'serve a node with demo accounts and sample content, created at the first start',
  async run({ serveDemo }) {
    await serveDemo({ ...place(process.env), files_root: '{data}/files/{username}', log: { level: 'warn' } }, prepare);
    return undefined;
  },
});

/**
 * Returns where the demo keeps its data: in the folder of a checkout. A package is not written to, so its demo uses the
 * user's own folder (XDG Base Directory Specification), and ports that the system chooses, because the service has its own.
 */
function place(env: NodeJS.ProcessEnv): Record<string, string> {
  if (existsSync(join(projectDir, 'package-lock.json'))) return { data: join(projectDir, '.demo') };
  const state = env['XDG_STATE_HOME'] || join(homedir(), '.local/state');
  return { data: join(state, 'hostkeep/demo'), listen: '127.0.0.1:0', admin_listen: '127.0.0.1:0' };
}

/** Fills the node and connects it. Returns what to print once its addresses are open. */
async function prepare(node: DemoNode): Promise<(urls: Urls) => void> {
  // as root, scripts run as other users, who pass it to the files of accounts; what else is in it has modes of its own
  if (process.geteuid?.() === 0) chmodSync(node.config.data, 0o711);
  const report = await outside(node, await fill(node));
  const file = join(node.config.data, 'credentials.json');
  const passwords = await readPasswords(node, file);
  return (urls) => {
    const credentials = { ...urls, ...passwords };
    replaceFileSync(file, `${JSON.stringify(credentials, undefined, 2)}\n`, { mode: 0o600, flush: true });
    process.stdout.write(tour(credentials, file, report));
  };
}

/**
 * Creates the accounts and the content of every plugin, at the first start only. Resolves with a line for each failure.
 */
async function fill(node: DemoNode): Promise<string[]> {
  const { accounts, passwords } = node.identity;
  if ((await accounts.byUsername(PEOPLE.user)) !== undefined) return [];
  if ((await accounts.list(1)).length > 0)
    throw new UsageError(`${node.config.data} holds the data of a real server; set HOSTKEEP_DATA to an empty folder`);
  const passwordHash = await passwords.hash(passwords.random());
  await accounts.create({ username: PEOPLE.admin, role: 'admin', passwordHash });
  const other = await accounts.create({ username: PEOPLE.other, role: 'user', plan: 'basic', passwordHash });
  const demoAccount = await withEveryFeature(
    node,
    await accounts.create({ username: PEOPLE.user, role: 'user', plan: 'developer', passwordHash }),
  );
  const neighbours: Account[] = [];
  for (const [username, plan] of Object.entries(NEIGHBOURS))
    neighbours.push(await accounts.create({ username, role: 'user', plan, passwordHash }));
  await node.backdate(HISTORY_MS);
  const customers = [demoAccount, other, ...neighbours];
  for (const customer of customers) await node.makeRoot(customer);
  const people = { demo: demoAccount, other };
  const past = await node.gather('demoPast', people);
  const events = past.flatMap((each) => (each.ok ? each.value : [])).toSorted((a, b) => b.hoursAgo - a.hoursAgo);
  const now = Date.now();
  await node.store.write(async (tx) => {
    for (const { hoursAgo, ...event } of events)
      await node.events.record(tx, { ...event, at: hoursBefore(now, hoursAgo) });
  });
  const results = [...past, ...(await node.gather('demo', { ...people, neighbours, now }))];
  await addGuestBook(demoAccount);
  for (const { filesRoot } of customers) await giveFiles(filesRoot);
  await accounts.suspend(Object.keys(NEIGHBOURS).at(-1) ?? '');
  return results.flatMap((each) => (each.ok ? [] : [`content of ${each.plugin}: ${errorMessage(each.error)}`]));
}

/**
 * Connects the accounts to services on this host. Resolves with what is used and what is left out, `leftOut` included.
 */
async function outside(node: DemoNode, leftOut: readonly string[]): Promise<Required<DemoReport>> {
  const { accounts } = node.identity;
  const [demoAccount, other] = [await accounts.byUsername(PEOPLE.user), await accounts.byUsername(PEOPLE.other)];
  // Since the first start, an account may have been removed.
  const people: DemoPeople | undefined = demoAccount && other && { demo: demoAccount, other };
  const results = people === undefined ? [] : await node.gather('demoOutside', people);
  const failures = results.flatMap((each) => (each.ok ? [] : [`${each.plugin}: ${errorMessage(each.error)}`]));
  const reports = results.flatMap((each) => (each.ok ? [each.value] : []));
  if (people !== undefined) reports.push(await reportGuestBook(node, people.demo));
  return {
    uses: reports.flatMap(({ uses = [] }) => uses),
    leftOut: [...unavailable(node), ...leftOut, ...failures, ...reports.flatMap((report) => report.leftOut ?? [])],
  };
}

async function withEveryFeature({ identity: { accounts }, locales }: DemoNode, account: Account): Promise<Account> {
  for (const feature of locales.featureNames)
    if (!account.features.has(feature)) await accounts.setFeature(account.username, feature, true);
  return accounts.get(account.username);
}

function unavailable(node: DemoNode): string[] {
  return node
    .plugins()
    .filter(({ state }) => state === 'unavailable')
    .map(({ name, reason, remedy }) => `${name}: ${reason ?? ''}${remedy === undefined ? '' : ` (${remedy})`}`);
}

/** Resolves with the passwords of an earlier start; sets new ones if they are unknown. */
async function readPasswords(
  { identity }: DemoNode,
  file: string,
): Promise<Pick<Credentials, 'user' | 'other' | 'admin'>> {
  if (existsSync(file)) {
    const { user, other, admin } = JSON.parse(readFileSync(file, 'utf8')) as Credentials;
    return { user, other, admin };
  }
  const entries = Object.entries(PEOPLE).map(async ([key, username]) => {
    const password = identity.passwords.random();
    const account = await identity.accounts.get(username);
    await identity.credentials.setPassword(account, await identity.passwords.hash(password));
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
Hostkeep is running, with sample data: sites, counts and history are made up. Open in a browser:

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
