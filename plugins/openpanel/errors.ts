import { defineErrors } from '../../kernel/errors.ts';

export const fail = defineErrors({
  domain_not_found: [404, 'Domain not found'],
  not_offered: [501, 'Not offered by this server'],
  post_required: [405, 'Another method is required'],
});
