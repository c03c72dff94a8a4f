import { nodeInAddress } from './node.ts';

/** The path below which this application has its pages, such as `/home`. */
let base = '/home';

export function setBase(path: string): void {
  base = path;
}

/** Returns the path of a page of this application. */
export function pathAt(path: string): string {
  return path === '/' ? base : `${base}${path}`;
}

/** Returns the path to which a link leads in this application, also a short one, such as `/files` for `/home/files`. */
export function ownPath(link: string): string {
  const { pathname } = new URL(link, location.origin);
  return pathname === base || pathname.startsWith(`${base}/`) ? pathname : pathAt(pathname);
}

/** Returns a link to a page of this application, which goes on with the node of a fleet that was chosen. */
export function at(path: string): string {
  return linkTo(pathAt(path));
}

/** Returns a link of this application as one that chooses a node of a fleet; without one, it goes on with the chosen one. */
export function linkTo(link: string, node = nodeInAddress()): string {
  const url = new URL(link, location.origin);
  url.searchParams.delete('node');
  if (node !== '') url.searchParams.set('node', node);
  return `${url.pathname}${url.search}${url.hash}`;
}
