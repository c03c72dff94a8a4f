import type { ComponentType } from 'preact';
import type { Area, PlacedPage } from '../kit/area.ts';

/** Differences between the two applications. */
export interface Application {
  readonly name: 'home' | 'console';
  readonly base: string;
  readonly areas: readonly Area[];
}

/** A page, with what is drawn once its code has been loaded. */
export type ShownPage = PlacedPage & { readonly View: ComponentType };
