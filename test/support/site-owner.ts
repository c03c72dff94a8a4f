import type { Person, TestServer } from './hostkeep.ts';

export interface SiteOwner extends Person {
  readonly domain: string;
}

/** Resolves with somebody who has a domain. */
export async function siteOwner(
  server: TestServer,
  username: string,
  { domain = `${username}.example`, plan }: { domain?: string; plan?: string } = {},
): Promise<SiteOwner> {
  const own = await server.user(username, plan);
  await own.asks('POST /api/domains/new', { domain_url: domain }, 201);
  return { ...own, domain };
}
