import { definePlugin } from '../../kernel/plugin-api/plugin.ts';
import { unauthenticated } from '../../kernel/errors.ts';
import { Descriptions } from './document.ts';
import { readExamples } from './examples.ts';
import { PageFiles, type PageFile } from './page.ts';
import { Description, Text } from './schema.ts';

const open = { method: 'GET', address: 'both', access: 'guest' } as const;
const file = { ...open, reply: Text, headers: ['if-none-match'] } as const;

export default definePlugin({
  name: 'openapi',
  features: [],
  routes: {
    describe: {
      ...open,
      path: '/openapi.json',
      summary: 'This API, described in OpenAPI 3.1',
      reply: Description,
      headers: ['authorization'],
      errors: ['authentication_required'],
      description: 'With a token, describes what its account may use; without one, what needs no token.',
    },
    page: {
      ...file,
      path: '/docs',
      summary: 'Interactive API documentation',
      produces: ['text/html'],
    },
    script: {
      ...file,
      path: '/docs/docs.js',
      summary: 'Script of the documentation page',
      produces: ['text/javascript'],
    },
    style: {
      ...file,
      path: '/docs/docs.css',
      summary: 'Style sheet of the documentation page',
      produces: ['text/css'],
    },
    bundle: { ...file, path: '/docs/swagger-ui-bundle.js', summary: 'Swagger UI', produces: ['text/javascript'] },
    bundleStyle: {
      ...file,
      path: '/docs/swagger-ui.css',
      summary: 'Style sheet of Swagger UI',
      produces: ['text/css'],
    },
  },
  setup({ node, identity }) {
    const descriptions = new Descriptions(node, readExamples());
    const files = new PageFiles();
    const served = (name: PageFile) => async (call: { header(name: 'if-none-match'): string }) =>
      (await files.get(name)).answer(call.header('if-none-match'));
    return {
      handlers: {
        describe: (call) => {
          const authorization = call.header('authorization');
          if (authorization === '') return descriptions.of(call.address, undefined);
          return identity.sessions.resolve(authorization).then((known) => {
            if (known === undefined) throw unauthenticated();
            return descriptions.of(call.address, known.account);
          });
        },
        page: served('page'),
        script: served('script'),
        style: served('style'),
        bundle: served('bundle'),
        bundleStyle: served('bundleStyle'),
      },
    };
  },
});
