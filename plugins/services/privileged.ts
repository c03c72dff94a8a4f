import { definePrivileged } from '../../kernel/contract/privileged.ts';
import { ServicePrograms, type ServiceVerbs } from './programs/service-programs.ts';
import { ServicesConfig } from './schema.ts';

/** Starts and ends the services of accounts. */
export default definePrivileged<ServiceVerbs>()({
  name: 'services',
  config: ServicesConfig,
  verbs: ['start', 'stop', 'end', 'running'],
  timeoutMs: 30_000,
  open: (host) => new ServicePrograms(host),
});
