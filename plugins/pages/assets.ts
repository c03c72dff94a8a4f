import { readFile } from 'node:fs/promises';
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { isMissing } from '../../kernel/kit/files/files-root.ts';
import { fail, Unavailable } from '../../kernel/errors.ts';
import { EtagReply } from '../../kernel/areas/etag-reply.ts';
import { acceptedCoding, type Coding } from '../../kernel/kit/net/content-coding.ts';
import { reply, type Reply } from '../../kernel/contract/reply.ts';

/** Where `npm run build` puts the assets: beside this file, once it is compiled. */
const FOLDER = new URL('./assets/', import.meta.url);
/** A name holds a hash of the content, so a file never changes under it. */
const IMMUTABLE = 'public, max-age=31536000, immutable';
const SHELL_HEADERS = {
  'Cache-Control': 'no-cache',
  'Content-Security-Policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data: blob:",
    "connect-src 'self'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
    "form-action 'self'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; '),
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  Vary: 'Accept',
};
const ENDINGS: Readonly<Record<Coding, string>> = { br: '.br', gzip: '.gz' };

/** The manifest that the build wrote about its files. */
interface Manifest {
  /** HTML of each application. */
  readonly shells: Readonly<Record<'home' | 'console', string>>;
  /** Media types by file name. */
  readonly types: Readonly<Record<string, string>>;
}

/** The built files: a complete list, so that no part of a request goes into a path. Read on first use. */
export class Assets {
  readonly #manifest: Manifest;
  readonly #shells: Readonly<Record<'home' | 'console', EtagReply>>;
  readonly #replies = new Map<string, Reply>();

  /** Throws `Unavailable` if nothing was built. */
  constructor() {
    try {
      this.#manifest = JSON.parse(readFileSync(new URL('manifest.json', FOLDER), 'utf8')) as Manifest;
    } catch (error) {
      if (!isMissing(error)) throw error;
      throw new Unavailable('the pages are not built', 'npm run build');
    }
    const shellOf = (html: string) =>
      new EtagReply(Buffer.from(html), { type: 'text/html; charset=utf-8', headers: SHELL_HEADERS });
    this.#shells = { home: shellOf(this.#manifest.shells.home), console: shellOf(this.#manifest.shells.console) };
  }

  /** Returns the HTML of an application to who accepts HTML. Errors: 404 `not_found`. */
  shell(of: 'home' | 'console', accept: string, ifNoneMatch: string): Reply {
    if (!/text\/html/i.test(accept)) throw fail.not_found('no route has this path');
    return this.#shells[of].answer(ifNoneMatch);
  }

  /** Resolves with a file in the best coding that the client accepts. Errors: 404 `not_found`. */
  async file(name: string, acceptEncoding: string): Promise<Reply> {
    const type = Object.hasOwn(this.#manifest.types, name) ? this.#manifest.types[name] : undefined;
    if (type === undefined) throw fail.not_found('no built file has this name');
    const coding = acceptedCoding(acceptEncoding);
    const key = `${name} ${coding ?? ''}`;
    const kept = this.#replies.get(key) ?? (await read(name, type, coding));
    this.#replies.set(key, kept);
    return kept;
  }
}

async function read(name: string, type: string, coding: Coding | undefined): Promise<Reply> {
  const bytes = await readFile(new URL(`${name}${ENDINGS[coding ?? 'gzip']}`, FOLDER));
  return reply(coding === undefined ? gunzipSync(bytes) : bytes, {
    type,
    headers: {
      'Cache-Control': IMMUTABLE,
      Vary: 'Accept-Encoding',
      'Cross-Origin-Resource-Policy': 'same-origin',
      ...(coding !== undefined && { 'Content-Encoding': coding }),
    },
  });
}
