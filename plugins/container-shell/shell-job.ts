/**
 * The process of one shell passes bytes between the shell and its client, at the pace of the slower one, and ends what runs in
 * the shell when the client goes. It ends with the process that serves the client.
 */
import { once } from 'node:events';
import type { Duplex } from 'node:stream';
import { EngineLibrary, statusIn, type EngineTarget } from '../../kernel/kit/engine/engine-library.ts';
import type { JobContext } from '../../kernel/kit/jobs/job.ts';
import { withDeadline } from '../../kernel/kit/waiting/deadline.ts';
import type { ShellEnd, TerminalSize } from './schema.ts';

export interface ShellInput {
  readonly target: EngineTarget;
  /** The id of the container. */
  readonly id: string;
  /** Numbers of user and group; empty for those of the container. */
  readonly user: string;
}
/** Questions of the job to its caller. */
export type ShellQuestion = 'opened' | 'output' | 'input' | 'gone';
/** The answer to `input`: a size of the terminal, that no more comes, or else bytes for the shell. */
export type ShellAnswer = TerminalSize | 'end' | null;

const BOUNDS = { timeoutMs: 10_000, maxBytes: 1 << 20 };
/** Says under which number the container knows the session, before the shell takes its place. */
const OPEN = 'echo $$; if command -v bash >/dev/null 2>&1; then exec bash; fi; exec sh';
/** Sends a signal to all processes of a session: a shell passes on a hang-up to some, and the engine ends none at all. */
const SIGNAL =
  'for f in /proc/[0-9]*/stat; do read -r l 2>/dev/null <$f || continue; p=${f%/stat}; set -- "$1" "$2" ${l##*) }; ' +
  '[ "$6" = "$1" ] && kill -"$2" "${p#/proc/}"; done 2>/dev/null';
const SESSION = /^(\d{1,9})\r?\n/;
/** How engines and their runtimes tell, in place of output, that a container has no such program. */
const NO_PROGRAM = /no such file|not found|permission denied/i;
const MOST_SAID = 300;
/** How long programs have for their end after the hang-up. */
const END_MS = 2000;

export default async function shell(input: ShellInput, context: JobContext): Promise<ShellEnd> {
  const container = () => new EngineLibrary(input.target, BOUNDS).docker.getContainer(input.id);
  const options = { User: input.user, Privileged: false, Env: ['TERM=xterm-256color'] };
  const Cmd = ['/bin/sh', '-c', OPEN];
  const terminal = { Tty: true, AttachStdin: true, AttachStdout: true, AttachStderr: true };
  const exec = await container().exec({ ...options, ...terminal, Cmd });
  const stream = await start(() => exec.start({ hijack: true, stdin: true, Tty: true }));
  if (stream === undefined) return { ended: 'no_shell' };
  const [session, said] = await readSession(stream);
  if (session === undefined) {
    stream.destroy();
    if (said === '' || NO_PROGRAM.test(said)) return { ended: 'no_shell' };
    throw new Error(`the engine could not start a shell, and says ${said}`);
  }
  const signal = async (name: string) => {
    const sent = await container().exec({ ...options, Cmd: ['/bin/sh', '-c', SIGNAL, 'sh', session, name] });
    await sent.start({ Detach: true });
  };
  const over = new Promise<void>((resolve) => stream.once('close', resolve));
  let hangingUp: Promise<void> | undefined;
  const end = async () => {
    await (hangingUp = signal('HUP'));
    await withDeadline(over, END_MS).catch(() => undefined); // what ignores it is killed
    await signal('KILL');
    stream.destroy();
  };
  let ending: Promise<void> | undefined;
  const hangUp = () => (ending ??= end());
  context.onClose(() => (stream.destroyed ? ending : hangUp()));
  await context.ask('opened' satisfies ShellQuestion);
  const engine = () => new EngineLibrary(input.target, BOUNDS).docker.getExec(exec.id);
  const resize = ({ columns, rows }: TerminalSize) => engine().resize({ w: columns, h: rows });
  takeInput(stream, context, resize).catch(() => stream.destroy()); // it has failed, which the output tells
  const gone = context.ask('gone' satisfies ShellQuestion).then(hangUp);
  // what it says after its client has gone is for nobody, and must not take the processor that ends it
  const pass = (bytes: Buffer) => hangingUp ?? context.ask('output' satisfies ShellQuestion, bytes);
  await Promise.race([passOutput(stream, pass), gone]);
  await ending; // the shell ends before what ignores the hang-up
  if (stream.destroyed && !stream.readableEnded) return { ended: 'lost' };
  const { ExitCode } = await engine().inspect();
  return { ended: 'exit', exit_code: ExitCode ?? 0 };
}

/** Resolves with `undefined` where the engine says that it cannot start the program. */
async function start(starting: () => Promise<Duplex>): Promise<Duplex | undefined> {
  try {
    return await starting();
  } catch (error) {
    if (statusIn(error) === undefined) throw error;
    return undefined;
  }
}

/** Takes the number of the session from the output. Without one, it resolves with what comes in its place. */
async function readSession(stream: Duplex): Promise<[session: string | undefined, said: string]> {
  let head = Buffer.alloc(0);
  while (head.length < MOST_SAID && !head.includes('\n')) {
    const chunk = (stream.read() ?? undefined) as Buffer | undefined;
    if (chunk !== undefined) head = Buffer.concat([head, chunk]);
    else if (stream.readableEnded || stream.destroyed) break;
    else await Promise.race([once(stream, 'readable'), once(stream, 'end'), once(stream, 'close')]);
  }
  const said = head.toString('latin1');
  const [line, session] = SESSION.exec(said) ?? [];
  if (line !== undefined) stream.unshift(head.subarray(line.length));
  return [session, said.slice(0, MOST_SAID).trim()];
}

async function passOutput(stream: Duplex, pass: (bytes: Buffer) => Promise<unknown>): Promise<void> {
  try {
    for await (const chunk of stream) await pass(chunk as Buffer);
  } catch {
    // the engine has gone: the stream is destroyed without an end, which the caller sees
  }
}

async function takeInput(
  stream: Duplex,
  { ask }: JobContext,
  resize: (size: TerminalSize) => Promise<unknown>,
): Promise<void> {
  while (!stream.destroyed) {
    const { answer, bytes } = await ask('input' satisfies ShellQuestion);
    const size = answer as ShellAnswer;
    if (size === 'end') return;
    if (size !== null)
      await resize(size).catch(() => undefined); // it has just ended
    else if (!stream.write(bytes)) await Promise.race([once(stream, 'drain'), once(stream, 'close')]);
  }
}
