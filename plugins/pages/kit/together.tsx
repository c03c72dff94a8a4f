import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';

/** Nobody waits longer for what is slow. */
const LONGEST_MS = 1000;

/** Shows its parts once all have their first content, so that none pushes another one away that is being read. */
export function Together(props: { readonly class: string; readonly children: ComponentChildren }) {
  const ref = useRef<HTMLDivElement>(null);
  const isWaiting = useSignal(true);
  useLayoutEffect(() => {
    const parts = ref.current;
    if (parts === null) return;
    const show = () => {
      observer.disconnect();
      clearTimeout(timer);
      isWaiting.value = false;
    };
    const look = () => {
      if (parts.querySelector('.skeleton') === null) show();
    };
    const observer = new MutationObserver(look);
    const timer = setTimeout(show, LONGEST_MS);
    observer.observe(parts, { childList: true, subtree: true });
    look();
    return () => {
      observer.disconnect();
      clearTimeout(timer);
    };
  }, []);
  return (
    <div class="together" data-waiting={isWaiting.value}>
      <div ref={ref} class={props.class}>
        {props.children}
      </div>
    </div>
  );
}
