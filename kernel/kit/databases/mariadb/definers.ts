const WORD = Buffer.from('DEFINER=');
const NEW_LINE = 0x0a;
/** How far from the beginning of its line a clause begins at most, and how long it is. */
const BEFORE_BYTES = 128;
const CLAUSE_BYTES = 512;
/** Bytes that are looked at again with the next chunk. */
const KEPT_BYTES = BEFORE_BYTES + CLAUSE_BYTES;

const NAME = /(?:`(?:[^`\n]|``)*`|'[^'\n]*'|"[^"\n]*"|[\w.%-]+)/.source;
/** The head of a statement that makes a view, a trigger, a routine or an event, as programs write it: at the beginning of a line. */
const HEAD = new RegExp(
  String.raw`^(?:/\*M?!\d{5,6} )?(?:CREATE (?:OR REPLACE )?|CREATE\*/ /\*M?!\d{5,6} )?(?:ALGORITHM ?= ?\w+ )?(DEFINER=${NAME}@${NAME} ?)`,
);

/**
 * Leaves out who views, triggers, routines and events are said to be of, so that they are of whoever runs the statements. A dump
 * names users of the server that it is from. Protects nothing: the login of an import does.
 */
export async function* withoutDefiners(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let kept: Buffer = Buffer.alloc(0);
  let isStart = true;
  for await (const chunk of chunks) {
    const text = kept.length === 0 ? Buffer.from(chunk) : Buffer.concat([kept, chunk]);
    const until = Math.max(0, text.length - KEPT_BYTES);
    const { passed, rest } = leaveOut(text, until, isStart);
    isStart &&= until === 0;
    yield* passed;
    kept = rest;
  }
  yield* leaveOut(kept, kept.length, isStart).passed;
}

/** Returns what precedes `until` without clauses that begin there, and the rest. */
function leaveOut(text: Buffer, until: number, isStart: boolean): { passed: Buffer[]; rest: Buffer } {
  const passed: Buffer[] = [];
  let from = 0;
  for (let at = text.indexOf(WORD); at >= 0 && at < until + BEFORE_BYTES; at = text.indexOf(WORD, at + 1)) {
    const newLine = text.lastIndexOf(NEW_LINE, at);
    const line = newLine + 1;
    if (line < from || at - line >= BEFORE_BYTES || (newLine < 0 && !isStart)) continue;
    const [head = '', clause = ''] = HEAD.exec(text.toString('latin1', line, at + CLAUSE_BYTES)) ?? [];
    if (clause === '' || line + head.length - clause.length !== at) continue;
    passed.push(text.subarray(from, at));
    from = at + clause.length;
  }
  const end = Math.max(from, until);
  return { passed: [...passed, text.subarray(from, end)], rest: text.subarray(end) };
}
