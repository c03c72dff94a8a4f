import { join } from 'node:path';
import type { Host } from '../../kernel/contract/plugin.ts';
import type { DomainDirectory } from '../../kernel/areas/sites/domain-directory.ts';
import type { Finding } from '../../kernel/contract/points/finding.ts';
import { findWebServer } from '../../kernel/contract/points/web-server-part.ts';
import { errorMessage } from '../../kernel/errors.ts';
import { defineJob } from '../../kernel/kit/jobs/job.ts';
import { askSite } from '../../kernel/kit/net/ask-site.ts';
import type findPage from './page-job.ts';

const PAGE_MS = 5000;
/** Domains that are looked at for one with a page. */
const TRIED = 50;
const PAGE = defineJob<typeof findPage>({
  beside: import.meta.url,
  script: 'page-job',
  timeoutMs: PAGE_MS,
  tooMuch: 'overloaded',
});

/** Has the web server, if there is one, read a site. It reads with its own user's rights, so what it answers is the proof. */
export async function siteFindings(
  { gather, identity: { accounts }, jobs }: Pick<Host, 'gather' | 'identity' | 'jobs'>,
  domains: Pick<DomainDirectory, 'all'>,
): Promise<Finding[]> {
  const server = await findWebServer({ gather });
  if (server === undefined) return [];
  const { name: program = 'the web server' } = server;
  const name = 'site';
  const pool = jobs.open({ name: 'doctor', processes: 1, idleMs: 1000, waiting: 1 });
  try {
    let tried = 0;
    for await (const domain of domains.all()) {
      if ((tried += 1) > TRIED) break;
      const account = await accounts.byId(domain.accountId);
      if (account === undefined || account.suspended) continue;
      const page = await pool.run(PAGE, jobs.ownerOf(account), domain.components);
      if (page === null) continue;
      const { status } = await askSite(server, domain.name, `/${page}`, AbortSignal.timeout(PAGE_MS));
      const file = join(account.filesRoot, ...domain.components, page);
      if (status >= 200 && status < 400) return [{ name, ok: true, detail: `${program} reads ${file}` }];
      const detail = `${program} answers http://${domain.name}/${page} with ${status}, and the file is ${file}`;
      const remedy = `let the user of ${program} pass and read: \`namei -l ${file}\` shows where it may not`;
      return [{ name, ok: false, detail, remedy }];
    }
    return [{ name, ok: true, isUntried: true, detail: 'none has a page yet that could be read' }];
  } catch (error) {
    const remedy = 'see that the files of the accounts can be reached';
    return [{ name, ok: false, detail: errorMessage(error), remedy }];
  } finally {
    await pool.close();
  }
}
