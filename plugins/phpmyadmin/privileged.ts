import { definePrivileged } from '../../kernel/contract/privileged.ts';
import { SessionPools, type SessionVerbs } from './pools/session-pools.ts';
import { PhpMyAdminConfig } from './schema.ts';

/** Starts and ends the processes that run phpMyAdmin as accounts. */
export default definePrivileged<SessionVerbs>()({
  name: 'phpmyadmin',
  config: PhpMyAdminConfig,
  verbs: ['start', 'end', 'running'],
  timeoutMs: 30_000,
  open: (host) => new SessionPools(host),
});
