import { closeSync } from 'node:fs';
import { openPathSync } from '../../../kernel/kit/files/safe-folder-sync.ts';
import { WithBytes, type JobContext } from '../../../kernel/kit/jobs/job.ts';
import { readSome } from '../../../kernel/kit/programs/piped-program.ts';
import { clearly } from '../../../kernel/kit/files/file-errors.ts';
import { assertThere } from '../jobs/place.ts';
import type { Format } from './formats.ts';
import { startPacking } from './packing.ts';

export type StreamInput =
  | {
      readonly step: 'begin';
      readonly folder: readonly string[];
      readonly names: readonly string[];
      readonly format: Format;
    }
  | { readonly step: 'read' };

const PART_BYTES = 1 << 20;
/** How long a reader waits for more: large folders are looked at before anything is written. */
const WAIT_MS = 5000;

let packing: ReturnType<typeof startPacking> | undefined;

/** Packs entries of a folder for a client that takes the archive part by part. The output is whether it is over. */
export default async function stream(input: StreamInput, { root }: JobContext): Promise<WithBytes<boolean>> {
  if (input.step === 'begin') {
    const folder = clearly(() => openPathSync(root, input.folder), 'folder');
    try {
      for (const name of input.names) assertThere(folder, name);
      packing = startPacking(folder, input.names, input.format);
    } finally {
      closeSync(folder);
    }
    return new WithBytes(Buffer.alloc(0), false);
  }
  if (packing?.output.stdout == null) throw new Error('nothing is being packed');
  const bytes = await readSome(packing.output.stdout, PART_BYTES, WAIT_MS);
  if (bytes !== undefined) return new WithBytes(bytes, false);
  await packing.ended;
  return new WithBytes(Buffer.alloc(0), true);
}
