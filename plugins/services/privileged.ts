import { definePrivileged } from '../../kernel/contract/privileged.ts';
import { ServicePrograms } from './programs/service-programs.ts';
import type { ServiceVerbs } from './programs/service-verbs.ts';
import { ServicesConfig } from './schema.ts';

/** Starts and ends the services of accounts. */
export default definePrivileged<ServiceVerbs>()({
  name: 'services',
  config: ServicesConfig,
  verbs: ['missing', 'start', 'stop', 'log', 'end', 'running', 'stored', 'folder', 'discard'],
  timeoutMs: 30_000,
  open: (host) => new ServicePrograms(host),
});
