/**
 * The neighbour: a process of its own that reads, searches and logs in as people do, and notes what becomes of it. Imports
 * types only, because the process starts before and during each abuse.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { getPriority, setPriority } from 'node:os';
import type { Estate } from './estate.ts';

/** Where it says that it is. */
export const NEIGHBOURS_ADDRESS = '198.51.100.7';

interface ObserverOptions {
  readonly url: string;
  readonly adminUrl: string;
  readonly token: string;
  readonly adminToken: string;
  readonly password: string;
  readonly seconds: number;
}
/** What the neighbour asks for; reads are served from memory. */
export const KINDS = ['reads', 'searches', 'database_info', 'logins', 'admin logins'] as const;
type Kind = (typeof KINDS)[number];
interface Answer {
  readonly kind: Kind;
  readonly status: number;
  readonly ms: number;
}
export type Observation = Readonly<
  Record<Kind, { readonly answers: number; readonly refused: readonly number[]; readonly ms: readonly number[] }>
>;

const READS = [
  '/api/system/hosting/plan',
  '/api/domains',
  '/api/favorites',
  '/api/account/language',
  '/api/docker_domains',
];
/** Milliseconds between two of a kind. */
const EVERY: Readonly<Record<Kind, number>> = {
  reads: 4,
  searches: 100,
  database_info: 150,
  logins: 500,
  'admin logins': 500,
};
const TIMEOUT_MS = 90_000;

/** Observes an estate for a time. */
export async function observe(estate: Estate, seconds: number): Promise<Observation> {
  const options: ObserverOptions = {
    url: estate.node.url(),
    adminUrl: estate.node.url('admin'),
    token: estate.victim.token,
    adminToken: estate.admin.token,
    password: estate.password,
    seconds,
  };
  const child = fork(import.meta.filename, [JSON.stringify(options)], { serialization: 'advanced' });
  // Where the attack has a lower priority, the neighbour does not: it has a machine of its own elsewhere.
  if (child.pid !== undefined && getPriority() !== 0) setPriority(child.pid, 0);
  const [answers] = (await once(child, 'message')) as [readonly Answer[]];
  const observation = {} as Record<Kind, Observation[Kind]>;
  for (const kind of KINDS) {
    const own = answers.filter((answer) => answer.kind === kind);
    const refused = own.filter(({ status }) => status !== 200).map(({ status }) => status);
    observation[kind] = { answers: own.length, refused, ms: own.map(({ ms }) => ms) };
  }
  return observation;
}

function ask(agent: Agent, url: string, token: string, body?: unknown): Promise<number> {
  return new Promise((resolve) => {
    const headers = {
      ...(token !== '' && { authorization: `Bearer ${token}` }),
      ...(body !== undefined && { 'content-type': 'application/json', 'x-forwarded-for': NEIGHBOURS_ADDRESS }),
    };
    const sent = request(url, { agent, headers, method: body === undefined ? 'GET' : 'POST', timeout: TIMEOUT_MS });
    sent.once('response', (response) => response.resume().once('close', () => resolve(response.statusCode ?? 0)));
    sent.once('timeout', () => sent.destroy());
    sent.once('error', () => resolve(0));
    sent.end(body === undefined ? '' : JSON.stringify(body));
  });
}

async function run({ url, adminUrl, token, password, seconds }: ObserverOptions): Promise<void> {
  const answers: Answer[] = [];
  const end = performance.now() + seconds * 1000;
  const login = (address: string, username: string) => (agent: Agent) =>
    ask(agent, `${address}/api/login`, '', { username, password });
  const asks: Readonly<Record<Kind, (agent: Agent, i: number) => Promise<number>>> = {
    reads: (agent, i) => ask(agent, url + (READS[i % READS.length] ?? ''), token),
    searches: (agent) => ask(agent, `${url}/api/search/files?q=summer`, token),
    database_info: (agent) => ask(agent, `${url}/api/database_info?domain=victim.example`, token),
    logins: login(url, 'victim'),
    'admin logins': login(adminUrl, 'root'),
  };
  await Promise.all(
    KINDS.map(async (kind) => {
      const agent = new Agent({ keepAlive: true, maxSockets: 1 });
      for (let i = 0; i === 0 || performance.now() < end; i += 1) {
        const started = performance.now();
        const status = await asks[kind](agent, i);
        answers.push({ kind, status, ms: performance.now() - started });
        const pause = EVERY[kind] - (performance.now() - started);
        if (pause > 0) await new Promise((resolve) => setTimeout(resolve, pause));
      }
      agent.destroy();
    }),
  );
  process.send?.(answers, () => process.disconnect());
}

const [, script, options] = process.argv;
if (script === import.meta.filename && options !== undefined) await run(JSON.parse(options) as ObserverOptions);
