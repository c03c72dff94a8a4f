/** For each byte of UTF-8 the same, with a small letter for an ASCII capital. */
export const LOWER = Uint8Array.from({ length: 256 }, (_, byte) => (byte >= 65 && byte <= 90 ? byte + 32 : byte));

/** Returns a copy with small letters for ASCII capitals. */
export const lowered = (bytes: Uint8Array): Buffer => Buffer.from(bytes.map((byte) => LOWER[byte] ?? 0));
