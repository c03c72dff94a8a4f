import { bytes, number, percent, t } from './text/i18n.ts';

const WARN_PERCENT = 80;
const BAD_PERCENT = 95;

/** Returns how near to its limit something is. */
export function meterLevel(part: number): 'good' | 'warn' | 'bad' {
  return part >= BAD_PERCENT ? 'bad' : part >= WARN_PERCENT ? 'warn' : 'good';
}

interface MeterProps {
  readonly label: string;
  readonly used: number;
  /** 0 = unlimited. */
  readonly limit: number;
  /** Whether the numbers are sizes. */
  readonly isBytes?: boolean;
}

/** How much of a limit is used: as text, and as a bar that says the same to the eye. */
export function Meter({ label, used, limit, isBytes }: MeterProps) {
  const say = (value: number) => (isBytes === true ? bytes(value) : number(value, 2));
  const part = limit === 0 ? 0 : Math.min(100, (used / limit) * 100);
  const level = meterLevel(part);
  const text =
    limit === 0
      ? t('pages.meter.unlimited', { used: say(used) })
      : t('pages.meter.of', { used: say(used), limit: say(limit) });
  return (
    <div class="meter-line">
      <div class="row apart">
        <span>{label}</span>
        <span class="small soft number">
          {level !== 'good' && <strong>{t(level === 'bad' ? 'pages.meter.full' : 'pages.meter.near')} · </strong>}
          {text}
        </span>
      </div>
      {limit !== 0 && <Bar label={label} part={part} />}
    </div>
  );
}

export function Bar({ label, part }: { readonly label: string; readonly part: number }) {
  return (
    <div
      class="meter"
      data-level={meterLevel(part)}
      role="meter"
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={Math.round(part)}
      aria-valuetext={percent(part)}
    >
      <div style={{ width: `${part === 0 ? 0 : Math.max(part, 1.5)}%` }} />
    </div>
  );
}

/** How far some work is, of 100. */
export function Progress({ label, part }: { readonly label: string; readonly part: number }) {
  return (
    <div
      class="meter"
      role="progressbar"
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={Math.round(part)}
    >
      <div style={{ width: `${part}%` }} />
    </div>
  );
}
