import { isDeepStrictEqual } from 'node:util';
import type { Members } from './members.ts';

/** The schemas that have a name, which is their `title`: a description holds each once, and refers to it elsewhere. */
export class NamedSchemas {
  readonly #byName = new Map<string, Members>();

  /** Throws if another schema has the name already: one name stands for one thing. */
  reference(name: string, schema: Members): Members {
    const known = this.#byName.get(name);
    if (known !== undefined && !isDeepStrictEqual(known, schema)) throw new Error(`two schemas are named ${name}`);
    this.#byName.set(name, schema);
    return { $ref: `#/components/schemas/${name}` };
  }

  /** Returns all schemas seen so far, sorted by name. */
  all(): Members {
    return Object.fromEntries([...this.#byName].toSorted(([a], [b]) => (a < b ? -1 : 1)));
  }
}
