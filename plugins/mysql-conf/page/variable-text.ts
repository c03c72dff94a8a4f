import { number, t, type ReplyOf } from '../../pages/kit/index.ts';

export type Server = ReplyOf<'GET /api/database-variables'>['servers'][number];
export type Variable = Server['variables'][number];

/** Returns bounds and default of a variable, as far as it has some. */
export function boundsText({ minimum, maximum, default: initial }: Variable): string {
  const bounds =
    minimum !== null && maximum !== null
      ? t('mysql-conf.between', { least: number(minimum), most: number(maximum) })
      : undefined;
  const first = initial === null ? undefined : t('mysql-conf.default', { value: apart(initial) });
  return [bounds, first].filter(Boolean).join(' ');
}

/** Returns a list so that it can be broken into lines. */
export const apart = (value: string): string => (value === '' ? '–' : value.replaceAll(',', ', '));
