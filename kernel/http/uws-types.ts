/** What is used of uWebSockets.js's requests and responses, so that one file alone knows the package. */
export interface UwsRequest {
  /** Empty where there is none. */
  getHeader(name: string): string;
  /** In lower case. */
  getMethod(): string;
  getUrl(): string;
  /** `undefined` where there is no question mark, other than the package's types say. */
  getQuery(): string | undefined;
  getParameter(index: number): string;
  /** Names in lower case. */
  forEach(each: (name: string, value: string) => void): void;
}

export interface UwsResponse {
  onAborted(handler: () => void): unknown;
  onData(handler: (chunk: ArrayBuffer, isLast: boolean) => void): unknown;
  onWritable(handler: (offset: number) => boolean): unknown;
  getRemoteAddress(): ArrayBuffer;
  cork(write: () => void): unknown;
  writeStatus(line: string): unknown;
  writeHeader(name: string, value: string): unknown;
  /** Whether the client keeps up. */
  write(chunk: string | Uint8Array): boolean;
  end(body?: string | Uint8Array, closeConnection?: boolean): unknown;
  /** Ends the connection without an answer. */
  close(): unknown;
  /** Takes arguments, but given any it never ends the reply, and the process dies of it. */
  endWithoutBody(): unknown;
}
