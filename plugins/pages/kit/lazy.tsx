import { effect, useSignal } from '@preact/signals';
import type { ComponentType } from 'preact';
import { useEffect } from 'preact/hooks';
import { Skeleton } from './feedback.tsx';
import { loadModule } from './server/load-module.ts';
import { isUnreachable, refreshSession } from './server/session.ts';
import { useFurtherTexts } from './text/i18n.ts';

/** Loads code or texts; where that fails, once more as soon as the server answers, which it may do again by now. */
async function tried<T>(load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch {
    await refreshSession();
    await new Promise<void>((resolve) => {
      effect(function () {
        if (isUnreachable.value) return;
        this.dispose();
        resolve();
      });
    });
    return load(); // which shows why it fails, if it does
  }
}

/** Returns a component of a page at a path that loads its code, and the texts of its page, when it is first shown. */
export function lazy(path: string, load: () => Promise<{ readonly default: ComponentType }>): ComponentType {
  const loadAll = async () => {
    const [module] = await Promise.all([loadModule(load), path === '/' ? undefined : useFurtherTexts()]);
    return module;
  };
  let Loaded: ComponentType | undefined;
  return function Lazy() {
    const state = useSignal<{ readonly View?: ComponentType | undefined; readonly error?: unknown }>({ View: Loaded });
    useEffect(() => {
      if (Loaded !== undefined) return;
      void tried(loadAll).then(
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
