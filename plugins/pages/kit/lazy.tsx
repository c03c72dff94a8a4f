import { effect, useSignal } from '@preact/signals';
import type { ComponentType } from 'preact';
import { useEffect } from 'preact/hooks';
import { Skeleton } from './feedback.tsx';
import { isUnreachable, refreshSession } from './server/session.ts';

/** Loads code; where that fails, once more as soon as the server answers, which it may do again by now. */
async function tried<T>(load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch (error) {
    await refreshSession();
    await new Promise<void>((resolve) => {
      effect(function () {
        if (isUnreachable.value) return;
        this.dispose();
        resolve();
      });
    });
    // Browsers remember that a module could not be fetched; under another name they ask again.
    const [url] = /https?:\/\/\S+/.exec(String(error)) ?? [];
    return url === undefined ? load() : ((await import(`${url}#${Date.now()}`)) as T);
  }
}

/** Returns a component that loads its code when it is first shown. */
export function lazy(load: () => Promise<{ readonly default: ComponentType }>): ComponentType {
  let Loaded: ComponentType | undefined;
  return function Lazy() {
    const state = useSignal<{ readonly View?: ComponentType | undefined; readonly error?: unknown }>({ View: Loaded });
    useEffect(() => {
      if (Loaded !== undefined) return;
      void tried(load).then(
        (module) => {
          Loaded = module.default;
          state.value = { View: Loaded };
        },
        (error: unknown) => void (state.value = { error }),
      );
    }, []);
    const { View, error } = state.value;
    if (error !== undefined) throw error;
    return View === undefined ? <Skeleton /> : <View />;
  };
}
