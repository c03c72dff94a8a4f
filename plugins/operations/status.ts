import { get as getHttp, type IncomingMessage, type RequestOptions } from 'node:http';
import { get as getHttps } from 'node:https';
import type { Config } from '../../kernel/config/configuration.ts';
import type { Command, CommandContext } from '../../kernel/contract/command.ts';
import { VERSION } from '../../kernel/kit/files/project-dir.ts';
import { formatSize, formatTime } from '../../kernel/kit/format.ts';
import { splitHostPort } from '../../kernel/kit/net/host-port.ts';

const ANSWER_MS = 5000;

interface AddressStatus {
  readonly address: string;
  /** Status of `/readyz`: 200 if the server is ready; `null` if nothing answers. */
  readonly status: number | null;
}

export const statusCommand: Command = {
  usage: 'status',
  summary:
    'show whether the server runs and answers, and what its store holds; the exit code is 1 if it does not answer',
  async run(context) {
    const { config, files } = context;
    const server = files.serving();
    const addresses = await Promise.all(
      [config.listen, config.admin_listen].map((address) =>
        server === undefined ? { address, status: null } : ask(address, config),
      ),
    );
    const held = await holdings(context);
    const value = {
      version: VERSION,
      running: server !== undefined,
      pid: server?.pid ?? null,
      since: server === undefined ? null : new Date(server.sinceMs).toISOString(),
      addresses,
      data: config.data,
      ...held,
    };
    const running =
      server === undefined
        ? 'no server runs'
        : `process ${server.pid} has been serving since ${formatTime(server.sinceMs)} UTC`;
    const lines = [
      `Hostkeep ${VERSION}: ${running}`,
      ...addresses.map((each) => `address: ${each.address}, ${verdict(each)}`),
      `data: ${config.data}, the store has ${formatSize(held.store_bytes)}`,
      ...(held.node === undefined
        ? []
        : [`node: ${held.node}; accounts of the fleet that live here: ${held.users_here}`]),
      `accounts: ${held.users}, ${held.suspended} suspended; administrators: ${held.admins}`,
      `sessions: ${held.sessions}`,
      `last event: ${held.last_event ?? 'none'}`,
    ];
    return { value, text: lines.join('\n'), isFailure: !addresses.every(isReady) };
  },
};

const holdings = ({ withStore, nodeFiles }: CommandContext) =>
  withStore(async ({ identity: { accounts, sessions }, events, store }) => {
    const membership = nodeFiles.membership();
    const [last] = await events.find({}, 1);
    return {
      users: await accounts.count('user'),
      ...(membership !== undefined && { node: membership.name, users_here: await accounts.countOfHere() }),
      admins: await accounts.count('admin'),
      suspended: await accounts.countOf({ suspended: true }),
      sessions: await sessions.count(),
      store_bytes: await store.sizeBytes(),
      last_event: last?.line ?? null,
    };
  });

/** Connects to the address itself, so that the name in the certificate does not matter. */
function ask(address: string, { tls }: Config): Promise<AddressStatus> {
  const { host, port } = splitHostPort(address);
  const target = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host;
  const options: RequestOptions & { rejectUnauthorized: boolean } = {
    ...{ host: target, port, path: '/readyz', timeout: ANSWER_MS, agent: false, rejectUnauthorized: false },
    headers: { host: `localhost:${port}` },
  };
  return new Promise((resolve) => {
    const answered = (response: IncomingMessage) => {
      resolve({ address, status: response.statusCode ?? null });
      response.destroy();
    };
    const request = tls.cert === '' ? getHttp(options, answered) : getHttps(options, answered);
    request.on('timeout', () => request.destroy());
    request.on('error', () => resolve({ address, status: null }));
  });
}

/** Where the route is missing, because its plugin is off, any answer must do. */
const isReady = ({ status: code }: AddressStatus): boolean => code !== null && code < 500;

function verdict(each: AddressStatus): string {
  if (each.status === null) return 'does not answer';
  return isReady(each) ? 'ready' : `answers with ${each.status}, which is not ready`;
}
