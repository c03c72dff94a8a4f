import type { ComponentType } from 'preact';
import type { Area, AreaPage } from '../kit/area.ts';

/** What tells the two applications apart. */
export interface Application {
  readonly name: 'home' | 'console';
  readonly base: string;
  readonly areas: readonly Area[];
}

/** A page, with what is drawn once its code has been loaded. */
export type ShownPage = AreaPage & { readonly View: ComponentType };
