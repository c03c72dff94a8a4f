const LINE =
  /^[ \t]*(?:export[ \t]+)?([A-Za-z_][A-Za-z0-9_.]*)[ \t]*=[ \t]*(?:"((?:[^"\\]|\\[^])*)"|'([^']*)'|([^\n]*))/gm;
const ESCAPES: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t' };

/** Settings of a `.env` file as the frameworks read it: quotes, comments, `export`, and `${NAME}` of what stands above. */
export function parseEnv(text: string): Map<string, string> {
  const values = new Map<string, string>();
  const filled = (value: string) =>
    value.replace(/\$\{([A-Za-z_][A-Za-z0-9_.]*)\}/g, (_, name: string) => values.get(name) ?? '');
  for (const [, name = '', double, single, plain = ''] of text.replaceAll('\r\n', '\n').matchAll(LINE)) {
    values.set(
      name,
      single ??
        filled(
          double === undefined
            ? (plain.split(/(?:^|[ \t])#/, 1)[0] ?? '').trim()
            : double.replace(/\\([^])/g, (_, each: string) => ESCAPES[each] ?? each),
        ),
    );
  }
  return values;
}
