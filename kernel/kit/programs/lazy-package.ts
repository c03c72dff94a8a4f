import { createRequire } from 'node:module';

/**
 * Returns a function that loads a package, with `require`, when it is called. A load that fails, such as for want of file
 * descriptors, is tried again by the next call. Node.js itself remembers for the life of the process that an `import`
 * failed, and that a package.json could not be read: that one is therefore read at once. `from` is the URL of the caller.
 */
export function lazyPackage<T>(name: string, from: string): () => T {
  const require = createRequire(from);
  try {
    require.resolve(name);
  } catch {
    // Not installed: each call says so.
  }
  return () => require(name) as T;
}
