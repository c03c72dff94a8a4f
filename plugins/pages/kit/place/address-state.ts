import { useSignal } from '@preact/signals';
import { useLocation } from 'preact-iso/router';
import { useEffect } from 'preact/hooks';

/**
 * Keeps what a page shows in the fragment of its address, which no server and no log gets: a link leads to it, and Back returns
 * to it. Empty members are left out.
 */
export function useAddressState<N extends string>(
  ...names: readonly N[]
): [Readonly<Record<N, string>>, (next: Partial<Record<N, string>>) => void] {
  const { path, route } = useLocation();
  const changes = useSignal(0);
  useEffect(() => {
    const look = () => void (changes.value += 1);
    window.addEventListener('hashchange', look);
    return () => window.removeEventListener('hashchange', look);
  }, []);
  void changes.value;
  const params = new URLSearchParams(location.hash.slice(1));
  const state = Object.fromEntries(names.map((name) => [name, params.get(name) ?? ''])) as Record<N, string>;
  const set = (next: Partial<Record<N, string>>) => {
    const pairs = Object.entries<string>({ ...state, ...next }).filter(([, value]) => value !== '');
    const here = path + location.search;
    route(pairs.length === 0 ? here : `${here}#${new URLSearchParams(pairs)}`, true);
    changes.value += 1; // the router sees no change where Back has led to this path before
  };
  return [state, set];
}
