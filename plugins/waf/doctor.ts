import { open } from 'node:fs/promises';
import { errorMessage } from '../../kernel/errors.ts';
import type { Finding } from '../../kernel/contract/points/finding.ts';
import { askSite } from '../../kernel/kit/net/ask-site.ts';
import type { SitesWaf } from './sites-waf.ts';

const name = 'firewall';
const ATTACK = '/?hostkeep-doctor=%3Cscript%3Ealert(1)%3C/script%3E';
const TIMEOUT_MS = 5000;
const REMEDY =
  'install the module and the rules (apt-get install libnginx-mod-http-modsecurity modsecurity-crs), and have nginx load ' +
  'plugins/waf/rules/hostkeep.conf in its http block with modsecurity_rules_file';

/** Says what is missing for a firewall, and attacks a site that has one. */
export async function findings(path: string, waf: SitesWaf): Promise<Finding[]> {
  if (path === '') return [{ name, ok: true, isUntried: true, detail: 'no site has one, as waf.audit_log is not set' }];
  const webServer = await waf.webServer();
  if (webServer?.name !== 'nginx') {
    const detail = `no site has one, as ${webServer?.name ?? 'the web server'} has no such module`;
    return [{ name, ok: false, isWarning: true, detail, remedy: 'have nginx serve the sites, or empty waf.audit_log' }];
  }
  try {
    await (await open(path, 'r')).close();
  } catch (error) {
    return [{ name, ok: false, detail: errorMessage(error), remedy: `${REMEDY}; let this service read ${path}` }];
  }
  const domain = await waf.anyProtected();
  if (domain === undefined) return [{ name, ok: true, isUntried: true, detail: 'no site has switched it on' }];
  const { status } = await askSite(webServer, domain, ATTACK, AbortSignal.timeout(TIMEOUT_MS));
  if (status === 403) return [{ name, ok: true, detail: `nginx refuses an attack on ${domain}` }];
  if (status >= 300 && status < 400)
    return [{ name, ok: true, isUntried: true, detail: `${domain} leads elsewhere before it is checked` }];
  return [{ name, ok: false, detail: `nginx answers an attack on ${domain} with ${status}`, remedy: REMEDY }];
}
