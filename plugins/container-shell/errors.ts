import { defineErrors } from '../../kernel/errors.ts';

/** The errors of this plugin; `locales/` has their titles in other languages. */
export const fail = defineErrors({
  container_not_found: [404, 'Container not found'],
  container_not_running: [409, 'The container does not run'],
  container_not_isolated: [409, 'The container shares rights of the machine'],
  containers_unavailable: [503, 'Containers not available at the moment'],
  shell_unavailable: [503, 'No shells on this server'],
});
