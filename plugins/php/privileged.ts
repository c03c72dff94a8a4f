import { definePrivileged } from '../../kernel/contract/privileged.ts';
import { PhpPools } from './pools/php-pools.ts';
import type { PhpVerbs } from './pools/php-verbs.ts';
import { PhpConfig } from './schema.ts';

/** Starts and ends the processes that run PHP as accounts. */
export default definePrivileged<PhpVerbs>()({
  name: 'php',
  config: PhpConfig,
  verbs: ['start', 'stop', 'rest', 'restart', 'end', 'running', 'figures', 'info', 'prove'],
  timeoutMs: 30_000,
  open: (host) => new PhpPools(host),
});
