import type { Webhook } from '../../kernel/contract/points/webhook.ts';
import { replySchema } from './json-schema.ts';
import type { Members } from './members.ts';
import type { NamedSchemas } from './named-schemas.ts';

/** Returns the path items of the requests that the server sends, by name. */
export function webhookItems(webhooks: readonly Webhook[], named: NamedSchemas): Members {
  return Object.fromEntries(webhooks.map((each) => [each.name, { post: operationOf(each, named) }]));
}

function operationOf({ name, summary, description, headers, body }: Webhook, named: NamedSchemas): Members {
  return {
    operationId: `webhooks.${name}`,
    tags: ['webhooks'],
    summary,
    description,
    parameters: Object.entries(headers).map(([header, text]) => ({
      name: header,
      in: 'header',
      required: true,
      description: text,
      schema: { type: 'string' },
    })),
    requestBody: { required: true, content: { 'application/json': { schema: replySchema(body, named) } } },
    responses: {
      '2XX': { description: 'Received' },
      '4XX': { description: 'Tried again later, as is everything but 2xx' },
    },
    security: [],
  };
}
