import type { Host } from '../../kernel/contract/plugin.ts';
import type { Finding } from '../../kernel/contract/points/finding.ts';
import { errorMessage } from '../../kernel/errors.ts';
import type { Certificates } from './certificates.ts';
import type { Issuing } from './issuing/issuing.ts';
import { lackOfProof } from './issuing/proof.ts';
import type { CertificatesConfig } from './schema.ts';
import { countTls } from './store.ts';

const AUTHORITY_MS = 20_000;

/** Proves what an order needs, without one: authorities count those. */
export async function findings(
  host: Host<CertificatesConfig>,
  certificates: Certificates,
  issuing: Issuing,
): Promise<Finding[]> {
  const { directory } = host.config;
  if (directory === '') {
    const detail = 'certificates.directory is empty, so a domain has a self-signed certificate, or its own';
    return [{ name: 'authority', ok: true, isUntried: true, detail }, await failuresFinding(host)];
  }
  return [
    await authorityFinding(directory, issuing),
    await proofFinding(directory, certificates),
    await failuresFinding(host),
  ];
}

async function authorityFinding(directory: string, issuing: Issuing): Promise<Finding> {
  const name = 'authority';
  try {
    await issuing.prove(AbortSignal.timeout(AUTHORITY_MS));
    return { name, ok: true, detail: `${directory} has an account for this server` };
  } catch (error) {
    const remedy = 'see that this server reaches certificates.directory, and that certificates.ca_file is right';
    return { name, ok: false, detail: errorMessage(error), remedy };
  }
}

/** Asks for the proof of one domain: all have theirs from the same settings and templates. */
async function proofFinding(directory: string, certificates: Certificates): Promise<Finding> {
  const name = 'proof';
  const untried = (detail: string): Finding => ({ name, ok: true, isUntried: true, detail });
  const webServer = await certificates.webServer();
  if (webServer?.takesTls !== true) return untried('no web server of this node answers over TLS');
  if (webServer.certifies === true) return untried(`${webServer.name ?? 'the web server'} proves domains by itself`);
  for await (const domain of certificates.domains.all()) {
    const { thumbprint } = await certificates.keys.account(directory);
    const lack = await lackOfProof(webServer, domain.name, thumbprint);
    if (lack === '') return { name, ok: true, detail: `${webServer.name ?? 'the web server'} proves ${domain.name}` };
    const remedy =
      'see that the web server includes the virtual hosts, that nothing else answers at webserver.listen, and that a template of your own has {{tls}}';
    return { name, ok: false, detail: lack, remedy };
  }
  return untried('this node has no domain');
}

async function failuresFinding({ store }: Pick<Host, 'store'>): Promise<Finding> {
  const { failing, expired } = await countTls(store, Date.now());
  const name = 'certificates';
  if (failing + expired === 0)
    return { name, ok: true, detail: 'none has expired, and none is lacking after a failure' };
  return {
    name,
    ok: false,
    isWarning: true,
    detail: `${expired} have expired, and ${failing} domains lack one, or a new one, after a failure`,
    remedy: 'the events certificate.failed say why; most often the domain does not lead to this server',
  };
}
