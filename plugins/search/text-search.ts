import type { Feature } from '../../kernel/config/locales.ts';
import { Fit, nameFit } from './name-index/ranking.ts';
import type { FeatureHits, TextQuery, WebsiteHits } from './schema.ts';

/** Returns the features whose name, title or description contains the text, best first. */
export function findFeatures(features: readonly Feature[], { q, limit }: TextQuery): FeatureHits {
  const ranked = features.map((feature) => ({
    feature,
    rank: Math.min(rank(feature.name, q), rank(feature.title, q), rank(feature.description, q) + Fit.inside + 1),
  }));
  return best(ranked, limit, (a, b) => a.feature.name.localeCompare(b.feature.name)).map(
    ({ feature: { name, title, description, link } }) => ({ description, link, module: name, name: title }),
  );
}

export function findWebsites(sites: readonly string[], { q, limit }: TextQuery): WebsiteHits {
  const ranked = sites.map((site) => ({ site, rank: rank(site, q) }));
  return best(ranked, limit, (a, b) => (a.site < b.site ? -1 : 1)).map(({ site }) => [site]);
}

function rank(text: string, q: string): number {
  return nameFit(text, { text: q, extension: '' }) ?? Number.POSITIVE_INFINITY;
}

/** Items of the same rank come in the order of `compare`. */
function best<T extends { readonly rank: number }>(
  ranked: readonly T[],
  limit: number,
  compare: (a: T, b: T) => number,
): T[] {
  return ranked
    .filter((each) => each.rank < Number.POSITIVE_INFINITY)
    .toSorted((a, b) => a.rank - b.rank || compare(a, b))
    .slice(0, limit);
}
