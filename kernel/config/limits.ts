import { Type } from '../schema.ts';
import { readCatalogue } from './catalogue.ts';

/** A limit that plans have. `limits.json` of the plugin that keeps it describes it. */
export interface Limit {
  readonly name: string;
  /** Names what is limited, in English. */
  readonly title: string;
  /** Unit of the value, e.g. `MiB`; `''` for what is counted. */
  readonly unit: string;
  /** Whether the value may have decimals. */
  readonly isFraction: boolean;
  /** Value in plans that do not set it; 0 is unlimited. */
  readonly default: number;
  readonly maximum: number;
  /** The feature that the limit belongs to; `''` for every account. */
  readonly feature: string;
}

const DEFAULTS = { unit: '', isFraction: false, default: 0, maximum: 2 ** 40, feature: '' };

/** The limits of the installed plugins, in the order in which they are shown. */
export const LIMITS: readonly Limit[] = readCatalogue<Omit<Limit, 'name' | keyof typeof DEFAULTS>>('limits.json').map(
  ([name, rest]) => ({ name, ...DEFAULTS, ...rest }),
);

/** The schema of the limits that a plan sets: none is required, and no other is known. */
export const PlanLimits = Type.Unsafe<Readonly<Record<string, number>>>({
  title: 'PlanLimits',
  type: 'object',
  properties: Object.fromEntries(
    LIMITS.map(({ name, title, unit, isFraction, maximum }) => {
      const description = `${title}${unit && ` in ${unit}`}; 0 = unlimited`;
      return [name, { type: isFraction ? 'number' : 'integer', minimum: 0, maximum, description }];
    }),
  ),
  additionalProperties: false,
});
