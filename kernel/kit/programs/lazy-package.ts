import { createRequire } from 'node:module';

/**
 * Returns a function that loads a package, with `require`, when it is called. A load that fails, such as for want of file
 * descriptors, is tried again by the next call: Node.js 20 remembers for the life of the process that an `import` failed, which
 * Node.js 24 does not. It also remembers that a package.json could not be read, so that one is read at once. `from` is the URL
 * of the caller.
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
