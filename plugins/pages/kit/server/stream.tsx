import { signal, useSignal, type Signal } from '@preact/signals';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import { send } from './api.ts';
import { Badge } from '../card.tsx';
import { t } from '../text/i18n.ts';

/** How a stream of the server does. */
export interface Feed {
  /** When it was last heard, in milliseconds since 1970; 0 for never. */
  readonly heardAt: number;
  readonly isConnected: boolean;
}
interface StreamEvent {
  readonly id: string;
  readonly data: string;
}

const FIRST_PAUSE_MS = 1000;
const LONGEST_PAUSE_MS = 30_000;

/**
 * Follows a stream of events while the page is in sight. Reconnects with growing pauses, and asks for what was missed. Reads it
 * with `fetch`, because `EventSource` cannot send our header.
 */
export function useStream(path: string, take: (event: StreamEvent) => void): Signal<Feed> {
  const feed = useMemo(() => signal<Feed>({ heardAt: 0, isConnected: false }), [path]);
  const latest = useRef(take);
  latest.current = take;
  useEffect(() => {
    let abort = new AbortController();
    const last = { id: '' };
    const hear = (event?: StreamEvent) => {
      feed.value = { heardAt: Date.now(), isConnected: true };
      if (event === undefined) return;
      last.id = event.id;
      latest.current(event);
    };
    const follow = () => {
      abort.abort();
      abort = new AbortController();
      if (document.visibilityState === 'visible') void reconnecting(path, last, hear, feed, abort.signal);
    };
    follow();
    document.addEventListener('visibilitychange', follow);
    return () => {
      document.removeEventListener('visibilitychange', follow);
      abort.abort();
    };
  }, [path]);
  return feed;
}

async function reconnecting(
  path: string,
  last: { readonly id: string },
  hear: (event?: StreamEvent) => void,
  feed: Signal<Feed>,
  signal: AbortSignal,
): Promise<void> {
  for (let pauseMs = FIRST_PAUSE_MS; !signal.aborted; pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)) {
    try {
      const headers = {
        'Hostkeep-Page': '1',
        Accept: 'text/event-stream',
        ...(last.id !== '' && { 'Last-Event-ID': last.id }),
      };
      const { body } = await send(path, { headers, signal });
      if (body !== null)
        for await (const event of eventsOf(body)) {
          pauseMs = FIRST_PAUSE_MS;
          hear(event);
        }
    } catch {
      // The pause follows, whatever ended the stream; a session that ended is said by the shell.
    }
    if (signal.aborted) return;
    feed.value = { ...feed.value, isConnected: false };
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
}

/** Yields the events of a stream (HTML standard, section 9.2), and `undefined` for what only shows that it lives. */
async function* eventsOf(body: ReadableStream<Uint8Array>): AsyncGenerator<StreamEvent | undefined> {
  const reader = body.pipeThrough(new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>).getReader();
  let rest = '';
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    const blocks = (rest + value).split('\n\n');
    rest = blocks.pop() ?? '';
    for (const block of blocks) {
      const of = (name: string) =>
        block
          .split('\n')
          .filter((line) => line.startsWith(`${name}: `))
          .map((line) => line.slice(name.length + 2))
          .join('\n');
      yield of('data') === '' ? undefined : { id: of('id'), data: of('data') };
    }
  }
}

/** Says "live", "reconnecting", or how old the figures are where something should be heard every `staleMs`. */
export function Freshness({ feed, staleMs }: { readonly feed: Signal<Feed>; readonly staleMs: number }) {
  const now = useSignal(Date.now());
  useEffect(() => {
    const timer = setInterval(() => (now.value = Date.now()), 1000);
    return () => clearInterval(timer);
  }, []);
  const { heardAt, isConnected } = feed.value;
  const ageMs = now.value - heardAt;
  if (heardAt === 0) return <Badge>{t('pages.feed.connecting')}</Badge>;
  if (isConnected && ageMs < staleMs) return <Badge tone="good">{t('pages.feed.live')}</Badge>;
  if (isConnected || ageMs > staleMs)
    return <Badge tone="warn">{t('pages.feed.old', { n: Math.round(ageMs / 1000) })}</Badge>;
  return <Badge tone="warn">{t('pages.feed.reconnecting')}</Badge>;
}
