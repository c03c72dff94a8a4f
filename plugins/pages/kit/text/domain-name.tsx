/** RFC 3492, section 5: the parameters of Punycode. */
const [BASE, T_MIN, T_MAX, SKEW, DAMP, FIRST_BIAS, FIRST_CODE] = [36, 1, 26, 38, 700, 72, 128];

/**
 * Returns a domain name, or one with a path, in the script of its owner. Names that do not lead back to the same ASCII form stay
 * as they are, so that nothing is shown that the browser would not open.
 */
export function toUnicode(name: string): string {
  const [host = '', ...path] = name.split('/');
  if (!/(^|\.)xn--/.test(host)) return name;
  try {
    const decoded = host
      .split('.')
      .map((label) => (label.startsWith('xn--') ? decode(label.slice(4)) : label))
      .join('.');
    return toAscii(decoded) === host ? [decoded, ...path].join('/') : name;
  } catch {
    return name; // its encoding is none, so it is shown as it is
  }
}

/** Returns the ASCII form of a name as browsers make it; the name itself where there is none. */
export function toAscii(name: string): string {
  return URL.canParse(`http://${name}`) ? new URL(`http://${name}`).hostname : name;
}

/** A domain name in the script of its owner; its title has the ASCII form, by which look-alikes are told apart. */
export function DomainName({ name }: { readonly name: string }) {
  const shown = toUnicode(name);
  return (
    <span class="wrap" title={shown === name ? undefined : name}>
      {shown}
    </span>
  );
}

/** Decodes Punycode (RFC 3492, section 6.2). Throws `RangeError` if it is none. */
function decode(text: string): string {
  const end = text.lastIndexOf('-');
  const output = [...text.slice(0, Math.max(0, end))].map((each) => each.charCodeAt(0));
  let [code, i, bias] = [FIRST_CODE, 0, FIRST_BIAS];
  for (let at = end + 1; at < text.length;) {
    const before = i;
    for (let weight = 1, k = BASE; ; k += BASE) {
      const digit = digitOf(text.charCodeAt(at++));
      i += digit * weight;
      const threshold = Math.min(T_MAX, Math.max(T_MIN, k - bias));
      if (digit < threshold) break;
      weight *= BASE - threshold;
    }
    const length = output.length + 1;
    bias = adapted(i - before, length, before === 0);
    code += Math.floor(i / length);
    i %= length;
    output.splice(i++, 0, code);
  }
  return String.fromCodePoint(...output);
}

function digitOf(code: number): number {
  if (code >= 0x61 && code <= 0x7a) return code - 0x61;
  if (code >= 0x30 && code <= 0x39) return code - 0x30 + 26;
  throw new RangeError('this is not Punycode');
}

function adapted(delta: number, length: number, isFirst: boolean): number {
  let rest = Math.floor(delta / (isFirst ? DAMP : 2));
  rest += Math.floor(rest / length);
  let k = 0;
  for (; rest > ((BASE - T_MIN) * T_MAX) / 2; k += BASE) rest = Math.floor(rest / (BASE - T_MIN));
  return k + Math.floor(((BASE - T_MIN + 1) * rest) / (rest + SKEW));
}
