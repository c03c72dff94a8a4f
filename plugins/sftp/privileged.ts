import { definePrivileged } from '../../kernel/contract/privileged.ts';
import { SftpConfig } from './schema.ts';
import { SftpServer } from './server/sftp-server.ts';
import type { SftpVerbs } from './server/sftp-verbs.ts';

/** Writes by which logins ProFTPD lets customers in, and ends their sessions. */
export default definePrivileged<SftpVerbs>()({
  name: 'sftp',
  config: SftpConfig,
  verbs: ['serving', 'tend', 'put', 'remove', 'sessions', 'end'],
  timeoutMs: 30_000,
  open: (host) => new SftpServer(host),
});
