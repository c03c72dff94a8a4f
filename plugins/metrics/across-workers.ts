import { gauge } from '../../kernel/contract/points/metric.ts';
import type { Host } from '../../kernel/contract/plugin.ts';
import { topic } from '../../kernel/contract/workers.ts';
import type { MetricFamily } from './exposition.ts';

const METRICS = topic<MetricFamily[]>('metrics');

/**
 * Returns a function that resolves with the figures of all workers, this one's first. A worker that does not answer is said and left out, which makes
 * sums smaller for that scrape.
 */
export function acrossWorkers({ workers, log, onClose }: Host, own: () => Promise<MetricFamily[]>) {
  onClose(workers.respond(METRICS, own));
  return async (): Promise<readonly (readonly MetricFamily[])[]> => {
    const [mine, answers] = await Promise.all([own(), workers.query(METRICS)]);
    const up = [{ labels: { worker: String(workers.number) }, value: 1 }];
    const others: (readonly MetricFamily[])[] = [];
    for (const answer of answers) {
      const isUp = 'value' in answer;
      up.push({ labels: { worker: String(answer.worker) }, value: Number(isUp) });
      if (isUp) others.push(answer.value);
      else log.warn({ worker: answer.worker, problem: answer.problem }, 'a worker did not supply its metrics');
    }
    up.sort((a, b) => (a.labels.worker < b.labels.worker ? -1 : 1));
    const said = gauge('hostkeep_worker_up', 'Whether the figures of a worker are in this page', up);
    return [[said, ...mine], ...others];
  };
}
