import { once } from 'node:events';
import { connect } from 'node:tls';
import type { WebServerPart } from '../../../kernel/contract/points/web-server-part.ts';
import { describeCertificate, isSelfSigned, type CertificateFacts } from '../check-certificate.ts';

/** Why visitors get no certificate of a name, in words for people. */
export class NotServed extends Error {
  /** Whether the web server has none; otherwise it does not answer, and may have one. */
  readonly isLacking: boolean;
  constructor(message: string, isLacking: boolean, cause?: unknown) {
    super(message, { cause });
    this.isLacking = isLacking;
  }
}

/** Resolves with the certificate that a web server shows visitors of a name. Rejects with `NotServed`, also when aborted. */
export async function servedCertificate(
  { host, tlsPort, name: program = 'the web server' }: WebServerPart,
  name: string,
  signal: AbortSignal,
): Promise<CertificateFacts> {
  const socket = connect({ host, port: tlsPort, servername: name, rejectUnauthorized: false });
  try {
    await once(socket, 'secureConnect', { signal });
    const leaf = socket.getPeerX509Certificate();
    if (leaf?.checkHost(name, { subject: 'never' }) !== undefined && !isSelfSigned(leaf))
      return describeCertificate(leaf);
  } catch (error) {
    const { code = '', reason = '' } = error as { readonly code?: string; readonly reason?: string };
    if (code.startsWith('ERR_SSL_')) throw new NotServed(`${program} has no certificate yet: ${reason}`, true, error);
    const why = signal.aborted ? 'in time' : `(${code})`;
    throw new NotServed(`${program} does not answer over TLS ${why}`, false, error);
  } finally {
    socket.destroy();
  }
  throw new NotServed(`${program} has no certificate yet, and shows one that is not for this name`, true);
}
