import { readFile } from 'node:fs/promises';
import { HttpError, messageOf } from '../../kernel/errors.ts';
import type { Host, Setup } from '../../kernel/plugin-api/plugin.ts';
import type { DemoReport } from '../../kernel/plugin-api/points/demo.ts';
import type { Finding } from '../../kernel/plugin-api/points/finding.ts';
import { counter } from '../../kernel/plugin-api/points/metric.ts';
import { NO_DOMAINS, type DomainDirectory } from '../../kernel/plugin-api/points/domain-directory.ts';
import { ChangeBatcher } from './change-batcher.ts';
import { shipped, type Driver } from './drivers.ts';
import { startReconciling } from './reconciling.ts';
import type { WebserverConfig } from './schema.ts';
import { compileTemplate, HEADER, type Render } from './template.ts';
import { VhostFolder } from './vhost-folder.ts';
import { Vhosts } from './vhosts.ts';
import { canConnect, connectAddressOf, WebServer } from './web-server.ts';

/** Keeps a virtual host for each domain, in a web server that the driver describes. */
export async function hostDomains(host: Host<WebserverConfig>, driver: Driver): Promise<Setup<Record<never, never>>> {
  const { config } = host;
  const folder = new VhostFolder(driver.vhostFolder);
  const server = new WebServer(driver, folder, config.listen, {
    commandMs: config.command_timeout_ms,
    servedMs: config.served_timeout_ms,
  });
  const domains = host.peer<DomainDirectory>('domains');
  const batcher = new ChangeBatcher(folder, server);
  const vhosts = new Vhosts({
    folder,
    batcher,
    render: await templateOf(driver.templateFile),
    renderSuspended: await templateOf(driver.suspendedTemplateFile),
    domains: domains ?? NO_DOMAINS,
    accounts: host.identity.accounts,
    virtualRoot: host.node.config.virtual_root,
    listen: config.listen,
    common: driver.commonFile && HEADER + (await readFile(driver.commonFile, 'utf8')),
    log: host.log,
  });
  host.onClose(() => batcher.idle());
  // While no plugin keeps domains, those that are served stay as they are.
  if (domains !== undefined) await startReconciling(host, folder, vhosts, await suspendedPage(host));
  return {
    handlers: {},
    provides: {
      domainAdded: (domain) => vhosts.add(domain),
      domainRemoved: (domain) => vhosts.remove(domain),
      purge: async ({ id }) => [{ what: 'virtual hosts', removed: await vhosts.removeOf(id) }],
      webServer: () => connectAddressOf(config.listen),
      metrics: () => [counter('hostkeep_webserver_reloads_total', 'Reloads of the web server', batcher.reloads)],
      doctor: async () => [await findingOf(driver, server)],
      health: async () => [await listenFinding(driver, config.listen)],
      demoOutside: async ({ demo }) =>
        reportOf(await findingOf(driver, server), config.listen, (await domains?.list(demo))?.[0]?.name),
    },
  };
}

function reportOf({ ok, detail, remedy = '' }: Finding, listen: string, domain: string | undefined): DemoReport {
  if (!ok) return { leftOut: [`webserver: ${detail} (${remedy})`] };
  const url = `http://${listen.includes(':') ? listen : `127.0.0.1:${listen}`}/`;
  return { uses: [`webserver: ${detail}${domain === undefined ? '' : `, see curl -s ${url} -H 'Host: ${domain}'`}`] };
}

/** Without a usable template every domain is refused; the log and doctor show the reason. */
async function templateOf(file: string): Promise<Render> {
  try {
    return compileTemplate(await readFile(file, 'utf8'));
  } catch (cause) {
    return () => {
      throw new HttpError('webserver_failed', 'the web server has no usable template', { cause });
    };
  }
}

/** Returns the operator's page for visitors of suspended sites, or the shipped one where that cannot be read. */
async function suspendedPage({ config, log }: Host<WebserverConfig>): Promise<string> {
  const page = shipped('suspended.html');
  try {
    return await readFile(config.suspended_page || page, 'utf8');
  } catch (error) {
    log.error({ err: error }, 'webserver.suspended_page cannot be read; the page of the plugin takes its place');
    return readFile(page, 'utf8');
  }
}

/** Only connects: a check of the configuration costs more the more domains there are. */
async function listenFinding({ name }: Driver, listen: string): Promise<Finding> {
  const isListening = await canConnect(connectAddressOf(listen));
  if (isListening) return { name: 'web server', ok: true, detail: `listens on ${listen}` };
  return {
    name: 'web server',
    ok: false,
    detail: `${name} does not listen on ${listen}`,
    remedy: `start ${name}, or correct webserver.listen`,
  };
}

/** Includes the template and a check, because with a broken configuration every change fails. */
async function findingOf({ name, vhostFolder, ...driver }: Driver, server: WebServer): Promise<Finding> {
  try {
    for (const file of [driver.templateFile, driver.suspendedTemplateFile])
      compileTemplate(await readFile(file, 'utf8'));
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
