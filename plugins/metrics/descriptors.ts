import { readdir, readFile } from 'node:fs/promises';
import { gauge, type Metric } from '../../kernel/contract/points/metric.ts';

/** The open file descriptors of the process and their limit. Each connection and each open file has one. */
export async function descriptorMetrics(): Promise<Metric[]> {
  const [names, limits] = await Promise.all([readdir('/proc/self/fd'), readFile('/proc/self/limits', 'utf8')]);
  const limit = /^Max open files +(\d+)/m.exec(limits)?.[1];
  return [
    gauge('process_open_fds', 'Open file descriptors', names.length - 1, 'sum'), // without that of the listing
    gauge('process_max_fds', 'Limit of open file descriptors', limit === undefined ? [] : Number(limit), 'sum'),
  ];
}
