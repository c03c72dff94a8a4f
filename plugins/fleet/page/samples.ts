import type { ReplyOf } from '../../pages/kit/index.ts';

export type Node = ReplyOf<'GET /api/fleet'>['nodes'][number];

const FIGURES = ['cpu', 'memory', 'disk'] as const;
export type Figure = (typeof FIGURES)[number];

/** Samples that a sparkline shows: ten minutes of heartbeats. */
const KEPT = 120;

/** Percentages of each node since the page was first opened, oldest first; kept while another page is shown. */
const samples = new Map<string, readonly number[]>();

/** Adds the newest sample of each node. One that is down has none, and its course begins anew once it is back. */
export function keepSamples(nodes: readonly Node[]): void {
  for (const { name, state, sample } of nodes)
    for (const figure of FIGURES) {
      const key = `${figure} ${name}`;
      const value = sample?.[figure] ?? null;
      if (state === 'down' || value === null) samples.delete(key);
      else samples.set(key, [...(samples.get(key) ?? []).slice(1 - KEPT), value]);
    }
}

/** Returns the course of a figure; empty where nothing is known now. */
export const readCourse = (node: string, figure: Figure): readonly number[] => samples.get(`${figure} ${node}`) ?? [];
