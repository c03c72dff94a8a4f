import type { Store } from '../../store/store.ts';

/** Values of settings by their paths: `token.ttl_seconds`. */
export type SettingValues = ReadonlyMap<string, unknown>;

/**
 * Settings that a plugin keeps in the store, which lie over those of the files at each start and reload, in every process: the
 * default export of its `stored-settings.ts`. `settings` are the plugin's own.
 */
export interface StoredSettings<S = unknown> {
  /** Names what set them, as `hostkeep config show` does. */
  readonly source: string;
  /** Whether there may be any, so that a store need not be opened for nothing. */
  mayExist(settings: S): boolean;
  /** Resolves with all of them, also if the plugin's tables are not made yet. */
  read(settings: S, store: Store): Promise<SettingValues>;
}
