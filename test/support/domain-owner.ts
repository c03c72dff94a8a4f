import type { Person, TestServer } from './hostkeep.ts';

export interface DomainOwner extends Person {
  readonly domain: string;
}

/** Resolves with somebody who has a domain. */
export async function domainOwner(
  server: TestServer,
  username: string,
  { domain = `${username}.example`, plan }: { domain?: string; plan?: string } = {},
): Promise<DomainOwner> {
  const own = await server.user(username, plan);
  await own.asks('POST /api/domains/new', { domain_url: domain }, 201);
  return { ...own, domain };
}
