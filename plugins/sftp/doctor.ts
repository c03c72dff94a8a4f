import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { Finding } from '../../kernel/contract/points/finding.ts';
import { errorMessage } from '../../kernel/errors.ts';
import type { SftpConfig } from './schema.ts';
import type { SftpVerbs } from './server/sftp-verbs.ts';

const ANSWER_MS = 5000;
const RESTART = 'systemctl restart proftpd; `journalctl -u proftpd` says why it does not start';
const LOOK = 'see that no other program has the port, and that /etc/proftpd/proftpd.conf includes conf.d';

/** Whether ProFTPD runs, serves by the settings, and answers as SSH, and as FTP over TLS, at their ports. */
export async function doctor(config: SftpConfig, verbs: SftpVerbs): Promise<Finding[]> {
  const failed = (detail: string, remedy: string): Finding => ({ name: 'ProFTPD', ok: false, detail, remedy });
  try {
    const { isRunning, problem } = await verbs.tend(null);
    if (problem !== null) return [failed(problem, 'correct the settings of sftp')];
    if (!isRunning) return [failed('ProFTPD does not run', RESTART)];
    const banner = await ask(config, config.port, firstLine);
    if (!banner.startsWith('SSH-2.0-mod_sftp'))
      return [failed(`at port ${config.port} answers ${JSON.stringify(banner)}`, LOOK)];
    const found: Finding = { name: 'ProFTPD', ok: true, detail: `${banner} answered at port ${config.port}` };
    return config.ftps.port === 0 ? [found] : [found, await examineFtps(config)];
  } catch (error) {
    return [failed(`port ${config.port}: ${errorMessage(error)}`, RESTART)];
  }
}

async function examineFtps(config: SftpConfig): Promise<Finding> {
  const { port, certificate } = config.ftps;
  const name = 'FTPS';
  try {
    const until = await ask(config, port, certificateEnd);
    const detail = `port ${port}: the certificate is valid until ${until.toISOString()}`;
    if (until.getTime() > Date.now()) return { name, ok: true, detail };
    return { name, ok: false, detail: detail.replace('is', 'was'), remedy: `renew ${certificate}` };
  } catch (error) {
    return { name, ok: false, detail: `port ${port}: ${errorMessage(error)}`, remedy: LOOK };
  }
}

async function ask<T>({ address }: SftpConfig, port: number, question: (socket: Socket) => Promise<T>): Promise<T> {
  const host = ['', '0.0.0.0', '::'].includes(address) ? '127.0.0.1' : address;
  const socket = connect({ host, port, signal: AbortSignal.timeout(ANSWER_MS) });
  try {
    return await question(socket);
  } finally {
    socket.destroy();
  }
}

/** Resolves with the first line that a server sends. */
async function firstLine(socket: Socket): Promise<string> {
  const [bytes] = (await once(socket, 'data', { signal: AbortSignal.timeout(ANSWER_MS) })) as [Buffer];
  return bytes.toString('latin1').split('\r\n')[0]?.slice(0, 100) ?? '';
}

/** Resolves with the end of the certificate that an FTP server shows (RFC 4217, section 4). */
async function certificateEnd(socket: Socket): Promise<Date> {
  await firstLine(socket);
  socket.write('AUTH TLS\r\n');
  const answer = await firstLine(socket);
  if (!answer.startsWith('234')) throw new Error(`AUTH TLS was answered by ${JSON.stringify(answer)}`);
  const secured = connectTls({ socket, rejectUnauthorized: false });
  await once(secured, 'secureConnect', { signal: AbortSignal.timeout(ANSWER_MS) });
  return new Date(secured.getPeerCertificate().valid_to);
}
