import { useSignal, type Signal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { Button, errorText, loadModule, t } from '../../pages/kit/index.ts';
import { connectShell, type ShellState } from './connect-shell.ts';

interface ShellProps {
  readonly container: { readonly id: string; readonly name: string };
  readonly onClose: () => void;
}

/** Shows the terminal of a shell, says how the connection does, and connects again when the user asks for it. */
export function Shell({ container: { id, name }, onClose }: ShellProps) {
  const place = useRef<HTMLDivElement>(null);
  const close = useRef<HTMLDivElement>(null);
  const attempt = useSignal(1);
  const state = useSignal<ShellState>({ is: 'connecting' });
  useEffect(
    () => open(id, name, place.current, () => close.current?.querySelector('button')?.focus(), state),
    [id, attempt.value],
  );
  const { is } = state.value;
  return (
    <>
      <div key={attempt.value} ref={place} />
      <p class="soft">{t('container-shell.keys')}</p>
      <div class="row" ref={close}>
        <Button onClick={onClose}>{t('container-shell.close')}</Button>
        {is === 'ended' && (
          <Button kind="primary" onClick={() => void (attempt.value += 1)}>
            {t('container-shell.again')}
          </Button>
        )}
        <span role="status">{stateText(state.value)}</span>
      </div>
    </>
  );
}

/** Returns a function that ends it. */
function open(
  id: string,
  name: string,
  parent: HTMLElement | null,
  leave: () => void,
  state: Signal<ShellState>,
): () => void {
  const ending = new AbortController();
  const start = async () => {
    state.value = { is: 'connecting' };
    const { openTerminal } = await loadModule(() => import('./terminal/open-terminal.ts'));
    if (ending.signal.aborted || parent === null) return;
    const terminal = openTerminal({ parent, label: t('container-shell.of', { name }), onLeave: leave });
    ending.signal.addEventListener('abort', () => terminal.close());
    const show = (next: ShellState) => {
      if (!ending.signal.aborted) state.value = next;
    };
    connectShell(`/api/docker-shells/${id}`, terminal, show, ending.signal);
  };
  start().catch((error: unknown) => void (state.value = { is: 'ended', text: errorText(error) }));
  return () => ending.abort();
}

function stateText(state: ShellState): string {
  if (state.is === 'ended') return state.text;
  return t(state.is === 'open' ? 'container-shell.isOpen' : 'container-shell.connecting');
}
