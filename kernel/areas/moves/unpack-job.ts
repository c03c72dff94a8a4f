/** Unpacks files of an account that come from another node. Runs as the account, like all that handles its bytes. */
import { once } from 'node:events';
import type { JobContext } from '../../kit/jobs/job.ts';
import type { PipedProgram } from '../../kit/programs/piped-program.ts';
import { EXTRACT, startTar } from './tar.ts';

export interface UnpackInput {
  /** `write` passes the bytes that come with it on. */
  readonly task: 'begin' | 'write' | 'end';
}

let tar: PipedProgram | undefined;

export default async function unpack({ task }: UnpackInput, { root, bytes }: JobContext): Promise<null> {
  if (task === 'begin') {
    tar?.stop();
    tar = startTar(root.operatorPath, EXTRACT, 0);
    tar.stdout?.resume();
    return null;
  }
  const { stdin, ended } = tar ?? {};
  if (stdin === undefined || stdin === null || ended === undefined) throw new Error('nothing is being unpacked');
  if (task === 'end') {
    stdin.end();
    await ended;
  } else if (!stdin.write(bytes)) await Promise.race([once(stdin, 'drain'), ended.then(endedEarly)]);
  return null;
}

/** After the end of the archive there may be padding, which `tar` does not wait for. */
const endedEarly = (): void => undefined;
