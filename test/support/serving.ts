import { join } from 'node:path';
import { Caddy, hasCaddy } from './caddy.ts';
import { hasNginx, Nginx } from './nginx.ts';

/** A web server of the tests, and settings with which a node serves through it. */
export interface Serving {
  readonly port: number;
  readonly config: Readonly<Record<string, unknown>>;
  readonly vhosts: string;
  readonly remove: () => Promise<void>;
}

async function nginx(): Promise<Serving> {
  const started = await Nginx.start();
  const config = { webserver: started.settings };
  return { port: started.port, config, vhosts: started.vhostFolder, remove: () => started.remove() };
}

async function caddy(): Promise<Serving> {
  const started = await Caddy.start();
  const vhosts = join(started.folder, 'vhosts');
  return { port: started.port, config: started.config, vhosts, remove: () => started.remove() };
}

/** Returns how each web server that is installed is started, by its name. */
export function webServers(): readonly (readonly [name: string, start: () => Promise<Serving>])[] {
  return [...(hasNginx() ? [['nginx', nginx] as const] : []), ...(hasCaddy() ? [['Caddy', caddy] as const] : [])];
}
