import { Unavailable } from '../../kernel/errors.ts';
import type { WebhooksConfig } from './schema.ts';

/** Throws `Unavailable` with the first endpoint whose URL cannot be used, without the URL: it may contain a secret. */
export function assertEndpoints({ endpoints }: WebhooksConfig): void {
  const seen = new Set<string>();
  for (const [i, { url }] of endpoints.entries()) {
    const parsed = URL.canParse(url) ? new URL(url) : undefined;
    const problem =
      parsed === undefined
        ? 'is not a URL'
        : parsed.username !== '' || parsed.password !== ''
          ? 'must not contain a password'
          : seen.has(parsed.href)
            ? 'is a duplicate'
            : undefined;
    if (problem !== undefined)
      throw new Unavailable(`webhooks.endpoints[${i}].url ${problem}`, 'correct the configuration');
    seen.add(parsed?.href ?? '');
  }
}
