import { defineErrors } from '../../kernel/errors.ts';

export const fail = defineErrors({
  webhook_not_found: [404, 'No such webhook'],
  webhook_exists: [409, 'Webhook already there'],
  webhook_not_editable: [409, 'Webhook not editable here'],
  webhooks_full: [409, 'No room for another webhook'],
});
