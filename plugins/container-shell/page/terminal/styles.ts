import xterm from '@xterm/xterm/css/xterm.css' with { type: 'text' };

export const STYLE = `${xterm}
.frame {
  box-sizing: border-box;
  height: 55dvh;
  min-height: 12rem;
  padding: 0.5rem;
  overflow: hidden;
  border: 1px solid var(--line-strong);
  border-radius: var(--radius);
  background: var(--surface);
  font-family: var(--mono);
}
.frame:focus-within {
  outline: 2px solid var(--focus);
  outline-offset: 1px;
}
.xterm {
  height: 100%;
}
`;

/**
 * Has what makes a terminal write no style elements, which our policy refuses: the root adopts what they would hold. xterm 6.0.0
 * asks the page's document for them, whatever its option `documentOverride` says, and makes none later.
 */
export function adoptingStyles<T>(root: ShadowRoot, make: () => T): T {
  const real = document.createElement.bind(document);
  const createElement = (name: string) => (name === 'style' ? adopted(real('meta'), root) : real(name));
  document.createElement = createElement as typeof document.createElement;
  try {
    return make();
  } finally {
    Reflect.deleteProperty(document, 'createElement');
  }
}

/** Returns an element whose text the root adopts. */
function adopted(element: HTMLElement, root: ShadowRoot): HTMLElement {
  const sheet = new CSSStyleSheet();
  root.adoptedStyleSheets.push(sheet);
  return Object.defineProperty(element, 'textContent', {
    set(css: string) {
      sheet.replaceSync(css);
    },
  });
}

// xterm writes colours into attributes, which our policy refuses; set as properties they are no inline styles.
HTMLSpanElement.prototype.setAttribute = function (name, value) {
  if (name === 'style') this.style.cssText = value;
  else Element.prototype.setAttribute.call(this, name, value);
};
