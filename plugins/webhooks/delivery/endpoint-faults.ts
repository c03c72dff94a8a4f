import { Unavailable } from '../../../kernel/errors.ts';
import type { EndpointConfig, WebhooksConfig } from '../schema.ts';
import { decodeKey } from './signatures.ts';

/** Throws `Unavailable` with the first setting that cannot be used, without its value: a URL may contain a secret, too. */
export function assertEndpoints({ endpoints }: WebhooksConfig): void {
  const seen = new Set<string>();
  for (const [i, endpoint] of endpoints.entries()) {
    const fault = urlFault(endpoint.url, seen) ?? secretFault(endpoint);
    if (fault !== undefined) throw new Unavailable(`webhooks.endpoints[${i}].${fault}`, 'correct the configuration');
    seen.add(new URL(endpoint.url).href);
  }
}

/** Returns what is wrong with a URL; `seen` are those that others have. */
export function urlFault(url: string, seen: ReadonlySet<string>): string | undefined {
  if (!URL.canParse(url)) return 'url is not a URL';
  const { username, password, href } = new URL(url);
  if (username !== '' || password !== '') return 'url must not contain a password';
  return seen.has(href) ? 'url is a duplicate' : undefined;
}

function secretFault(endpoint: EndpointConfig): string | undefined {
  const name = (['secret', 'previous_secret'] as const).find((each) => {
    const secret = endpoint[each];
    return secret !== undefined && decodeKey(secret) === undefined;
  });
  return name && `${name} is not whsec_ and 24 to 64 bytes in base64`;
}
