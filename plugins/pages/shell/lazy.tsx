import { useSignal } from '@preact/signals';
import type { ComponentType } from 'preact';
import { useEffect } from 'preact/hooks';
import { Skeleton } from '../kit/feedback.tsx';

/** Returns a component that loads its code when it is first shown. */
export function lazy(load: () => Promise<{ readonly default: ComponentType }>): ComponentType {
  let Loaded: ComponentType | undefined;
  return function Lazy() {
    const state = useSignal<{ readonly View?: ComponentType | undefined; readonly error?: unknown }>({ View: Loaded });
    useEffect(() => {
      if (Loaded !== undefined) return;
      load().then(
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
