/** The codings that the product writes, the best one first. */
export const CODINGS = ['br', 'gzip'] as const;
export type Coding = (typeof CODINGS)[number];

/** Returns the best coding that a header `Accept-Encoding` (RFC 9110, 12.5.3) allows; `undefined` if none. */
export function acceptedCoding(acceptEncoding: string): Coding | undefined {
  const accepted = acceptEncoding.split(',').map((each) => /^\s*([\w*]+)\s*(;\s*q=0(\.0*)?\s*$)?/.exec(each));
  return CODINGS.find((each) => accepted.some((found) => found?.[1] === each && found[2] === undefined));
}
