import { Type, type TSchema } from '../schema.ts';

/**
 * The bytes of a request's body. They are read once, as they come and no faster than the reader takes them; if the client
 * disconnects, the reader gets what has arrived, and then an error.
 */
export interface IncomingBody extends AsyncIterable<Uint8Array> {
  /** The announced size; `undefined` if the client announced none. */
  readonly sizeBytes: number | undefined;
}

/** The schema of a body that the handler reads as an `IncomingBody`; `contentMediaType` names a media type of its own. */
export const Bytes = Type.Unsafe<IncomingBody>({ type: 'string', format: 'binary' });

/** Whether the handler reads a body as it comes. */
export const isBytes = (body: TSchema | undefined): boolean => body?.['format'] === 'binary';
