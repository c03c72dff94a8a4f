/** Messages between workers and their supervisor, over the channel that Node.js opens to a process that it starts. */
import type { Answer } from './workers.ts';

/** The ports in use by address, which the system may have chosen. */
export type Ports = Readonly<Partial<Record<'user' | 'admin', number>>>;

export interface StartMessage {
  readonly kind: 'start';
  readonly number: number;
  readonly count: number;
  /** The configuration in force, which may differ from that in the files. */
  readonly settings: unknown;
  /** Those that the node has; none for its first worker. */
  readonly ports: Ports;
  /** Whether no other worker serves, so that the ports must be free. */
  readonly isFirst: boolean;
}

export type ToWorker =
  | StartMessage
  | { readonly kind: 'stop' }
  | { readonly kind: 'ping' }
  | { readonly kind: 'reload'; readonly settings: unknown }
  /** Has the outcome of a reload recorded; with a reason if it was refused. */
  | { readonly kind: 'record'; readonly refusal: string | undefined }
  | { readonly kind: 'acquired'; readonly id: string }
  | { readonly kind: 'published'; readonly topic: string; readonly value: unknown }
  | { readonly kind: 'queried'; readonly id: string; readonly from: number; readonly topic: string }
  | { readonly kind: 'responded'; readonly id: string; readonly answer: Answer };

export type ToSupervisor =
  | { readonly kind: 'serving'; readonly ports: Ports }
  | { readonly kind: 'pong' }
  | { readonly kind: 'reloaded'; readonly refusal: string | undefined }
  | { readonly kind: 'acquire'; readonly id: string; readonly name: string; readonly most: number }
  | { readonly kind: 'release'; readonly id: string }
  | { readonly kind: 'publish'; readonly topic: string; readonly value: unknown }
  | { readonly kind: 'query'; readonly id: string; readonly topic: string }
  | { readonly kind: 'respond'; readonly id: string; readonly to: number; readonly answer: Answer };
