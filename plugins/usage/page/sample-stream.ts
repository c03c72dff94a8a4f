import { signal } from '@preact/signals';
import { ofNode, fillPath, shownNode, useStream } from '../../pages/kit/index.ts';

export interface Partition {
  readonly device: string;
  readonly mountpoint: string;
  readonly percent: number;
  readonly total: number;
  readonly used: number;
}
export interface Sample {
  readonly at: string;
  readonly cpu: Readonly<Record<string, number>> | null;
  readonly memory: {
    readonly ram_info: { readonly percent: number; readonly total: number; readonly used: number };
  } | null;
  readonly disk: readonly Partition[] | null;
}

/** Samples that the sparklines show: two minutes. */
const KEPT = 120;

/** Kept while another page is shown, so that the curves go on where they were. */
export const samples = signal<readonly Sample[]>([]);
let nodeOfSamples = '';

/** Follows the samples while the page is in sight. */
export function useSamples() {
  if (nodeOfSamples !== shownNode()) {
    nodeOfSamples = shownNode();
    samples.value = [];
  }
  return useStream(fillPath('/api/usage/stream', {}, ofNode()), ({ data }) => {
    const sample = JSON.parse(data) as Sample;
    // a stream begins with a sample that may be here already
    if (sample.at !== samples.value.at(-1)?.at) samples.value = [...samples.value.slice(1 - KEPT), sample];
  });
}
