const [WIDTH, HEIGHT] = [240, 56];

/** The course of a percentage; the number beside it says the last value. */
export function Sparkline({ values, length }: { readonly values: readonly number[]; readonly length: number }) {
  if (values.length < 2) return <div class="sparkline" />;
  const step = WIDTH / (length - 1);
  const from = WIDTH - (values.length - 1) * step;
  const points = values.map(
    (value, i) => `${(from + i * step).toFixed(1)},${(HEIGHT - 2 - (value / 100) * (HEIGHT - 4)).toFixed(1)}`,
  );
  return (
    <svg class="sparkline" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
      <path class="area" d={`M${from.toFixed(1)},${HEIGHT} L${points.join(' L')} L${WIDTH},${HEIGHT} Z`} />
      <polyline points={points.join(' ')} />
    </svg>
  );
}
