/** Returns the folder in which something is; empty for what is in the root of all. */
export const parentFolder = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf('/')));
export const lastName = (path: string): string => path.slice(path.lastIndexOf('/') + 1);
