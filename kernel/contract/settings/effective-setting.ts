import type { TSchema } from '../../schema.ts';
import type { SettingValues } from './stored-settings.ts';

/** A setting in effect. */
export interface EffectiveSetting {
  readonly setting: string;
  /** Masked if it is secret. */
  readonly value: unknown;
  /** The file or the variable that set it, what keeps it in the store, or `default`. */
  readonly origin: string;
  /** The schema of its value, with the default. */
  readonly schema: TSchema;
  /** Why nothing but a file may set it; see `SettingBond`. */
  readonly bond: SettingBond | undefined;
}

/**
 * Why a setting stays with the files: `secret`, as what sets it would be read back; `restart`, as only that changes it; `rights`, as
 * the broker goes by it, which trusts nothing but files; `structure`, as it says what there is to set.
 */
export type SettingBond = 'secret' | 'restart' | 'rights' | 'structure';

/** Stored settings to try before they are kept. */
export interface SettingTrial {
  readonly values: SettingValues;
  /** The one that is changed. */
  readonly changed: string;
  /** Keeps them once they are in force; if it rejects, those before come back. */
  keep(): Promise<void>;
}
