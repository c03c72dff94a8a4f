import { defineErrors } from '../../kernel/errors.ts';

/** The errors of this plugin; `locales/` has their titles in other languages. */
export const fail = defineErrors({
  container_not_found: [404, 'Container not found'],
  container_limit_reached: [409, 'More than the plan allows a container'],
  container_change_refused: [409, 'The container engine refused the change'],
  containers_unavailable: [503, 'Containers not available at the moment'],
});
