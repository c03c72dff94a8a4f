import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { send } from '../../pages/kit/index.ts';

export interface Partition {
  readonly device: string;
  readonly mountpoint: string;
  readonly percent: number;
  readonly total: number;
  readonly used: number;
}
export interface Sample {
  readonly at: string;
  readonly cpu: Readonly<Record<string, number>> | null;
  readonly memory: {
    readonly ram_info: { readonly percent: number; readonly total: number; readonly used: number };
  } | null;
  readonly disk: readonly Partition[] | null;
}

/** Samples that the sparklines show: two minutes. */
const KEPT = 120;
const FIRST_PAUSE_MS = 1000;
const LONGEST_PAUSE_MS = 30_000;
/** After this long without a sample, the figures are old. */
const STALE_MS = 5000;

export const samples = signal<readonly Sample[]>([]);
/** `live`, or since when nothing was heard, in milliseconds since 1970. */
export const heardAt = signal(0);
export const isConnected = signal(false);

/** Follows the stream while the page is in sight. Reads it with `fetch`, because `EventSource` cannot send our header. */
export function useSamples(): void {
  useEffect(() => {
    let abort = new AbortController();
    const follow = () => {
      abort.abort();
      abort = new AbortController();
      if (document.visibilityState === 'visible') void reconnecting(abort.signal);
    };
    follow();
    document.addEventListener('visibilitychange', follow);
    return () => {
      document.removeEventListener('visibilitychange', follow);
      abort.abort();
    };
  }, []);
}

async function reconnecting(signal: AbortSignal): Promise<void> {
  let lastId = '';
  for (let pauseMs = FIRST_PAUSE_MS; !signal.aborted; pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)) {
    try {
      const headers = {
        'Hostkeep-Page': '1',
        Accept: 'text/event-stream',
        ...(lastId !== '' && { 'Last-Event-ID': lastId }),
      };
      const { body } = await send('/api/usage/stream', { headers, signal });
      if (body !== null)
        for await (const event of eventsOf(body)) {
          pauseMs = FIRST_PAUSE_MS;
          lastId = event.id;
          take(JSON.parse(event.data) as Sample);
        }
    } catch {
      // The pause follows, whatever ended the stream; a session that ended is said by the shell.
    }
    isConnected.value = false;
    if (!signal.aborted) await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
}

function take(sample: Sample): void {
  samples.value = [...samples.value.slice(1 - KEPT), sample];
  heardAt.value = Date.now();
  isConnected.value = true;
}

/** Whether the newest figures are of this moment. */
export function isLive(nowMs: number): boolean {
  return isConnected.value && nowMs - heardAt.value < STALE_MS;
}

/** Yields the events of a stream (HTML standard, section 9.2) that have data. */
async function* eventsOf(
  body: ReadableStream<Uint8Array>,
): AsyncGenerator<{ readonly id: string; readonly data: string }> {
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
      if (of('data') !== '') yield { id: of('id'), data: of('data') };
    }
  }
}
