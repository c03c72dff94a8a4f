import { join } from 'node:path';
import type { RemovedAccount } from '../../kernel/identity/accounts/removed-accounts.ts';
import { Unavailable } from '../../kernel/errors.ts';
import { NO_DOMAINS } from '../../kernel/areas/sites/domain-directory.ts';
import { revalidated } from '../../kernel/areas/etag-reply.ts';
import { definePlugin, type Host } from '../../kernel/contract/plugin.ts';
import { counter, gauge, type Metric } from '../../kernel/contract/points/metric.ts';
import { findWebServer } from '../../kernel/contract/points/web-server-part.ts';
import { Chromium } from './browser/chromium.ts';
import { findBrowserUser, findBrowser, missingPrograms, type BrowserProgram } from './browser/launch-command.ts';
import { PagePool } from './browser/page-pool.ts';
import { removeStaleProfiles } from './browser/profile-folder.ts';
import { hasSandbox, sandboxRemedy } from './browser/sandbox.ts';
import { DiskCache } from './cache/disk-cache.ts';
import { Scaler } from './cache/scaler.ts';
import { browserHealth, findings } from './doctor.ts';
import { EgressPolicy } from './egress/egress-policy.ts';
import { isLocalAddress } from './egress/source-address.ts';
import { fail } from './errors.ts';
import { OwnDomains, type Domains } from './own-domains.ts';
import { remoteUrl } from './remote-url.ts';
import { ScreenshotPath, ScreenshotQuery, ScreenshotsConfig, ScreenshotUrl, WIDTH, type Settings } from './schema.ts';
import { REFRESHED, notFound, ScreenshotService, type ScreenshotRequest } from './screenshot-service.ts';
import { parseTarget } from './target.ts';

const REMEDY = 'apt-get install chromium fonts-dejavu-core';
const DISK_FOLDER = 'screenshots';

export default definePlugin({
  name: 'screenshots',
  description: 'Pictures of pages on the domains of the account.',
  features: ['screenshots'],
  errors: fail,
  uses: ['domains'],
  config: ScreenshotsConfig,
  routes: {
    show: {
      method: 'GET',
      path: '/api/screenshot/*path',
      at: 'home',
      summary: "Get a screenshot of a page on one of the account's domains",
      description:
        'The first 1280×800 pixels of http://<domain>/<path>, rendered by a browser on the node. Kept for the ' +
        'configured time; `refresh` takes a new one.',
      params: ScreenshotPath,
      query: ScreenshotQuery,
      reply: ScreenshotUrl,
      produces: ['image/png'],
      headers: ['if-none-match'],
      errors: [
        'invalid_domain',
        'invalid_path',
        'domain_not_found',
        'rate_limited',
        'site_unreachable',
        'overloaded',
        'screenshots_unavailable',
      ],
    },
  },
  setup(host) {
    const domains = new OwnDomains(host.peer<Domains>('domains') ?? NO_DOMAINS);
    return host.config.remote_url === '' ? local(host, domains) : remote(host.config, domains);
  },
});

interface ShowCall {
  readonly account: ScreenshotRequest['account'];
  readonly params: ScreenshotPath;
  readonly query: ScreenshotQuery;
  header(name: 'if-none-match'): string;
}

function requestOf({ account, params, query: { width = WIDTH, refresh = false } }: ShowCall): ScreenshotRequest {
  return { account, target: parseTarget(params.path), width, refresh };
}

function remote({ remote_url: template, remote_key: key }: Settings, domains: OwnDomains) {
  const answer = (request: ScreenshotRequest, own: ReadonlySet<string>) => {
    if (!own.has(request.target.domain)) throw notFound(request.target);
    return { url: remoteUrl(template, key, request, Date.now()) };
  };
  return {
    handlers: {
      show: (call: ShowCall) => {
        const request = requestOf(call);
        const own = domains.of(call.account);
        return own instanceof Promise ? own.then((names) => answer(request, names)) : answer(request, own);
      },
    },
  };
}

async function local(host: Host<Settings>, domains: OwnDomains) {
  const { log, workers } = host;
  const config = {
    ...host.config,
    pages: workers.perWorker(host.config.pages),
    cache_bytes: Math.floor(host.config.cache_bytes / workers.count),
    memory_cache_bytes: Math.floor(host.config.memory_cache_bytes / workers.count),
  };
  const [installed, isLocal] = await Promise.all([browserProgram(host), isLocalAddress(config.source_address)]);
  if (!isLocal)
    throw new Unavailable(
      `screenshots.source_address ${config.source_address} is not an address of this node`,
      'name an IP address of this node, such as 127.0.0.2',
    );
  sweepProfiles(host, installed);
  const disk = new DiskCache(
    join(host.node.config.data, DISK_FOLDER),
    config.ttl_seconds * 1000,
    config.cache_bytes,
    (error) => log.warn({ err: error }, 'a cached screenshot could not be updated or removed'),
  );
  const policy = new EgressPolicy(config, () => findWebServer(host));
  const pool = new PagePool(new Chromium(installed, config, log), config, log, policy);
  const scaler = new Scaler(host.jobs, installed.user);
  const service = new ScreenshotService({
    capture: (accountId, url, own) => pool.capture(accountId, url, own),
    scale: (accountId, png, width) => scaler.scale(accountId, png, width),
    disk,
    domains,
    settings: config,
    log,
  });
  removeWithDomains(host, service, disk);
  host.onClose(() =>
    pool
      .close()
      .then(() => service.settle())
      .finally(() => scaler.close()),
  );
  return {
    handlers: {
      show: (call: ShowCall) => {
        const request = requestOf(call);
        const answer = revalidated(service.show(request), call);
        return request.refresh && answer instanceof Promise ? answer.then((made) => made.with(REFRESHED)) : answer;
      },
    },
    provides: {
      doctor: () => findings(installed, config, policy),
      purge: async ({ id }: RemovedAccount) => {
        const removed = await disk.count(id);
        await service.forget(id, undefined);
        return [{ what: 'screenshots', removed }];
      },
      health: () => [browserHealth(installed, pool.launchFailure)],
      metrics: () => metricsOf(pool, service),
    },
  };
}

/** Throws `Unavailable` when the browser, a program that starts it, its user or its sandbox is missing. */
async function browserProgram({ config, node, log }: Host<Settings>): Promise<BrowserProgram> {
  const executable = findBrowser(config.executable);
  if (executable === undefined)
    throw new Unavailable(`no browser was found${config.executable === '' ? '' : ` at ${config.executable}`}`, REMEDY);
  const [missing] = missingPrograms();
  if (missing !== undefined) throw new Unavailable(`${missing} is missing`, 'apt-get install util-linux coreutils');
  const user = findBrowserUser(config.user);
  if (config.sandbox === 'off') log.warn('the browser runs without its sandbox, because screenshots.sandbox is off');
  else if (await hasSandbox(executable, user)) return { executable, user, isSandboxed: true };
  else if (node.isDemo) log.warn('the browser finds no sandbox on this system; the demo runs it without');
  else throw new Unavailable('the browser finds no sandbox on this system', sandboxRemedy());
  return { executable, user, isSandboxed: false };
}

function sweepProfiles({ log, onClose }: Host<Settings>, { user }: BrowserProgram): void {
  const closing = new AbortController();
  const swept = removeStaleProfiles(user, log, closing.signal).catch((error: unknown) =>
    log.warn({ err: error }, 'the temporary folder could not be searched for profile folders'),
  );
  onClose(() => {
    closing.abort();
    return swept;
  });
}

function metricsOf(pool: PagePool, service: ScreenshotService): Metric[] {
  return [
    counter('hostkeep_screenshots_taken_total', 'Screenshots taken', service.taken),
    counter('hostkeep_screenshots_failed_total', 'Screenshots that could not be taken', service.failed),
    gauge('hostkeep_screenshots_pages_open', 'Pages open in the browser', pool.open, 'sum'),
    gauge('hostkeep_screenshots_waiting', 'Screenshots waiting for a page', pool.waiting, 'sum'),
  ];
}

/**
 * Removes screenshots together with their domain: at once, and at startup those of domains that were removed while the
 * server was down.
 */
function removeWithDomains(
  { peer, identity, events, log, node, onClose }: Host<Settings>,
  screenshots: ScreenshotService,
  disk: DiskCache,
): void {
  const forget = async (id: number) => {
    const account = await identity.accounts.byId(id);
    await screenshots.forget(id, account !== undefined && identity.accounts.isHere(account) ? account : undefined);
  };
  const sweep = async () => {
    for (const id of await disk.accounts()) await forget(id);
  };
  let work: Promise<void> = Promise.resolve();
  const next = (task: () => Promise<void>) => {
    work = work
      .then(task)
      .catch((error: unknown) => log.warn({ err: error }, 'screenshots of removed domains could not be deleted'));
  };
  void node.onLeader(() => next(sweep));
  onClose((peer<Domains>('domains') ?? NO_DOMAINS).onChange((id) => next(() => forget(id))));
  onClose(events.listen(({ type }) => type === 'account.removed' && next(sweep)));
  onClose(() => work);
}
