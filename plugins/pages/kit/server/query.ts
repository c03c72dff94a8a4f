import { signal, useSignal, useSignalEffect, type Signal } from '@preact/signals';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import { ApiError } from './api.ts';

export interface Query<T> {
  /** The last answer; stays during the next request. */
  readonly data: T | undefined;
  readonly error: ApiError | undefined;
  readonly isLoading: boolean;
  reload(): void;
  /** Shows a value before the server confirms it. */
  set(value: T): void;
}

/** Counts changes, after which what depends on them is asked again. */
const changes = signal(0);
export function changed(): void {
  changes.value += 1;
}

const FIRST_PAUSE_MS = 1000;
const LONGEST_PAUSE_MS = 30_000;

/**
 * Asks for what a part of the page shows: at once, when `key` changes, after changes, and again with growing pauses while
 * what failed may pass.
 */
export function useQuery<T>(key: string, ask: (signal: AbortSignal) => Promise<T>): Query<T> {
  const state = useSignal<{ data?: T; error?: ApiError; isLoading: boolean }>({ isLoading: true });
  const again = useSignal(0);
  const latest = useRef(ask);
  latest.current = ask;
  const keySignal = useMemo(() => signal(key), []);
  useEffect(() => void (keySignal.value = key), [key]);
  useSignalEffect(() => {
    const isOther = shownFor.current !== keySignal.value;
    shownFor.current = keySignal.value;
    void again.value;
    void changes.value;
    const { data } = state.peek();
    state.value = { ...(data !== undefined && !isOther && { data }), isLoading: true };
    return follow(state, (signal) => latest.current(signal));
  });
  const shownFor = useRef<string | undefined>(undefined);
  const { data, error, isLoading } = state.value;
  return {
    data,
    error,
    isLoading,
    reload: () => void (again.value += 1),
    set: (value) => void (state.value = { data: value, isLoading: false }),
  };
}

/** Asks again every so often while the page is in sight. */
export function useRefresh({ reload }: Pick<Query<unknown>, 'reload'>, everyMs: number): void {
  const latest = useRef(reload);
  latest.current = reload;
  useEffect(() => {
    const timer = setInterval(() => document.visibilityState === 'visible' && latest.current(), everyMs);
    return () => clearInterval(timer);
  }, []);
}

function follow<T>(
  state: Signal<{ data?: T; error?: ApiError; isLoading: boolean }>,
  ask: (signal: AbortSignal) => Promise<T>,
): () => void {
  const abort = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const attempt = async (pauseMs: number): Promise<void> => {
    try {
      const data = await ask(abort.signal);
      if (!abort.signal.aborted) state.value = { data, isLoading: false };
    } catch (cause) {
      if (abort.signal.aborted) return;
      const error = cause instanceof ApiError ? cause : new ApiError(0, { title: String(cause) });
      const { data } = state.peek();
      state.value = { ...(data !== undefined && { data }), error, isLoading: false };
      const nextMs = Math.max(pauseMs, (error.retryAfter ?? 0) * 1000);
      if (error.isPassing) timer = setTimeout(() => void attempt(Math.min(pauseMs * 2, LONGEST_PAUSE_MS)), nextMs);
    }
  };
  void attempt(FIRST_PAUSE_MS);
  return () => {
    abort.abort();
    clearTimeout(timer);
  };
}
