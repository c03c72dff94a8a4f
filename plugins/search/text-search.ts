import type { Feature } from '../../kernel/config/locales.ts';
import { Fit } from './name-index/name-table.ts';
import { fitOf } from './indexer/quick-walk.ts';
import type { FeatureHits, PlainQuery, WebsiteHits } from './schema.ts';

/** Features of a language that hold the text in name, title or description, best first. */
export function findFeatures(
  features: readonly Feature[],
  held: ReadonlySet<string>,
  { q, limit }: PlainQuery,
): FeatureHits {
  const ranked = features
    .filter(({ name }) => held.has(name))
    .map((feature) => ({
      feature,
      rank: Math.min(rank(feature.name, q), rank(feature.title, q), rank(feature.description, q) + Fit.inside + 1),
    }));
  return best(ranked, limit, (a, b) => a.feature.name.localeCompare(b.feature.name)).map(
    ({ feature: { name, title, description, link } }) => ({ description, link, module: name, name: title }),
  );
}

export function findWebsites(sites: readonly string[], { q, limit }: PlainQuery): WebsiteHits {
  return best(
    sites.map((site) => ({ site, rank: rank(site, q) })),
    limit,
    (a, b) => (a.site < b.site ? -1 : 1),
  ).map(({ site }) => [site]);
}

function rank(text: string, q: string): number {
  return fitOf(text, { text: q, extension: '' }) ?? Number.POSITIVE_INFINITY;
}

function best<T extends { readonly rank: number }>(
  ranked: readonly T[],
  limit: number,
  otherwise: (a: T, b: T) => number,
): T[] {
  return ranked
    .filter((each) => each.rank < Number.POSITIVE_INFINITY)
    .toSorted((a, b) => a.rank - b.rank || otherwise(a, b))
    .slice(0, limit);
}
