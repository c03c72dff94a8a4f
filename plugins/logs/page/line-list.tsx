import { Badge, bytes, t, Time, type ReplyOf } from '../../pages/kit/index.ts';

export type LogLine = ReplyOf<'GET /api/logs/lines'>['lines'][number];

/** Lines of a log: their parts where they could be read, and the whole of an error. */
export function LineList({ lines }: { readonly lines: readonly LogLine[] }) {
  return (
    <ul class="log" aria-label={t('logs.lines')}>
      {lines.map((line, i) => (
        <li key={i}>
          <span class="small soft number">{line.at !== null && <Time at={line.at} />}</span>
          {line.status === null ? <ErrorText line={line} /> : <Request line={line} />}
        </li>
      ))}
    </ul>
  );
}

function Request({ line: { method, path, status, bytes: size, ip, referrer, agent } }: { readonly line: LogLine }) {
  return (
    <span class="stack tight">
      <span class="row">
        <Badge
          {...((status ?? 0) >= 500 ? { tone: 'bad' as const } : (status ?? 0) >= 400 && { tone: 'warn' as const })}
        >
          {status}
        </Badge>
        <code class="wrap">{`${method ?? ''} ${path ?? ''}`}</code>
      </span>
      <span class="small soft wrap">
        {[ip, bytes(size ?? 0), referrer, agent].filter((each) => each !== null).join(' · ')}
      </span>
    </span>
  );
}

function ErrorText({ line: { level, text } }: { readonly line: LogLine }) {
  return (
    <span class="row">
      {level !== null && <Badge tone="warn">{level}</Badge>}
      <code class="wrap">{text}</code>
    </span>
  );
}
