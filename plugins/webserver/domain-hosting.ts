import { errorMessage } from '../../kernel/errors.ts';
import type { Host, Setup } from '../../kernel/contract/plugin.ts';
import { topic } from '../../kernel/contract/workers.ts';
import type { DemoReport } from '../../kernel/contract/points/demo.ts';
import type { Finding } from '../../kernel/contract/points/finding.ts';
import { counter } from '../../kernel/contract/points/metric.ts';
import type { SiteRule, SiteRules } from '../../kernel/contract/points/web-server-part.ts';
import { NO_DOMAINS, type DomainDirectory } from '../../kernel/areas/sites/domain-directory.ts';
import { ChangeBatcher } from './vhosts/change-batcher.ts';
import { findings, serverFinding } from './doctor.ts';
import type { Driver } from './drivers.ts';
import privileged from './privileged.ts';
import { startReconciling } from './reconciling.ts';
import type { WebserverConfig } from './schema.ts';
import { linkGuard } from './files-view.ts';
import type { OwnSite } from './rules/tls-rules.ts';
import { sharedFiles, siteRenderer, type RenderSite } from './vhosts/template.ts';
import { secretFileName, VhostFolder } from './vhosts/vhost-folder.ts';
import { Vhosts } from './vhosts/vhosts.ts';
import { canConnect, connectAddress, untilServed } from './web-server.ts';
import { WebServerCommands } from './web-server-commands.ts';

/** The `problem` of the virtual hosts in the process that reconciles them. */
const PROBLEM = topic<string | null>('webserver problem');
/** Domains named in a finding. */
const NAMED = 5;
/** A name of an account, for which each files root is as good as any. */
const ANYBODY = 'a';
/** The unit of the package that lets Caddy see the files. */
const MOUNT = 'run-hostkeep-sites-srv-hostkeep.mount';

/** Keeps a virtual host for each domain, in a web server that the driver describes. */
export async function hostDomains(host: Host<WebserverConfig>, driver: Driver): Promise<Setup<Record<never, never>>> {
  const { config } = host;
  const writer = host.node.privileged(privileged, config);
  const served = { listen: config.listen, timeoutMs: config.served_timeout_ms };
  const assertNoLinks = linkGuard(driver);
  const renderAny = await siteRenderer(driver);
  const render: RenderSite = (site, filesRoot) => {
    if (!site.isSuspended) assertNoLinks(filesRoot);
    return renderAny(site, filesRoot);
  };
  const domains = host.peer<DomainDirectory>('domains');
  const batcher = new ChangeBatcher(
    writer,
    async (token) => (driver.awaitsServed ? untilServed(driver, served, token) : undefined),
    () => host.workers.acquire('web server', 1),
    !host.node.isServing,
  );
  const vhosts = new Vhosts({
    folder: new VhostFolder(driver.vhostFolder),
    batcher,
    async prepare() {
      const { own, pem } = await serverSite(host);
      if (pem !== '') await writer.keep([pem]);
      await writer.prepare(own);
    },
    render,
    domains: domains ?? NO_DOMAINS,
    accounts: host.identity.accounts,
    virtualRoot: host.node.config.virtual_root,
    rules: (domainIds) => gatherRules(host, domainIds),
    shared: async () => sharedFiles(driver, (await serverSite(host)).own),
    log: host.log,
  });
  host.onClose(() => batcher.idle());
  // While no plugin keeps domains, those that are served stay as they are. Before its setup, a plugin has no rules for its sites.
  const start = () => host.node.afterSetup(() => startReconciling(host, writer, vhosts));
  if (domains !== undefined) await host.node.onLeader(start);
  const linksFindings = (): Finding[] => {
    try {
      assertNoLinks(host.jobs.rootOf(ANYBODY).path);
      return [];
    } catch (error) {
      const remedy = `mount the folder above the files of accounts there, with the options bind,ro,nosymfollow (the package: systemctl enable --now ${MOUNT})`;
      return [{ name: 'links', ok: false, detail: errorMessage(error), remedy }];
    }
  };
  host.onClose(host.workers.respond(PROBLEM, () => vhosts.problem ?? null));
  const vhostFindings = async (): Promise<Finding[]> => {
    const answers = await host.workers.query(PROBLEM);
    const problem = vhosts.problem ?? answers.map((each) => ('value' in each ? each.value : null)).find(Boolean);
    return problem ? [vhostFinding(problem)] : [];
  };
  const outdatedFinding = async (): Promise<Finding> => {
    try {
      const names = await vhosts.outdated();
      if (names.length === 0)
        return { name: 'virtual hosts', ok: true, detail: 'each domain has the one that it needs' };
      const more = names.length > NAMED ? `, and ${names.length - NAMED} more` : '';
      return vhostFinding(`not as the domain needs it: ${names.slice(0, NAMED).join(', ')}${more}`);
    } catch (error) {
      return vhostFinding(errorMessage(error));
    }
  };
  const proof = { driver, writer, commands: new WebServerCommands(driver, config.command_timeout_ms), ...served };
  return {
    handlers: {},
    ...(driver.logFiles && { service: driver.logFiles }),
    provides: {
      domainAdded: (domain) => vhosts.add(domain),
      domainRemoved: (domain) => vhosts.remove(domain),
      siteChanged: (domain) => vhosts.change(domain),
      move: () => ({
        obstacles: () => [],
        leftToDo: (_, node) =>
          config.template === '' ? [] : [`see that ${node} has what ${config.template} names, such as certificates`],
      }),
      purge: async ({ id }) => [{ what: 'virtual hosts', removed: await vhosts.removeOf(id) }],
      webServer: () => ({
        ...connectAddress(config.listen),
        name: driver.name,
        takesTls: driver.listenTls !== '',
        ...(driver.listenTls !== '' && { tlsPort: driver.tlsPort }),
        certifies: driver.certifies,
        followsNoLinks: driver.filesView !== '',
      }),
      software: () => ({ webserver: driver.name }),
      metrics: () => [counter('hostkeep_webserver_reloads_total', 'Reloads of the web server', batcher.reloads)],
      doctor: async () => [...linksFindings(), ...(await findings(proof)), await outdatedFinding()],
      health: async () => [...linksFindings(), await listenFinding(driver, config.listen), ...(await vhostFindings())],
      demoOutside: async ({ demo }) =>
        reportOf(await serverFinding(proof), config.listen, (await domains?.list(demo))?.[0]?.name),
    },
  };
}

async function serverSite({ gather }: Host): Promise<{ readonly own: OwnSite | null; readonly pem: string }> {
  const [part] = await gather('serverSite');
  if (part?.ok === false) throw part.error;
  if (!part?.value) return { own: null, pem: '' };
  const { pem, ...site } = part.value;
  return { own: { ...site, certificate: secretFileName(pem, 'pem') }, pem };
}

async function gatherRules({ gather }: Host, domainIds: readonly number[]): Promise<SiteRules> {
  const all = new Map<number, SiteRule>();
  for (const part of await gather('siteRules', domainIds)) {
    if (!part.ok) throw part.error;
    for (const [id, { names = [], parts, ...rule }] of part.value) {
      const before = all.get(id);
      const several = { names: [...(before?.names ?? []), ...names], parts: { ...before?.parts, ...parts } };
      all.set(id, { ...before, ...rule, ...several });
    }
  }
  return all;
}

function reportOf({ ok, detail, remedy = '' }: Finding, listen: string, domain: string | undefined): DemoReport {
  if (!ok) return { leftOut: [`webserver: ${detail} (${remedy})`] };
  const url = `http://${listen.includes(':') ? listen : `127.0.0.1:${listen}`}/`;
  return { uses: [`webserver: ${detail}${domain === undefined ? '' : `, see curl -s ${url} -H 'Host: ${domain}'`}`] };
}

const vhostFinding = (detail: string): Finding => ({
  name: 'virtual hosts',
  ok: false,
  detail,
  remedy: 'correct what the web server refuses; the server tries again by itself, and at once with `hostkeep reload`',
});

/** Only connects: a check of the configuration costs more the more domains there are. */
async function listenFinding({ name }: Driver, listen: string): Promise<Finding> {
  if (await canConnect(connectAddress(listen))) return { name: 'web server', ok: true, detail: `listens on ${listen}` };
  return {
    name: 'web server',
    ok: false,
    detail: `${name} does not listen on ${listen}`,
    remedy: `start ${name}, or correct webserver.listen`,
  };
}
