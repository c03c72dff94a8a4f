import { ask, at, defineArea, toUnicode } from '../../pages/kit/index.ts';

const FOUND = 6;

/** The reply of this path at the admin address, which `api` has for the other one. */
interface Owned {
  readonly domains: readonly { readonly domain_url: string; readonly username: string }[];
}

/** Finds the account that has a domain; there is no page of all domains. */
export default defineArea({
  name: 'domains',
  order: 10,
  parts: [{ page: '/accounts/open', order: 10, load: () => import('./account-domains.tsx') }],
  find: {
    features: [],
    by: async (text) => {
      const { domains } = await ask<Owned>('GET', `/api/domains?q=${encodeURIComponent(text)}&limit=${FOUND}`);
      return domains.map(({ domain_url: name, username }) => ({
        group: 'domains.title',
        icon: 'globe',
        title: toUnicode(name),
        detail: username,
        link: at(`/accounts/${username}`),
      }));
    },
  },
});
