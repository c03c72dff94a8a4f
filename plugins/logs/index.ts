import { join } from 'node:path';
import { definePlugin, type Host } from '../../kernel/contract/plugin.ts';
import {
  domainNamed,
  NO_DOMAINS,
  type Domain,
  type DomainDirectory,
} from '../../kernel/areas/sites/domain-directory.ts';
import type { SiteLogs } from '../../kernel/contract/points/web-server-part.ts';
import type { RequestLogs } from '../../kernel/areas/sites/request-logs.ts';
import type { SlowRequests } from '../../kernel/areas/sites/slow-requests.ts';
import type { Account } from '../../kernel/identity/accounts/account.ts';
import { isWritten, noLogs, readable } from './doctor.ts';
import { download } from './download.ts';
import { fail } from './errors.ts';
import { events } from './events.ts';
import { Collector } from './follower/collector.ts';
import { Sites } from './follower/sites.ts';
import { LiveLogs } from './live.ts';
import { movePart } from './mover.ts';
import { routes } from './routes.ts';
import { LogsConfig } from './schema.ts';
import { ArrivingLogs } from './site-logs/arriving.ts';
import { LogFilter } from './site-logs/filter.ts';
import { requestsSince } from './site-logs/period.ts';
import { SiteFolders, type Kind } from './site-logs/segments.ts';
import { tail } from './site-logs/tail.ts';
import { forgetAccount, forgetDomain, listDomains } from './store.ts';
import { TrafficCounts } from './traffic.ts';

/** After which the domains of this node may be others. */
const CHANGES = new Set([
  ...['domain.added', 'domain.removed', 'domain.alias_added', 'domain.alias_removed'],
  ...['account.removed', 'account.moved', 'temporary_link.made'],
]);

export default definePlugin({
  name: 'logs',
  description: 'Requests and errors of sites: read, follow and download.',
  features: ['errors'],
  uses: ['domains', 'webserver', 'slow-requests'],
  errors: fail,
  events,
  config: LogsConfig,
  routes,
  async setup(host) {
    const { config, local, node, peer, onClose } = host;
    const domains = peer<DomainDirectory>('domains') ?? NO_DOMAINS;
    const files = peer<SiteLogs>('webserver');
    const root = join(node.config.data, 'logs');
    const [folders, arriving] = [new SiteFolders(root), new ArrivingLogs(root)];
    const live = new LiveLogs(host, { all: config.streams, own: config.streams_of_account });
    onClose(() => live.close());
    const traffic = new TrafficCounts(local);
    const problem = files === undefined ? undefined : await follow(host, { files, folders, arriving, live, traffic });
    const siteIds = async (username: string) => {
      const account = await host.identity.accounts.byUsername(username);
      return account === undefined ? [] : (await domains.list(account)).map(({ id }) => id);
    };
    /** Errors: 404 `domain_not_found`. */
    const site = (account: Account, name: string) => domainNamed(domains, account, name, { path: '/domain_url' });
    const service: RequestLogs = {
      since: async (id, ...most) => requestsSince(await folders.segments(id, 'access'), ...most),
    };
    return {
      service,
      handlers: {
        list: async ({ account }) => {
          const limits = account.plan?.limits;
          return {
            written: await isWritten(files),
            logs: await Promise.all((await domains.list(account)).map((each) => sizes(folders, each))),
            kept_mib: limits?.['logs_limit_mib'] ?? 0,
            kept_days: limits?.['logs_limit_days'] ?? 0,
          };
        },
        lines: async ({ account, query }) => {
          const { id: domainId } = await site(account, query.domain_url);
          const wanted = { domainId, kind: query.kind as Kind, filter: new LogFilter(query) };
          const { lines, next } = await tail(folders, wanted, query);
          return { lines, next_cursor: next };
        },
        stream: async ({ account, query }) => {
          const { id } = await site(account, query.domain_url);
          return live.open(account, id, query.kind as Kind, new LogFilter(query));
        },
        download: async ({ account, query }) => {
          const { id, name } = await site(account, query.domain_url);
          const kind = query.kind as Kind;
          return download(name, kind, await folders.segments(id, kind));
        },
        traffic: async ({ account }) => ({ counted: await isWritten(files), ...(await traffic.month(account)) }),
      },
      provides: {
        demo: async (context) => (await import('./demo.ts')).fillDemo(host, folders, context),
        ...(files !== undefined && traffic.report),
        purge: async ({ id }) => {
          const kept = await listDomains(local, id);
          for (const domainId of kept) {
            await local.write((tx) => forgetDomain(tx, domainId));
            await folders.remove(domainId);
          }
          await arriving.remove(id);
          await local.write((tx) => forgetAccount(tx, id));
          return [{ what: 'logs of domains', removed: kept.length }];
        },
        move: () => movePart({ local, folders, arriving, siteIds }),
        doctor: async () => [files === undefined ? noLogs() : await readable(files)],
        health: () => {
          const why = problem?.();
          if (why === undefined) return [];
          const remedy = 'free the disk, or let this service read the files in webserver.log_folder';
          return [{ name: 'logs', ok: false, detail: why, remedy, features: ['errors'] }];
        },
      },
    };
  },
});

interface Followed {
  readonly files: SiteLogs;
  readonly folders: SiteFolders;
  readonly arriving: ArrivingLogs;
  readonly live: LiveLogs;
  readonly traffic: TrafficCounts;
}

/** Follows the logs of the web server in the process that does what is done once; returns what tells why it does not. */
async function follow(host: Host<LogsConfig>, { traffic, ...parts }: Followed): Promise<() => string | undefined> {
  const domains = host.peer<DomainDirectory>('domains');
  if (domains === undefined || !host.node.isServing) return () => undefined;
  const sites = new Sites(domains, parts.files.format === 'caddy' ? (ids) => readPreviews(host, ids) : undefined);
  const collector = new Collector(host, { ...parts, sites, slowRequests: host.peer<SlowRequests>('slow-requests') });
  host.onClose(
    host.events.listen(({ type }) => {
      if (CHANGES.has(type)) sites.isStale = true;
      if (type === 'temporary_link.made') sites.hasOtherPreviews = true;
    }),
  );
  host.onClose(() => collector.close());
  await host.node.onLeader(() => {
    collector.start();
    traffic.startNotices(host);
  });
  return () => collector.problem;
}

/** Leaves out the names of a plugin that fails; its sites' lines are dropped until it answers. */
async function readPreviews({ gather }: Host<LogsConfig>, domainIds: readonly number[]): Promise<Map<string, number>> {
  const found = new Map<string, number>();
  for (const part of await gather('siteRules', domainIds))
    if (part.ok) for (const [id, { previews = [] }] of part.value) for (const name of previews) found.set(name, id);
  return found;
}

async function sizes(folders: SiteFolders, { id, name }: Domain) {
  const [access, error] = await Promise.all([folders.segments(id, 'access'), folders.segments(id, 'error')]);
  const sum = (all: typeof access) => all.reduce((bytes, { sizeBytes }) => bytes + sizeBytes, 0);
  const newest = Math.max(...[...access, ...error].map(({ changedAt }) => changedAt));
  return {
    domain_url: name,
    access_bytes: sum(access),
    error_bytes: sum(error),
    written_at: newest > 0 ? new Date(newest).toISOString() : null,
  };
}
