import { definePlugin } from '../../kernel/contract/plugin.ts';
import { COMPRESSED, compressed } from '../../kernel/areas/etag-reply.ts';
import { unauthenticated } from '../../kernel/errors.ts';
import { reply } from '../../kernel/contract/reply.ts';
import { Descriptions } from './document.ts';
import { readExamples } from './examples.ts';
import { Description, Text } from './schema.ts';

const open = { method: 'GET', address: 'both', access: 'guest' } as const;
/** Where the page is, by address. */
const PAGE = { user: '/home/docs', admin: '/console/docs' } as const;

export default definePlugin({
  name: 'openapi',
  description: 'The description of this API.',
  features: [],
  routes: {
    describe: {
      ...open,
      path: '/openapi.json',
      summary: 'Get the description of this API in OpenAPI 3.1',
      reply: Description,
      headers: ['authorization', ...COMPRESSED],
      errors: ['authentication_required'],
      description: 'With a token, describes what its account may use; without one, what needs no token.',
    },
    page: {
      ...open,
      path: '/docs',
      summary: 'Go to the page that shows this API',
      description: 'The page is part of the home of customers, and of the console of administrators.',
      reply: Text,
      status: 302,
      produces: ['text/plain'],
      described: false,
    },
  },
  setup({ node, identity, gather }) {
    const descriptions = new Descriptions({ node, gather }, readExamples());
    return {
      handlers: {
        describe: (call) => {
          const authorization = call.header('authorization');
          if (authorization === '') return compressed(descriptions.of(call.address, undefined), call);
          const reply = identity.sessions.resolve(authorization, call.ip).then((known) => {
            if (known === undefined) throw unauthenticated();
            return descriptions.of(call.address, known.account);
          });
          return compressed(reply, call);
        },
        page: ({ address }) => reply('', { type: 'text/plain', status: 302, headers: { Location: PAGE[address] } }),
      },
    };
  },
});
