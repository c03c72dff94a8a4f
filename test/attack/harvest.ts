/** How many values of one kind are kept; the one that was seen the longest ago leaves. */
const KEPT = 200;
/** What was seen last is likelier to be there still. */
const FRESH = 12;

/**
 * What answers have told exists, by the list and the member that it stood in (`domains.domain_url`), so that requests can
 * name it: of whoever asked, and, with the asker's name or the path before it, of one asker or one path.
 */
export class Harvest {
  readonly #values = new Map<string, Set<string>>();
  readonly #spared: ReadonlySet<string>;

  /** `spared` names are never given to a request. */
  constructor(spared: readonly string[]) {
    this.#spared = new Set(spared);
  }

  /** One of the values of the keys; `undefined` while none is known. */
  pick(keys: readonly string[], nth: number): string | undefined {
    const values = keys.flatMap((key) => [...(this.#values.get(key) ?? [])]);
    const choice = nth % 4 === 0 ? values : values.slice(-FRESH);
    return choice[nth % Math.max(1, choice.length)];
  }

  /** Takes what a JSON answer tells of. */
  read(asker: string, path: string, value: unknown, list = ''): void {
    if (Array.isArray(value)) {
      for (const each of value.slice(0, 50)) {
        if (typeof each === 'string') this.#add(asker, path, list, each);
        else this.read(asker, path, each, list);
      }
    } else if (typeof value === 'object' && value !== null) {
      for (const [name, member] of Object.entries(value)) {
        if (typeof member === 'string') this.#add(asker, path, `${list}.${name}`, member);
        else this.read(asker, path, member, name);
      }
    }
  }

  #add(asker: string, path: string, key: string, value: string): void {
    if (value === '' || value.length > 300 || this.#spared.has(value)) return;
    for (const each of [key, `${asker} ${key}`, ...(key.endsWith('.id') ? [`${path} ${key}`] : [])]) {
      const values = this.#values.get(each) ?? new Set();
      this.#values.set(each, values);
      values.delete(value);
      values.add(value);
      if (values.size > KEPT) for (const oldest of values) if (values.delete(oldest)) break;
    }
  }
}
