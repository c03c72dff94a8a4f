import { FitAddon } from '@xterm/addon-fit';
import { Terminal, type ITheme } from '@xterm/xterm';
import { adoptingStyles, STYLE } from './styles.ts';

interface Options {
  readonly parent: HTMLElement;
  readonly label: string;
  /** Called when the user leaves it by keys: in a terminal, Tab and Escape are the program's. */
  readonly onLeave: () => void;
}

export interface OpenTerminal {
  write(bytes: Uint8Array, onShown: () => void): void;
  onInput(take: (bytes: Uint8Array) => void): void;
  /** Calls back with its size now, such as `80x24`, and with each that follows. */
  onSize(take: (size: string) => void): void;
  close(): void;
}

const MOST_COLUMNS = 999;

/** Opens a terminal in an element, under a shadow root: the policy of our pages lets style sheets be adopted there, but not written. */
export function openTerminal({ parent, label, onLeave }: Options): OpenTerminal {
  const root = parent.attachShadow({ mode: 'open' });
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(STYLE);
  root.adoptedStyleSheets.push(sheet);
  const frame = root.appendChild(document.createElement('div'));
  frame.className = 'frame';
  const fit = new FitAddon();
  const terminal = adoptingStyles(root, () => {
    const made = new Terminal({
      fontFamily: getComputedStyle(frame).fontFamily,
      fontSize: 14,
      minimumContrastRatio: 4.5,
      screenReaderMode: true,
      scrollback: 5000,
      theme: readTheme(frame),
    });
    made.loadAddon(fit);
    made.open(frame);
    return made;
  });
  terminal.textarea?.setAttribute('aria-label', label);
  terminal.attachCustomKeyEventHandler((event) => {
    if (event.key !== 'F6' || !event.shiftKey) return true;
    if (event.type === 'keydown') onLeave();
    event.preventDefault();
    return false;
  });
  const fitting = new ResizeObserver(() => {
    const { cols = NaN, rows = NaN } = fit.proposeDimensions() ?? {};
    if (cols > 0 && rows > 0) terminal.resize(Math.min(cols, MOST_COLUMNS), rows); // no numbers while it is out of sight
  });
  fitting.observe(frame);
  const unfollow = followTheme(() => (terminal.options.theme = readTheme(frame)));
  terminal.focus();
  const encoder = new TextEncoder();
  return {
    write: (bytes, onShown) => terminal.write(bytes, onShown),
    onInput(take) {
      terminal.onData((text) => take(encoder.encode(text)));
      terminal.onBinary((text) => take(Uint8Array.from(text, (each) => each.charCodeAt(0))));
    },
    onSize(take) {
      const tell = () => take(`${terminal.cols}x${terminal.rows}`);
      terminal.onResize(tell);
      tell();
    },
    close() {
      unfollow();
      fitting.disconnect();
      terminal.dispose();
    },
  };
}

/** Reads the colours of the page, in a form that the terminal can read. */
function readTheme(frame: HTMLElement): ITheme {
  const probe = frame.appendChild(document.createElement('span'));
  const colour = (name: string) => {
    probe.style.color = `var(${name})`;
    return getComputedStyle(probe).color;
  };
  const [background, foreground, selection] = [colour('--surface'), colour('--text'), colour('--accent-soft')];
  probe.remove();
  return { background, foreground, cursor: foreground, cursorAccent: background, selectionBackground: selection };
}

/** Calls back when the theme changes, by the page or by the system. Returns a function that ends this. */
function followTheme(change: () => void): () => void {
  const observer = new MutationObserver(change);
  observer.observe(document.documentElement, { attributeFilter: ['data-theme'] });
  const system = matchMedia('(prefers-color-scheme: dark)');
  system.addEventListener('change', change);
  return () => {
    observer.disconnect();
    system.removeEventListener('change', change);
  };
}
