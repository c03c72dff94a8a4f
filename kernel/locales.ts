import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { projectDir, readJson } from './config.ts';
import { CATALOGUE, type ErrorCode } from './errors.ts';

export interface Feature {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  /** Path of the feature's page in the panel. */
  readonly link: string;
}

interface Messages {
  readonly errors?: Readonly<Record<string, string>>;
  readonly features?: Readonly<Record<string, { title: string; description: string }>>;
}

/** The catalogue of features, and the languages that it and the errors' titles are translated into. */
export class Locales {
  /** Names of all features, in the catalogue's order. */
  readonly featureNames: ReadonlySet<string>;
  /** Installed languages, `en` first. */
  readonly names: readonly string[];
  readonly #features: readonly Feature[];
  readonly #messages: ReadonlyMap<string, Messages>;

  constructor(configDir = join(projectDir, 'config')) {
    const catalogue = readJson(join(configDir, 'features.json')) as Record<string, Omit<Feature, 'name'>>;
    this.#features = Object.entries(catalogue).map(([name, rest]) => ({ name, ...rest }));
    this.featureNames = new Set(Object.keys(catalogue));
    const files = readdirSync(join(configDir, 'locales'))
      .filter((name) => name.endsWith('.json'))
      .toSorted();
    this.#messages = new Map(
      files.map((name) => [name.slice(0, -5), readJson(join(configDir, 'locales', name)) as Messages]),
    );
    this.names = ['en', ...[...this.#messages.keys()].filter((name) => name !== 'en')];
  }

  /** All features in a language; what it does not translate is in English. */
  features(locale: string): Feature[] {
    const translated = this.#messages.get(locale)?.features ?? {};
    return this.#features.map((feature) => ({ ...feature, ...translated[feature.name] }));
  }

  errorTitle(locale: string, code: ErrorCode): string {
    return this.#messages.get(locale)?.errors?.[code] ?? CATALOGUE[code][1];
  }
}
