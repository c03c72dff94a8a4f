import type { EffectiveSetting } from '../../kernel/contract/settings/effective-setting.ts';
import { anyPattern } from '../../kernel/kit/patterns.ts';
import type { SettingsConfig, SettingView } from './schema.ts';
import type { StoredRow } from './store.ts';

export type Listed = Pick<EffectiveSetting, 'setting' | 'bond'>;

/** Returns whether a setting can be changed in the console. */
export const isEditable = ({ setting, bond }: Listed, { editable }: SettingsConfig): boolean =>
  bond === undefined && anyPattern(editable)(setting);

/** Returns the ETag of a setting. */
export const etagIn = (row: Pick<StoredRow, 'version'> | undefined): string => `"${row?.version ?? 0}"`;

/** Returns settings in force as the API tells them. */
export function listSettings(
  all: readonly EffectiveSetting[],
  rows: readonly StoredRow[],
  config: SettingsConfig,
): SettingView[] {
  const stored = new Map(rows.map((row) => [row.setting, row]));
  return all.map(({ setting, value, origin, schema, bond }) => {
    const row = stored.get(setting);
    const editable = isEditable({ setting, bond }, config);
    return {
      setting,
      value,
      origin,
      schema,
      editable,
      bond: editable ? null : (bond ?? 'unlisted'),
      stored: (row?.value ?? null) !== null,
      changed_by: row?.changed_by ?? null,
      changed_at: row === undefined ? null : new Date(row.changed_at).toISOString(),
      etag: etagIn(row),
    };
  });
}
