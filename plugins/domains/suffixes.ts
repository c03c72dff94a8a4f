import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);
/** Loaded at the first use, because the list takes 30 ms of a start. */
let suffixes: typeof import('tldts') | undefined;

/** The public suffix of a name, those of private registries (`github.io`) included; the last label where no list knows better. */
export function publicSuffix(name: string): string {
  suffixes ??= require('tldts') as typeof import('tldts');
  return (
    suffixes.getPublicSuffix(name, { allowPrivateDomains: true, validateHostname: false }) ??
    name.slice(name.lastIndexOf('.') + 1)
  );
}
