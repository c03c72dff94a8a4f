import { isObject } from '../schema.ts';

/** Layers as JSON, for another process. */
export interface LayersText {
  readonly merged: Record<string, unknown>;
  readonly sources: readonly (readonly [path: string, source: string])[];
}

/** Settings from several files, the later over the earlier. */
export class ConfigLayers {
  merged: Record<string, unknown>;
  /** The source of each member, by its path. */
  readonly #sources: Map<string, string>;

  constructor({ merged, sources }: LayersText = { merged: {}, sources: [] }) {
    this.merged = merged;
    this.#sources = new Map(sources);
  }

  /** Returns the layers for another process, which then has the same settings whatever the files say by that time. */
  toJSON(): LayersText {
    return { merged: this.merged, sources: [...this.#sources] };
  }

  /** Puts settings over those so far; `source` names their file or variable. */
  lay(source: string, settings: Record<string, unknown>): void {
    this.merged = this.#merge(this.merged, settings, '', source);
  }

  /** Returns the source that set a member, or the nearest object that holds it. */
  sourceOf(path: string): string | undefined {
    const parent = path.slice(0, Math.max(0, path.lastIndexOf('.')));
    return this.#sources.get(path) ?? (parent === '' ? undefined : this.sourceOf(parent));
  }

  /** Returns the source that set exactly this member. */
  originOf(path: string): string | undefined {
    return this.#sources.get(path);
  }

  #merge(base: Record<string, unknown>, over: Record<string, unknown>, path: string, source: string) {
    const result = { ...base };
    for (const [name, value] of Object.entries(over)) {
      const below = result[name];
      const isNested = isObject(value);
      if (!isNested || !isObject(below)) this.#sources.set(path + name, source);
      result[name] = isNested ? this.#merge(isObject(below) ? below : {}, value, `${path}${name}.`, source) : value;
    }
    return result;
  }
}
