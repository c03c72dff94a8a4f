import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { projectDir } from '../../kernel/system/project-dir.ts';
import { EtagReply } from '../../kernel/plugin-api/etag-reply.ts';

/** Allows nothing from other origins and nothing inline; Swagger UI has images as data: URLs. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');
/** The files change only with an upgrade; browsers revalidate them. */
const HEADERS = {
  'Cache-Control': 'no-cache',
  'Content-Security-Policy': POLICY,
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Opener-Policy': 'same-origin',
};
const TYPES = {
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
} as const;

const own = (name: string) => () => join(projectDir, 'plugins/openapi/page', name);
const packages = createRequire(import.meta.url);
/** The complete list of files served; no part of a request goes into a path. */
const FILES = {
  page: { locate: own('docs.html'), type: TYPES.html },
  script: { locate: own('docs.js'), type: TYPES.js },
  style: { locate: own('docs.css'), type: TYPES.css },
  bundle: { locate: () => packages.resolve('swagger-ui-dist/swagger-ui-bundle.js'), type: TYPES.js },
  bundleStyle: { locate: () => packages.resolve('swagger-ui-dist/swagger-ui.css'), type: TYPES.css },
} as const;
export type PageFile = keyof typeof FILES;

/** The files of the page, read on first use; a failed read is tried again. */
export class PageFiles {
  readonly #replies = new Map<PageFile, EtagReply>();

  get(name: PageFile): EtagReply | Promise<EtagReply> {
    return this.#replies.get(name) ?? this.#read(name);
  }

  async #read(name: PageFile): Promise<EtagReply> {
    const { locate, type } = FILES[name];
    const kept = new EtagReply(await readFile(locate()), { type, headers: HEADERS });
    this.#replies.set(name, kept);
    return kept;
  }
}
