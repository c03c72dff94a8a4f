import type { Feature, Locales } from '../config/locales.ts';
import type { Gatherer } from './gatherer.ts';

/** Resolves with all features in a language, each with the page that shows it. */
export async function linkedFeatures(gather: Gatherer['gather'], locales: Locales, locale: string): Promise<Feature[]> {
  const features = locales.features(locale);
  const unlinked = features.flatMap(({ name, link }) => (link === '' ? [name] : []));
  const parts = await gather('featureLinks', unlinked);
  const links = Object.assign({}, ...parts.map((part) => (part.ok ? part.value : {}))) as Record<string, string>;
  return features.map((feature) => ({ ...feature, link: links[feature.name] ?? feature.link }));
}
