import { signal } from '@preact/signals';
import type { TextKey } from 'hostkeep:text-keys';
import { loadModule } from '../server/load-module.ts';

type Texts = Readonly<Partial<Record<TextKey, string>>>;
type Load = () => Promise<{ readonly default: Texts }>;

/** The texts of each language: those of the first screen, and those of the pages that are opened later. */
const LOADERS: Readonly<Record<string, readonly [first: Load, further: Load]>> = {
  en: [() => import('hostkeep:texts/en'), () => import('hostkeep:texts/en/further')],
  de: [() => import('hostkeep:texts/de'), () => import('hostkeep:texts/de/further')],
  fr: [() => import('hostkeep:texts/fr'), () => import('hostkeep:texts/fr/further')],
};
export const LANGUAGES = Object.keys(LOADERS);
const STORED = 'hostkeep-language';

export const language = signal('en');
const texts = signal<Texts>({});
const loaded = new Map<Load, Texts>();
/** The language that was asked for last. */
let asked = 'en';
let needsFurther = false;

/** Returns the language that was chosen in this browser, else the first that the browser asks for and we have. */
export function preferredLanguage(): string {
  const wanted = [localStorage.getItem(STORED) ?? '', ...navigator.languages].map((each) => each.slice(0, 2));
  return wanted.find((each) => LANGUAGES.includes(each)) ?? 'en';
}

/** Resolves once the page is in a language, or in English if we do not have it. With `keep` the next login is in it, too. */
export async function useLanguage(name: string, keep = false): Promise<void> {
  asked = LOADERS[name] === undefined ? 'en' : name;
  if (keep) localStorage.setItem(STORED, asked);
  await loadTexts();
}

/** Resolves once the texts of all pages are there, and not only those of the first screen. */
export async function useFurtherTexts(): Promise<void> {
  if (needsFurther && loaded.has(loadersOf(asked)[1])) return;
  needsFurther = true;
  await loadTexts();
}

const loadersOf = (name: string) => LOADERS[name] as (typeof LOADERS)[string] & object;

async function loadTexts(): Promise<void> {
  const name = asked;
  const [first, further] = loadersOf(name);
  const take = async (load: Load) => loaded.set(load, loaded.get(load) ?? (await loadModule(load)).default);
  await Promise.all([take(first), needsFurther ? take(further) : undefined]);
  if (name !== asked) return; // another language was asked for meanwhile
  texts.value = { ...loaded.get(first), ...loaded.get(further) };
  language.value = name;
  document.documentElement.lang = name;
}

/** Returns a text in the language of the page. `{name}` stands for a value; `n` chooses between `one | other`. */
export function t(key: TextKey, values: Readonly<Record<string, string | number>> = {}): string {
  let text = texts.value[key] ?? key;
  const { n } = values;
  if (typeof n === 'number' && text.includes(' | ')) {
    const [one = '', other = one] = text.split(' | ');
    text = new Intl.PluralRules(language.value).select(n) === 'one' ? one : other;
  }
  return text.replace(/\{(\w+)\}/g, (whole, name: string) => {
    const value = values[name];
    return value === undefined ? whole : typeof value === 'number' ? number(value) : value;
  });
}

/** Returns a text whose key is only known at run time, or the alternative. */
export function textOr(key: string, alternative: string): string {
  return (texts.value as Readonly<Record<string, string>>)[key] ?? alternative;
}

export function number(value: number, digits = 0): string {
  return value.toLocaleString(language.value, { maximumFractionDigits: digits });
}

export function percent(part: number): string {
  return (part / 100).toLocaleString(language.value, { style: 'percent', maximumFractionDigits: part < 10 ? 1 : 0 });
}

const UNITS = ['byte', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB'];

/** Returns a size in binary units, as our limits are. */
export function bytes(size: number): string {
  const step = size < 1 ? 0 : Math.min(UNITS.length - 1, Math.floor(Math.log2(size) / 10));
  const value = size / 1024 ** step;
  return `${number(value, step > 0 && value < 10 ? 1 : 0)} ${step === 0 ? (language.value === 'fr' ? 'o' : 'B') : UNITS[step]}`;
}

export function dateTime(at: Date): string {
  return at.toLocaleString(language.value, { dateStyle: 'medium', timeStyle: 'short' });
}

const STEPS: readonly (readonly [Intl.RelativeTimeFormatUnit, number])[] = [
  ['year', 31_557_600],
  ['month', 2_629_800],
  ['week', 604_800],
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
];

/** Returns when to try again: in a while beyond a minute, at which time, too. */
export function againText(seconds: number): string {
  if (seconds <= 60) return t('pages.waits', { n: seconds });
  const at = new Date(Date.now() + seconds * 1000);
  return t('pages.waitsUntil', { when: relative(at), time: dateTime(at) });
}

/** Returns the name of a country by its code of two letters; a dash for `''`, where it is not known. */
export const countryName = (code: string): string =>
  code === '' ? '–' : (new Intl.DisplayNames([language.value], { type: 'region' }).of(code) ?? code);

/** Returns how long ago, or in how long, something is. */
export function relative(at: Date, nowMs = Date.now()): string {
  const seconds = (at.getTime() - nowMs) / 1000;
  const [unit, length] = STEPS.find(([, each]) => Math.abs(seconds) >= each) ?? ['second', 1];
  const format = new Intl.RelativeTimeFormat(language.value, { numeric: 'auto' });
  return format.format(Math.abs(seconds) < 10 ? 0 : Math.round(seconds / length), unit);
}
