import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

interface FoldProps {
  readonly head: ComponentChildren;
  readonly children: ComponentChildren;
  readonly isOpen?: boolean;
  readonly onToggle?: (isOpen: boolean) => void;
}

/** Unfolds by a press on its head; what is in it is drawn only then, because a description is long. */
export function Fold({ head, children, isOpen = false, onToggle }: FoldProps) {
  const isShown = useSignal(isOpen);
  const ref = useRef<HTMLDetailsElement>(null);
  useEffect(() => {
    if (isOpen) ref.current?.scrollIntoView({ block: 'nearest' });
  }, []);
  return (
    <details
      ref={ref}
      class="fold"
      open={isShown.value}
      onToggle={({ currentTarget }) => {
        if (currentTarget.open === isShown.value) return;
        isShown.value = currentTarget.open;
        onToggle?.(currentTarget.open);
      }}
    >
      <summary>{head}</summary>
      {isShown.value && <div class="stack">{children}</div>}
    </details>
  );
}
