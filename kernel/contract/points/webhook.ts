import type { TObject } from '../../schema.ts';

/** A request that the server sends of its own accord, to be described as an operation. */
export interface Webhook {
  /** The type of the event. */
  readonly name: string;
  readonly summary: string;
  readonly description: string;
  /** Descriptions of the headers, by name. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: TObject;
}
