/** Values kept per kind; the least recently seen one is dropped first. */
const KEPT = 200;
/** Recently seen values are preferred because they are likelier to still exist. */
const FRESH = 12;

/**
 * Values found in replies, by the list and member they stood in (`domains.domain_url`), so that later requests can name
 * things that exist. A key preceded by a username or a path holds only the values seen by that account or at that path.
 */
export class ValuePool {
  readonly #values = new Map<string, Set<string>>();
  readonly #reserved: ReadonlySet<string>;

  /** Requests never contain a `reserved` name. */
  constructor(reserved: readonly string[]) {
    this.#reserved = new Set(reserved);
  }

  /** Returns one of the values of the keys; `undefined` while none is known. */
  pick(keys: readonly string[], nth: number): string | undefined {
    const values = keys.flatMap((key) => [...(this.#values.get(key) ?? [])]);
    const choice = nth % 4 === 0 ? values : values.slice(-FRESH);
    return choice[nth % Math.max(1, choice.length)];
  }

  /** Adds the strings and whole numbers of a JSON reply. */
  collect(username: string, path: string, value: unknown, list = ''): void {
    if (Array.isArray(value)) {
      for (const each of value.slice(0, 50)) {
        if (typeof each === 'string') this.#add(username, path, list, each);
        else this.collect(username, path, each, list);
      }
    } else if (typeof value === 'object' && value !== null) {
      for (const [name, member] of Object.entries(value)) {
        if (typeof member === 'string' || Number.isInteger(member))
          this.#add(username, path, `${list}.${name}`, String(member));
        else this.collect(username, path, member, name);
      }
    }
  }

  #add(username: string, path: string, key: string, value: string): void {
    if (value === '' || value.length > 300 || this.#reserved.has(value)) return;
    for (const each of [key, `${username} ${key}`, ...(key.endsWith('.id') ? [`${path} ${key}`] : [])]) {
      const values = this.#values.get(each) ?? new Set();
      this.#values.set(each, values);
      values.delete(value);
      values.add(value);
      if (values.size > KEPT) for (const oldest of values) if (values.delete(oldest)) break;
    }
  }
}
