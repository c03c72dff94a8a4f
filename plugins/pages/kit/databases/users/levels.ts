import { t } from '../../index.ts';
import { LEVELS, type Level } from '../engine.ts';

export const levelChoices = (): readonly (readonly [Level, string])[] =>
  LEVELS.map((level) => [level, t(`pages.db.level.${level}`)]);
