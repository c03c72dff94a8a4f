const LINE =
  /^[ \t]*(?:export[ \t]+)?([A-Za-z_][A-Za-z0-9_.]*)[ \t]*=[ \t]*(?:"((?:[^"\\]|\\[^])*)"|'([^']*)'|([^\n]*))/gm;
const ESCAPES: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t' };

/** Parses a `.env` file as the frameworks do: quotes, comments, `export`, and `${NAME}` for a setting above. */
export function parseEnv(text: string): Map<string, string> {
  const values = new Map<string, string>();
  const expanded = (value: string) =>
    value.replace(/\$\{([A-Za-z_][A-Za-z0-9_.]*)\}/g, (_, name: string) => values.get(name) ?? '');
  for (const [, name = '', double, single, plain = ''] of text.replaceAll('\r\n', '\n').matchAll(LINE)) {
    values.set(
      name,
      single ??
        expanded(
          double === undefined
            ? (plain.split(/(?:^|[ \t])#/, 1)[0] ?? '').trim()
            : double.replace(/\\([^])/g, (_, each: string) => ESCAPES[each] ?? each),
        ),
    );
  }
  return values;
}
