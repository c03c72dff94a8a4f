/** How many values of one kind are kept; a newer one then takes the place of an older. */
const KEPT = 200;

/**
 * What answers have told exists, by the list and the member that it stood in (`domains.domain_url`), so that requests can
 * name it. `sessions.id` and the like are kept by the path that told of them as well: they mean nothing anywhere else.
 */
export class Harvest {
  readonly #values = new Map<string, string[]>();
  readonly #spared: ReadonlySet<string>;
  #turn = 0;

  /** `spared` names are never given to a request. */
  constructor(spared: readonly string[]) {
    this.#spared = new Set(spared);
  }

  add(key: string, value: string): void {
    if (value === '' || value.length > 300 || this.#spared.has(value)) return;
    const values = this.#values.get(key) ?? [];
    this.#values.set(key, values);
    if (values.includes(value)) return;
    if (values.length < KEPT) values.push(value);
    else values[(this.#turn += 1) % KEPT] = value;
  }

  /** One of the values of the keys; `undefined` while none is known. */
  pick(keys: readonly string[], nth: number): string | undefined {
    const values = keys.flatMap((key) => this.#values.get(key) ?? []);
    return values[nth % Math.max(1, values.length)];
  }

  /** Takes what a JSON answer tells of. */
  read(path: string, value: unknown, list = ''): void {
    if (Array.isArray(value)) {
      for (const each of value.slice(0, 50)) {
        if (typeof each === 'string') this.add(list, each);
        else this.read(path, each, list);
      }
    } else if (typeof value === 'object' && value !== null) {
      for (const [name, member] of Object.entries(value)) {
        if (typeof member === 'string') {
          this.add(`${list}.${name}`, member);
          if (name === 'id') this.add(`${path} ${list}.${name}`, member);
        } else {
          this.read(path, member, name);
        }
      }
    }
  }
}
