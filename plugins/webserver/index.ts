import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { HttpError, messageOf } from '../../kernel/errors.ts';
import { definePlugin, type Host } from '../../kernel/plugin-api/plugin.ts';
import type { DemoReport } from '../../kernel/plugin-api/points/demo.ts';
import type { Finding } from '../../kernel/plugin-api/points/finding.ts';
import type { DomainsService } from '../domains/service.ts';
import { Batches } from './batches.ts';
import { startDemoServer } from './demo.ts';
import { driverOf, type Driver } from './drivers.ts';
import { Owner } from './owner.ts';
import { WebserverConfig } from './schema.ts';
import { metAt, WebServer } from './server.ts';
import { compileTemplate, type Site } from './template.ts';
import { VhostFolder } from './vhost-folder.ts';
import { Vhosts } from './vhosts.ts';

/** How long the start waits until the files are in step; with many it goes on meanwhile. */
const START_MS = 20_000;

/**
 * Has no routes: domains are added and removed by the plugin domains, which asks whoever answers these points. Where
 * the web server or its folder fails, the points are answered all the same, with errors: no domain is added unserved.
 */
export default definePlugin({
  name: 'webserver',
  features: [],
  needs: ['domains'],
  config: WebserverConfig,
  routes: {},
  async setup(given) {
    const { config, leftOut } = given.node.isDemo ? await withDemoServer(given) : { config: given.config, leftOut: [] };
    const host = { ...given, config };
    const driver = driverOf(config);
    if (driver === undefined)
      return {
        handlers: {},
        provides: {
          demoOutside: () => ({ leftOut }),
          doctor: () => [{ name: 'web server', ok: true, detail: 'none is told of domains (driver none)' }],
        },
      };
    const folder = new VhostFolder(driver.vhostFolder);
    const server = new WebServer(driver, folder, config.listen, {
      commandMs: config.command_timeout_ms,
      servedMs: config.served_timeout_ms,
    });
    const batches = new Batches(folder, server);
    const vhosts = new Vhosts({
      folder,
      batches,
      render: await templateOf(driver),
      domains: host.service<DomainsService>('domains'),
      accounts: host.identity.accounts,
      virtualRoot: host.node.config.virtual_root,
      listen: config.listen,
      log: host.log,
    });
    host.onClose(() => batches.idle());
    await begin(host, folder, vhosts);
    return {
      handlers: {},
      provides: {
        domainAdded: (domain) => vhosts.add(domain),
        domainRemoved: (domain) => vhosts.remove(domain),
        webServer: () => metAt(config.listen),
        metrics: () => [
          {
            name: 'hostkeep_webserver_reloads_total',
            help: 'How often the web server was told to read its configuration again',
            type: 'counter',
            samples: [{ value: batches.reloads }],
          },
        ],
        doctor: async () => [await findingOf(driver, server)],
        demoOutside: async ({ demo }) =>
          reportOf(
            await findingOf(driver, server),
            config.listen,
            (await host.service<DomainsService>('domains').list(demo))[0]?.name,
          ),
      },
    };
  },
});

/** In a demo whose configuration names no web server: with one of the demo's own, where there can be one. */
async function withDemoServer({
  config,
  node,
  onClose,
}: Host<WebserverConfig>): Promise<{ readonly config: WebserverConfig; readonly leftOut: string[] }> {
  if (config.driver !== 'none') return { config, leftOut: [] };
  try {
    const { settings, stop } = await startDemoServer(config, resolve(node.config.data, 'nginx'));
    onClose(stop);
    return { config: settings, leftOut: [] };
  } catch (error) {
    return { config, leftOut: [`webserver: domains are not served: ${messageOf(error)}`] };
  }
}

function reportOf({ ok, detail, remedy = '' }: Finding, listen: string, domain: string | undefined): DemoReport {
  if (!ok) return { leftOut: [`webserver: ${detail} (${remedy})`] };
  const url = `http://${listen.includes(':') ? listen : `127.0.0.1:${listen}`}/`;
  return { uses: [`webserver: ${detail}${domain === undefined ? '' : `, see curl -s ${url} -H 'Host: ${domain}'`}`] };
}

async function begin(host: Host<WebserverConfig>, folder: VhostFolder, vhosts: Vhosts): Promise<void> {
  try {
    await folder.make();
    const owner = new Owner(folder);
    const standing = await owner.take();
    if (standing === 'elsewhere') return;
    host.onClose(() => owner.release());
    follow(host, vhosts);
    const { done } = await vhosts.start({ spareYoung: standing === 'beside' });
    await Promise.race([done, delay(START_MS, undefined, { ref: false })]);
  } catch (error) {
    host.log.error({ err: error }, 'virtual hosts could not be compared with the domains');
  }
}

/** Keeps files in step with what does not pass the two points: accounts that go, and changes of another process. */
function follow({ config, events, log, onClose }: Host<WebserverConfig>, vhosts: Vhosts): void {
  const reconcile = async (isNeeded: () => boolean | Promise<boolean>) => {
    try {
      if (await isNeeded()) await vhosts.reconcile();
    } catch (error) {
      log.error({ err: error }, 'virtual hosts could not be compared with the domains');
    }
  };
  onClose(
    events.listen(({ type, data }) => {
      if (type === 'account.removed') void reconcile(() => true);
      if (type === 'domain.added') void reconcile(async () => !(await vhosts.has(String(data['domain_url']))));
    }),
  );
  if (config.reconcile_seconds === 0) return;
  const timer = setInterval(() => void reconcile(() => true), config.reconcile_seconds * 1000).unref();
  onClose(() => clearInterval(timer));
}

/** A template that cannot be used refuses every domain; doctor and the log tell why. */
async function templateOf({ templateFile }: Driver): Promise<(site: Site) => string> {
  try {
    return compileTemplate(await readFile(templateFile, 'utf8'));
  } catch (cause) {
    return () => {
      throw new HttpError('webserver_failed', 'the web server has no usable template', { cause });
    };
  }
}

/** Template and check are part of it: a configuration that is broken already makes every change fail. */
async function findingOf({ name, vhostFolder, templateFile }: Driver, server: WebServer): Promise<Finding> {
  try {
    compileTemplate(await readFile(templateFile, 'utf8'));
    const version = await server.version();
    await server.check();
    return { name: 'web server', ok: true, detail: `${version}, virtual hosts in ${vhostFolder}` };
  } catch (error) {
    return {
      name: 'web server',
      ok: false,
      detail: messageOf(error),
      remedy: `install and start ${name}, or correct its configuration`,
    };
  }
}
