import type { SettingValues, StoredSettings } from '../../kernel/contract/settings/stored-settings.ts';
import { anyPattern } from '../../kernel/kit/patterns.ts';
import type { SettingsConfig } from './schema.ts';
import { readRows, type StoredRow } from './store.ts';

/** Returns the values that rows keep, of the settings that may be changed in the console. */
export function valuesIn(rows: readonly StoredRow[], { editable }: SettingsConfig): SettingValues {
  const isEditable = anyPattern(editable);
  return new Map(
    rows.flatMap(({ setting, value }): [string, unknown][] =>
      value !== null && isEditable(setting) ? [[setting, JSON.parse(value)]] : [],
    ),
  );
}

export default {
  source: 'console',
  mayExist: ({ editable }) => editable.length > 0,
  async read(settings, store) {
    const isMigrated = (await store.migrations()).some(({ owner }) => owner === 'settings');
    return isMigrated ? valuesIn(await readRows(store), settings) : new Map<string, unknown>();
  },
} satisfies StoredSettings<SettingsConfig>;
