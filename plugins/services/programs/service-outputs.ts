import { LRUCache } from '../../../kernel/kit/waiting/bounded-cache.ts';
import { hideSecrets, isSecretName } from '../../../kernel/kit/secret-text.ts';
import type { Recipe } from '../recipes.ts';

/** Characters of one service, of which twice as many may be there until they are cut. */
const KEPT = 64 << 10;
const KEPT_OF_ALL = 16 << 20;
export const LOG_LINES = 200;

interface Output {
  readonly text: string;
  /** Characters that came since the latest start. */
  readonly isNew: number;
}

/** The last that services of accounts have printed. What has printed nothing for longest makes room for others. */
export class ServiceOutputs {
  readonly #outputs = new LRUCache<string, Output>({
    maxSize: KEPT_OF_ALL,
    sizeCalculation: ({ text }) => text.length + 1,
  });

  /** A service is started again. */
  begin(accountId: number, service: string): void {
    const { text } = this.#of(accountId, service);
    this.#outputs.set(keyOf(accountId, service), { text, isNew: 0 });
  }

  add(accountId: number, service: string, more: string): void {
    const { text: before, isNew } = this.#of(accountId, service);
    const text = before + more;
    this.#outputs.set(keyOf(accountId, service), {
      text: text.length > 2 * KEPT ? lastLines(text) : text,
      isNew: isNew + more.length,
    });
  }

  /** Returns the last that came, whenever it was started. */
  all(accountId: number, service: string): string {
    return this.#of(accountId, service).text;
  }

  /** Returns the last that came since the latest start. */
  ofThisStart(accountId: number, service: string, most: number): string {
    const { text, isNew } = this.#of(accountId, service);
    return isNew === 0 ? '' : text.slice(-Math.min(most, isNew));
  }

  /** Forgets what a service has printed, or all of an account. */
  forget(accountId: number, service?: string): void {
    const own = [...this.#outputs.keys()].filter((key) =>
      service === undefined ? key.startsWith(`${accountId}/`) : key === keyOf(accountId, service),
    );
    for (const key of own) this.#outputs.delete(key);
  }

  #of(accountId: number, service: string): Output {
    return this.#outputs.get(keyOf(accountId, service)) ?? { text: '', isNew: 0 };
  }
}

const keyOf = (accountId: number, service: string): string => `${accountId}/${service}`;

/** Cuts what is too much between lines: half a secret is none that is known. */
function lastLines(text: string): string {
  if (text.length <= KEPT) return text;
  const cut = text.indexOf('\n', text.length - KEPT);
  return cut < 0 ? '' : text.slice(cut + 1);
}

/** Returns the last lines of what was printed, without secrets and without what is no text. */
export function shownLines(printed: string, secrets: readonly string[]): string[] {
  return hideSecrets(lastLines(printed), secrets)
    .split('\n')
    .map((line) => line.replaceAll(/[\u0000-\u0008\u000b-\u001f\u007f]+/g, ' ').trimEnd())
    .filter((line) => line !== '')
    .slice(-LOG_LINES);
}

/** Returns what a recipe gives its program in secret. */
export function secretsIn({ run }: Recipe): string[] {
  const args = 'image' in run ? run.command : run.arguments;
  const environment = 'image' in run ? Object.entries(run.environment) : [];
  return [
    ...environment.filter(([name]) => isSecretName(name)).map(([, value]) => value),
    ...args.filter((_, i) => args[i - 1]?.startsWith('-') === true && isSecretName(args[i - 1] ?? '')),
  ];
}
