import { allAreas, type Area } from '../area.ts';
import { againAfterLogin } from './api.ts';
import { loadModule } from './load-module.ts';
import type { RemoveFiles, SendBatch, SendFile } from './sending.ts';
import { mayOpen } from './session.ts';

export const PAUSED = 'paused';

/** Returns what sends a file of this size so that it goes on after the connection broke; `undefined` where nothing does. */
export function resumableSender(sizeBytes: number): SendFile | undefined {
  const sender = firstOpen('sender');
  if (sender === undefined || sizeBytes < sender.minBytes) return undefined;
  return (file) => againAfterLogin('POST', async () => (await loadModule(sender.load)).default(file));
}

/** Returns what sends small files together; `undefined` where nothing does. */
export function batchSender(): SendBatch | undefined {
  const sender = firstOpen('batches');
  return sender && (async (batch) => (await loadModule(sender.load)).default(batch));
}

/** Returns what removes files; `undefined` where nothing does. */
export function fileRemover(): RemoveFiles | undefined {
  const removal = firstOpen('removal');
  return removal && (async (paths) => (await loadModule(removal.load)).default(paths));
}

function firstOpen<K extends 'sender' | 'batches' | 'removal'>(kind: K): Area[K] | undefined {
  return allAreas().find((area) => area[kind] !== undefined && mayOpen(area, area[kind].features))?.[kind];
}
