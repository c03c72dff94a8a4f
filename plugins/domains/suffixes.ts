import { getPublicSuffix } from 'tldts';

/** The public suffix of a name, those of private registries (`github.io`) included; the last label where no list knows better. */
export function publicSuffix(name: string): string {
  return getPublicSuffix(name, { allowPrivateDomains: true, validateHostname: false }) ?? name.slice(name.lastIndexOf('.') + 1);
}
