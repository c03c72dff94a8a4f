/**
 * Loads a module by its import; where that fails, once more under another name, as browsers remember of a name that it could not be
 * fetched.
 */
export async function loadModule<T>(load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch (error) {
    const [url] = /https?:\/\/\S+/.exec(String(error)) ?? [];
    if (url === undefined) throw error;
    return (await import(`${url}#${Date.now()}`)) as T;
  }
}
