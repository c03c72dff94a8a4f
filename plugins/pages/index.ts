import { definePlugin } from '../../kernel/contract/plugin.ts';
import { Assets } from './assets.ts';
import { linksTo, shortHandlers, shortRoutes } from './place-index.ts';
import { sessionView } from './session-view.ts';
import { AssetParams, ConsoleQuery, PageParams, SessionReply, Text } from './schema.ts';

const page = {
  method: 'GET',
  access: 'guest',
  reply: Text,
  headers: ['accept', 'if-none-match'],
  produces: ['text/html'],
  errors: ['not_found'],
  described: false,
} as const;
const deepLinks = 'Requests that do not accept HTML are 404.';

export default definePlugin({
  name: 'pages',
  description: 'Who is logged in to the pages.',
  features: [],
  routes: () => ({
    ...shortRoutes(),
    start: {
      ...page,
      address: 'both',
      path: '/',
      summary: 'The page for people: the home of customers, or the console of administrators',
      description: deepLinks,
    },
    home: {
      ...page,
      path: ['/home/*page', '/home'],
      summary: 'The home of customers, opened at a place in it',
      description: deepLinks,
      params: PageParams,
    },
    console: {
      ...page,
      address: 'admin',
      path: ['/console/*page', '/console'],
      summary: 'The console of administrators, opened at a place in it',
      description: deepLinks,
      params: PageParams,
      query: ConsoleQuery,
    },
    asset: {
      method: 'GET',
      path: '/assets/*name',
      address: 'both',
      access: 'guest',
      summary: 'A script, style sheet or picture of the pages',
      described: false,
      params: AssetParams,
      headers: ['accept-encoding'],
      reply: Text,
      produces: ['text/javascript', 'text/css', 'image/svg+xml'],
      errors: ['not_found'],
    },
    session: {
      method: 'GET',
      path: '/api/session',
      address: 'both',
      access: 'guest',
      summary: 'Get who is logged in, until when, and what they may use',
      description: 'null without a valid session on this address, so that a page can ask before anybody has logged in.',
      headers: ['authorization'],
      reply: SessionReply,
    },
  }),
  setup({ node, identity }) {
    let assets = new Assets();
    const shellOf = (app: 'home' | 'console') => (call: { header(name: 'accept' | 'if-none-match'): string }) => {
      if (node.isDemo) assets = new Assets(); // `npm run dev` builds while the demo runs
      return assets.shell(app, call.header('accept'), call.header('if-none-match'));
    };
    const shells = { user: shellOf('home'), admin: shellOf('console') };
    return {
      handlers: {
        ...shortHandlers(),
        start: (call) => shells[call.address](call),
        home: shells.user,
        console: shells.admin,
        asset: (call) => assets.file(call.params.name, call.header('accept-encoding')),
        session: (call) => sessionView(node, identity, call.address, call.header('authorization')),
      },
      provides: { featureLinks: linksTo },
    };
  },
});
