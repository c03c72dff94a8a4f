import type { SiteLogs } from '../../../kernel/contract/points/web-server-part.ts';
import type { Kind } from '../site-logs/segments.ts';
import * as caddy from './caddy-lines.ts';
import * as nginx from './nginx-lines.ts';

/** Returns the lines that belong to sites; each byte of the text is a character. */
type ReadLines = (text: string) => nginx.SiteLine[];

/** From each web server, lines in the formats of nginx. */
export const FORMATS: Readonly<Record<SiteLogs['format'], Readonly<Record<Kind, ReadLines>>>> = {
  nginx: { access: nginx.accessLines, error: nginx.errorLines },
  caddy: { access: caddy.accessLines, error: caddy.errorLines },
};
