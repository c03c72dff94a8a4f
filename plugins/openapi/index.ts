import { definePlugin } from '../../kernel/plugin.ts';
import { unauthenticated } from '../../kernel/routes.ts';
import { Descriptions } from './document.ts';
import { readExamples } from './examples.ts';
import { PageFiles } from './page.ts';
import { Description, Text } from './schema.ts';

const open = { method: 'GET', address: 'both', access: 'guest' } as const;

export default definePlugin({
  name: 'openapi',
  features: [],
  routes: {
    describe: {
      ...open, path: '/openapi.json', summary: 'The description of this API in OpenAPI 3.1', reply: Description, headers: ['authorization'], errors: ['authentication_required'],
      description: 'With a token: what its account may use. Without: what is open to anybody.',
    },
    page: { ...open, path: '/docs', summary: 'A page that shows the description and tries requests out', reply: Text, produces: ['text/html'] },
    script: { ...open, path: '/docs/docs.js', summary: 'Script of the page', reply: Text, produces: ['text/javascript'] },
    style: { ...open, path: '/docs/docs.css', summary: 'Style sheet of the page', reply: Text, produces: ['text/css'] },
    bundle: { ...open, path: '/docs/swagger-ui-bundle.js', summary: 'Swagger UI', reply: Text, produces: ['text/javascript'] },
    bundleStyle: { ...open, path: '/docs/swagger-ui.css', summary: 'Style sheet of Swagger UI', reply: Text, produces: ['text/css'] },
  },
  setup({ node, directory }) {
    const descriptions = new Descriptions(node, readExamples());
    const files = new PageFiles();
    return {
      handlers: {
        describe: (call) => {
          const authorization = call.header('authorization');
          if (authorization === '') return descriptions.of(call.address, undefined);
          return directory.sessions.resolve(authorization).then((known) => {
            if (known === undefined) throw unauthenticated();
            return descriptions.of(call.address, known.account);
          });
        },
        page: () => files.get('page'),
        script: () => files.get('script'),
        style: () => files.get('style'),
        bundle: () => files.get('bundle'),
        bundleStyle: () => files.get('bundleStyle'),
      },
    };
  },
});
