import { readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { errorKind, type HttpError, type Issue } from '../errors.ts';
import { projectDir } from '../kit/files/project-dir.ts';
import { readCatalogue } from './catalogue.ts';
import { DetailTexts } from './detail-texts.ts';
import { LIMITS, type Limit } from './limits.ts';

/** A feature of the catalogue, in one language. */
export interface Feature {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  /** Its page in other software that provides it; empty for a plugin's, whose page the extension point `featureLinks` names. */
  readonly link: string;
}

/** A language, of which a region or script after it is ignored, and its quality: `de-AT;q=0.8`. */
const RANGE = /^\s*(\*|[a-z]{2,8})(?:-[a-z0-9-]{1,40})?\s*(?:;\s*q=(0(?:\.\d{0,3})?|1(?:\.0{0,3})?)\s*)?$/i;
const LONGEST_HEADER = 500;

/** The content of one language file: `locales/<language>.json` in `config/` or in a plugin. */
interface Messages {
  readonly errors: Readonly<Record<string, string>>;
  readonly features: Readonly<Record<string, { title: string; description: string }>>;
  /** Titles of limits. */
  readonly limits: Readonly<Record<string, string>>;
  /** Sentences about events by their types, with members of the data in braces, as `MEMBER` reads them. */
  readonly events: Readonly<Record<string, string>>;
  readonly details: DetailTexts;
}

/** An event as the log has it. */
interface TranslatedEvent {
  readonly type: string;
  readonly line: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/**
 * A member of an event's data in a sentence: `{feature}`, `{on?granted:revoked:neither}` for what is true, false or null,
 * `{mode?off=off:report=reports only}` for what has one of some values, or `{by?*= by *}` for what is there or not.
 */
const MEMBER = /\{(\w+)(?:\?([^{}]*))?\}/g;

/** A line of the log: `[time] User 'ann' added a domain from IP 192.0.2.1`. */
const LINE = /^\[[\d: -]+\] (?:User '[^']*' |The operator )?(.*?)(?: from (?:IP \S+|the command line))?$/s;

/**
 * The catalogue of features, and translations of them, of limits and of error titles, from the plugins' folders; `config/` holds those of
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
    const catalogue = new Map(readCatalogue<{ title: string; description: string; link?: string }>('features.json'));
    this.#features = [...catalogue].map(([name, rest]) => ({ name, link: '', ...rest }));
    this.featureNames = new Set(catalogue.keys());
    const languages = readdirSync(join(projectDir, 'config/locales')).map((file) => basename(file, '.json'));
    this.names = ['en', ...languages.filter((name) => name !== 'en').toSorted()];
    this.#messages.set('en', messagesIn('en'));
  }

  /** Returns all features in a language, falling back to English for missing texts. */
  features(locale: string): Feature[] {
    const { features } = this.#messagesOf(locale);
    return this.#features.map((feature) => ({ ...feature, ...features[feature.name] }));
  }

  /** Returns the limits of plans in a language, falling back to English for missing titles. */
  limits(locale: string): Limit[] {
    const { limits } = this.#messagesOf(locale);
    return LIMITS.map((limit) => ({ ...limit, title: limits[limit.name] ?? limit.title }));
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

  /** Returns what an error says in a language; details and faults without a translation stay as they are. */
  errorTexts(
    locale: string,
    { code, message, members }: Pick<HttpError, 'code' | 'message' | 'members'>,
  ): { title: string; detail: string; members: HttpError['members'] } {
    const { details } = this.#messagesOf(locale);
    const title = this.errorTitle(locale, code);
    const whole = details.translate(message);
    const faults = members?.['errors'] as readonly Issue[] | undefined;
    if (faults === undefined) return { title, detail: whole ?? message, members };
    const errors = faults.map((fault) => ({ ...fault, message: details.translate(fault.message) ?? fault.message }));
    let detail = message;
    for (const [i, fault] of faults.entries())
      detail = detail.replace(fault.message, () => errors[i]?.message ?? fault.message);
    return { title, detail: whole ?? detail, members: { ...members, errors } };
  }

  /** Returns what an event tells in a language, apart from who did it, when and where from; falls back to the log's English. */
  eventText(locale: string, { type, line, data }: TranslatedEvent): string {
    const text = this.#messagesOf(locale).events[type];
    if (text !== undefined)
      return text.replace(MEMBER, (_, member: string, words?: string) =>
        wordFor(data[member], words?.split(':') ?? []),
      );
    const told = LINE.exec(line)?.[1] ?? line;
    return told.charAt(0).toUpperCase() + told.slice(1);
  }

  /** Falls back to English where a file cannot be read, such as for want of descriptors: the texts are for errors like that. */
  #messagesOf(locale: string): Messages {
    if (!this.#messages.has(locale) && this.names.includes(locale))
      try {
        this.#messages.set(locale, messagesIn(locale));
      } catch {
        // in English until the files can be read
      }
    return this.#messages.get(locale) ?? this.#messages.get('en') ?? NONE;
  }
}

function wordFor(value: unknown, words: readonly string[]): string {
  if (words[0]?.startsWith('*=') === true)
    return value === undefined || value === null ? '' : words[0].slice(2).replace('*', () => String(value));
  if (words[0]?.includes('=') === false) return words[value === true ? 0 : value === false ? 1 : 2] ?? '–';
  const start = `${String(value)}=`;
  return words.find((word) => word.startsWith(start))?.slice(start.length) ?? String(value ?? '–');
}

const NONE: Messages = { errors: {}, features: {}, limits: {}, events: {}, details: new DetailTexts({}) };

function messagesIn(locale: string): Messages {
  const parts = readCatalogue<Record<string, never>>(`locales/${locale}.json`);
  const merged = (key: string) => Object.assign({}, ...parts.filter(([part]) => part === key).map(([, part]) => part));
  const details = new DetailTexts(merged('details'));
  return {
    errors: merged('errors'),
    features: merged('features'),
    limits: merged('limits'),
    events: merged('events'),
    details,
  };
}
