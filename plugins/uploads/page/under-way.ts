import { signal } from '@preact/signals';

/** The paths of files that this page sends. */
export const underWay = signal<ReadonlySet<string>>(new Set());

/** Marks a path while a file is sent to it. Returns what ends that. */
export function markUnderWay(path: string): () => void {
  underWay.value = new Set([...underWay.value, path]);
  return () => void (underWay.value = new Set([...underWay.value].filter((each) => each !== path)));
}
