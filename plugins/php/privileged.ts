import { definePrivileged } from '../../kernel/contract/privileged.ts';
import { PhpPools, type PhpVerbs } from './pools/php-pools.ts';
import { PhpConfig } from './schema.ts';

/** Starts and ends the processes that run PHP as accounts. */
export default definePrivileged<PhpVerbs>()({
  name: 'php',
  config: PhpConfig,
  verbs: ['start', 'stop', 'rest', 'end', 'running', 'info', 'prove'],
  timeoutMs: 30_000,
  open: (host) => new PhpPools(host),
});
