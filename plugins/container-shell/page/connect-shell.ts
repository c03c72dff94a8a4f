import { errorText, HEADERS, send, t } from '../../pages/kit/index.ts';
import type { OpenTerminal } from './terminal/open-terminal.ts';

/** How the connection of a shell does; `text` says why it ended. */
export type ShellState = { readonly is: 'connecting' | 'open' } | { readonly is: 'ended'; readonly text: string };

/** The server takes longer messages for an attack. */
const MESSAGE_BYTES = 16 * 1024;
/** A page cannot stop the browser from reading a WebSocket, and a terminal shows less in a second than a program can write. */
const UNSHOWN_BYTES = 16 * 1024 * 1024;

/** Connects a terminal with the shell at a path, until one of them ends or the signal is aborted. */
export function connectShell(
  path: string,
  terminal: OpenTerminal,
  show: (state: ShellState) => void,
  signal: AbortSignal,
): void {
  const url = new URL(path, location.origin.replace(/^http/, 'ws'));
  const socket = new WebSocket(url);
  socket.binaryType = 'arraybuffer';
  let isOpen = false;
  /** Until the shell has started. */
  let isSilent = true;
  let unshownBytes = 0;
  let end: string | undefined;
  signal.addEventListener('abort', () => socket.close());
  socket.addEventListener('open', () => {
    isOpen = true;
    terminal.onInput((bytes) => {
      if (socket.readyState !== WebSocket.OPEN) return;
      for (let at = 0; at < bytes.length; at += MESSAGE_BYTES) socket.send(bytes.slice(at, at + MESSAGE_BYTES));
    });
    terminal.onSize((size) => {
      if (socket.readyState === WebSocket.OPEN) socket.send(size);
    });
  });
  socket.addEventListener('message', ({ data }: MessageEvent<string | ArrayBuffer>) => {
    if (typeof data === 'string') return void (end = endText(JSON.parse(data) as ShellEnd));
    if (isSilent) show({ is: 'open' });
    isSilent = false;
    unshownBytes += data.byteLength;
    terminal.write(new Uint8Array(data), () => (unshownBytes -= data.byteLength));
    if (unshownBytes <= UNSHOWN_BYTES) return;
    end = t('container-shell.flood');
    socket.close();
  });
  const tellEnd = async () => {
    if (signal.aborted) return;
    show({ is: 'ended', text: end ?? (isOpen ? t('container-shell.lost') : await refusal(path)) });
  };
  socket.addEventListener('close', () => void tellEnd());
}

interface ShellEnd {
  readonly ended: 'exit' | 'idle' | 'time' | 'no_shell' | 'lost' | 'overloaded';
  readonly exit_code?: number;
}

function endText({ ended, exit_code: code }: ShellEnd): string {
  if (ended === 'exit') return t('container-shell.exit', { code: String(code ?? 0) });
  return t(`container-shell.${ended}`);
}

/** Resolves with why the server refused a handshake, which browsers tell no page: a plain request is refused for the same. */
async function refusal(path: string): Promise<string> {
  try {
    await send(path, { headers: HEADERS });
  } catch (error) {
    const isRefusal = (error as { readonly code?: string }).code !== 'upgrade_required';
    if (isRefusal) return errorText(error);
  }
  return t('container-shell.lost');
}
