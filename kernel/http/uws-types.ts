/** The parts of uWebSockets.js's requests and responses in use, so that `uws.ts` alone imports the package. */
export interface UwsRequest {
  /** Returns an empty string if the header is missing. Finds names given as bytes in half the time. */
  getHeader(name: string | Uint8Array): string;
  /** Returns the method in lower case. */
  getMethod(): string;
  getUrl(): string;
  /** Returns `undefined` if the URL has no question mark, contrary to the package's types. */
  getQuery(): string | undefined;
  getParameter(index: number): string;
  /** Calls back for each header; names are in lower case. */
  forEach(each: (name: string, value: string) => void): void;
}

/** The socket of a request, until it is answered or closed. */
export interface UwsResponse {
  onAborted(handler: () => void): unknown;
  onData(handler: (chunk: ArrayBuffer, isLast: boolean) => void): unknown;
  onWritable(handler: (offset: number) => boolean): unknown;
  getRemoteAddress(): ArrayBuffer;
  cork(write: () => void): unknown;
  writeStatus(line: string): unknown;
  writeHeader(name: string | Uint8Array, value: string | Uint8Array): unknown;
  /** Returns whether the client keeps up. */
  write(chunk: string | Uint8Array): boolean;
  end(body?: string | Uint8Array, closeConnection?: boolean): unknown;
  /** Closes the connection without an answer. */
  close(): unknown;
  /** Declared without the package's parameters: with any argument, it never ends the reply and crashes the process. */
  endWithoutBody(): unknown;
}
