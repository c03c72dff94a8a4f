import { once } from 'node:events';
import { connect } from 'node:net';
import type { Finding } from '../../kernel/contract/points/finding.ts';
import { errorMessage } from '../../kernel/errors.ts';
import type { SftpConfig } from './schema.ts';
import type { SftpVerbs } from './server/sftp-server.ts';

const BANNER_MS = 5000;
const REMEDY = 'systemctl restart proftpd; `journalctl -u proftpd` says why it does not start';

/** Whether ProFTPD runs and answers as SSH at the port of the settings. */
export async function doctor(config: SftpConfig, verbs: SftpVerbs): Promise<Finding[]> {
  const name = 'ProFTPD';
  const where = `port ${config.port}`;
  try {
    const { isRunning } = await verbs.tend(null);
    if (!isRunning) return [{ name, ok: false, detail: 'ProFTPD does not run', remedy: REMEDY }];
    const banner = await readBanner(config);
    if (banner.startsWith('SSH-2.0-mod_sftp')) return [{ name, ok: true, detail: `${banner} answered at ${where}` }];
    const remedy = 'see that no other program has the port, and that /etc/proftpd/proftpd.conf includes conf.d';
    return [{ name, ok: false, detail: `at ${where} answers ${JSON.stringify(banner)}`, remedy }];
  } catch (error) {
    return [{ name, ok: false, detail: `${where}: ${errorMessage(error)}`, remedy: REMEDY }];
  }
}

/** Resolves with the first line that a server sends. */
async function readBanner({ address, port }: SftpConfig): Promise<string> {
  const host = ['', '0.0.0.0', '::'].includes(address) ? '127.0.0.1' : address;
  const socket = connect({ host, port, signal: AbortSignal.timeout(BANNER_MS) });
  try {
    const [bytes] = (await once(socket, 'data', { signal: AbortSignal.timeout(BANNER_MS) })) as [Buffer];
    return bytes.toString('latin1').split('\r\n')[0]?.slice(0, 100) ?? '';
  } finally {
    socket.destroy();
  }
}
