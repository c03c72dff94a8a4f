import type { NodeInfo } from '../../kernel/contract/node-info.ts';
import type { Host } from '../../kernel/contract/plugin.ts';

/** The node, in a server, or while a command has all plugins set up. */
export type Node = Pick<Host, 'identity' | 'events' | 'store' | 'jobs' | 'gather'> & { readonly node: NodeInfo };

/** How a command runs. */
export interface Run {
  readonly node: Node;
  /** Tells people which step begins. */
  readonly say: (step: string) => void;
  readonly signal: AbortSignal;
}
