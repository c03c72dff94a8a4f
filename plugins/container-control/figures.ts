import type { FiguresSample } from '../../kernel/areas/containers.ts';
import type { ContainerFigures, ContainerHistory, FiguresList } from './schema.ts';

type One = FiguresSample['containers'][number];

/** Returns the current figures of all containers. */
export function current(samples: readonly FiguresSample[]): FiguresList {
  const [before, last] = [samples.at(-2), samples.at(-1)];
  const containers = (last?.containers ?? []).map((each) => ({ id: each.id, ...figures(each, last, before) }));
  return { sampled_at: last === undefined ? null : new Date(last.atMs).toISOString(), containers };
}

/** Returns the figures of one container, the newest last; the first sample only serves the rates of the second. */
export function history(samples: readonly FiguresSample[], id: string): ContainerHistory['samples'] {
  return samples.flatMap((sample, i) => {
    const found = sample.containers.find((each) => each.id === id);
    const isFirst = i === 0 && samples.length > 1;
    if (found === undefined || isFirst) return [];
    return [{ at: new Date(sample.atMs).toISOString(), ...figures(found, sample, samples[i - 1]) }];
  });
}

function figures(one: One, sample: FiguresSample | undefined, before: FiguresSample | undefined): ContainerFigures {
  const earlier = before?.containers.find(({ id }) => id === one.id);
  const seconds = ((sample?.atMs ?? 0) - (before?.atMs ?? 0)) / 1000;
  /** A container that was restarted counts from nothing. */
  const rate = (of: 'receivedBytes' | 'sentBytes' | 'readBytes' | 'writtenBytes') =>
    earlier === undefined || seconds <= 0 || one[of] < earlier[of]
      ? null
      : Math.round((one[of] - earlier[of]) / seconds);
  return {
    cpu_percent: Math.round(one.cpuPercent * 100) / 100,
    memory_bytes: one.memoryBytes,
    memory_limit_bytes: one.limitBytes,
    received_per_second: rate('receivedBytes'),
    sent_per_second: rate('sentBytes'),
    read_per_second: rate('readBytes'),
    written_per_second: rate('writtenBytes'),
    tasks: one.pids,
  };
}
