import { signal } from '@preact/signals';
import { ask, onAnswer, type ApiError } from '../server/api.ts';
import { useQuery, type Query } from '../server/query.ts';
import { session } from '../server/session.ts';

/** Returns the node that the address of the page names; empty if it names none, or the server is in no fleet. */
export function nodeInAddress(): string {
  return ownNode() === '' ? '' : (new URLSearchParams(location.search).get('node') ?? '');
}

/** Returns the node that this page talks to; empty for a server by itself. */
export const ownNode = (): string => session.value?.node ?? '';

/** Returns the node that pages about a machine show; empty for a server by itself. */
export const shownNode = (): string => nodeInAddress() || ownNode();

/** Returns the member of a query that asks the shown node; see `AreaPage.isOfNode`. */
export function ofNode(): { readonly node?: string } {
  const node = shownNode();
  return node === '' ? {} : { node };
}

const trouble = signal<{ readonly node: string; readonly error: ApiError } | undefined>(undefined);
const CODES = ['node_unreachable', 'node_not_found'];

/** Returns why nothing is heard of the shown node, if that is so. */
export const troubleOfNode = (): ApiError | undefined =>
  trouble.value?.node === shownNode() ? trouble.value.error : undefined;

/** Learns from each answer of a node whether it can be reached. */
export function followNode(): void {
  onAnswer.push((error, path) => {
    const node = new URL(path, location.origin).searchParams.get('node');
    if (node === null || node !== shownNode()) return;
    trouble.value = error !== undefined && CODES.includes(error.code) ? { node, error } : undefined;
  });
}

/** Asks for the names of all nodes of the fleet: none for a server by itself. */
export function useNodeNames(): Query<readonly string[]> {
  return useQuery('nodes', async () => {
    if (ownNode() === '') return [];
    const { nodes } = await ask<{ nodes: readonly { name: string }[] }>('GET', '/api/fleet');
    return nodes.map(({ name }) => name);
  });
}
