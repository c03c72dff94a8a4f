import { join } from 'node:path';
import { errorKind } from '../errors.ts';
import { findFiles } from '../kit/files/find-files.ts';
import { projectDir } from '../kit/files/project-dir.ts';
import { readJson } from './configuration.ts';

/** A feature of the catalogue, in one language. */
export interface Feature {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  /** The path of the feature's page in the panel. */
  readonly link: string;
}

/** A language, of which a region or script after it is ignored, and its quality: `de-AT;q=0.8`. */
const RANGE = /^\s*(\*|[a-z]{2,8})(?:-[a-z0-9-]{1,40})?\s*(?:;\s*q=(0(?:\.\d{0,3})?|1(?:\.0{0,3})?)\s*)?$/i;
const LONGEST_HEADER = 500;

/** The content of one language file: `locales/<language>.json` in `config/` or in a plugin. */
interface Messages {
  readonly errors: Readonly<Record<string, string>>;
  readonly features: Readonly<Record<string, { title: string; description: string }>>;
}

/**
 * The catalogue of features, and translations of them and of error titles, from the plugins' folders; `config/` holds those of
 * the kernel and of features that no installed plugin provides.
 */
export class Locales {
  readonly featureNames: ReadonlySet<string>;
  /** Installed languages, those of `config/locales/`; `en` comes first. */
  readonly names: readonly string[];
  readonly #features: readonly Feature[];
  /** Texts by language: those in English from the start, others read when the language is first used. */
  readonly #messages = new Map<string, Messages>();

  constructor() {
    const catalogue = new Map(read<Omit<Feature, 'name'>>('features.json'));
    this.#features = [...catalogue].map(([name, rest]) => ({ name, ...rest }));
    this.featureNames = new Set(catalogue.keys());
    const languages = findFiles('*.json', join(projectDir, 'config/locales')).map((name) => name.slice(0, -5));
    this.names = ['en', ...languages.filter((name) => name !== 'en')];
    this.#messages.set('en', messagesIn('en'));
  }

  /** Returns all features in a language, falling back to English for missing texts. */
  features(locale: string): Feature[] {
    const { features } = this.#messagesOf(locale);
    return this.#features.map((feature) => ({ ...feature, ...features[feature.name] }));
  }

  /** Returns the installed language that a header `Accept-Language` (RFC 9110, 12.5.4) likes best, English if none. */
  preferred(acceptLanguage: string): string {
    let best = { name: 'en', quality: 0 };
    for (const range of acceptLanguage.slice(0, LONGEST_HEADER).split(',')) {
      const [, language = '', quality = '1'] = RANGE.exec(range) ?? [];
      const name = language === '*' ? 'en' : language.toLowerCase();
      if (this.names.includes(name) && Number(quality) > best.quality) best = { name, quality: Number(quality) };
    }
    return best.name;
  }

  /** Returns the title of an error in a language, falling back to English. */
  errorTitle(locale: string, code: string): string {
    return this.#messagesOf(locale).errors[code] ?? errorKind(code)[1];
  }

  /** Falls back to English where a file cannot be read, such as for want of descriptors: the texts are for errors like that. */
  #messagesOf(locale: string): Messages {
    if (!this.#messages.has(locale) && this.names.includes(locale))
      try {
        this.#messages.set(locale, messagesIn(locale));
      } catch {
        // in English until the files can be read
      }
    return this.#messages.get(locale) ?? this.#messages.get('en') ?? { errors: {}, features: {} };
  }
}

function messagesIn(locale: string): Messages {
  const parts = read<Record<string, never>>(`locales/${locale}.json`);
  const merged = (key: string) => Object.assign({}, ...parts.filter(([part]) => part === key).map(([, part]) => part));
  return { errors: merged('errors'), features: merged('features') };
}

/** Returns the members of a JSON file in `config/`, and of the files of the same name in the plugins' folders. */
function read<T>(file: string): [string, T][] {
  const files = findFiles([`config/${file}`, `plugins/*/${file}`], projectDir);
  return files.flatMap((path) => Object.entries(readJson(join(projectDir, path))) as [string, T][]);
}
