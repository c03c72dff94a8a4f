import type { Static, TObject } from '../../schema.ts';

/** Events by name, `<thing>.<change>`: what has happened, as a sentence, and the members of its data, if it has any. */
export type EventTable = Readonly<Record<string, { readonly text: string; readonly data?: TObject }>>;

type Sent<S> = { readonly [K in keyof S]: S[K] extends readonly (infer T)[] ? readonly T[] : S[K] };

/** The data of each event of a table; `undefined` for an event without data. */
export type EventData<T extends EventTable> = {
  readonly [K in keyof T]: T[K] extends { readonly data: infer S extends TObject } ? Sent<Static<S>> : undefined;
};

/**
 * The data of each event by the event's name. Types only, and empty here: each area declares its own events from its
 * table, next to its code:
 * `declare module '<…>/storage/events/event-types.ts' { interface EventTypes extends EventData<…> {} }`.
 */
export interface EventTypes {}

/** An event's name with the data that belongs to it. */
export type Occurrence = {
  readonly [T in keyof EventTypes]: {
    readonly type: T;
    readonly data?: EventTypes[T];
  } & (undefined extends EventTypes[T] ? unknown : { readonly data: EventTypes[T] });
}[keyof EventTypes];

/** An event in the log. */
export interface LoggedEvent {
  readonly id: number;
  /** Milliseconds since 1970. */
  readonly at: number;
  /** One of `EventTypes`, or a type that another version of the program recorded. */
  readonly type: string;
  readonly account_id: number | null;
  readonly username: string;
  readonly ip: string;
  readonly line: string;
  readonly data: Readonly<Record<string, unknown>>;
  /** The node of a fleet that recorded it; empty for a node by itself. */
  readonly node: string;
}
