/**
 * Questions to an engine's process, and its answers: plain data of bounded size, because it crosses from one
 * process to another. An engine may be a customer's, so its own bytes stay in that process.
 */
import type { EngineUsage } from '../disk-usage/engine-usage.ts';
import type { ContainerSample } from '../stats/sample.ts';
import type { Container } from './container.ts';
import type { Labels } from './untrusted-json.ts';

/** The engine of a process. It never serves another. */
export interface EngineTarget {
  readonly socketPath: string;
  /** For an account's own engine: the socket of the shared engine, which it must not turn out to be. */
  readonly ownBeside: string | null;
}

/** Questions by kind. */
export interface EngineQuestions {
  /** Loads the client library, and asks the engine nothing. */
  load: object;
  version: object;
  /** The running containers, or all. */
  containers: { readonly all: boolean };
  /** The engine walks all of its files. */
  usage: object;
  volumes: object;
  firstProcess: { readonly id: string };
  stats: { readonly id: string };
  /** Any request; the bytes of the job are sent as a tar archive. */
  request: {
    readonly method: 'GET' | 'POST' | 'DELETE';
    readonly path: string;
    readonly query?: Readonly<Record<string, string>>;
    /** Sent as JSON. */
    readonly body?: object;
  };
}
export type EngineQuestionKind = keyof EngineQuestions;

export interface EngineAnswers {
  load: null;
  version: { readonly program: string; readonly version: string; readonly apiVersion: string };
  containers: readonly Container[];
  usage: EngineUsage;
  volumes: readonly { readonly name: string; readonly labels: Labels }[];
  /** `null` for a container that does not run. */
  firstProcess: number | null;
  stats: ContainerSample | null;
  request: { readonly status: number; readonly text: string };
}

export interface EngineInput<K extends EngineQuestionKind = EngineQuestionKind> {
  readonly target: EngineTarget;
  readonly kind: K;
  readonly question: EngineQuestions[K];
  /** The limit for the engine's reply. */
  readonly timeoutMs: number;
}

/** `message` says why the engine has no answer; it names the socket, so it is for the log. */
export type EngineOutput<K extends EngineQuestionKind = EngineQuestionKind> =
  { readonly ok: true; readonly answer: EngineAnswers[K] } | { readonly ok: false; readonly message: string };
