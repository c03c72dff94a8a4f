import { useSignal } from '@preact/signals';

/** Shorter drags are clicks. */
const LEAST = 0.01;

/** Range of a drag, as parts of the element's width: during the drag and at its end. */
export function useDrag(onEnd: (start: number, end: number) => void) {
  const span = useSignal<readonly [from: number, to: number] | undefined>(undefined);
  const partOf = ({ currentTarget, clientX }: PointerEvent) => {
    const { left, width } = (currentTarget as Element).getBoundingClientRect();
    return Math.min(1, Math.max(0, (clientX - left) / width));
  };
  const [from, to] = span.value ?? [0, 0];
  const ordered = [Math.min(from, to), Math.max(from, to)] as const;
  return {
    span: span.value && ordered,
    handlers: {
      onPointerDown: (event: PointerEvent) => {
        (event.currentTarget as Element).setPointerCapture(event.pointerId);
        span.value = [partOf(event), partOf(event)];
      },
      onPointerMove: (event: PointerEvent) => {
        if (span.value !== undefined) span.value = [span.value[0], partOf(event)];
      },
      onPointerUp: () => {
        span.value = undefined;
        if (ordered[1] - ordered[0] > LEAST) onEnd(...ordered);
      },
      onPointerCancel: () => void (span.value = undefined),
    },
  };
}
