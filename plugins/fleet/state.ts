import type { SeenMember } from './store.ts';

/** How often a node says that it is there. */
export const BEAT_MS = 5000;
const SILENT_SECONDS = 15;

/** Whether a node has been silent for so long that it counts as down. */
export const isDown = ({ heartbeat }: SeenMember): boolean =>
  heartbeat === undefined || heartbeat.seenSecondsAgo >= SILENT_SECONDS;

export function memberState(node: SeenMember): 'up' | 'down' | 'draining' {
  if (isDown(node)) return 'down';
  return node.isDraining ? 'draining' : 'up';
}
