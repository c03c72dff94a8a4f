/** Returns `Content-Disposition` of what browsers save under a name of any characters (RFC 6266, RFC 8187). */
export const savedAs = (name: string): string =>
  `attachment; filename*=UTF-8''${encodeURIComponent(name).replaceAll("'", '%27')}`;

/** Returns headers of what browsers save and never show: a page of a customer must not run at our address. */
export const savedHeaders = (name: string): Readonly<Record<string, string>> => ({
  'Content-Disposition': savedAs(name),
  'Content-Security-Policy': "default-src 'none'; sandbox",
});
