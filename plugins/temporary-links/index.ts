import { DomainParams, forgetRemoved } from '../../kernel/areas/sites/domain-directory.ts';
import { definePlugin } from '../../kernel/contract/plugin.ts';
import { fail } from './errors.ts';
import { events } from './events.ts';
import {
  NewTemporaryLink,
  RemovedTemporaryLink,
  TemporaryLinkEntry,
  TemporaryLinkList,
  TemporaryLinksConfig,
} from './schema.ts';
import { TemporaryLinks } from './temporary-links.ts';

/** Browsers look for it, and for all names below it, on their own machine (RFC 6761). */
const OF_DEMO = 'preview.localhost';

export default definePlugin({
  name: 'temporary-links',
  description: 'Links at which a site can be seen before its own name leads to the server.',
  features: ['temporary_links'],
  uses: ['domains'],
  errors: fail,
  events,
  config: TemporaryLinksConfig,
  routes: {
    list: {
      method: 'GET',
      path: '/api/temporary-links',
      at: 'home',
      summary: 'List the temporary links of the account by domain',
      description: 'A domain has one at most.',
      reply: TemporaryLinkList,
    },
    make: {
      method: 'POST',
      path: '/api/temporary-links',
      at: 'home',
      summary: 'Make a link at which the site of a domain can be seen',
      description:
        'The site answers at a random name by plain HTTP until the link expires; search engines are told to keep it out. A ' +
        'new link takes the place of the one before. An application that leads visitors to its own name does so here as well.',
      idempotencyKey: 'kept',
      body: NewTemporaryLink,
      reply: TemporaryLinkEntry,
      status: 201,
      errors: ['domain_not_found', 'temporary_links_not_offered', 'webserver_failed'],
    },
    remove: {
      method: 'DELETE',
      path: '/api/temporary-links/:domain',
      at: 'home',
      summary: 'Remove the temporary link of a domain',
      description: 'The name leads nowhere from then on.',
      params: DomainParams,
      reply: RemovedTemporaryLink,
      errors: ['domain_not_found', 'temporary_link_not_found', 'webserver_failed'],
    },
  },
  async setup(host) {
    const { node, log, onClose } = host;
    const preview_domain = host.config.preview_domain || (node.isDemo ? OF_DEMO : '');
    const config = { ...host.config, preview_domain };
    const links = new TemporaryLinks({ ...host, config });
    forgetRemoved(host, (id) => links.forget(id));
    let removing: Promise<void> | undefined;
    const removeExpired = () => {
      removing ??= links
        .removeExpired()
        .catch((err: unknown) => log.error({ err }, 'an expired temporary link could not be removed'))
        .finally(() => (removing = undefined));
    };
    if (node.isServing)
      await node.onLeader(() => {
        const timer = setInterval(removeExpired, config.check_seconds * 1000).unref();
        onClose(() => removing);
        onClose(() => clearInterval(timer));
      });
    return {
      handlers: {
        list: async ({ account }) => ({
          links: await links.list(account),
          is_offered: links.isOffered,
          hours: config.hours,
        }),
        make: ({ account, body, ip }) => links.make(account, body.domain_url, ip),
        remove: async ({ account, params, ip }) => ({
          domain_url: await links.remove(account, params.domain, ip),
          deleted: true as const,
        }),
      },
      provides: { siteRules: (domainIds) => links.rules(domainIds) },
    };
  },
});
