import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { errorMessage } from '../../../kernel/errors.ts';
import type { SftpConfig } from '../schema.ts';
import type { KeyType } from './proftpd-config.ts';

/**
 * Resolves with the type of the key. ProFTPD reads certificate and key for each connection, so that new ones in the same files need
 * no reload. Rejects, with a message for operators, where they cannot be read or do not belong together.
 */
export async function readFtpsKey({ ftps }: SftpConfig): Promise<KeyType> {
  if (ftps.certificate === '' || ftps.key === '') throw new Error('FTPS needs sftp.ftps.certificate and sftp.ftps.key');
  try {
    const certificate = new X509Certificate(await readFile(ftps.certificate));
    const key = createPrivateKey(await readFile(ftps.key));
    const type = ({ rsa: 'RSA', ec: 'EC' } as Readonly<Record<string, KeyType>>)[key.asymmetricKeyType ?? ''];
    if (type === undefined) throw new Error(`a key of the type ${key.asymmetricKeyType} is not served`);
    if (!certificate.checkPrivateKey(key)) throw new Error('certificate and key do not belong together');
    return type;
  } catch (cause) {
    throw new Error(`FTPS: ${errorMessage(cause)}`, { cause });
  }
}
