import { definePlugin } from '../../kernel/contract/plugin.ts';
import { asPageReply, assertOwnPage, LoginReply } from '../../kernel/areas/login.ts';
import { fail } from './errors.ts';
import { events } from './events.ts';
import { LoginLinks } from './login-links.ts';
import * as schema from './schema.ts';

export default definePlugin({
  name: 'login-links',
  description: 'Links with which an administrator, or a billing system, opens the account of a customer.',
  features: [],
  errors: fail,
  events,
  config: schema.LoginLinksConfig,
  routes: {
    loginLink: {
      method: 'POST',
      path: '/api/accounts/:username/login-link',
      address: 'admin',
      access: 'admin',
      tokens: { area: 'login-links' },
      idempotencyKey: 'refused',
      summary: 'Make a link that opens the account of a customer, once, within a minute',
      description:
        'Requires POST /api/reauthenticate in the same session, at most five minutes before, or an API token with the ' +
        'scope login-links:write, as for billing systems. The session that the link opens is marked, and cannot change ' +
        'credentials; the activity log of the account has both.',
      params: schema.AccountParams,
      reply: schema.LoginLink,
      errors: ['account_not_found', 'account_not_openable', 'reauthentication_required'],
    },
    useLoginLink: {
      method: 'POST',
      path: '/api/login-link',
      access: 'guest',
      summary: 'Log in with the link of an administrator',
      description:
        'Once, within a minute, while the session lives in which the link was made. To a page of this address the token goes ' +
        'as a cookie, as with POST /api/login.',
      body: schema.LoginLinkBody,
      reply: LoginReply,
      headers: ['user-agent', 'hostkeep-page'],
      errors: ['invalid_login_link', 'foreign_origin'],
    },
  },
  setup(host) {
    const links = new LoginLinks(host, () => host.config.home_url || host.node.url('user'));
    return {
      handlers: {
        loginLink: (call) => links.make(call.params.username, call),
        useLoginLink: async (call) => {
          assertOwnPage(call.header('hostkeep-page'), call.page);
          const client = { ip: call.ip, userAgent: call.header('user-agent') };
          return asPageReply(await links.open(call.body.code, client), call.page);
        },
      },
    };
  },
});
