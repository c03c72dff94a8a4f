import { ask } from './api.ts';
import { useQuery, type Query } from './query.ts';

interface Domains {
  readonly domains: readonly { readonly domain_url: string }[];
}

/** Asks for the names of the account's domains, in ASCII. They are another plugin's, which may be off. */
export const useDomainNames = (): Query<readonly string[]> =>
  useQuery('domain names', async () =>
    (await ask<Domains>('GET', '/api/domains')).domains.map(({ domain_url: name }) => name),
  );
