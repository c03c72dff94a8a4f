/** The path below which this application has its pages, such as `/home`. */
let base = '/home';

export function setBase(path: string): void {
  base = path;
}

/** Returns the path of a page of this application. */
export function at(path: string): string {
  return path === '/' ? base : `${base}${path}`;
}
