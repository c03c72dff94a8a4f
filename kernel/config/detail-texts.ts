/** A longer detail is not worth the time: it repeats what a client sent. */
const LONGEST = 1000;

/**
 * Translations of what errors say in detail, by their English, in which `{}` stands for what differs from one to the next:
 * `the plan allows {} domain{}`. A translation names these by number: `{1}`.
 */
export class DetailTexts {
  readonly #whole = new Map<string, string>();
  readonly #patterns: (readonly [pattern: RegExp, text: string])[] = [];

  constructor(texts: Readonly<Record<string, string>>) {
    const literal = (english: string) => english.replaceAll('{}', '').length;
    // the more a text says itself, the earlier: a shorter one may fit what it is not for
    for (const [english, text] of Object.entries(texts).toSorted(([a], [b]) => literal(b) - literal(a))) {
      const parts = english.split('{}').map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
      if (parts.length === 1) this.#whole.set(english, text);
      else this.#patterns.push([new RegExp(`^${parts.join('(.*?)')}$`, 's'), text]);
    }
  }

  /** Returns the translation of a detail; `undefined` if there is none. */
  translate(detail: string): string | undefined {
    const whole = this.#whole.get(detail);
    if (whole !== undefined || detail.length > LONGEST) return whole;
    for (const [pattern, text] of this.#patterns) {
      const found = pattern.exec(detail);
      if (found !== null) return text.replace(/\{(\d)\}/g, (_, nth: string) => found[Number(nth)] ?? '');
    }
    return undefined;
  }
}
