import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { errorMessage } from '../../kernel/errors.ts';
import { askSite } from '../../kernel/kit/net/ask-site.ts';
import { defineJob } from '../../kernel/kit/jobs/job.ts';
import type { Host } from '../../kernel/contract/plugin.ts';
import type { DomainDirectory } from '../../kernel/contract/points/domain-directory.ts';
import type { Finding } from '../../kernel/contract/points/finding.ts';
import type { Driver } from './drivers.ts';
import type findPage from './page-job.ts';
import { newToken } from './vhosts/change-batcher.ts';
import { compileTemplate } from './vhosts/template.ts';
import type { VhostVerbs } from './vhosts/vhost-writer.ts';
import { canConnect, connectAddress, untilServed } from './web-server.ts';
import type { WebServerCommands } from './web-server-commands.ts';

const PAGE_MS = 5000;
/** Domains that are looked at for one with a page. */
const TRIED = 50;

interface Proof {
  readonly driver: Driver;
  readonly writer: VhostVerbs;
  readonly commands: WebServerCommands;
  readonly listen: string;
  /** How long the server may take to serve a change. */
  readonly timeoutMs: number;
}

/** Reloads the web server, sees that it serves the change, and has it read a site. */
export async function findings(
  host: Pick<Host, 'identity' | 'jobs'>,
  proof: Proof,
  domains: DomainDirectory,
): Promise<Finding[]> {
  const found = await serverFinding(proof);
  if (!found.ok) return [found];
  return [found, await reloadFinding(proof), await siteFinding(host, proof, domains)];
}

/** Includes the templates and a check, because with a broken configuration every change fails. */
export async function serverFinding({ driver, writer, commands }: Proof): Promise<Finding> {
  const name = 'web server';
  try {
    for (const file of [driver.templateFile, driver.suspendedTemplateFile])
      compileTemplate(await readFile(file, 'utf8'));
    const version = (await commands.run('version')).trim();
    await writer.apply({ id: newToken(), changes: [], reload: null });
    return { name, ok: true, detail: `${version}, virtual hosts in ${driver.vhostFolder}` };
  } catch (error) {
    const remedy = `install and start ${driver.name}, or correct its configuration`;
    return { name, ok: false, detail: errorMessage(error), remedy };
  }
}

async function reloadFinding(proof: Proof): Promise<Finding> {
  const { name: program, vhostFolder } = proof.driver;
  const name = 'reload';
  try {
    await prove(proof);
    return { name, ok: true, detail: `${program} served a virtual host that was put up for this check` };
  } catch (error) {
    const include = program === 'nginx' ? `include ${vhostFolder}/*.conf;` : `import ${vhostFolder}/*.conf`;
    const where = program === 'nginx' ? 'the http block of its configuration' : 'its Caddyfile';
    const remedy = `put the line "${include}" into ${where}, and see that webserver.reload works and webserver.listen is right`;
    return { name, ok: false, detail: errorMessage(error), remedy };
  }
}

/** Also where a server waits for its reload itself, which succeeds without the line that includes the virtual hosts. */
async function prove({ driver, writer, listen, timeoutMs }: Proof): Promise<void> {
  const token = newToken();
  try {
    await writer.reload({ token, isProof: true });
    if (timeoutMs > 0) await untilServed(driver, { listen, timeoutMs }, token);
  } finally {
    await writer.reload({ token: null, isProof: true }).catch(() => undefined); // the failure is that of the first reload
  }
  if (!(await canConnect(connectAddress(listen)))) throw new Error(`${driver.name} does not listen on ${listen}`);
}

/** The web server reads with its own user's rights, so what it answers is the proof. */
async function siteFinding(
  { identity: { accounts }, jobs }: Pick<Host, 'identity' | 'jobs'>,
  { driver, listen }: Proof,
  domains: DomainDirectory,
): Promise<Finding> {
  const name = 'site';
  const pool = jobs.open({ name: 'doctor', processes: 1, idleMs: 1000, waiting: 1 });
  const job = defineJob<typeof findPage>({
    beside: import.meta.url,
    script: 'page-job',
    timeoutMs: PAGE_MS,
    tooMuch: 'overloaded',
  });
  try {
    let tried = 0;
    for await (const domain of domains.all()) {
      if ((tried += 1) > TRIED) break;
      const account = await accounts.byId(domain.accountId);
      if (account === undefined || account.suspended) continue;
      const page = await pool.run(job, jobs.ownerOf(account), domain.components);
      if (page === null) continue;
      const { status } = await askSite(connectAddress(listen), domain.name, `/${page}`, AbortSignal.timeout(PAGE_MS));
      const file = join(account.filesRoot, ...domain.components, page);
      if (status >= 200 && status < 400) return { name, ok: true, detail: `${driver.name} reads ${file}` };
      const detail = `${driver.name} answers http://${domain.name}/${page} with ${status}, and the file is ${file}`;
      const remedy = `let the user of ${driver.name} pass and read: \`namei -l ${file}\` shows where it may not`;
      return { name, ok: false, detail, remedy };
    }
    return { name, ok: true, isUntried: true, detail: 'none has a page yet that could be read' };
  } catch (error) {
    const remedy = 'see that the files of the accounts can be reached';
    return { name, ok: false, detail: errorMessage(error), remedy };
  } finally {
    await pool.close();
  }
}
